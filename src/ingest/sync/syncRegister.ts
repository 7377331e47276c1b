import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Sql } from '../../postgres/client.ts'
import { takeSyncLock } from '../../postgres/syncLock.ts'
import { assertSettings, type SyncTask } from '../network/source.ts'
import { fetchRegister } from './fetchRegister.ts'
import { type ImportTotals, importWaiting, newImportTotals } from './importWaiting.ts'
import { type FetchSummary, newFetchSummary, type SyncOptions } from './options.ts'
import {
  countWaitingFiles,
  hasCompanies,
  readCursors,
  readWaitingCompanies,
  saveCursor,
  withoutDoneCompanies,
} from './queries.ts'

/** Another run of the market is in progress. */
export class SyncBusy extends Failure {}

export interface SyncSummary {
  readonly fetched: FetchSummary
  readonly imported: ImportTotals
  /** Files that are fetched but not imported. */
  waiting: number
}

/**
 * Fetched files are imported in rounds of this size, so that an interrupted run leaves little to import. The
 * archive is the queue.
 */
const filesPerRound = 1_000
const bytesPerRound = 256 * 1024 * 1024

/**
 * Fetches what is new in a register, archives it, and imports it as files observed on that day. An
 * interruption at any point loses nothing: the next run continues.
 *
 * @param onSummary receives the summary before the first request, once no other process can fetch from the
 * register; it is updated during the run
 */
export async function syncRegister(
  sql: Sql,
  options: SyncOptions,
  onSummary: (summary: SyncSummary) => void | Promise<void> = () => {},
): Promise<SyncSummary> {
  const { source, register, settings } = options
  assertSettings(source, settings)
  const lock = await takeSyncLock(sql, source.market)
  if (lock === null)
    throw new SyncBusy(
      'conflict',
      `Another process is already fetching ${source.market}. Wait until it finishes.`,
    )
  try {
    const summary: SyncSummary = { fetched: newFetchSummary(), imported: newImportTotals(), waiting: 0 }
    await onSummary(summary)
    const { fetched, imported } = summary
    const importNow = async () => {
      if (register !== undefined) await importWaiting(sql, register, options, imported)
    }
    await importNow()
    const cursors = await openCursors(sql, options)
    const task = await taskOf(sql, options, cursors)
    const nextCompanies = companyPages(sql, options, task.today)
    let round = { files: 0, bytes: 0 }
    await fetchRegister(
      sql,
      source.plan(task),
      options,
      fetched,
      { advance: cursors.advance, nextCompanies },
      async () => {
        const { saved: files, savedBytes: bytes } = fetched
        if (files - round.files < filesPerRound && bytes - round.bytes < bytesPerRound) return
        round = { files, bytes }
        await importNow()
      },
    )
    await importNow()
    summary.waiting = await countWaitingFiles(sql, source.market)
    return summary
  } finally {
    await lock.release()
  }
}

async function taskOf(sql: Sql, options: SyncOptions, cursors: Cursors): Promise<SyncTask> {
  const { source, settings, since, companies, today, newId } = options
  const isNeeded = source.companies === 'needed' && companies.length === 0
  if (isNeeded && !(await hasCompanies(sql, source.market))) {
    throw new Failure(
      'parameter_invalid',
      'This register is fetched company by company, and the database has no companies of it yet. Give a file of company numbers with --companies.',
      { param: 'companies' },
    )
  }
  return { settings, since, companies, today: today(), newId, cursor: cursors.read }
}

interface Cursors {
  readonly read: (name: string) => string | null
  readonly advance: (name: string, position: string) => Promise<void>
}

/**
 * The cursors of a run. A run for some companies has its own cursors and does not change those of full runs.
 * A run with --since leaves no gap: it moves a cursor only forward, and only if it started at or before the
 * cursor.
 */
async function openCursors(sql: Sql, { source, since, companies }: SyncOptions): Promise<Cursors> {
  const { market } = source
  const positions = await readCursors(sql, market)
  const initial = new Map(positions)
  const isPartial = companies.length > 0 && source.companies !== 'needed'
  const suffix = isPartial ? ` of ${Bun.hash.xxHash3([...companies].sort().join()).toString(36)}` : ''
  const advance = async (name: string, position: string) => {
    const cursor = name + suffix
    const start = initial.get(cursor)
    if (since !== null && start !== undefined && (since > start || position < start)) return
    if (source.companies !== 'needed') positions.set(cursor, position)
    await saveCursor(sql, market, cursor, position)
  }
  return { read: name => positions.get(name + suffix) ?? null, advance }
}

/** A register may have millions of companies, so only one page is in memory at a time. */
const companiesPerPage = 1_000

/**
 * Returns a function that reads the companies to fetch page by page: the named ones, or else all in the
 * database. Skips companies that are done for the day. An empty page marks the end.
 */
export function companyPages(
  sql: Sql,
  { source, companies }: Pick<SyncOptions, 'source' | 'companies'>,
  today: IsoDate,
): () => Promise<readonly string[]> {
  const { market } = source
  let after = ''
  let index = 0
  return async () => {
    if (companies.length === 0) {
      const page = await readWaitingCompanies(sql, market, { after, today, limit: companiesPerPage })
      after = page.at(-1) ?? after
      return page
    }
    while (index < companies.length) {
      const named = companies.slice(index, index + companiesPerPage)
      index += named.length
      const page = await withoutDoneCompanies(sql, market, named, today)
      if (page.length > 0) return page
    }
    return []
  }
}

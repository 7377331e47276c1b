import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Sql } from '../../postgres/client.ts'
import { requireSettings, type SyncTask } from '../network/source.ts'
import { fetchRegister } from './fetchRegister.ts'
import { type Imported, importWaiting, nothingImported } from './importWaiting.ts'
import { type Fetched, nothingFetched, type SyncOptions } from './options.ts'
import {
  countWaitingFiles,
  dropDoneCompanies,
  hasCompanies,
  readCursors,
  readWaitingCompanies,
  saveCursor,
  takeSyncLock,
} from './queries.ts'

export interface SyncSummary {
  readonly fetched: Fetched
  readonly imported: Imported
  /** Files that were fetched and not imported. */
  waiting: number
}

/** So much is fetched before it is imported: an interruption leaves little undone, and the archive is the queue. */
const filesPerRound = 1_000
const bytesPerRound = 256 * 1024 * 1024

/** Brings a market up to date from its register: what is not had is fetched, kept, and imported as if it had been given as
 * files on that day. An interruption at any point loses nothing, and the next run goes on.
 * @param onSummary given the summary before the first request; it grows while the run lasts */
export async function syncRegister(
  sql: Sql,
  options: SyncOptions,
  onSummary: (summary: SyncSummary) => void = () => {},
): Promise<SyncSummary> {
  const { source, register, settings } = options
  requireSettings(source, settings)
  const lock = await takeSyncLock(sql, source.market)
  if (lock === null) throw new Failure('conflict', `Another process is fetching ${source.market} just now.`)
  try {
    const summary: SyncSummary = { fetched: nothingFetched(), imported: nothingImported(), waiting: 0 }
    onSummary(summary)
    const { fetched, imported } = summary
    const importNow = async () => {
      if (register !== undefined) await importWaiting(sql, register, options, imported)
    }
    await importNow()
    const cursors = await openCursors(sql, options)
    const task = await taskOf(sql, options, cursors)
    const next = companyPages(sql, options, task.today)
    let round = { files: 0, bytes: 0 }
    await fetchRegister(
      sql,
      source.plan(task),
      options,
      fetched,
      { advance: cursors.advance, nextCompanies: next },
      async () => {
        const { kept: files, keptBytes: bytes } = fetched
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
      'This register is asked company by company, and none is known yet: name a file of company numbers with --companies.',
      { param: 'companies' },
    )
  }
  return { settings, since, companies, today: today(), newId, cursor: cursors.read }
}

interface Cursors {
  readonly read: (name: string) => string | null
  readonly advance: (name: string, position: string) => Promise<void>
}

/** The places of a run. One for some companies leaves those of a run for all alone, and --since never makes a gap: it moves
 * a place only where it began before it, and only on. */
async function openCursors(sql: Sql, { source, since, companies }: SyncOptions): Promise<Cursors> {
  const { market } = source
  const places = await readCursors(sql, market)
  const before = new Map(places)
  const isPart = companies.length > 0 && source.companies !== 'needed'
  const suffix = isPart ? ` of ${Bun.hash.xxHash3([...companies].sort().join()).toString(36)}` : ''
  const advance = async (name: string, position: string) => {
    const full = name + suffix
    const was = before.get(full)
    if (since !== null && was !== undefined && (since > was || position < was)) return
    if (source.companies !== 'needed') places.set(full, position)
    await saveCursor(sql, market, full, position)
  }
  return { read: name => places.get(name + suffix) ?? null, advance }
}

/** So many companies are in memory at a time, of the millions that a register may have. */
const companiesPerPage = 1_000

/** Gives the companies to ask for, page by page, without those that are done for the day: the ones that were named, else all
 * that are known. An empty page is the last one. */
export function companyPages(
  sql: Sql,
  { source, companies }: Pick<SyncOptions, 'source' | 'companies'>,
  today: IsoDate,
): () => Promise<readonly string[]> {
  const { market } = source
  let after = ''
  let place = 0
  return async () => {
    if (companies.length === 0) {
      const page = await readWaitingCompanies(sql, market, { after, today, limit: companiesPerPage })
      after = page.at(-1) ?? after
      return page
    }
    while (place < companies.length) {
      const named = companies.slice(place, place + companiesPerPage)
      place += named.length
      const page = await dropDoneCompanies(sql, market, named, today)
      if (page.length > 0) return page
    }
    return []
  }
}

import { type Column, type OutputFormat, readOutputFormat } from '../../formats/columns.ts'
import { commentLine, type Notices, noticeHeaders, noticeLines } from '../../formats/notices.ts'
import { listMetadata, streamRows } from '../../formats/rows.ts'
import { spool } from '../../formats/spool.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { noteVersion } from '../../postgres/readRoute.ts'
import { openSnapshot, type Snapshot } from '../../postgres/snapshot.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { termsOf } from '../companies/licenceTerms.ts'
import type { FundamentalsCompany } from './batchSchema.ts'
import { type CompaniesPlan, planCompanies } from './plan.ts'
import { dataVersionConflict, maxAttempts, onlyRecentYear, readCompany } from './read.ts'
import type { FundamentalsList, FundamentalsQuery } from './schema.ts'
import { sheetOf } from './sheet.ts'
import { tableOf } from './table.ts'
import { type FundamentalsTable, fundamentalsTableSheet } from './tableSchema.ts'

export interface OpenedBatch {
  readonly body: ReadableStream<Uint8Array>
  /** Settles when the last row has been read from the database; the client may still be reading the body. */
  readonly read: Promise<void>
  /** Headers for what the format has no field for. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The figures of several companies as bytes, sent while they are read. Companies are read one after the
 * other, which bounds memory, and from one snapshot, so that all rows have the same data version. Failures
 * before the first company reject the promise.
 */
export async function streamCompanies(
  deps: CompanyDeps,
  rights: Rights,
  query: FundamentalsQuery,
  planned: CompaniesPlan,
  signal?: AbortSignal,
): Promise<OpenedBatch> {
  const gone = new AbortController()
  const either = signal === undefined ? gone.signal : AbortSignal.any([gone.signal, signal])
  const { snapshot, plan } = await openPlanned(deps, rights, query, planned, either)
  const lists = readLists(deps, snapshot, plan, either)
  const first = await lists.next()
  if (first.done) throw new Error('A batch has at least one company.')
  const { promise: read, resolve: isRead } = Promise.withResolvers<void>()
  const output = readOutputFormat(query)
  const notices = noticesOf(deps, plan)
  const chunks = framed(deps, plan, output, notices, first.value, lists)
  const headers = output.format === 'json' ? {} : noticeHeaders(notices)
  return { body: spool(ending(chunks, lists, isRead), () => gone.abort()), read, headers }
}

/**
 * A snapshot of the data version in which the companies were planned. If an import committed in between, they
 * are planned again: old names must not come with new figures.
 */
async function openPlanned(
  deps: CompanyDeps,
  rights: Rights,
  query: FundamentalsQuery,
  planned: CompaniesPlan,
  signal: AbortSignal,
): Promise<{ snapshot: Snapshot; plan: CompaniesPlan }> {
  const { directory: _, ...fresh } = deps
  let plan = planned
  for (let left = maxAttempts; left > 0; left--) {
    const snapshot = await openSnapshot(deps.sql, signal)
    const version = await readDataVersion(snapshot.connection).catch(async error => {
      await snapshot.release()
      throw error
    })
    noteVersion(deps.sql, version)
    if (plan.companies.every(company => company.dataVersion === version)) return { snapshot, plan }
    // Releases the connection before planning takes another: if every request held one here, all would wait
    // forever.
    await snapshot.release()
    plan = await planCompanies(fresh, rights, query)
  }
  throw dataVersionConflict()
}

async function* readLists(
  deps: Pick<CompanyDeps, 'markets' | 'terms'>,
  snapshot: Snapshot,
  plan: CompaniesPlan,
  signal: AbortSignal,
): AsyncGenerator<FundamentalsList, void, undefined> {
  try {
    for (const company of plan.companies) {
      signal.throwIfAborted()
      yield await readCompany({ ...deps, sql: snapshot.connection }, company)
    }
  } finally {
    await snapshot.release()
  }
}

/**
 * Stops reading from the database however the body ends; otherwise the connection would never be returned.
 */
async function* ending(
  chunks: AsyncGenerator<Uint8Array, void, undefined>,
  lists: AsyncGenerator<FundamentalsList, void, undefined>,
  isRead: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* chunks
  } finally {
    await lists.return().finally(isRead)
  }
}

/** What is known before the first row is read. Notes on single companies arrive with their rows. */
function noticesOf({ markets }: Pick<CompanyDeps, 'markets'>, plan: CompaniesPlan): Notices {
  const codes = [...new Set(plan.companies.map(company => company.market))]
  const { licenceAddress, registerTerms } = termsOf(markets, codes)
  const restricted = plan.companies.filter(company => company.recentFiscalYearOnly)
  return {
    licence: plan.freeLicence ? { text: freeLicenceNotice, address: licenceAddress } : null,
    registerTerms,
    attribution: codes.flatMap(code => markets.get(code)?.attribution ?? []),
    note: restricted.length === 0 ? null : onlyRecentYear(restricted.map(({ ticker }) => ticker).join(', ')),
  }
}

function framed(
  deps: Pick<CompanyDeps, 'markets'>,
  plan: CompaniesPlan,
  { format, comments }: OutputFormat,
  notices: Notices,
  first: FundamentalsList,
  rest: AsyncGenerator<FundamentalsList, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { asOf, view, vintage, layout, columns } = plan.selection
  const markets = [...new Set(plan.companies.map(company => company.market))]
  const isWide = layout === 'wide' && columns !== null
  const head = {
    ...(isWide ? { object: 'fundamentals_table', metrics: columns } : { object: 'fundamentals_list' }),
    as_of: asOf,
    view,
    ...(vintage === 'all' ? {} : { vintage }),
    data_version: first.data_version,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: markets.flatMap(market => deps.markets.get(market)?.attribution ?? []),
  }
  const lists = shaped(joined(first, rest), isWide ? columns : null)
  if (format === 'json') return writeJson(head, lists)
  const notes: string[] = []
  const sheet: readonly Column[] = isWide ? fundamentalsTableSheet(columns, asOf) : sheetOf(plan.selection)
  const rows = streamRows(format, sheet, listMetadata(head), rowsOf(lists, notes))
  return comments ? commented(notices, rows, notes) : rows
}

/** A company's note is only known once its rows are read, so it follows the rows. */
async function* commented(
  notices: Notices,
  rows: AsyncIterable<Uint8Array>,
  notes: readonly string[],
): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(noticeLines(notices))
  yield* rows
  if (notes.length > 0) yield Buffer.from(notes.map(note => commentLine('note', note)).join(''))
}

async function* joined(first: FundamentalsList, rest: AsyncIterable<FundamentalsList>) {
  yield first
  yield* rest
}

/** @param columns of a table, or null for one row per figure */
async function* shaped(
  lists: AsyncIterable<FundamentalsList>,
  columns: readonly string[] | null,
): AsyncGenerator<FundamentalsList | FundamentalsTable, void, undefined> {
  for await (const list of lists) yield columns === null ? list : tableOf(list, columns)
}

/** @param notes filled with the companies' notes */
async function* rowsOf(lists: AsyncIterable<FundamentalsList | FundamentalsTable>, notes: string[]) {
  for await (const { ticker, note, data } of lists) {
    if (note !== undefined) notes.push(`${ticker}: ${note}`)
    yield data
  }
}

/** Counts and notes come last in the object, because they are only known once all rows are sent. */
async function* writeJson(
  head: object,
  lists: AsyncIterable<FundamentalsList | FundamentalsTable>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const companies: FundamentalsCompany[] = []
  let count = 0
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"data":[`)
  for await (const list of lists) {
    const { ticker, issuer_id, name, market, splits, symbol_assumed, note, data } = list
    companies.push({
      ticker,
      issuer_id,
      name,
      market,
      ...(splits === undefined ? {} : { splits }),
      ...(symbol_assumed === undefined ? {} : { symbol_assumed }),
      ...(note === undefined ? {} : { note }),
      count: data.length,
    })
    if (data.length > 0) yield Buffer.from((count === 0 ? '' : ',') + JSON.stringify(data).slice(1, -1))
    count += data.length
  }
  yield Buffer.from(`],"companies":${JSON.stringify(companies)},"count":${count}}`)
}

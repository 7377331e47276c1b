import { freeLicenceNotice } from '../../access/licences.ts'
import type { DataFormat } from '../../formats/columns.ts'
import { aboutList, writeSheet } from '../../formats/rows.ts'
import { spool } from '../../formats/spool.ts'
import type { Markets } from '../../markets/markets.ts'
import type { Sql } from '../../postgres/client.ts'
import { openSnapshot, readDataVersion, type Snapshot } from '../../postgres/snapshot.ts'
import type { BatchPlan } from './plan.ts'
import { readFundamentals, tries, unsettled } from './read.ts'
import { type FundamentalsCompany, type FundamentalsList, fundamentalsSheet } from './schema.ts'

export interface OpenedBatch {
  readonly body: ReadableStream<Uint8Array>
  /** Settled when nothing is read from the database any more; the client may still be reading. */
  readonly read: Promise<void>
}

interface BatchDeps {
  readonly sql: Sql
  readonly markets: Markets
}

/** The figures of several companies as bytes, while they come: one company after the other by the same statements as
 * alone, all of one snapshot, so memory is bounded by one company. Failures before the first company reject.
 *
 * @param replan plans the same once more, from what the database says now: for where an import came after the plan */
export async function openBatch(
  deps: BatchDeps,
  planned: BatchPlan,
  replan: () => Promise<BatchPlan>,
  format: DataFormat,
  signal?: AbortSignal,
): Promise<OpenedBatch> {
  const gone = new AbortController()
  const either = signal === undefined ? gone.signal : AbortSignal.any([gone.signal, signal])
  const { snapshot, plan } = await openPlanned(deps, planned, replan, either)
  const lists = readLists(deps, snapshot, plan, either)
  const first = await lists.next()
  if (first.done) throw new Error('A batch has a company at least.')
  const { promise: read, resolve: isRead } = Promise.withResolvers<void>()
  const chunks = framed(deps, plan, format, first.value, lists)
  return { body: spool(ending(chunks, lists, isRead), () => gone.abort()), read }
}

/** A snapshot of the data version under which the companies were planned. */
async function openPlanned(
  { sql }: BatchDeps,
  planned: BatchPlan,
  replan: () => Promise<BatchPlan>,
  signal: AbortSignal,
): Promise<{ snapshot: Snapshot; plan: BatchPlan }> {
  let plan = planned
  for (let left = tries; left > 0; left--) {
    const snapshot = await openSnapshot(sql, signal)
    const version = await readDataVersion(snapshot.connection).catch(async error => {
      await snapshot.end()
      throw error
    })
    if (plan.companies.every(company => company.dataVersion === version)) return { snapshot, plan }
    // The connection goes back first: planning takes one, too, and all would wait for each other.
    await snapshot.end()
    plan = await replan()
  }
  throw unsettled()
}

async function* readLists(
  deps: BatchDeps,
  snapshot: Snapshot,
  plan: BatchPlan,
  signal: AbortSignal,
): AsyncGenerator<FundamentalsList, void, undefined> {
  try {
    for (const company of plan.companies) {
      signal.throwIfAborted()
      yield await readFundamentals({ sql: snapshot.connection, markets: deps.markets }, company)
    }
  } finally {
    await snapshot.end()
  }
}

/** Whatever ends the bytes ends the reading, too. */
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

function framed(
  deps: BatchDeps,
  plan: BatchPlan,
  format: DataFormat,
  first: FundamentalsList,
  rest: AsyncGenerator<FundamentalsList, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { asOf, view, vintage } = plan.asked
  const markets = [...new Set(plan.companies.map(company => company.market))]
  const head = {
    object: 'fundamentals_list',
    as_of: asOf,
    view,
    ...(vintage === 'all' ? {} : { vintage }),
    data_version: first.data_version,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: markets.flatMap(market => deps.markets.get(market)?.attribution ?? []),
  }
  const lists = joined(first, rest)
  return format === 'json'
    ? writeJson(head, lists)
    : writeSheet(format, fundamentalsSheet, aboutList(head), rowsOf(lists))
}

async function* joined(first: FundamentalsList, rest: AsyncIterable<FundamentalsList>) {
  yield first
  yield* rest
}

async function* rowsOf(lists: AsyncIterable<FundamentalsList>) {
  for await (const list of lists) yield list.data
}

/** What is known only at the end (how many rows, why a company has none) stands at the end. */
async function* writeJson(
  head: object,
  lists: AsyncIterable<FundamentalsList>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const companies: FundamentalsCompany[] = []
  let count = 0
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"data":[`)
  for await (const { ticker, issuer_id, name, market, note, data } of lists) {
    companies.push({
      ticker,
      issuer_id,
      name,
      market,
      ...(note === undefined ? {} : { note }),
      count: data.length,
    })
    if (data.length > 0) yield Buffer.from((count === 0 ? '' : ',') + JSON.stringify(data).slice(1, -1))
    count += data.length
  }
  yield Buffer.from(`],"companies":${JSON.stringify(companies)},"count":${count}}`)
}

import { freeLicenceNotice } from '../../access/licences.ts'
import { csvLine, type DataFormat } from '../../formats/columns.ts'
import { aboutList, writeSheet } from '../../formats/rows.ts'
import { spool } from '../../formats/spool.ts'
import type { Sql } from '../../postgres/client.ts'
import { encodeCursor, type SignalsPlan } from './plan.ts'
import { readSignalPage, type SignalPage } from './queries.ts'
import { type SignalRow, signalSchema, signalSheet } from './schema.ts'

export interface SignalResponse {
  count: number
  dataVersion: number
  /** The cursor that continues; null at the end. CSV has no place for it: a header may carry it. */
  next: string | null
  body: ReadableStream<Uint8Array>
  /** Settled when nothing is read from the database any more; the client may still be reading. */
  read: Promise<void>
}

/** The signal list as bytes, while they come from the database. Failures before the first row reject; memory
 * does not grow with the number of rows. A client that leaves (`signal`, or cancelling the stream) cancels the
 * statement and gives its connection back. */
export async function openSignals(
  sql: Sql,
  plan: SignalsPlan,
  format: DataFormat,
  signal?: AbortSignal,
): Promise<SignalResponse> {
  const gone = new AbortController()
  const either = signal === undefined ? gone.signal : AbortSignal.any([gone.signal, signal])
  const page = await readSignalPage(
    sql,
    plan.filter,
    plan.limit,
    format === 'parquet' ? 'ndjson' : format,
    either,
  )
  const next = page.last === null ? null : encodeCursor(page.last)
  const head = listHead(plan, page, next)
  const first = await page.rows.next()
  const { promise: read, resolve: isRead } = Promise.withResolvers<void>()
  const body = spool(ending(written(format, head, first, page.rows), page.rows, isRead), () => gone.abort())
  return { count: page.count, dataVersion: page.dataVersion, next, body, read }
}

export async function streamSignals(
  sql: Sql,
  plan: SignalsPlan,
  format: DataFormat,
  signal?: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  return (await openSignals(sql, plan, format, signal)).body
}

function listHead(plan: SignalsPlan, page: SignalPage, next: string | null) {
  return {
    object: 'signal_list',
    tier: plan.tier,
    full_access: plan.fullAccess,
    delayed_days: plan.delayedDays,
    count: page.count,
    schema: signalSchema,
    data_version: page.dataVersion,
    next,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
  }
}

type Texts = AsyncGenerator<Uint8Array, void, undefined>

function written(
  format: DataFormat,
  head: ReturnType<typeof listHead>,
  first: IteratorResult<Uint8Array, void>,
  rest: Texts,
): Texts {
  switch (format) {
    case 'json':
      return jsonText(head, first, rest)
    case 'csv':
      return joined(Buffer.from(csvLine(Object.keys(signalSchema))), first, rest)
    case 'ndjson':
      return joined(null, first, rest)
    case 'parquet':
      return writeSheet(format, signalSheet, aboutList(head), parsed(joined(null, first, rest)))
  }
}

async function* joined(head: Uint8Array | null, first: IteratorResult<Uint8Array, void>, rest: Texts): Texts {
  if (head !== null) yield head
  if (!first.done) yield first.value
  yield* rest
}

async function* jsonText(head: object, first: IteratorResult<Uint8Array, void>, rest: Texts): Texts {
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"data":[`)
  // Every row opens with a comma; the first has nothing to be parted from.
  if (!first.done) yield first.value.subarray(1)
  yield* rest
  yield Buffer.from(']}')
}

/** The very rows that NDJSON would show. */
async function* parsed(texts: Texts): AsyncGenerator<SignalRow[], void, undefined> {
  for await (const text of texts) {
    const lines = Buffer.from(text).toString().split('\n')
    yield lines.flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
  }
}

/** Whatever ends the bytes ends the reading, too. */
async function* ending(chunks: Texts, rows: SignalPage['rows'], isRead: () => void): Texts {
  try {
    yield* chunks
  } finally {
    await rows.return().finally(isRead)
  }
}

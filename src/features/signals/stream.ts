import type { DataFormat } from '../../formats/columns.ts'
import { csvLine } from '../../formats/csv.ts'
import { type Notices, noticeHeaders, noticeLines } from '../../formats/notices.ts'
import { listMetadata, streamRows } from '../../formats/rows.ts'
import { spool } from '../../formats/spool.ts'
import type { CursorSigner } from '../../http/cursor.ts'
import type { Sql } from '../../postgres/client.ts'
import { freeLicenceAddress, freeLicenceNotice } from '../../rights/licences.ts'
import { encodeCursor, type SignalsPlan } from './plan.ts'
import { readSignalPage, type SignalExtent, type SignalPage } from './queries.ts'
import { type SignalRow, signalSchema, signalSheet } from './schema.ts'

interface SignalResponse {
  count: number
  dataVersion: number
  /**
   * The cursor of the next page; null at the end. CSV cannot contain it, so the caller sends it as a header.
   */
  next: string | null
  body: ReadableStream<Uint8Array>
  /** Resolves when the database has been read; the client may still be reading. */
  read: Promise<void>
  /** Headers for what the format has no field for. */
  headers: Readonly<Record<string, string>>
}

/**
 * The signal list as a stream of bytes, straight from the database, so that memory does not grow with the
 * number of rows. Failures before the first row reject the promise. A client that disconnects (`signal`, or a
 * cancelled stream) cancels the statement and returns its connection.
 */
export async function openSignals(
  { sql, cursors }: { readonly sql: Sql; readonly cursors: CursorSigner },
  plan: SignalsPlan,
  format: DataFormat,
  signal?: AbortSignal,
  comments = false,
): Promise<SignalResponse> {
  const cancelled = new AbortController()
  const ended = signal === undefined ? cancelled.signal : AbortSignal.any([cancelled.signal, signal])
  const text = format === 'parquet' ? 'ndjson' : format
  const page = await readSignalPage(sql, plan.filter, plan.limit, text, ended, plan.viewEnds)
  const next = page.last === null ? null : encodeCursor(cursors, plan.scope, page.last)
  const head = listHead(plan, page, next)
  const first = await page.rows.next()
  const { promise: read, resolve: onRead } = Promise.withResolvers<void>()
  const notices = noticesOf(plan)
  const rows = encodeList(format, head, first, page.rows)
  const chunks = comments ? after(Buffer.from(noticeLines(notices)), rows) : rows
  const body = spool(closingRows(chunks, page.rows, onRead), () => cancelled.abort())
  const headers = format === 'json' ? {} : noticeHeaders(notices)
  return { count: page.count, dataVersion: page.dataVersion, next, body, read, headers }
}

function noticesOf({ freeLicence, delayedDays }: SignalsPlan): Notices {
  return {
    licence: freeLicence ? { text: freeLicenceNotice, address: freeLicenceAddress } : null,
    registerTerms: [],
    attribution: [],
    note:
      delayedDays === 0
        ? null
        : `The view ends ${delayedDays} days before today; with the quant plan it has no delay.`,
  }
}

async function* after(head: Uint8Array, rest: Chunks): Chunks {
  yield head
  yield* rest
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
    ...(page.count === 0 ? { note: explainEmptyPage(plan, page.extent) } : {}),
  }
}

/**
 * Explains a page of signals without rows.
 *
 * @param extent null if the page follows others
 */
function explainEmptyPage({ filter, viewEnds }: SignalsPlan, extent: SignalExtent | null): string {
  if (extent === null) return 'No rows follow those of earlier pages.'
  const { market } = filter
  const { markets, horizons, days } = extent
  const scope = viewEnds === null ? 'The archive' : `The view of this key, which ends on ${viewEnds},`
  const forecasts = market === null ? 'forecasts' : `forecasts of market ${market}`
  if (markets.length === 0) return `${scope} has no resolved forecasts.`
  if (days === null) return `${scope} has no resolved ${forecasts}. Its markets: ${markets.join(', ')}.`
  return `No resolved forecast fits these parameters. ${scope} has ${forecasts} from ${days.first} to ${days.last}. The horizons of the archive: ${horizons.join(', ')}.`
}

type Chunks = AsyncGenerator<Uint8Array, void, undefined>

function encodeList(
  format: DataFormat,
  head: ReturnType<typeof listHead>,
  first: IteratorResult<Uint8Array, void>,
  rest: Chunks,
): Chunks {
  switch (format) {
    case 'json':
      return jsonList(head, first, rest)
    case 'csv':
      return concatenated(Buffer.from(csvLine(Object.keys(signalSchema))), first, rest)
    case 'ndjson':
      return concatenated(null, first, rest)
    case 'parquet':
      return streamRows(format, signalSheet, listMetadata(head), parsedRows(concatenated(null, first, rest)))
  }
}

async function* concatenated(
  head: Uint8Array | null,
  first: IteratorResult<Uint8Array, void>,
  rest: Chunks,
): Chunks {
  if (head !== null) yield head
  if (!first.done) yield first.value
  yield* rest
}

async function* jsonList(head: object, first: IteratorResult<Uint8Array, void>, rest: Chunks): Chunks {
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"data":[`)
  // Every row starts with a comma, which the first row must not have.
  if (!first.done) yield first.value.subarray(1)
  yield* rest
  yield Buffer.from(']}')
}

/** Parses the rows from their NDJSON. */
async function* parsedRows(chunks: Chunks): AsyncGenerator<SignalRow[], void, undefined> {
  for await (const chunk of chunks) {
    const lines = Buffer.from(chunk).toString().split('\n')
    yield lines.flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
  }
}

/** Closes `rows` however the chunks end; otherwise their connection would never be returned. */
async function* closingRows(chunks: Chunks, rows: SignalPage['rows'], onRead: () => void): Chunks {
  try {
    yield* chunks
  } finally {
    await rows.return().finally(onRead)
  }
}

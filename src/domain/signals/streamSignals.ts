import { csvLine } from '../../model/csv.ts'
import { freeLicenceNotice } from '../../model/freeLicence.ts'
import { signalSchema } from '../../model/signal.ts'
import type { Sql } from '../../store/database.ts'
import { readSignalPage, type SignalPage } from '../../store/signals/readPage.ts'
import { encodeCursor } from './cursor.ts'
import type { SignalsPlan } from './planSignals.ts'
import { spool } from './spool.ts'

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
  format: 'json' | 'csv',
  signal?: AbortSignal,
): Promise<SignalResponse> {
  const gone = new AbortController()
  const either = signal === undefined ? gone.signal : AbortSignal.any([gone.signal, signal])
  const page = await readSignalPage(sql, plan.filter, plan.limit, format, either)
  const next = page.last === null ? null : encodeCursor(page.last)
  const head = format === 'json' ? jsonHead(plan, page, next) : csvLine(Object.keys(signalSchema))
  const first = await page.rows.next()
  const { promise: read, resolve: isRead } = Promise.withResolvers<void>()
  const body = spool(framed(head, first, page.rows, format, isRead), () => gone.abort())
  return { count: page.count, dataVersion: page.dataVersion, next, body, read }
}

export async function streamSignals(
  sql: Sql,
  plan: SignalsPlan,
  format: 'json' | 'csv',
  signal?: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  return (await openSignals(sql, plan, format, signal)).body
}

function jsonHead(plan: SignalsPlan, page: SignalPage, next: string | null): string {
  const list = {
    object: 'signal_list',
    tier: plan.tier,
    full_access: plan.fullAccess,
    delayed_days: plan.delayedDays,
    count: page.count,
    schema: signalSchema,
    data_version: page.dataVersion,
    next,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    data: [],
  }
  return JSON.stringify(list).slice(0, -']}'.length)
}

async function* framed(
  head: string,
  first: IteratorResult<Uint8Array, void>,
  rows: SignalPage['rows'],
  format: 'json' | 'csv',
  isRead: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield Buffer.from(head)
    // In JSON every row opens with a comma; the first has nothing to be parted from.
    if (!first.done) yield format === 'json' ? first.value.subarray(1) : first.value
    yield* rows
    if (format === 'json') yield Buffer.from(']}')
  } finally {
    await rows.return().finally(isRead)
  }
}

import { plainLayout } from '../../src/backtest/asOf/carried/carriedColumn.ts'
import { parquetFile } from '../../src/backtest/asOf/parquetAnswer.ts'
import { dayNumber } from '../../src/dates.ts'
import type { Served } from '../http.ts'

/** Callers that send requests continuously until they are stopped. Like a client that retries, each waits a moment after a
 * refusal. */
export interface Senders {
  readonly answered: number
  /** How many answers had each error code. */
  readonly refused: ReadonlyMap<string, number>
  stop(): Promise<void>
}

export interface SentRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
}

const pauseMs = 200

/** @param next the next request of a sender */
export function send({ port }: Served, count: number, next: (sender: number) => SentRequest): Senders {
  const left = new AbortController()
  const refused = new Map<string, number>()
  let answered = 0
  const senders = Array.from({ length: count }, async (_, sender) => {
    while (!left.signal.aborted) {
      const { path, headers, body } = next(sender)
      const request = { method: 'POST', headers, body, signal: left.signal }
      const code = await fetch(`http://127.0.0.1:${port}${path}`, request)
        .then(codeOf)
        .catch(() => 'not answered')
      if (code === null) answered++
      else {
        refused.set(code, (refused.get(code) ?? 0) + 1)
        await Bun.sleep(pauseMs)
      }
    }
  })
  return {
    get answered() {
      return answered
    },
    refused,
    stop: async () => {
      left.abort()
      await Promise.all(senders)
    },
  }
}

/** Reads an answer to its end. Returns its error code, or null if it succeeded. */
export async function codeOf(response: Response): Promise<string | null> {
  if (response.ok) {
    await response.bytes()
    return null
  }
  const text = await response.text()
  return /"code":"(\w+)"/.exec(text)?.[1] ?? `status ${response.status}`
}

/** A Parquet file of equal rows of one company: 5 million of them take 8 KB. */
export function equalRows(count: number): Uint8Array<ArrayBuffer> {
  const day = new Int32Array(count).fill(dayNumber('2022-01-10'))
  const rows = { count, day, name: new Int32Array(count), names: ['AAPL'], layout: plainLayout }
  return new Uint8Array(parquetFile({ rows, columns: [], extras: [] }, {}, 2 ** 30))
}

/** A demo caller's join of rows from `equalRows`.
 *
 * @param address the caller's address, as a trusted proxy states it */
export const demoJoin = (address: string, body: Uint8Array<ArrayBuffer>): SentRequest => ({
  path: '/api/v1/as-of?metrics=revenue,net_income,assets&with=end,filed&format=parquet',
  headers: {
    Authorization: 'Bearer demo',
    'Content-Type': 'application/vnd.apache.parquet',
    'X-Forwarded-For': address,
  },
  body,
})

import type { RawOutcome, RawRequest } from './rawRequest.ts'
import { sendRaw } from './rawRequest.ts'

/** What a kind of abuse has to work with. */
export interface Abuse {
  readonly port: number
  /** Aborts when the abuse is over. */
  readonly over: AbortSignal
  /** Sends a request, and counts its outcome. */
  send(request: Omit<RawRequest, 'port'>): Promise<RawOutcome>
  /** Counts something else that happened. */
  count(what: string): void
}

export interface AbuseKind {
  /** What it does, for the report. */
  readonly about: string
  /** Makes the bodies, and returns what abuses the server until `over` aborts. */
  prepare(): (abuse: Abuse) => Promise<unknown>
}

/** No abuse sends more requests than this, however quickly it is refused. */
const maxRequests = 20_000
/** How long a sender waits after an answer, so that this process does not use the whole machine: real abusers have
 * machines of their own. */
const pauseMs = 10

/** `senders` that each send one request after the other.
 *
 * @param next the request of a sender, and how many it has sent before */
export async function flood(
  { send, over }: Abuse,
  senders: number,
  next: (sender: number, sent: number) => Omit<RawRequest, 'port'>,
): Promise<void> {
  const perSender = Math.ceil(maxRequests / senders)
  const sendAll = async (_: unknown, sender: number) => {
    for (let sent = 0; sent < perSender && !over.aborted; sent++) {
      await send(next(sender, sent))
      await Bun.sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: senders }, sendAll))
}

/** An address of this machine: the crowd of each kind of abuse has a network of its own. */
export const addressOf = (network: number, host: number) => `127.0.${network}.${1 + (host % 250)}`

export const asDemo = { Authorization: 'Bearer demo' }
export const csvType = { 'Content-Type': 'text/csv' }
export const parquetType = { 'Content-Type': 'application/vnd.apache.parquet' }
export const joinPath = '/api/v1/as-of?metrics=revenue,net_income,assets&format=csv'

/** Rows for a join that are all the same. */
export function equalRows(count: number): Uint8Array {
  return new TextEncoder().encode(`date,ticker\n${'2020-01-02,AAPL\n'.repeat(count)}`)
}

/** Abuses the server for some time, and returns how often each outcome came. */
export async function runAbuse(
  attack: ReturnType<AbuseKind['prepare']>,
  port: number,
  ms: number,
): Promise<Readonly<Record<string, number>>> {
  const outcomes: Record<string, number> = {}
  const count = (what: string) => {
    outcomes[what] = (outcomes[what] ?? 0) + 1
  }
  const over = AbortSignal.timeout(ms)
  const send = async (request: Omit<RawRequest, 'port'>) => {
    const outcome = await sendRaw({ ...request, port }, over)
    count(outcome)
    return outcome
  }
  await attack({ port, over, send, count })
  return outcomes
}

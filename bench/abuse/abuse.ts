import type { RawOutcome, RawRequest } from './rawRequest.ts'
import { sendRaw } from './rawRequest.ts'

/** The means that each kind of abuse is given. */
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
  /** Creates the bodies, and returns a function that abuses the server until `over` aborts. */
  prepare(): (abuse: Abuse) => Promise<unknown>
}

/** No abuse sends more requests than this, however quickly it is refused. */
const maxRequests = 20_000
/** A sender waits this long after an answer, so that this process does not use up the machine. Real abusers have their
 * own machines. */
const pauseMs = 10

/** Runs `senders` at the same time, each of which sends one request after the other.
 *
 * @param next creates the next request from the sender's number and the number of requests it has sent before */
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

/** An address of this machine. Each kind of abuse comes from a network of its own. */
export const addressOf = (network: number, host: number) => `127.0.${network}.${1 + (host % 250)}`

export const asDemo = { Authorization: 'Bearer demo' }
export const csvType = { 'Content-Type': 'text/csv' }
export const parquetType = { 'Content-Type': 'application/vnd.apache.parquet' }
export const joinPath = '/api/v1/as-of?metrics=revenue,net_income,assets&format=csv'

/** Identical rows for a join. */
export function equalRows(count: number): Uint8Array {
  return new TextEncoder().encode(`date,ticker\n${'2020-01-02,AAPL\n'.repeat(count)}`)
}

/** Abuses the server for some time, and returns how often each outcome occurred. */
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

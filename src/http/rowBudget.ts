import { Failure } from '../errors.ts'
import type { RateLimiter } from '../limits/rateLimiter.ts'
import type { Limits, Verdict } from '../limits/verdict.ts'
import { type Principal, rowLimits } from '../rights/licences.ts'
import { networkOf } from './clientAddress.ts'

/** The rows that a caller may join per minute, counted across all servers. */
export interface RowBudget {
  /** The most rows of a single request. */
  readonly maxRows: number
  /** Counts rows before they are joined, all or none. Fails with `rate_limited_minute`. */
  charge(rows: number): Promise<void>
}

type RowCounter = Pick<RateLimiter, 'takeWhole' | 'giveBack'>

/** The budget of a free key, or of an address with the demo key and of its network. null: the caller has no
 * row limit.
 *
 * @param subject identifies the caller's counters */
export function rowBudget(
  counter: RowCounter,
  { rights, subject }: { readonly rights: Principal; readonly subject: string },
  address: string,
): RowBudget | null {
  const limits = rowLimits(rights)
  if (limits === null) return null
  const isDemo = rights.keyId === null
  const own = {
    subject: `rows:${subject}`,
    limits: perMinute(limits.perMinute),
    whose: isDemo ? 'of your address with the demo key' : 'of this free key',
  }
  const network = networkOf(address)
  const ofNetwork = {
    subject: `rows:network:${network}`,
    limits: perMinute(limits.perMinuteOfNetwork),
    whose: `with the demo key from your network, ${network}`,
  }
  return {
    maxRows: limits.perMinute,
    charge: async rows => {
      await take(counter, own, rows)
      if (!isDemo) return
      try {
        await take(counter, ofNetwork, rows)
      } catch (refusal) {
        await counter.giveBack(own.subject, own.limits, rows)
        throw refusal
      }
    },
  }
}

const perMinute = (rows: number): Limits => ({ perMinute: rows, perDay: null })

interface Counted {
  readonly subject: string
  readonly limits: Limits
  /** Whose budget it is, for messages. */
  readonly whose: string
}

async function take(counter: RowCounter, { subject, limits, whose }: Counted, rows: number): Promise<void> {
  const verdict = await counter.takeWhole(subject, limits, rows)
  if (verdict.refused !== null) throw tooManyRows(verdict, verdict.refused.retryAfterSeconds, rows, whose)
}

function tooManyRows(
  { limits, minuteRemaining }: Verdict,
  retryAfterSeconds: number,
  rows: number,
  whose: string,
): Failure {
  const [sent, left, limit] = [rows, minuteRemaining, limits.perMinute].map(count =>
    count.toLocaleString('en'),
  )
  return new Failure(
    'rate_limited_minute',
    `The request joins ${sent} rows, but only ${left} are left of the ${limit} rows per minute ${whose}. Wait ${retryAfterSeconds} s, or send fewer rows. Evaluation keys and data licences have no such limit.`,
    { param: 'rows', retryAfterSeconds },
  )
}

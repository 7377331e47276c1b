import { type Static, Type } from '@sinclair/typebox'
import type { ScheduledSync } from '../../cron.ts'
import type { Sql } from '../../postgres/client.ts'
import { type MarketRuns, readMarketRuns } from './freshnessQueries.ts'

const orNull = (description: string, examples: unknown[]) =>
  Type.Union([Type.String(), Type.Null()], { description, examples })

/** How current the data fetched from a register is. */
export const RegisterFreshness = Type.Object(
  {
    market: Type.String({ examples: ['US'] }),
    schedule: orNull('Times at which this server fetches by itself: cron, in UTC. Null: it does not.', [
      '15 6 * * *',
    ]),
    running: Type.Boolean({ description: 'Whether a run is under way, on any server or by hand.' }),
    last_success: orNull('End of the last run that fetched everything there was. Null: there was none.', [
      '2026-11-22T06:19:40Z',
    ]),
    age_hours: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Whole hours since then.',
      examples: [7],
    }),
    last_failure: Type.Union(
      [
        Type.Object(
          {
            at: Type.String({ examples: ['2026-11-21T06:15:31Z'] }),
            reason: Type.String({
              description: 'Why, in words.',
              examples: ['The register responds with an error (503). Gave up after 5 attempts.'],
            }),
          },
          { additionalProperties: false, $id: 'FailedSync' },
        ),
        Type.Null(),
      ],
      {
        description:
          'The last run that did not fetch everything, even if a later one did. Null: there was none.',
      },
    ),
  },
  { additionalProperties: false, $id: 'RegisterFreshness' },
)
export type RegisterFreshness = Static<typeof RegisterFreshness>

/** Markets that were ever fetched or are scheduled. */
export function registerSyncs(
  runs: readonly MarketRuns[],
  schedule: readonly ScheduledSync[],
): readonly RegisterFreshness[] {
  return runs.flatMap(({ market, running, lastSuccess, ageSeconds, lastFailure, reason }) => {
    const times = schedule.find(entry => entry.market === market)?.cron.getPattern() ?? null
    if (times === null && !running && lastSuccess === null && lastFailure === null) return []
    return [
      {
        market,
        schedule: times,
        running,
        last_success: lastSuccess,
        age_hours: ageSeconds === null ? null : Math.floor(ageSeconds / 3_600),
        last_failure: lastFailure === null ? null : { at: lastFailure, reason: reason ?? '' },
      },
    ]
  })
}

interface FreshnessParts {
  readonly sql: Sql
  readonly markets: readonly string[]
  readonly schedule: readonly ScheduledSync[]
  /** A monotonic clock in milliseconds. */
  readonly elapsedMs: () => number
}

/** Every proxy may request /ready once a second. */
const maxAgeMs = 2_000

/** How current each market is, read at most every two seconds. */
export class Freshness {
  readonly #parts: FreshnessParts
  #read: { readonly at: number; readonly syncs: Promise<readonly RegisterFreshness[]> } | null = null

  constructor(parts: FreshnessParts) {
    this.#parts = parts
  }

  syncs(): Promise<readonly RegisterFreshness[]> {
    const { sql, markets, schedule, elapsedMs } = this.#parts
    const now = elapsedMs()
    if (this.#read !== null && now - this.#read.at <= maxAgeMs) return this.#read.syncs
    const syncs = readMarketRuns(sql, markets).then(runs => registerSyncs(runs, schedule))
    const read = { at: now, syncs }
    this.#read = read
    // Failures are not cached.
    syncs.catch(() => {
      if (this.#read === read) this.#read = null
    })
    return syncs
  }
}

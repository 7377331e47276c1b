import type { IsoDate } from '../../dates.ts'
import type { Markets } from '../../markets/markets.ts'
import type { Sql, Statements } from '../../postgres/client.ts'
import type { EntityDirectory } from './queries.ts'

/** For answers from several statements: the connection of a snapshot, so that all see the same data. */
export interface CoverageDeps extends Pick<FundamentalsDeps, 'markets' | 'today'> {
  readonly sql: Statements
}

/** What the verbs of this folder are given. */
export interface FundamentalsDeps {
  readonly sql: Sql
  readonly markets: Markets
  readonly today: () => IsoDate
  /** IDs that demo and free keys see in full, in upper case. */
  readonly flagship: ReadonlySet<string>
  /** Notes that a capped key sees these entities; false: with them it would pass its cap, and none is noted. */
  readonly recordEntities: (keyId: number, entityIds: readonly number[], cap: number) => Promise<boolean>
  /** Remembers entities between requests; without it each request asks the database. */
  readonly entities?: EntityDirectory
}

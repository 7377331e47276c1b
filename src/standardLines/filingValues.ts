import type { StandardStatement } from './definition.ts'
import type { TriedIdentity } from './lineCheck.ts'
import type { LineValue } from './lineValues.ts'

/** The values of the lines of a filing, by statement and column. */
export type FilingValues = ReadonlyMap<StandardStatement, readonly ReadonlyMap<string, LineValue>[]>

/** Collects the identities that are tried in the columns of a filing. */
export interface TriedInFiling {
  add(statement: StandardStatement, column: number, identity: TriedIdentity): void
}

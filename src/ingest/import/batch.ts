import type { DerivedEntity } from '../../facts/deriveFacts.ts'
import type { Contribution, Filing, MetricRules } from '../../facts/reportedFact.ts'
import type { Reading } from '../observations/observations.ts'
import type { SavedEntity } from '../store/entityQueries.ts'
import type { StoredRow } from '../store/factQueries.ts'
import type { FileReceipt } from '../store/fileQueries.ts'

/** Something that is recorded as imported once all it contributes is committed. */
export interface ImportUnit {
  readonly contributions: readonly Contribution[]
  readonly receipt?: FileReceipt
}

export interface ImportOptions {
  /** What the data version's batch is called: a register. */
  readonly source: string
  readonly rules: MetricRules
  /** Given where the register overwrites: the day on which it was read, for contributions that do not say. */
  readonly pulledOn?: number
  /** See `Register.replaces`. */
  readonly replaces?: boolean
  /** More is imported right after this: whoever does it tidies the tables at the end. */
  readonly isPart?: boolean
}

/** What some files say of one entity, and all that can be made of it without the database. */
export interface PreparedContribution {
  readonly contribution: Contribution
  /** The filings that it names, by accession. */
  readonly filings: ReadonlyMap<string, Filing>
  /** What is served of the entity if nothing is on record of it and these filings are all that is known of them; null
   * where it is on record. Whether that is so is for the transaction to see. */
  readonly ahead: DerivedEntity | null
}

export interface PreparedBatch {
  readonly items: readonly PreparedContribution[]
  readonly receipts: readonly FileReceipt[]
  /** Of a register that overwrites: what was read of each entity, by `entityKey`, on which day. */
  readonly readings: ReadonlyMap<string, readonly Reading[]> | null
}

export interface BatchResult {
  /** Entities that are new or better known now. */
  entities: number
  statements: number
  factsAdded: number
  factsRemoved: number
  repeats: number
  unplaced: number
  /** For each entity that was touched, how many of its filings still wait for a source that tells their day. */
  awaiting: ReadonlyMap<number, number>
  /** False: everything was known. */
  changed: boolean
}

export interface EntityWork extends PreparedContribution {
  readonly entity: SavedEntity
  /** What is on record of it. Read only where the contribution can change it. */
  readonly facts: readonly StoredRow[]
  readonly repeats: readonly StoredRow[]
  /** Of a register that overwrites: accessions of all filings that were ever read, without the days of edits. The statements
   * of the contribution are all there are then, and what is on record beside them is no more. */
  readonly pulled: ReadonlySet<string> | null
}

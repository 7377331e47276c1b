import { setImmediate } from 'node:timers/promises'
import type { Contribution, EntityProfile, Filing, MetricRules } from '../../model/statement.ts'
import type { Sql } from '../../store/database.ts'
import { readKnownIssuers } from '../../store/entities/readKnownIssuers.ts'
import type { FileReceipt } from '../../store/facts/importFiles.ts'
import { type DerivedEntity, deriveFacts } from './deriveFacts.ts'
import { mergeFilings } from './gatherFilings.ts'
import type { Reading } from './gatherPulls.ts'
import type { ImportUnit } from './importStatements.ts'
import { mergeContributions } from './mergeContributions.ts'

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

/** So many statements are worked on before the connection on which the batch before this one is written is served. */
const statementsPerTurn = 50

/** Does the work on a batch that needs no lock: it is done while the batch before is written.
 *
 * @param pulledOn given where the register overwrites, for contributions that do not say their day. Nothing is derived ahead
 * then, since what is on record changes the statements themselves */
export async function prepareBatch(
  sql: Sql,
  units: readonly ImportUnit[],
  rules: MetricRules,
  pulledOn: number | null = null,
): Promise<PreparedBatch> {
  const contributions = mergeContributions(units.flatMap(unit => unit.contributions))
  const known =
    pulledOn !== null
      ? null
      : await readKnownIssuers(
          sql,
          contributions.map(({ profile }) => profile),
        )
  const items: PreparedContribution[] = []
  let statements = 0
  for (const contribution of contributions) {
    const filings = statedFilings(contribution)
    const { market, issuerId, fiscalYearEnd = null, registers } = contribution.profile
    const isFresh = registers && contribution.statements.length > 0 && known?.has(market, issuerId) === false
    const ahead = isFresh ? deriveFacts(contribution.statements, { rules, fiscalYearEnd, filings }) : null
    items.push({ contribution, filings, ahead })
    statements += contribution.statements.length
    if (statements < statementsPerTurn) continue
    statements = 0
    await setImmediate()
  }
  const readings = pulledOn === null ? null : readingsOf(units, pulledOn)
  return { items, receipts: units.flatMap(unit => unit.receipt ?? []), readings }
}

export const entityKey = ({ market, issuerId }: Pick<EntityProfile, 'market' | 'issuerId'>) =>
  `${market} ${issuerId}`

function readingsOf(units: readonly ImportUnit[], pulledOn: number): ReadonlyMap<string, readonly Reading[]> {
  const readings = new Map<string, Reading[]>()
  for (const { contributions } of units) {
    for (const { profile, statements, pulledOn: day = pulledOn } of contributions) {
      if (statements.length === 0) continue
      const known = readings.get(entityKey(profile))
      if (known === undefined) readings.set(entityKey(profile), [{ day, statements }])
      else known.push({ day, statements })
    }
  }
  return readings
}

/** The filings that a contribution names, what it says of one of them in several places made one. */
export function statedFilings(contribution: Contribution): Map<string, Filing> {
  const filings = new Map<string, Filing>()
  const add = (filing: Filing) => {
    const known = filings.get(filing.accession)
    if (known !== filing)
      filings.set(filing.accession, known === undefined ? filing : mergeFilings(known, filing))
  }
  // Statements of one filing come one after the other, hundreds of them.
  let last: Filing | null = null
  for (const { filing } of contribution.statements) {
    if (filing !== last) add(filing)
    last = filing
  }
  for (const filing of contribution.filings) add(filing)
  return filings
}

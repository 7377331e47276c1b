import { setImmediate } from 'node:timers/promises'
import type { Contribution, Filing, MetricRules } from '../../model/statement.ts'
import type { Sql } from '../../store/database.ts'
import { readKnownIssuers } from '../../store/entities/readKnownIssuers.ts'
import type { FileReceipt } from '../../store/facts/importFiles.ts'
import { type DerivedEntity, deriveFacts } from './deriveFacts.ts'
import { mergeFilings } from './gatherFilings.ts'
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
}

/** So many statements are worked on before the connection on which the batch before this one is written is served. */
const statementsPerTurn = 2_000

/** Does the work on a batch that needs no lock: it is done while the batch before is written.
 *
 * @param rules null: nothing is derived ahead, since what is on record changes the statements themselves */
export async function prepareBatch(
  sql: Sql,
  units: readonly ImportUnit[],
  rules: MetricRules | null,
): Promise<PreparedBatch> {
  const contributions = mergeContributions(units.flatMap(unit => unit.contributions))
  const known =
    rules === null
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
    const ahead =
      isFresh && rules !== null
        ? deriveFacts(contribution.statements, { rules, fiscalYearEnd, filings })
        : null
    items.push({ contribution, filings, ahead })
    statements += contribution.statements.length
    if (statements < statementsPerTurn) continue
    statements = 0
    await setImmediate()
  }
  return { items, receipts: units.flatMap(unit => unit.receipt ?? []) }
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

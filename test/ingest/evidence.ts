import { dayNumber, isoDate } from '../../src/dates.ts'
import { type DerivedEntity, deriveFacts } from '../../src/facts/deriveFacts.ts'
import type { Contribution, FactRow, Filing, Statement } from '../../src/facts/reportedFact.ts'
import { reviveStatement } from '../../src/ingest/observations/stored.ts'
import { usRules } from '../../src/ingest/registers/us/concepts.ts'
import { readSample } from '../../src/ingest/sample/loadSample.ts'
import type { StoredRow } from '../../src/ingest/store/factQueries.ts'

/** What the shipped sample says of one company. */
export async function sampleOf(issuerId: string): Promise<Contribution> {
  const contribution = (await readSample()).find(({ profile }) => profile.issuerId === issuerId)
  if (contribution === undefined) throw new Error(`${issuerId} is not in the sample`)
  return contribution
}

export const derive = (
  statements: readonly Statement[],
  fiscalYearEnd: string | null = null,
): DerivedEntity => deriveFacts(statements, { rules: usRules, fiscalYearEnd })

/** A vintage in the words of the API, superseded as known on `asOf`. */
export function spell(fact: FactRow, asOf = '9999-12-31') {
  return {
    m: fact.metric,
    fy: fact.fy,
    fp: fact.fp,
    start: fact.start === null ? null : isoDate(fact.start),
    end: isoDate(fact.end),
    filed: isoDate(fact.filing.filed),
    v: fact.value,
    u: fact.unit,
    tag: fact.tag,
    accession: fact.filing.accession,
    superseded:
      fact.superseded === null || fact.superseded > dayNumber(asOf) ? null : isoDate(fact.superseded),
  }
}

/** Rows in an order of their own, so that two derivations compare as sets. */
export const spellAll = (facts: readonly FactRow[], asOf?: string): string[] =>
  facts.map(fact => JSON.stringify(spell(fact, asOf))).sort()

/** The vintages of one figure: value, filed day and accession. */
export const vintages = (derived: DerivedEntity, metric: string, fy: number, fp: number) =>
  derived.facts
    .filter(fact => fact.metric === metric && fact.fy === fy && fact.fp === fp)
    .map(fact => [fact.value, isoDate(fact.filing.filed), fact.filing.accession])

export function filingsOf(statements: readonly Statement[]): Map<string, Filing> {
  return new Map(statements.map(({ filing }) => [filing.accession, filing]))
}

/** What the two tables keep of a derivation, read back. */
export function storeAndLoad(derived: DerivedEntity, filings: ReadonlyMap<string, Filing>): Statement[] {
  const rows: StoredRow[] = derived.facts.map(fact => ({
    place: '',
    entityId: 1,
    ...fact,
    filed: fact.filing.filed,
    acceptedAt: fact.filing.acceptedAt,
    accession: fact.filing.accession,
  }))
  for (const { statement, metric } of derived.repeats) {
    rows.push({
      place: '',
      entityId: 1,
      fp: 0,
      fy: 0,
      superseded: null,
      ...statement,
      metric,
      filed: statement.filing.filed,
      acceptedAt: statement.filing.acceptedAt,
      accession: statement.filing.accession,
    })
  }
  return rows.flatMap(row => {
    const filing = filings.get(row.accession)
    const statement = filing === undefined ? null : reviveStatement(row, filing)
    return statement === null ? [] : [statement]
  })
}

import type { DerivedEntity } from '../../../src/domain/ingest/deriveFacts.ts'
import { deriveFacts } from '../../../src/domain/ingest/deriveFacts.ts'
import { readSample } from '../../../src/domain/ingest/loadSample.ts'
import { dayNumber, isoDate } from '../../../src/model/date.ts'
import type { Contribution, FactRow, Statement } from '../../../src/model/statement.ts'
import { usRules } from '../../../src/registers/us/concepts.ts'

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

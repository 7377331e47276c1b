import { dayNumber, isoDate } from '../../src/dates.ts'
import { type DerivedEntity, deriveFacts } from '../../src/facts/deriveFacts.ts'
import type { FactRow } from '../../src/facts/factRow.ts'
import type { Filing, ParsedDocument, ReportedFact } from '../../src/facts/reportedFact.ts'
import { usRegister } from '../../src/ingest/registers/us/register.ts'
import { readSample } from '../../src/ingest/sample/loadSample.ts'
import { reportedFactOf, type StoredRow } from '../../src/ingest/store/storedRows.ts'

/** What the shipped sample contains about one company. */
export async function sampleOf(issuerId: string): Promise<ParsedDocument> {
  const document = (await readSample()).find(({ profile }) => profile.issuerId === issuerId)
  if (document === undefined) throw new Error(`${issuerId} is not in the sample`)
  return document
}

export const derive = (
  reportedFacts: readonly ReportedFact[],
  fiscalYearEnd: string | null = null,
): DerivedEntity => deriveFacts(reportedFacts, { rules: usRegister.rules, fiscalYearEnd })

/** A vintage under the API's names, superseded as known on `asOf`. */
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
    superseded: dayKnown(fact.superseded, asOf),
    earlierSince: dayKnown(fact.earlierSince, asOf),
    inputs: fact.inputs,
  }
}

const dayKnown = (day: number | null, asOf: string) =>
  day === null || day > dayNumber(asOf) ? null : isoDate(day)

/** Rows as sorted texts, so that two derivations compare as sets. */
export const spellAll = (facts: readonly FactRow[], asOf?: string): string[] =>
  facts.map(fact => JSON.stringify(spell(fact, asOf))).sort()

/** The vintages of one figure: value, filed day and accession. */
export const vintages = (derived: DerivedEntity, metric: string, fy: number, fp: number) =>
  derived.facts
    .filter(fact => fact.metric === metric && fact.fy === fy && fact.fp === fp)
    .map(fact => [fact.value, isoDate(fact.filing.filed), fact.filing.accession])

export function filingsOf(reportedFacts: readonly ReportedFact[]): Map<string, Filing> {
  return new Map(reportedFacts.map(({ filing }) => [filing.accession, filing]))
}

/** The reported facts that can be read back from what the two tables store of a derivation. */
export function storeAndLoad(derived: DerivedEntity, filings: ReadonlyMap<string, Filing>): ReportedFact[] {
  const rows: StoredRow[] = derived.facts.map(fact => ({
    ctid: '',
    entityId: 1,
    ...fact,
    filed: fact.filing.filed,
    acceptedAt: fact.filing.acceptedAt,
    accession: fact.filing.accession,
  }))
  for (const { reported, metric } of derived.repeats) {
    rows.push({
      ctid: '',
      entityId: 1,
      fp: 0,
      fy: 0,
      superseded: null,
      earlierSince: null,
      inputs: [],
      check: 'unchecked',
      ...reported,
      metric,
      filed: reported.filing.filed,
      acceptedAt: reported.filing.acceptedAt,
      accession: reported.filing.accession,
    })
  }
  return rows.flatMap(row => {
    const filing = filings.get(row.accession)
    const reported = filing === undefined ? null : reportedFactOf(row, filing)
    return reported === null ? [] : [reported]
  })
}

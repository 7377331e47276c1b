import { isoDate } from '../../../../src/dates.ts'
import { deriveFacts } from '../../../../src/facts/deriveFacts.ts'
import type { FactRow } from '../../../../src/facts/factRow.ts'
import type { ParsedDocument } from '../../../../src/facts/reportedFact.ts'
import { krRegister } from '../../../../src/ingest/registers/kr/register.ts'

export const fixtures = `${import.meta.dir}/fixtures`

export const read = (name: string, text: string) =>
  krRegister.readDocument({ name, bytes: new TextEncoder().encode(text) })

export const fixture = async (name: string) =>
  krRegister.readDocument({ name, bytes: await Bun.file(`${fixtures}/${name}`).bytes() })

export const derive = (contributions: readonly ParsedDocument[]) =>
  deriveFacts(
    contributions.flatMap(one => one.reportedFacts),
    { rules: krRegister.rules, fiscalYearEnd: null },
  ).facts

/** Vintages of a figure as [filed, value, accession], in order. */
export const vintages = (facts: readonly FactRow[], metric: string, fy: number, fp: number) =>
  facts
    .filter(fact => fact.metric === metric && fact.fy === fy && fact.fp === fp)
    .map(fact => [isoDate(fact.filing.filed), fact.value, fact.filing.accession])

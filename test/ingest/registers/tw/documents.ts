import { isoDate } from '../../../../src/dates.ts'
import { deriveFacts } from '../../../../src/facts/deriveFacts.ts'
import type { ParsedDocument } from '../../../../src/facts/reportedFact.ts'
import { twRegister } from '../../../../src/ingest/registers/tw/register.ts'

export const read = (name: string, text: string) =>
  twRegister.readDocument({ name, bytes: new TextEncoder().encode(text) })

export const fixture = async (name: string) =>
  read(name, await Bun.file(new URL(`fixtures/${name}`, import.meta.url)).text())

/** The vintages of one company's figures: `[end, filed, value, unit]`. */
export function factsOf(code: string, ...contents: { parsed: readonly ParsedDocument[] }[]) {
  const own = contents.flatMap(one => one.parsed).filter(one => one.profile.issuerId === code)
  const { facts } = deriveFacts(
    own.flatMap(one => one.reportedFacts),
    { rules: twRegister.rules, fiscalYearEnd: null },
  )
  return (metric: string, fy: number, fp: number) =>
    facts
      .filter(fact => fact.metric === metric && fact.fy === fy && fact.fp === fp)
      .map(fact => [isoDate(fact.end), isoDate(fact.filing.filed), fact.value, fact.unit])
}

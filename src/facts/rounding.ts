import type { ReportedFact } from './reportedFact.ts'

/** Units to which filers round whole statements. */
const units = [1_000_000, 1_000] as const

/** The unit to which an amount is rounded; 1: it is exact, or nothing shows that it is not. */
export type RoundingUnit = (typeof units)[number] | 1

/** The rounding of one filing's amounts, by their unit: money may be in millions and shares in thousands. */
export type FilingRounding = ReadonlyMap<string, RoundingUnit>

/** How a filing rounds: to the largest unit of which at least half of its amounts are whole multiples. Some amounts of notes are exact
 * where statements are in millions; and a single round amount in a statement in thousands is no sign of millions. Sources other
 * than the filing itself do not state decimals, so this is inferred for all alike. */
export function roundingOfFiling(reportedFacts: readonly ReportedFact[]): FilingRounding {
  const counts = new Map<string, { all: number; readonly multiples: number[] }>()
  for (const { unit, value } of reportedFacts) {
    if (value === 0) continue
    let count = counts.get(unit)
    if (count === undefined) {
      count = { all: 0, multiples: units.map(() => 0) }
      counts.set(unit, count)
    }
    count.all++
    for (const [place, size] of units.entries()) if (value % size === 0) count.multiples[place]++
  }
  const rounding = new Map<string, RoundingUnit>()
  for (const [unit, { all, multiples }] of counts) {
    const place = multiples.findIndex(count => count * 2 >= all)
    rounding.set(unit, units[place] ?? 1)
  }
  return rounding
}

/** The unit to which a filing rounded one of its amounts. Zero is exact: what rounds to it is left out rather than stated as 0. */
export function roundingOf(value: number, unit: string, ofFiling: FilingRounding): RoundingUnit {
  const coarsest = ofFiling.get(unit) ?? 1
  if (value === 0) return 1
  return units.find(size => size <= coarsest && value % size === 0) ?? 1
}

interface Amount {
  readonly value: number
  readonly unit: string
  readonly rounding: RoundingUnit
}

/** Whether two amounts are one value, of which one statement may have rounded more than the other: the finer rounds to the coarser. */
export function isOneAmount(a: Amount, b: Amount): boolean {
  if (a.unit !== b.unit) return false
  if (a.value === b.value) return true
  return Math.abs(a.value - b.value) * 2 <= Math.max(a.rounding, b.rounding) && a.rounding !== b.rounding
}

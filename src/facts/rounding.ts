import type { ReportedFact } from './reportedFact.ts'

/** Units to which filers round whole statements. */
const units = [1_000_000, 1_000] as const

/** The unit to which an amount is rounded; 1 if it is exact or nothing suggests otherwise. */
export type RoundingUnit = (typeof units)[number] | 1

/** How one filing rounds its amounts, by their unit: money may be in millions and shares in thousands. */
export type FilingRounding = ReadonlyMap<string, RoundingUnit>

/**
 * Infers how a filing rounds: to the largest unit that divides at least half of its amounts. Notes contain
 * some exact amounts even if the statements are in millions, and a single round amount in a statement in
 * thousands does not suggest millions. Only the filing itself states decimals, so rounding is inferred for
 * all sources alike.
 */
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
    for (const [index, size] of units.entries()) if (value % size === 0) count.multiples[index]++
  }
  const rounding = new Map<string, RoundingUnit>()
  for (const [unit, { all, multiples }] of counts) {
    const index = multiples.findIndex(count => count * 2 >= all)
    rounding.set(unit, units[index] ?? 1)
  }
  return rounding
}

/**
 * The unit to which a filing rounded one of its amounts. Zero counts as exact: filers omit what rounds to
 * zero rather than state it.
 */
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

/**
 * Whether two amounts are the same value, even if one statement rounds more: the more precise amount must round to the
 * other.
 */
export function isOneAmount(a: Amount, b: Amount): boolean {
  if (a.unit !== b.unit) return false
  if (a.value === b.value) return true
  return Math.abs(a.value - b.value) * 2 <= Math.max(a.rounding, b.rounding) && a.rounding !== b.rounding
}

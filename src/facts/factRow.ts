import type { CheckState } from '../markets/checkStates.ts'
import type { Filing, ReportedFact } from './reportedFact.ts'

/** Fiscal period: 0 for the year, 1 to 4 for its quarters, 5 for the trailing twelve months. */
export type FiscalPeriod = 0 | 1 | 2 | 3 | 4 | 5

/** One vintage of one figure, as it is stored and served. */
export interface FactRow {
  readonly metric: string
  readonly fp: FiscalPeriod
  readonly fy: number
  readonly unit: string
  /** Null for derived figures. */
  readonly tag: string | null
  readonly start: number | null
  readonly end: number
  readonly rounded: boolean
  readonly value: number
  readonly filing: Filing
  /**
   * The filing date from which this is no longer current, because of the next vintage or a withdrawn input;
   * null while it is current.
   */
  readonly superseded: number | null
  /**
   * For derived figures: the day on which one input was restated but the other was not, so that this figure is
   * still the difference of the earlier generation. Null if all inputs belong to one generation.
   */
  readonly earlierSince: number | null
  /** For derived figures: accessions of the inputs that come from filings other than `filing`. */
  readonly inputs: readonly string[]
  /** For derived figures: the weakest state of their inputs. */
  readonly check: CheckState
}

/** States as they are stored. */
const checkCodes: Readonly<Record<CheckState, number | null>> = {
  proved: 1,
  consistent: 2,
  contradicted: 3,
  unchecked: null,
}

export const checkCode = (state: CheckState): number | null => checkCodes[state]

const statesByCode: readonly CheckState[] = ['unchecked', 'proved', 'consistent', 'contradicted']

export const checkOfCode = (code: number | null): CheckState => statesByCode[code ?? 0]

/** The codes of some states, with 0 for figures without one. Null if all are allowed. */
export const checkCodesOf = (states: readonly CheckState[] | null): readonly number[] | null =>
  states?.map(state => checkCode(state) ?? 0) ?? null

/** A derived figure is as sure as the least sure of its inputs. */
export function weakestCheck(states: readonly CheckState[]): CheckState {
  for (const state of ['contradicted', 'unchecked', 'consistent'] as const)
    if (states.includes(state)) return state
  return states.length === 0 ? 'unchecked' : 'proved'
}

/**
 * A reported fact that made no vintage: it repeats what was known, is not in its filing's currency, is only a
 * substitute for a better one, or fits no fiscal period. It is stored but never served, so that imports may
 * arrive in any order.
 */
export interface RepeatRow {
  readonly reported: ReportedFact
  /** The name under which it is stored. Half-years and nine months get the suffix `_ytd`. */
  readonly metric: string
  readonly label: { readonly fy: number; readonly fp: FiscalPeriod } | null
}

import { nearestMonthEnd } from '../dates.ts'
import type { CheckState } from '../markets/checkStates.ts'
import { weakestCheck } from './factRow.ts'
import type { ReportedFact } from './reportedFact.ts'
import { spanOf } from './spans.ts'

/**
 * The same facts of a filing, each with the state that any source of the filing gives its figure. Sources without
 * statements state figures by their exact days, and data sets with statements by the ends of months.
 */
export function withSharedChecks(ofFiling: readonly ReportedFact[]): readonly ReportedFact[] {
  if (ofFiling.every(({ check }) => check === undefined)) return ofFiling
  const states = new Map<string, CheckState>()
  for (const reported of ofFiling) {
    if (reported.check === undefined) continue
    const key = keyOf(reported)
    const known = states.get(key)
    states.set(key, known === undefined ? reported.check : weakestCheck([known, reported.check]))
  }
  return ofFiling.map(reported => {
    const check = states.get(keyOf(reported))
    return check === undefined || check === reported.check ? reported : { ...reported, check }
  })
}

const keyOf = ({ tag, unit, start, end, value }: ReportedFact): string =>
  `${tag} ${unit} ${spanOf(start, end)} ${nearestMonthEnd(end)} ${value}`

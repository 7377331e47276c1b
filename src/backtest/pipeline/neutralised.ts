import type { Dataset } from '../dataset/dataset.ts'
import type { BacktestResult } from '../result.ts'
import type { ResolvedConfig } from './resolveConfig.ts'

/** The field `neutralised` of a result; absent if the scores were not neutralised. */
export function writeNeutralised(
  { neutralised }: Dataset,
  periods: Int32Array,
  { neutralise }: ResolvedConfig,
): Pick<BacktestResult, 'neutralised'> {
  if (neutralised === undefined || neutralise === undefined) return {}
  const { withoutExposure, withoutResidual, redundant } = neutralised
  const sum = (counts: Int32Array) => periods.reduce((total, date) => total + counts[date], 0)
  const affected = (counts: Int32Array) =>
    periods.reduce((total, date) => total + (counts[date] > 0 ? 1 : 0), 0)
  return {
    neutralised: {
      definition: describeNeutralise(neutralise),
      rows_without_exposure: sum(withoutExposure),
      rows_without_residual: sum(withoutResidual),
      periods_without_residual: affected(withoutResidual),
      periods_with_redundant_columns: affected(redundant),
    },
  }
}

/** What was taken out of the scores, in a sentence. */
export function describeNeutralise({
  demean = [],
  columns = [],
}: NonNullable<ResolvedConfig['neutralise']>): string {
  const within = demean.join(' and ')
  if (columns.length === 0)
    return `From each score the mean score of the date's names of the same ${within} is subtracted.`
  const constants = within === '' ? 'a constant' : `a constant for each ${within}`
  return `Scores are the residuals of a regression, date by date, on ${columns.join(', ')} and ${constants}.`
}

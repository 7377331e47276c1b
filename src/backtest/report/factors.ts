import type { FactorsUsed } from '../resultFactors.ts'
import { count, percent, plural, ratio, signedPercent } from './numberFormat.ts'

/** One line of the table of a regression, as text. */
export interface FactorRow {
  readonly name: string
  readonly estimate: string
  readonly t: string
  /** The return per year that it accounts for. */
  readonly annual: string
}

export const factorRows = ({ alpha, betas }: FactorsUsed): FactorRow[] => [
  {
    name: 'Alpha',
    estimate: signedPercent(alpha.annual, 2),
    t: ratio(alpha.t),
    annual: signedPercent(alpha.annual, 2),
  },
  ...betas.map(({ factor, beta, t, contribution_annual }) => ({
    name: factor,
    estimate: ratio(beta, 3),
    t: ratio(t),
    annual: signedPercent(contribution_annual, 2),
  })),
]

export function headlineOfFactors({ residual }: FactorsUsed): string {
  switch (residual.verdict.level) {
    case 'unexplained':
      return 'The factors do not explain the record: more than luck remains.'
    case 'explained':
      return 'The factors explain the record: what remains may be luck.'
    case 'withheld':
      return 'No verdict: something in the rows makes the tests meaningless.'
    default:
      return residual.verdict.level satisfies never
  }
}

/** Explains a regression on factors, one sentence each. */
export function describeFactors(factors: FactorsUsed): string[] {
  const { residual, n_periods, unmatched, lags, excess, frequency } = factors
  const left = unmatched.reduce((sum, { n_periods: periods }) => sum + periods, 0)
  return [
    headlineOfFactors(factors),
    ...residual.verdict.reasons.map(({ message }) => message),
    `The factors account for ${percent(factors.r_squared)} of the variance (R²; adjusted ${percent(factors.adjusted_r_squared)}). Alpha plus residual has an annual Sharpe ratio of ${ratio(residual.sharpe)}; the appraisal ratio is ${ratio(residual.appraisal_ratio)}.`,
    `${plural(n_periods, 'period')} from ${factors.first_date} to ${factors.last_date}, ${excess === 'net' ? 'returns after costs: a long-short portfolio finances itself' : 'returns after costs minus the risk-free return'}. ${frequency === 'daily' ? 'Daily factors, compounded over each period' : 'Monthly factors'}. t values by Newey and West with ${plural(lags, 'lag')}.`,
    ...(left === 0
      ? []
      : [
          `${plural(left, 'period')} ${left === 1 ? 'is' : 'are'} left out, because no factor returns cover exactly the same days: ${unmatched.map(({ reason, n_periods: periods }) => `${count(periods)} ${reasonNames[reason]}`).join(', ')}.`,
        ]),
  ]
}

const reasonNames: Readonly<Record<FactorsUsed['unmatched'][number]['reason'], string>> = {
  outside: 'outside the factors',
  missing: 'with a missing factor return',
  interval: 'of another interval',
  end_unknown: 'with an unknown end',
}

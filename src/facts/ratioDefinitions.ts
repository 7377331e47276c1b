import { withoutTrailing } from './spans.ts'

export interface Ratio {
  readonly name: string
  readonly numerator: string
  readonly denominator: string
  /**
   * True if the ratio divides a flow of a year, or of the trailing twelve months, by the balance at its end;
   * quarters have no such ratio.
   */
  readonly yearOnly: boolean
}

const ratio = (name: string, numerator: string, denominator: string, yearOnly = false): Ratio => ({
  name,
  numerator,
  denominator,
  yearOnly,
})

export const ratios: readonly Ratio[] = [
  ratio('net_margin', 'net_income', 'revenue'),
  ratio('gross_margin', 'gross_profit', 'revenue'),
  ratio('operating_margin', 'operating_income', 'revenue'),
  ratio('roe', 'net_income', 'equity', true),
  ratio('roa', 'net_income', 'assets', true),
  ratio('asset_turnover', 'revenue', 'assets', true),
  ratio('debt_to_equity', 'liabilities', 'equity'),
  ratio('current_ratio', 'current_assets', 'current_liabilities'),
]

const ratioNames = new Set(ratios.map(({ name }) => name))

export const isRatio = (metric: string): boolean => ratioNames.has(withoutTrailing(metric))

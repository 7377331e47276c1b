import type { Filing } from '../../model/statement.ts'
import type { Ledger } from './ledger.ts'
import type { PeriodBook, Series } from './periodBook.ts'

interface Ratio {
  readonly name: string
  readonly numerator: string
  readonly denominator: string
  /** A year's flow over what stands at its end: no such thing for a quarter. */
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

/** Computes, for every day and fiscal period in which a filing changed something, the ratios of the figures
 * that are current with that filing. */
export function settleRatios(book: PeriodBook, ledger: Ledger, filing: Filing): void {
  for (const members of ledger.takeTouched()) {
    for (const entry of ratios) settleRatio(entry, members, book, ledger, filing)
  }
  ledger.takeTouched()
}

function settleRatio(
  entry: Ratio,
  members: ReadonlyMap<string, Series>,
  book: PeriodBook,
  ledger: Ledger,
  filing: Filing,
): void {
  const top = members.get(entry.numerator)
  const bottom = members.get(entry.denominator)
  if (!top?.current || !bottom?.current) return
  if (entry.yearOnly && top.current.fp !== 0) return
  const series = book.seriesOf(top.period, entry.name)
  const value = top.current.value / bottom.current.value
  if (!Number.isFinite(value) || top.current.unit !== bottom.current.unit) {
    ledger.withdraw(series, filing)
    return
  }
  ledger.record(series, { tag: null, unit: 'pure', value, start: top.period.start }, filing)
}

import { expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../src/dates.ts'
import type { DerivedEntity } from '../../src/facts/deriveFacts.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { derive, sampleOf, vintages } from './derivation.ts'

const apple = await sampleOf('0000320193')
const alphabet = await sampleOf('0001652044')
const millions = (derived: DerivedEntity, metric: string, fy: number, fp = 0) =>
  vintages(derived, metric, fy, fp).map(([value, filed, accession]) => [
    Number(value) / 1e6,
    filed,
    accession,
  ])

/** The balances that a report states of its own last day, in millions. */
function report(
  { accession, form = '10-K', filed }: { accession: string; form?: string; filed: string },
  end: string,
  balances: Readonly<Record<string, readonly [metric: string, value: number]>>,
): ReportedFact[] {
  const filing: Filing = { accession, form, filed: dayNumber(filed), acceptedAt: null }
  return Object.entries(balances).map(([tag, [metric, value]]) => ({
    metric,
    tag: `us-gaap:${tag}`,
    unit: 'USD',
    value: value * 1e6,
    rounded: false,
    filing,
    start: null,
    end: dayNumber(end),
  }))
}

const debtOf = (reportedFacts: readonly ReportedFact[]) =>
  derive(reportedFacts, '1231')
    .facts.filter(({ metric }) => metric === 'total_debt' || metric === 'net_debt')
    .map(fact => [fact.metric, fact.value / 1e6, isoDate(fact.filing.filed)])

test('debt of Apple is its commercial paper, term debt due within a year, and the rest', () => {
  const derived = derive(apple.reportedFacts, '0926')
  // 10-K of 2024-11-01, balance sheet: commercial paper 9,967, term debt 10,912 current and 85,750, cash 29,943.
  expect(millions(derived, 'total_debt', 2024)).toEqual([[106_629, '2024-11-01', '0000320193-24-000123']])
  expect(millions(derived, 'net_debt', 2024)).toEqual([
    [106_629 - 29_943, '2024-11-01', '0000320193-24-000123'],
  ])
  // 10-K 2015: 8,499 + 2,500 + 53,463. 10-K 2016 recasts the year before for debt issuance costs: 53,329.
  expect(millions(derived, 'total_debt', 2015)).toEqual([
    [64_462, '2015-10-28', '0001193125-15-356351'],
    [64_328, '2016-10-26', '0001628280-16-020309'],
  ])
  // In two quarters of 2020 the line was "commercial paper and repurchase agreements": no commercial paper, no row.
  expect(millions(derived, 'total_debt', 2020, 3)).toEqual([])
  // The renamed line repeats 5,980 for 2019 in 2020: that is no second debt.
  expect(millions(derived, 'total_debt', 2019)).toEqual([[108_047, '2019-10-31', '0000320193-19-000119']])
})

test('a stated total of current debt wins, and leases are in both parts of long-term debt or in none', () => {
  const derived = derive(alphabet.reportedFacts, '1231')
  // 10-K of 2016-02-11: DebtCurrent 3,225, of which commercial paper 2,000 and notes 1,225; 1,995 non-current.
  expect(millions(derived, 'total_debt', 2015)).toEqual([[5_220, '2016-02-11', '0001652044-16-000012']])
  // 10-K of 2025-02-05: 2,300 + 999 + 10,883; cash 23,466.
  expect(millions(derived, 'net_debt', 2024)).toEqual([
    [14_182 - 23_466, '2025-02-05', '0001652044-25-000014'],
  ])
  // 2022: 14,701 with leases is stated, and of the current part 0 without them, where 298 with them were due.
  expect(millions(derived, 'total_debt', 2022)).toEqual([])
})

test('debt by hand from three filings of the Financial Statement Data Sets', () => {
  // Pfizer, 10-K 2009: short-term borrowings including current portion 5,469 (27 of it long-term debt), 43,193; cash 1,978.
  const pfizer = report({ accession: '0001193125-10-042425', filed: '2010-02-26' }, '2009-12-31', {
    DebtCurrent: ['current_debt', 5_469],
    LongTermDebtCurrent: ['long_term_debt_current', 27],
    LongTermDebtNoncurrent: ['long_term_debt_noncurrent', 43_193],
    CashAndCashEquivalentsAtCarryingValue: ['cash', 1_978],
  })
  expect(debtOf(pfizer)).toEqual([
    ['total_debt', 48_662, '2010-02-26'],
    ['net_debt', 46_684, '2010-02-26'],
  ])
  // Wisconsin Energy, 10-K 2009: 825.1 of commercial paper, 295.7, 3,875.8; cash 20.9.
  const wisconsin = report({ accession: '0000107815-10-000046', filed: '2010-02-26' }, '2009-12-31', {
    CommercialPaper: ['commercial_paper', 825.1],
    LongTermDebtCurrent: ['long_term_debt_current', 295.7],
    LongTermDebtNoncurrent: ['long_term_debt_noncurrent', 3_875.8],
    CashAndCashEquivalentsAtCarryingValue: ['cash', 20.9],
  })
  expect(debtOf(wisconsin)).toEqual([
    ['total_debt', 4_996.6, '2010-02-26'],
    ['net_debt', 4_975.7, '2010-02-26'],
  ])
  // Clorox, 10-Q of 2010-02-05: 25 + 575 + 2,435; cash 154.
  const clorox = report(
    { accession: '0001206774-10-000241', form: '10-Q', filed: '2010-02-05' },
    '2009-12-31',
    {
      CommercialPaper: ['commercial_paper', 25],
      LongTermDebtCurrent: ['long_term_debt_current', 575],
      LongTermDebtNoncurrent: ['long_term_debt_noncurrent', 2_435],
      CashAndCashEquivalentsAtCarryingValue: ['cash', 154],
    },
  )
  expect(debtOf(clorox).map(([, value]) => value)).toEqual([3_035, 2_881])
})

test('no debt where the parts are not what they seem, or one is not stated', () => {
  // Honeywell, 10-K 2009: bank loans of 45 next to commercial paper of 298.
  const honeywell = report({ accession: '0000930413-10-000784', filed: '2010-02-12' }, '2009-12-31', {
    CommercialPaper: ['commercial_paper', 298],
    ShortTermBankLoansAndNotesPayable: ['other_short_term_borrowings', 45],
    LongTermDebtAndCapitalLeaseObligationsCurrent: ['long_term_debt_current', 1_018],
    LongTermDebtAndCapitalLeaseObligations: ['long_term_debt_noncurrent', 6_246],
  })
  expect(debtOf(honeywell)).toEqual([])
  // H&R Block, 10-Q of 2010-03-08: DebtCurrent 2.576 and short-term borrowings of 1,675.094.
  const block = report(
    { accession: '0000950123-10-022156', form: '10-Q', filed: '2010-03-08' },
    '2010-01-31',
    {
      DebtCurrent: ['current_debt', 2.576],
      ShortTermBorrowings: ['short_term_borrowings', 1_675.094],
      LongTermDebtAndCapitalLeaseObligations: ['long_term_debt_noncurrent', 1_032.8],
    },
  )
  expect(debtOf(block)).toEqual([])
  const stated = report({ accession: '0000000001-10-000001', filed: '2010-02-12' }, '2009-12-31', {
    LongTermDebtCurrent: ['long_term_debt_current', 10],
    LongTermDebtNoncurrent: ['long_term_debt_noncurrent', 90],
    CashAndCashEquivalentsAtCarryingValue: ['cash', 5],
  })
  expect(debtOf(stated)).toEqual([])
})

test('short-term borrowings are never added to the current part of long-term debt, which they may include', () => {
  const balances = {
    LongTermDebtCurrent: ['long_term_debt_current', 8_944],
    LongTermDebtNoncurrent: ['long_term_debt_noncurrent', 48_000],
    CashAndCashEquivalentsAtCarryingValue: ['cash', 11_000],
  } as const
  const of = (more: Parameters<typeof report>[2]) => {
    const filing = { accession: '0000051143-25-000001', filed: '2025-10-22' }
    const { facts } = derive(report(filing, '2025-09-30', { ...balances, ...more }), '1231')
    return facts
      .filter(({ metric }) => /^(current|total|net)_debt$/.test(metric))
      .map(({ metric, value }) => [metric, value / 1e6])
  }
  // IBM tags its short-term debt of 8,945 million, of which 8,944 is long-term debt due within a year, as ShortTermBorrowings.
  expect(of({ ShortTermBorrowings: ['short_term_borrowings', 8_945] })).toEqual([])
  // A total that the company states is one, whatever its parts are.
  const total = {
    ShortTermBorrowings: ['short_term_borrowings', 8_945],
    DebtCurrent: ['current_debt', 8_945],
  } as const
  expect(of(total)).toEqual([
    ['current_debt', 8_945],
    ['total_debt', 56_945],
    ['net_debt', 45_945],
  ])
  // Commercial paper runs for 270 days at most, so it is no part of long-term debt; where more was borrowed, it is not all.
  expect(of({ CommercialPaper: ['commercial_paper', 100] })[0]).toEqual(['current_debt', 9_044])
  const more = {
    CommercialPaper: ['commercial_paper', 100],
    ShortTermBorrowings: ['short_term_borrowings', 9_044],
  } as const
  expect(of(more)).toEqual([])
})

test('book value per share is equity by the count that is served for the period', () => {
  const derived = derive(apple.reportedFacts, '0926')
  // 10-K 0001193125-09-214859: equity 27,832, 900,678,473 shares on the cover. The 10-Q of 2010-01-25 restates equity, and the
  // 10-K/A of that day states the count again.
  expect(vintages(derived, 'book_value_per_share', 2009, 0)).toEqual([
    [27_832e6 / 900_678_473, '2009-10-27', '0001193125-09-214859'],
    [31_640e6 / 900_678_473, '2010-01-25', '0001193125-10-012085'],
  ])
  // Alphabet, 10-Q of 2022-07-27: the balance of 2021 after the split, 13,242 million shares in place of 662.121 million.
  const values = vintages(derive(alphabet.reportedFacts, '1231'), 'book_value_per_share', 2021, 0)
  expect(values.map(([value, filed]) => [Number(value).toFixed(2), filed])).toEqual([
    ['380.04', '2022-02-02'],
    ['19.00', '2022-07-27'],
  ])
})

test('equity that is restated without the count leaves the old figure, marked', () => {
  const first: Filing = { accession: '1', form: '10-K', filed: dayNumber('2021-02-20'), acceptedAt: null }
  const second: Filing = { accession: '2', form: '10-K', filed: dayNumber('2022-02-20'), acceptedAt: null }
  const equity = (filing: Filing, value: number): ReportedFact => ({
    metric: 'equity',
    tag: 'us-gaap:StockholdersEquity',
    unit: 'USD',
    value,
    rounded: false,
    filing,
    start: null,
    end: dayNumber('2020-12-31'),
  })
  const count = (filing: Filing, end: string, value: number): ReportedFact => ({
    metric: 'shares_outstanding',
    tag: 'dei:EntityCommonStockSharesOutstanding',
    unit: 'shares',
    value,
    rounded: false,
    filing,
    start: null,
    end: dayNumber(end),
  })
  const shown = (reportedFacts: readonly ReportedFact[]) =>
    derive(reportedFacts, '1231')
      .facts.filter(({ metric }) => metric === 'book_value_per_share')
      .map(fact => [fact.value, isoDate(fact.filing.filed), fact.earlierSince, fact.superseded])
  const original = [equity(first, 500), count(first, '2021-02-01', 100)]
  expect(shown(original)).toEqual([[5, '2021-02-20', null, null]])
  expect(shown([...original, equity(second, 600)])).toEqual([[5, '2021-02-20', second.filed, null]])
  expect(shown([...original, equity(second, 600), count(second, '2021-02-01', 100)])).toEqual([
    [5, '2021-02-20', null, second.filed],
    [6, '2022-02-20', null, null],
  ])
})

import { describe, expect, test } from 'bun:test'
import { causeOf } from '../../bench/standardLines/peers/causes.ts'
import { joinLines, readPeerRows } from '../../bench/standardLines/peers/join.ts'
import type { Pair } from '../../bench/standardLines/peers/pairs.ts'
import type { FaceLine, PresentedColumn } from '../../bench/standardLines/peers/presentedStatements.ts'
import { nonEmpty } from '../nonEmpty.ts'

const pair = (theirs: string, ours: string, reversed = false): Pair => ({
  statement: 'income',
  theirs,
  ours: ours.split('|'),
  reversed,
})

const face = (tag: string, label: string, stated: number, ...lines: string[]): FaceLine => ({
  tag,
  label,
  negated: false,
  stated,
  shown: stated,
  lines,
})

/** A column whose standard lines each come from one line of the face. */
const column = (lines: readonly FaceLine[], quarters = 1): PresentedColumn => ({
  accession: 'A',
  kind: 'industrial',
  industry: null,
  statement: 'income',
  day: '20090630',
  quarters,
  face: lines,
  ours: new Map(
    lines.flatMap(({ tag, stated, lines: names }) =>
      names.map(name => [name, { value: stated, tags: [tag] }] as const),
    ),
  ),
  unclear: new Set(),
})

const peerTable = (...rows: readonly string[]) =>
  readPeerRows(
    [
      'accession\tstatement\tline\tday\tquarters\tvalue\trules',
      ...rows.map(row => `A\tincome\t${row.replaceAll(' ', '\t')}`),
    ].join('\n'),
  )

const outcomesOf = (lines: readonly FaceLine[], pairs: readonly Pair[], ...rows: readonly string[]) =>
  nonEmpty(joinLines([column(lines)], peerTable(...rows), pairs)).map(({ outcome }) => outcome)

describe('the join with a peer', () => {
  const revenue = face('Revenues', 'Revenues', 100, 'revenue')

  test('tells equal, different, one-sided and absent lines apart', () => {
    const pairs = [
      pair('Revenues', 'revenue'),
      pair('Costs', 'costs_and_expenses'),
      pair('Gross', 'gross_profit'),
      pair('Tax', 'income_tax'),
      pair('Net', 'net_income'),
    ]
    const lines = [
      revenue,
      face('CostsAndExpenses', 'Total costs', 60, 'costs_and_expenses'),
      face('IncomeTaxExpenseBenefit', 'Income taxes', 5, 'income_tax'),
    ]
    expect(
      outcomesOf(
        lines,
        pairs,
        'Revenues 20090630 1 100.0 stated',
        'Costs 20090630 1 61 stated',
        'Gross 20090630 1 40 sum',
      ),
    ).toEqual(['equal', 'different', 'theirsOnly', 'oursOnly', 'bothAbsent'])
  })

  test('a quarter is never compared with a half year, nor with a column that the peer leaves out', () => {
    const columns = [column([revenue], 1), column([revenue], 2)]
    const cells = joinLines(columns, peerTable('Revenues 20090630 2 100 stated'), [
      pair('Revenues', 'revenue'),
    ])
    expect(cells.map(cell => [cell.column.quarters, cell.outcome])).toEqual([[2, 'equal']])
  })

  test('signs that are opposite by definition are equal only if they are opposite', () => {
    const pairs = [pair('Tax', 'income_tax', true)]
    const lines = [face('IncomeTaxExpenseBenefit', 'Income taxes', 5, 'income_tax')]
    expect(outcomesOf(lines, pairs, 'Tax 20090630 1 -5 stated')).toEqual(['equal'])
    expect(outcomesOf(lines, pairs, 'Tax 20090630 1 5 stated')).toEqual(['different'])
  })

  test('a peer that gives one name to two lines does not agree, unless both have our value', () => {
    const pairs = [pair('Revenues', 'revenue')]
    const first = 'Revenues 20090630 1 100 Revenues'
    expect(outcomesOf([revenue], pairs, first, 'Revenues 20090630 1 30 Part')).toEqual(['different'])
    expect(outcomesOf([revenue], pairs, first, 'Revenues 20090630 1 100 Again')).toEqual(['equal'])
  })

  test('the next of our lines counts only if the statement lacks the first', () => {
    const pairs = [pair('ProfitLoss', 'net_income_including_minority_interest|net_income')]
    const owners = face('NetIncomeLoss', 'Net income', 7, 'net_income')
    const all = face('ProfitLoss', 'Net income', 9, 'net_income_including_minority_interest')
    expect(outcomesOf([owners], pairs, 'ProfitLoss 20090630 1 7 stated')).toEqual(['equal'])
    expect(outcomesOf([all, owners], pairs, 'ProfitLoss 20090630 1 7 stated')).toEqual(['different'])
  })
})

describe('causes of differences', () => {
  const causesOf = (lines: readonly FaceLine[], pairs: readonly Pair[], row: string) =>
    nonEmpty(joinLines([column(lines)], peerTable(row), pairs)).map(cell => causeOf('secfsdstools', cell))

  /** Edison Mission Energy, 0001047469-09-007342: taxes of 2 million, income from affiliates of 20 million. */
  test('income from affiliates that a peer adds to taxes is recognised on the face', () => {
    const lines = [
      face('IncomeLossFromEquityMethodInvestments', 'Equity in income', 20e6, 'equity_method_income'),
      face('IncomeTaxExpenseBenefit', 'Provision for income taxes', 2e6, 'income_tax'),
    ]
    const pairs = [pair('AllIncomeTaxExpenseBenefit', 'income_tax')]
    expect(causesOf(lines, pairs, 'AllIncomeTaxExpenseBenefit 20090630 1 22000000 sum')).toEqual([
      { name: 'adds income from affiliates to taxes', whose: 'theirs' },
    ])
  })

  /** Freeport-McMoRan, 0000831259-09-000076: 812 million before noncontrolling interests of 164 million. */
  test('net income before noncontrolling interests under the name of the owners is our fault', () => {
    const lines = [
      face('ProfitLoss', 'Net income', 812e6, 'net_income'),
      face('NetIncomeLossAttributableToNoncontrollingInterest', 'Noncontrolling interests', 164e6),
      face('NetIncomeLossAvailableToCommonStockholdersBasic', 'Net income to common', 588e6),
    ]
    const [cause] = causesOf(
      lines,
      [pair('NetIncomeLoss', 'net_income')],
      'NetIncomeLoss 20090630 1 588000000 copy',
    )
    expect(cause?.whose).toBe('ours')
  })

  test('a stated line with a plain label that we do not name is ours, and with two things on it is not', () => {
    const pairs = [pair('OperatingIncomeLoss', 'operating_income')]
    const whose = (label: string) =>
      causesOf([face('OperatingIncomeLoss', label, 9)], pairs, 'OperatingIncomeLoss 20090630 1 9 stated')[0]
        ?.whose
    expect(whose('Operating income')).toBe('ours')
    expect(whose('Operating income and other')).toBe('meaning')
    expect(whose('Income before income taxes')).toBe('filer')
  })

  test('every outcome but agreement has a cause', () => {
    const pairs = [pair('Revenues', 'revenue'), pair('Gross', 'gross_profit'), pair('Net', 'net_income')]
    const cells = joinLines(
      [
        column([
          face('*OwnRevenue', 'Sales', 5, 'revenue'),
          face('GrossProfit', 'Gross profit', 2, 'gross_profit'),
        ]),
      ],
      peerTable('Revenues 20090630 1 4 sum', 'Net 20090630 1 0 zero'),
      pairs,
    )
    expect(nonEmpty(cells).map(cell => causeOf('secfsdstools', cell)?.name)).toEqual([
      "leaves out the company's own tags",
      'does not know the tag',
      'fills in a zero',
    ])
  })
})

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { dayNumber } from '../../src/dates.ts'
import { readFilingPackage } from '../../src/ingest/registers/us/filingPackage.ts'
import { cashSums, results } from '../../src/standardLines/acrossStatements.ts'
import { checkedFigures } from '../../src/standardLines/checkedFigures.ts'
import { equationsOf } from '../../src/standardLines/equations.ts'
import { standardLines } from '../../src/standardLines/standardLines.ts'
import type {
  Dimension,
  FigureContext,
  ReportedFigure,
  StatementKind,
  WholeFiling,
} from '../../src/wholeFilings/wholeFiling.ts'
import { filingsOf, readZipFiles } from '../ingest/registers/us/packages.ts'
import { nonEmpty } from '../nonEmpty.ts'

setDefaultTimeout(120_000)

const dataSet = await readZipFiles('fsds/2009q3.zip')
const microsoft = await readZipFiles('filings/msft-10k_2015.zip')
const apple = await readZipFiles('filings/0000320193-25-000057-xbrl.zip')

describe.skipIf(apple === null)("Apple's 10-Q for the quarter to 2025-03-29 (0000320193-25-000057)", () => {
  const checked = () =>
    nonEmpty(checkedFigures(readFilingPackage('0000320193-25-000057-xbrl.zip', apple ?? []).filing, 3571))
  const of = (line: string, value: string) =>
    checked()
      .filter(each => each.line === line && each.value === value)
      .map(({ check }) => check.state)

  test('has net sales of both quarters, proved by the calculation of the filing', () => {
    expect(of('revenue', '95359000000')).toEqual(['proved'])
    expect(of('revenue', '90753000000')).toEqual(['proved'])
  })

  test('names the tag, the period and the unit of each figure', () => {
    const [revenue] = checked().filter(each => each.value === '95359000000')
    expect(revenue).toMatchObject({
      concept: 'us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax',
      period: { start: dayNumber('2024-12-29'), end: dayNumber('2025-03-29'), quarters: null },
      unit: 'USD',
      statement: 'income',
      line: 'revenue',
    })
  })
})

describe.skipIf(microsoft === null)("Microsoft's 10-K for the year to 2015-06-30", () => {
  const checked = () =>
    nonEmpty(checkedFigures(readFilingPackage('msft-10k_2015.zip', microsoft ?? []).filing, 7372))

  // Its note on quarterly information: net income of 4,540, 5,863, 4,985 and (3,195) million, together 12,193 million.
  test('the quarters of the notes sum to the year, and both are consistent', () => {
    for (const value of ['4540000000', '5863000000', '4985000000', '-3195000000']) {
      const [found] = nonEmpty(checked().filter(each => each.line === 'net_income' && each.value === value))
      expect(found.check).toMatchObject({
        state: 'consistent',
        identity: 'The year = the sum of its quarters',
        difference: '0',
        sides: { left: '12193000000', right: '12193000000', unit: 'USD' },
      })
    }
  })

  // The note states revenue and gross margin of each quarter but not the cost of revenue.
  test('a sum without one of its items is not contradicted', () => {
    const [gross] = nonEmpty(checked().filter(({ value }) => value === '14712000000'))
    expect([gross.line, gross.check.state]).toEqual(['gross_profit', 'consistent'])
    expect(checked().filter(({ check }) => check.state === 'contradicted')).toEqual([])
  })
})

describe.skipIf(dataSet === null)('a real data set', () => {
  const filings = new Map(
    (dataSet === null ? [] : filingsOf(dataSet)).map(filing => [filing.accession, filing]),
  )
  const checksOf = (accession: string, line: string) =>
    nonEmpty(checkedFigures(nonEmpty([...filings.values()].filter(each => each.accession === accession))[0]))
      .filter(each => each.line === line)
      .map(({ value, check }) => [value, check.state, check.identity, check.difference])

  test('every figure is one that its filing states', () => {
    for (const filing of nonEmpty([...filings.values()]).slice(0, 40)) {
      const stated = new Set(
        filing.figures.map(({ concept, context, unit, value }) =>
          [concept, context.start, context.end, context.quarters, unit, value].join(' '),
        ),
      )
      for (const { concept, period, unit, value } of nonEmpty(checkedFigures(filing)))
        expect(stated.has([concept, period.start, period.end, period.quarters, unit, value].join(' '))).toBe(
          true,
        )
    }
  })

  // Entergy (0000065984-09-000179) states every liability as a negative figure.
  test("a contradiction is the filer's", () => {
    expect(checksOf('0000065984-09-000179', 'liabilities_and_equity')).toEqual([
      ['-36485220000', 'contradicted', 'Total assets = Total liabilities and equity', '72970440000'],
      ['-36616818000', 'contradicted', 'Total assets = Total liabilities and equity', '73233636000'],
    ])
  })

  // Medco (0000950123-09-027011) states receivables and total assets of 2009-06-30 in thousands, all else in tenths of millions.
  // PSEG (0000930413-09-003976) states two assets of 2008-12-31 in dollars, all else in millions.
  test('figures are as accurate as they are stated in their own statements', () => {
    expect(checksOf('0000950123-09-027011', 'assets')[0].slice(0, 2)).toEqual(['17770264000', 'consistent'])
    expect(checksOf('0000930413-09-003976', 'assets')[1].slice(0, 2)).toEqual(['29048583008', 'consistent'])
  })

  // Public Storage (0001393311-09-000025) states the change in cash before exchange rates; Capital One (0001193125-09-170756)
  // has cash of acquired companies; Altria (0001193125-09-163472) subtracts excise taxes from gross profit.
  test('an equation has the readings that statements have', () => {
    // Electronic Arts (0001193125-09-170759) adds short-term investments of 634 million to its cash of 1,205 million.
    expect(checksOf('0001193125-09-170759', 'cash_at_end').map(([value]) => value)).toEqual([
      '1205000000',
      '1199000000',
    ])
    expect(checksOf('0001393311-09-000025', 'cash_at_end').map(([, state]) => state)).toEqual([
      'consistent',
      'consistent',
    ])
    expect(checksOf('0001193125-09-170756', 'cash_at_end')[0].slice(1)).toEqual([
      'consistent',
      'Cash at the end = Cash at the beginning + Change in cash + Cash and cash equivalents of acquired companies',
      '0',
    ])
    expect(checksOf('0001193125-09-163472', 'gross_profit').map(([, state]) => state)).toEqual([
      'consistent',
      'consistent',
      'consistent',
      'consistent',
    ])
  })
})

/** Lines of a statement of one period: tag, label and value. */
type Lines = readonly (readonly [tag: string, label: string, value: number])[]

const lastDay = dayNumber('2019-12-31')

function madeFiling(
  statements: Readonly<Partial<Record<StatementKind, Lines>>>,
  notes: readonly {
    tag: string
    value: number
    end?: number
    quarters?: number
    members?: Dimension[]
  }[] = [],
): WholeFiling {
  const figure = (concept: string, value: number, context: FigureContext): ReportedFigure => ({
    concept,
    context,
    unit: 'USD',
    decimals: 0,
    value: String(value),
  })
  const kinds = Object.entries(statements) as [StatementKind, Lines][]
  return {
    accession: '0000000000-20-000001',
    taxonomies: new Map(),
    figures: [
      ...kinds.flatMap(([kind, lines]) =>
        lines.map(([tag, label, value]) => {
          const end = /beginning/.test(label) ? dayNumber('2018-12-31') : lastDay
          const isBalance = kind === 'BS' || /^us-gaap:Cash(?!AndCashEquivalentsPeriod)/.test(tag)
          return figure(tag, value, { start: null, end, quarters: isBalance ? 0 : 4, dimensions: [] })
        }),
      ),
      ...notes.map(({ tag, value, end = lastDay, quarters = 4, members = [] }) =>
        figure(tag, value, { start: null, end, quarters, dimensions: members }),
      ),
    ],
    statements: kinds.map(([kind, lines], role) => ({
      role: String(role),
      title: null,
      kind,
      parenthetical: false,
      lines: lines.map(([concept, label], order) => ({
        order,
        concept,
        depth: null,
        label,
        labelRole: null,
        negated: false,
      })),
    })),
    sums: [],
    defaultMembers: new Map(),
  }
}

const income: Lines = [
  ['us-gaap:Revenues', 'Revenue', 1_000],
  ['us-gaap:NetIncomeLoss', 'Net income', 70],
]
const checkOf = (filing: WholeFiling, statement: string, line: string) =>
  nonEmpty(checkedFigures(filing).filter(each => each.statement === statement && each.line === line))[0].check

describe('across the statements of a filing', () => {
  const restricted = 'us-gaap:CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents'
  const balance = (cash: number): Lines => [
    ['us-gaap:CashAndCashEquivalentsAtCarryingValue', 'Cash and cash equivalents', cash],
    ['us-gaap:RestrictedCash', 'Restricted cash', 15],
    ['us-gaap:Assets', 'Total assets', 900],
  ]
  const cashFlow: Lines = [
    ['us-gaap:ProfitLoss', 'Net income', 70],
    ['us-gaap:NetCashProvidedByUsedInOperatingActivities', 'Net cash from operating activities', 60],
    ['us-gaap:NetCashProvidedByUsedInInvestingActivities', 'Net cash from investing activities', -20],
    ['us-gaap:NetCashProvidedByUsedInFinancingActivities', 'Net cash from financing activities', -10],
    [restricted, 'Cash, cash equivalents and restricted cash at end of year', 135],
  ]

  test('cash at the end is cash and restricted cash of the balance sheet', () => {
    const identity = 'Cash at the end = cash + restricted cash of the balance sheet'
    const filing = madeFiling({ IS: income, BS: balance(120), CF: cashFlow })
    expect(checkOf(filing, 'balance', 'restricted_cash')).toMatchObject({
      state: 'consistent',
      identity,
      difference: '0',
      sides: { left: '135', right: '135', unit: 'USD' },
    })
    expect(checkOf(filing, 'cash_flow', 'cash_at_end').identity).toBe(identity)
  })

  test('another amount contradicts nothing: companies count different things as cash', () => {
    const filing = madeFiling({ IS: income, BS: balance(110), CF: cashFlow })
    expect(checkOf(filing, 'balance', 'restricted_cash').state).toBe('unchecked')
    expect(checkOf(filing, 'cash_flow', 'cash_at_end').state).toBe('unchecked')
  })

  test('both statements have the same net income, under whatever tags', () => {
    const identity = 'Net income of the statement of cash flows = net income of the income statement'
    const filing = madeFiling({ IS: income, BS: balance(120), CF: cashFlow })
    expect(checkOf(filing, 'income', 'net_income')).toMatchObject({
      state: 'consistent',
      identity,
      difference: '0',
      sides: { left: '70', right: '70' },
    })
  })
})

describe('parts in the notes of a filing', () => {
  const member = (name: string) => ({ axis: 'BusinessSegments', member: name })
  const segment = (name: string, value: number) => ({
    tag: 'us-gaap:Revenues',
    value,
    members: [member(name)],
  })
  const eliminated = {
    tag: 'us-gaap:Revenues',
    value: -40,
    members: [{ axis: 'ConsolidationItems', member: 'IntersegmentElimination' }],
  }

  test('segments sum to the total, with what is eliminated between them', () => {
    const filing = madeFiling({ IS: income }, [segment('North', 640), segment('South', 400), eliminated])
    expect(checkOf(filing, 'income', 'revenue')).toMatchObject({
      state: 'consistent',
      identity:
        'The total = the sum of its 2 members by segment and what reconciles them with the whole company',
      difference: '0',
      sides: { left: '1000', right: '1000' },
    })
  })

  test('segments that leave something out contradict nothing', () => {
    const filing = madeFiling({ IS: income }, [segment('North', 640), segment('South', 300)])
    expect(checkOf(filing, 'income', 'revenue').state).toBe('unchecked')
  })

  const quarters = (last: number) =>
    ['2019-03-31', '2019-06-30', '2019-09-30', '2019-12-31'].map((end, at) => ({
      tag: 'us-gaap:Revenues',
      value: [200, 250, 240, last][at],
      end: dayNumber(end),
      quarters: 1,
    }))

  test('quarters sum to the year or contradict it, with the difference', () => {
    const identity = 'The year = the sum of its quarters'
    expect(checkOf(madeFiling({ IS: income }, quarters(310)), 'income', 'revenue')).toMatchObject({
      state: 'consistent',
      identity,
      difference: '0',
      sides: { left: '1000', right: '1000' },
    })
    expect(checkOf(madeFiling({ IS: income }, quarters(300)), 'income', 'revenue')).toMatchObject({
      state: 'contradicted',
      identity,
      difference: '10',
      sides: { left: '1000', right: '990' },
    })
  })
})

test('every line that an identity names is a standard line of its statement', () => {
  const known = new Set(standardLines.map(({ statement, name }) => `${statement} ${name}`))
  const named = [
    ...Object.entries(equationsOf).flatMap(([statement, equations]) =>
      equations.flatMap(({ total, items, readings }) =>
        [total, ...[...items, ...readings.flat()].map(({ name }) => name)].map(
          name => `${statement} ${name}`,
        ),
      ),
    ),
    ...cashSums.flatMap(([names]) => names.map(name => `balance ${name}`)),
    ...results.map(([name]) => `income ${name}`),
  ]
  const unknown = nonEmpty(named).filter(name => !known.has(name))
  expect(unknown).toEqual([])
})

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFilingPackage } from '../../src/ingest/registers/us/filingPackage.ts'
import { checkFiling } from '../../src/standardLines/checkFiling.ts'
import type { StandardStatement } from '../../src/standardLines/definition.ts'
import { lineValue } from '../../src/standardLines/lineValues.ts'
import { standardFiling } from '../../src/standardLines/standardFiling.ts'
import { isCatchAll } from '../../src/standardLines/standardLines.ts'
import type { StatementKind, WholeFiling } from '../../src/wholeFilings/wholeFiling.ts'
import { filingsOf, packageNames, readZipFiles } from '../ingest/registers/us/packages.ts'
import { nonEmpty } from '../nonEmpty.ts'

setDefaultTimeout(120_000)

const dataSet = await readZipFiles('fsds/2009q3.zip')
const packages = await Promise.all(packageNames.map(name => readZipFiles(`filings/${name}`)))

/** Lines of a made statement: tag, label, values by column. */
type MadeLine = readonly [tag: string, label: string, ...values: number[]]

function madeFiling(
  kind: StatementKind,
  lines: readonly MadeLine[],
  sums: WholeFiling['sums'] = [],
): WholeFiling {
  const contexts = [0, 1].map(column => ({
    start: null,
    end: 14_000 + column * 365,
    quarters: kind === 'BS' ? 0 : 4,
    dimensions: [],
  }))
  return {
    accession: '0000000000-09-000001',
    taxonomies: new Map(),
    figures: lines.flatMap(([concept, , ...values]) =>
      values.map((value, column) => ({
        concept,
        context: contexts[column],
        unit: 'USD',
        decimals: null,
        value: String(value),
      })),
    ),
    statements: [
      {
        role: '1',
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
      },
    ],
    sums,
    defaultMembers: new Map(),
  }
}

function valuesOf(filing: WholeFiling, statement: StandardStatement, column = 0) {
  const standard = standardFiling(filing)
  const placed = standard.statements.get(statement)
  const checked = checkFiling(filing, standard).get(statement)?.[column]
  if (placed === undefined || checked === undefined) throw new Error('no statement')
  const checks = new Map([...checked].map(([name, { check }]) => [name, check]))
  const values = placed.placed.flatMap(each => {
    const value = lineValue(placed, each, column)
    return value === null ? [] : [[each.line.name, value.value]]
  })
  return {
    values: Object.fromEntries(values),
    missing: placed.missing.map(({ line }) => line.name),
    states: Object.fromEntries([...checks].map(([name, { state }]) => [name, state])),
    checks,
  }
}

describe('the place of a line', () => {
  const sheet: MadeLine[] = [
    ['custom:MoneyAtHand', 'Cash and cash equivalents', 210, 110],
    ['us-gaap:AccountsReceivableNetCurrent', 'Receivables', 300, 250],
    ['custom:SumOfShortThings', 'Total current assets', 510, 360],
    ['us-gaap:DeferredTaxAssetsNet', 'Deferred income taxes', 90, 80],
    ['us-gaap:Assets', 'Total assets', 600, 440],
    ['us-gaap:NotesAndLoansPayable', 'Notes and loans payable', 70, 60],
    ['us-gaap:LongTermDebt', 'Long-term debt due within one year', 30, 20],
    ['us-gaap:LiabilitiesCurrent', 'Total current liabilities', 100, 80],
    ['us-gaap:LongTermDebt', 'Long-term debt', 150, 140],
    ['us-gaap:StockholdersEquity', "Total stockholders' equity", 350, 220],
    ['us-gaap:LiabilitiesAndStockholdersEquity', 'Total liabilities and equity', 600, 440],
  ]

  test("a company's own total is found by its sum and its words, and tags by their section", () => {
    // One tag cannot stand twice with different figures, so the current part has a tag of its own.
    const lines = sheet.map(line =>
      line[1] === 'Long-term debt due within one year'
        ? (['us-gaap:LongTermDebtCurrent', ...line.slice(1)] as unknown as MadeLine)
        : line,
    )
    const { values, missing, states } = valuesOf(madeFiling('BS', lines), 'balance', 1)
    expect(values).toEqual({
      cash: '210',
      receivables: '300',
      current_assets: '510',
      deferred_tax_assets: '90',
      assets: '600',
      other_short_term_borrowings: '70',
      long_term_debt_current: '30',
      current_liabilities: '100',
      long_term_debt_noncurrent: '150',
      equity: '350',
      liabilities_and_equity: '600',
    })
    expect(missing).toEqual([])
    expect(new Set(Object.values(states))).toEqual(new Set(['consistent']))
  })

  test('a part is not added to the total that contains it', () => {
    const { values } = valuesOf(
      madeFiling('BS', [
        ['us-gaap:InventoryFinishedGoods', 'Finished goods', 40, 41],
        ['us-gaap:InventoryRawMaterials', 'Raw materials', 10, 12],
        ['custom:AllStocks', 'Inventories', 50, 53],
        ['us-gaap:CashAndCashEquivalentsAtCarryingValue', 'Cash', 7, 9],
        ['us-gaap:AssetsCurrent', 'Total current assets', 57, 62],
        ['us-gaap:Goodwill', 'Goodwill', 3, 3],
        ['us-gaap:Assets', 'Total assets', 60, 65],
      ]),
      'balance',
      1,
    )
    expect(values.inventory).toBe('50')
  })

  test('parts of a total that is not stated are added if another total counts each of them', () => {
    const lines: MadeLine[] = [
      ['us-gaap:CashAndCashEquivalentsAtCarryingValue', 'Cash', 7, 9],
      ['us-gaap:InventoryFinishedGoods', 'Finished goods', 40, 41],
      ['us-gaap:InventoryRawMaterials', 'Raw materials', 10, 12],
      ['us-gaap:AssetsCurrent', 'Total current assets', 57, 62],
      ['us-gaap:Goodwill', 'Goodwill', 3, 3],
      ['us-gaap:Assets', 'Total assets', 60, 65],
    ]
    expect(valuesOf(madeFiling('BS', lines), 'balance', 1).values.inventory).toBe('50')
    const unclear = lines.map(
      (line): MadeLine => (line[0] === 'us-gaap:AssetsCurrent' ? [line[0], line[1], 68, 74] : line),
    )
    const { values, missing } = valuesOf(madeFiling('BS', unclear), 'balance', 1)
    expect(values.inventory).toBeUndefined()
    expect(missing).toEqual(['inventory'])
  })

  test('the cost of goods beside that of services is not the cost of revenue', () => {
    const { values, missing } = valuesOf(
      madeFiling('IS', [
        ['us-gaap:Revenues', 'Revenue', 1_000, 900],
        ['us-gaap:CostOfGoodsSold', 'Cost of products', 300, 250],
        ['us-gaap:CostOfServices', 'Cost of services', 200, 150],
        ['us-gaap:OperatingIncomeLoss', 'Operating income', 500, 500],
        ['us-gaap:NetIncomeLoss', 'Net income', 400, 410],
      ]),
      'income',
      1,
    )
    expect(values).toMatchObject({ revenue: '1000', cost_of_goods: '300', cost_of_services: '200' })
    expect(missing).toEqual(['cost_of_revenue'])
  })
})

describe('a label that names more than its line', () => {
  const flows: MadeLine[] = [
    ['us-gaap:ProfitLoss', 'Net income', 500, 400],
    ['us-gaap:IncreaseDecreaseInInventories', 'Inventories and other current assets', -60, -50],
    ['us-gaap:IncreaseDecreaseInAccountsPayable', 'Accounts payable', 40, 30],
    ['us-gaap:NetCashProvidedByUsedInOperatingActivities', 'Net cash from operating activities', 480, 380],
    ['us-gaap:PaymentsToAcquireBusinessesNetOfCashAcquired', 'Acquisitions and investments', -70, -40],
    ['us-gaap:PaymentsToAcquirePropertyPlantAndEquipment', 'Capital expenditures', -30, -20],
    ['us-gaap:NetCashProvidedByUsedInInvestingActivities', 'Net cash from investing activities', -100, -60],
    ['us-gaap:PaymentsOfDividends', 'Dividends paid', -80, -70],
    ['us-gaap:NetCashProvidedByUsedInFinancingActivities', 'Net cash from financing activities', -80, -70],
  ]

  test('is no such line, whatever its tag says', () => {
    const { values } = valuesOf(madeFiling('CF', flows), 'cash_flow', 1)
    expect(values).toMatchObject({
      change_in_payables: '40',
      capital_expenditure: '30',
      dividends_paid: '80',
    })
    expect(values.change_in_inventory).toBeUndefined()
    expect(values.acquisitions).toBeUndefined()
  })

  test('is one without the second name', () => {
    const plain = flows.map(
      ([tag, label, ...figures]): MadeLine => [tag, label.replace(/ and (other|inv).*/, ''), ...figures],
    )
    const { values } = valuesOf(madeFiling('CF', plain), 'cash_flow', 1)
    expect(values).toMatchObject({ change_in_inventory: '-60', acquisitions: '70' })
  })
})

describe('states', () => {
  const role = '1'
  const lines: MadeLine[] = [
    ['us-gaap:Revenues', 'Revenue', 1_000],
    ['us-gaap:CostOfRevenue', 'Cost of revenue', 600],
    ['us-gaap:GrossProfit', 'Gross profit', 390],
    ['us-gaap:NetIncomeLoss', 'Net income', 100],
  ]
  const sums = [
    {
      role,
      total: 'us-gaap:GrossProfit',
      items: [
        { concept: 'us-gaap:Revenues', weight: 1 },
        { concept: 'us-gaap:CostOfRevenue', weight: -1 },
      ],
    },
  ]

  test('a sum that the filing states and that does not hold is contradicted, with its difference', () => {
    const { values, states, checks } = valuesOf(madeFiling('IS', lines, sums), 'income')
    expect(values).toEqual({
      revenue: '1000',
      cost_of_revenue: '600',
      gross_profit: '390',
      net_income: '100',
    })
    expect(states).toEqual({
      revenue: 'contradicted',
      cost_of_revenue: 'contradicted',
      gross_profit: 'contradicted',
      net_income: 'unchecked',
    })
    expect(checks.get('gross_profit')).toMatchObject({
      state: 'contradicted',
      identity: 'Gross profit = Revenue - Cost of revenue, as the calculation of the filing states',
      difference: '-10',
      sides: { left: '390', right: '400', unit: 'USD' },
    })
  })

  test('a data set states no identity, so that nothing is proved', () => {
    const holding = lines.map(
      (line): MadeLine => (line[0] === 'us-gaap:GrossProfit' ? [line[0], line[1], 400] : line),
    )
    expect(valuesOf(madeFiling('IS', holding), 'income').states).toMatchObject({ gross_profit: 'consistent' })
    expect(valuesOf(madeFiling('IS', holding, sums), 'income').states).toMatchObject({
      gross_profit: 'proved',
    })
  })
})

describe.skipIf(dataSet === null)('a real data set', () => {
  const filing = (accession: string) => nonEmpty(filingsOf(dataSet ?? [], each => each === accession))[0]

  // Northrop's 10-Q for the quarter to 2009-06-30 (0000950123-09-024563).
  test('revenue is the total of products and services', () => {
    const { values } = valuesOf(filing('0000950123-09-024563'), 'income')
    expect(values).toMatchObject({
      revenue: '8957000000',
      revenue_goods: '5420000000',
      revenue_services: '3537000000',
      operating_income: '653000000',
      net_income: '394000000',
      eps: '1.22',
    })
  })

  // Celanese's 10-Q for the quarter to 2009-06-30 (0000950123-09-027072), balance sheet of 2009-06-30.
  test('treasury stock lowers equity, and is positive under its name', () => {
    const placed = standardFiling(filing('0000950123-09-027072')).statements.get('balance')
    const column =
      placed?.columns.findIndex(({ period }) => period?.end === Date.UTC(2009, 5, 30) / 86_400_000) ?? -1
    const { values } = valuesOf(filing('0000950123-09-027072'), 'balance', column)
    expect(values).toMatchObject({
      treasury_stock: '781000000',
      equity: '246000000',
      minority_interest: '2000000',
      current_debt: '224000000',
      long_term_debt_noncurrent: '3268000000',
    })
  })

  // Bank of America (0001193125-09-168969 is BlackRock; 0001193125-09-168935 is the bank), Aflac, AvalonBay, AEP.
  test('the kind of company follows from its statements', () => {
    const kinds = [
      ['0001193125-09-168935', 'bank'],
      ['0000950123-09-032199', 'insurer'],
      ['0000950123-09-032702', 'reit'],
      ['0000004904-09-000117', 'utility'],
      ['0001193125-09-154174', 'industrial'],
    ] as const
    for (const [accession, kind] of kinds)
      expect([accession, standardFiling(filing(accession)).kind]).toEqual([accession, kind])
  })

  // Freeport-McMoRan's 10-Q for the quarter to 2009-06-30 (0000831259-09-000076): net income of 812 million, of which
  // 164 are of noncontrolling interests. The owners' 648 are not stated.
  test('net income before noncontrolling interests is not that of the owners', () => {
    const { values } = valuesOf(filing('0000831259-09-000076'), 'income')
    expect(values).toMatchObject({
      net_income_including_minority_interest: '812000000',
      minority_interest_income: '164000000',
      net_income_common: '588000000',
    })
    expect(values.net_income).toBeUndefined()
  })

  // Newmont's 10-Q for the quarter to 2009-06-30 (0000950123-09-024448) states discontinued operations above net income
  // and once more below it, for its owners alone.
  test('lines that are added are counted by one total', () => {
    const { values } = valuesOf(filing('0000950123-09-024448'), 'income')
    expect(values.discontinued_operations).toBe('-14000000')
  })

  // Verizon's 10-Q for the quarter to 2009-06-30 (0001193125-09-159648): total equity of 82,821 million.
  test('equity with noncontrolling interests is not that of the owners', () => {
    const { values } = valuesOf(filing('0001193125-09-159648'), 'balance')
    expect(values.equity_including_minority_interest).toBe('82821000000')
    expect(values.equity).toBeUndefined()
  })

  // Caterpillar's 10-Q for the quarter to 2009-06-30 (0000018230-09-000331) states costs as negative figures, under
  // labels that reverse them: cost of goods sold of 5,752 million.
  test('a cost that the statement shows as positive is positive', () => {
    const { values } = valuesOf(filing('0000018230-09-000331'), 'income')
    expect(values).toMatchObject({
      cost_of_revenue: '5752000000',
      selling_general_administrative: '914000000',
      research_and_development: '351000000',
    })
  })

  test('more of the face of its statements reaches a standard line than the bars ask', () => {
    const bars = { income: 0.75, balance: 0.8, cash_flow: 0.7 }
    const named = { income: 0, balance: 0, cash_flow: 0 }
    const all = { income: 0, balance: 0, cash_flow: 0 }
    for (const each of nonEmpty(filingsOf(dataSet ?? [])))
      for (const [statement, { rows, placed }] of standardFiling(each).statements) {
        all[statement] += rows.length
        for (const { line, rows: used } of placed) if (!isCatchAll(line)) named[statement] += used.length
      }
    for (const statement of ['income', 'balance', 'cash_flow'] as const) {
      expect(all[statement]).toBeGreaterThan(5_000)
      expect(named[statement] / all[statement]).toBeGreaterThan(bars[statement])
    }
  })
})

describe.skipIf(packages.some(files => files === null))('real packages', () => {
  test('most values are proved by the calculation of the filing', () => {
    const states = new Map<string, number>()
    for (const [at, files] of packages.entries()) {
      const { filing } = readFilingPackage(packageNames[at], files ?? [])
      for (const columns of checkFiling(filing, standardFiling(filing)).values())
        for (const { check } of columns.flatMap(values => [...values.values()]))
          states.set(check.state, (states.get(check.state) ?? 0) + 1)
    }
    expect(states.get('proved')).toBeGreaterThan(300)
    expect(
      (states.get('proved') ?? 0) / [...states.values()].reduce((sum, count) => sum + count, 0),
    ).toBeGreaterThan(0.6)
  })
})

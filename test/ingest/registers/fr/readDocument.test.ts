import { describe, expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { checkBalances, emptyBalanceReport } from '../../../../src/facts/balanceChecks.ts'
import { deriveFacts } from '../../../../src/facts/deriveFacts.ts'
import { concepts } from '../../../../src/ingest/registers/fr/concepts.ts'
import { readFrenchReport } from '../../../../src/ingest/registers/fr/readDocument.ts'
import { frRegister } from '../../../../src/ingest/registers/fr/register.ts'
import { loadMarkets } from '../../../../src/markets/markets.ts'
import { canonicalMetrics } from '../../../../src/markets/metrics.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { factLines } from '../factLines.ts'
import { accounts } from './accounts.ts'

const xmlName = 'PUB_CA_483935326_1303_2013D00195_2015_1048.donnees.xml'
const fixture = async (name: string) => ({
  name,
  bytes: await Bun.file(new URL(`fixtures/${name}`, import.meta.url)).bytes(),
})

const of = (text: string) => readFrenchReport({ name: 'accounts.xml', bytes: Buffer.from(text) })
const json = (document: unknown) =>
  readFrenchReport({ name: 'accounts.json', bytes: Buffer.from(JSON.stringify(document)) })

describe('real accounts', () => {
  // Deposit 1048 of 2017-02-18 at the court 1303, file 2013D00195.
  test('in XML: both years, net rather than gross assets, filed on the deposit date', async () => {
    const content = readFrenchReport(await fixture(xmlName))
    expect(factLines(content)).toEqual([
      'assets 2014-12-31 3778441',
      'assets 2015-12-31 4102554',
      'cash 2014-12-31 873683',
      'cash 2015-12-31 931057',
      'current_assets 2014-12-31 1348215',
      'current_assets 2015-12-31 1675549',
      'equity 2014-12-31 2260035',
      'equity 2015-12-31 2525814',
      'liabilities 2014-12-31 1518406',
      'liabilities 2015-12-31 1576740',
      'net_income 2014-01-01..2014-12-31 383658',
      'net_income 2015-01-01..2015-12-31 648828',
      'operating_income 2014-01-01..2014-12-31 568732',
      'operating_income 2015-01-01..2015-12-31 923296',
      'revenue 2014-01-01..2014-12-31 4500553',
      'revenue 2015-01-01..2015-12-31 4549159',
    ])
    const [{ profile, reportedFacts }] = content.parsed
    expect(profile).toEqual({
      market: 'FR',
      issuerId: '483935326',
      name: 'SELARL UCI VISTA',
      tickers: ['483935326.FR'],
      registers: true,
    })
    expect(reportedFacts.find(({ metric }) => metric === 'revenue')).toMatchObject({
      tag: 'C:FJ',
      unit: 'EUR',
      filing: {
        accession: 'FR:1303-2013D00195-2017-1048-20151231',
        form: 'annual accounts (C)',
        filed: dayNumber('2017-02-18'),
        acceptedAt: null,
      },
    })
    expect(content.malformed).toBe(0)
  })

  // The example of INPI's documentation: deposit 99 of 2023-01-02.
  test('in JSON: values padded with zeros, negative ones, and a prior year without values', async () => {
    const content = readFrenchReport(await fixture('bilan-saisi-377708425.json'))
    expect(factLines(content)).toEqual([
      'assets 2021-12-31 1378',
      'cash 2021-12-31 180',
      'current_assets 2021-12-31 1378',
      'equity 2021-12-31 -1062901',
      'liabilities 2021-12-31 1064279',
      'net_income 2021-01-01..2021-12-31 26400',
      'operating_income 2021-01-01..2021-12-31 -28876',
      'revenue 2021-01-01..2021-12-31 -28700',
    ])
    const [statement] = content.parsed[0].reportedFacts
    expect(statement.filing).toMatchObject({
      accession: 'FR:9201-2023B000001-2023-99-20211231',
      filed: dayNumber('2023-01-02'),
    })
  })

  test('in JSON are the same, as one record, a list or all records of a company', async () => {
    const record = await Bun.file(new URL('fixtures/bilan-saisi-377708425.json', import.meta.url)).json()
    const one = factLines(json(record))
    expect(factLines(json([record]))).toEqual(one)
    expect(factLines(json({ bilansSaisis: [record] }))).toEqual(one)
    expect(one.length).toBe(8)
  })
})

describe('the simplified form', () => {
  const simplified = (lines: string) => of(accounts({ code_type_bilan: 'S' }, lines))

  test('has its turnover in three lines and has columns of its own', () => {
    const content = simplified(`
      <page numero="01"><liasse code="110" m1="000000000000900" m2="000000000000100" m3="000000000000800" m4="000000000000700"/>
        <liasse code="142" m3="-00000000000050" m4="000000000000040"/></page>
      <page numero="02"><liasse code="209" m1="000000000000009"/><liasse code="210" m1="000000000000100" m2="000000000000090"/>
        <liasse code="218" m1="000000000000020"/><liasse code="310" m1="000000000000007" m2="-00000000000003"/></page>`)
    expect(factLines(content)).toEqual([
      'assets 2019-12-31 700',
      'assets 2020-12-31 800',
      'equity 2019-12-31 40',
      'equity 2020-12-31 -50',
      'net_income 2019-01-01..2019-12-31 -3',
      'net_income 2020-01-01..2020-12-31 7',
      'revenue 2019-01-01..2019-12-31 90',
      'revenue 2020-01-01..2020-12-31 120',
    ])
    const tags = content.parsed[0].reportedFacts.filter(({ metric }) => metric === 'revenue')
    expect(new Set(tags.map(({ tag }) => tag))).toEqual(new Set(['S:210+214+218']))
  })

  test('states no turnover without a line of it, and a malformed line makes no sum', () => {
    expect(
      factLines(simplified('<page numero="02"><liasse code="270" m1="000000000000001"/></page>')),
    ).toEqual(['operating_income 2020-01-01..2020-12-31 1'])
    const broken = simplified(
      '<page numero="02"><liasse code="210" m1="1.234.567,89"/><liasse code="218" m1="000000000000020"/></page>',
    )
    expect([factLines(broken), broken.malformed]).toEqual([[], 1])
  })
})

describe('the liabilities side of the balance sheet', () => {
  const line = (code: string, value: number) =>
    `<liasse code="${code}" m1="${value}" m3="${value}" m2="" m4=""/>`
  const lines = (figures: Record<string, number>) =>
    Object.entries(figures)
      .map(([code, value]) => line(code, value))
      .join('')
  const complete = (figures: Record<string, number>) =>
    of(accounts({}, `<page numero="01">${line('CO', 100)}</page><page numero="02">${lines(figures)}</page>`))
  const simplified = (figures: Record<string, number>) =>
    of(accounts({ code_type_bilan: 'S' }, `<page numero="01">${lines({ '110': 100, ...figures })}</page>`))
  const sums = ({ parsed }: ReturnType<typeof readFrenchReport>) => {
    const report = emptyBalanceReport()
    for (const contribution of parsed) checkBalances(contribution, frRegister.rules, report)
    return report.counts['assets = liabilities + equity']
  }
  const [holds, open, broken] = [
    { checked: 1, broken: 0, open: 0 },
    { checked: 1, broken: 0, open: 1 },
    { checked: 1, broken: 1, open: 0 },
  ]

  test('liabilities are the debts; provisions are a metric of their own', () => {
    expect(factLines(complete({ DL: 60, DP: 3, DQ: 4, DR: 7, EC: 33 }))).toEqual([
      'assets 2020-12-31 100',
      'equity 2020-12-31 60',
      'liabilities 2020-12-31 33',
      'provisions 2020-12-31 7',
    ])
    expect(factLines(simplified({ '142': 60, '154': 7, '176': 33 }))).toEqual([
      'assets 2020-12-31 100',
      'equity 2020-12-31 60',
      'liabilities 2020-12-31 33',
      'provisions 2020-12-31 7',
    ])
  })

  test('adds up with provisions, and is open only where a part without a metric may be missing', async () => {
    // Deposit 1048 of 2017-02-18: 4,102,554 = 2,525,814 + 1,576,740, and 3,778,441 = 2,260,035 + 1,518,406 in the prior year.
    expect(sums(readFrenchReport(await fixture(xmlName)))).toEqual({
      ...holds,
      checked: 2,
    })
    expect(sums(complete({ DL: 60, DR: 7, EC: 33 }))).toEqual(holds)
    // Other own funds (DO) of 5, with and without provisions.
    expect(sums(complete({ DL: 60, DO: 5, DR: 7, EC: 28 }))).toEqual(open)
    expect(sums(complete({ DL: 60, DO: 5, EC: 35 }))).toEqual(open)
    expect(sums(complete({ DL: 60, DR: 7, EC: 40 }))).toEqual(broken)
    expect(sums(simplified({ '142': 60, '154': 7, '176': 33 }))).toEqual(holds)
    expect(sums(simplified({ '142': 60, '176': 33 }))).toEqual(open)
    // The simplified form is complete with its provisions.
    expect(sums(simplified({ '142': 60, '154': 7, '176': 30 }))).toEqual(broken)
  })
})

describe('consolidated accounts', () => {
  test('never mix with those of the company alone, and the two results of a group have names of their own', () => {
    const group = factLines(
      of(
        accounts(
          { code_type_bilan: 'K' },
          `<page numero="03"><liasse code="FJ" m3="000000000000500"/></page>
          <page numero="04"><liasse code="HN" m1="000000000000001"/><liasse code="R6" m1="000000000000040"/>
            <liasse code="R8" m1="000000000000030"/></page>`,
        ),
      ),
    )
    expect(group).toEqual([
      'consolidated_net_income 2020-01-01..2020-12-31 40',
      'consolidated_net_income_parent 2020-01-01..2020-12-31 30',
      'consolidated_revenue 2020-01-01..2020-12-31 500',
    ])
  })

  test('have no metric in common with the company, so that no ratio mixes them', () => {
    for (const [metric, { tagGroups }] of nonEmpty(Object.entries(concepts))) {
      const isGroup = tagGroups.flat().some(tag => tag.startsWith('K:'))
      expect([metric, isGroup]).toEqual([metric, metric.startsWith('consolidated_')])
    }
  })
})

describe('periods', () => {
  const flow = '<page numero="03"><liasse code="FJ" m3="000000000000500" m4="000000000000400"/></page>'
  const stock = '<page numero="01"><liasse code="CO" m3="000000000000050" m4="000000000000040"/></page>'

  test('a year of other than twelve months has no turnover; its balance sheet closes a fiscal year', () => {
    const content = of(
      accounts(
        {
          date_cloture_exercice: '20210630',
          'date_cloture_exercice_n-1': '20191231',
          duree_exercice_n: '18',
        },
        flow + stock,
      ),
    )
    expect(factLines(content)).toEqual([
      'assets 2019-12-31 40',
      'assets 2021-06-30 50',
      'revenue 2019-01-01..2019-12-31 400',
    ])
    expect(content.leftOut).toEqual({ 'a flow over a period other than twelve months': 1 })
    const { reportedFacts } = content.parsed[0]
    const { facts } = deriveFacts(reportedFacts, { rules: frRegister.rules, fiscalYearEnd: null })
    const labels = facts.map(({ metric, fp, fy, end }) => `${metric} ${isoDate(end)} ${fp} ${fy}`).sort()
    expect(labels).toEqual([
      'asset_turnover 2019-12-31 0 2019',
      'assets 2019-12-31 0 2019',
      'assets 2021-06-30 0 2021',
      'revenue 2019-12-31 0 2019',
    ])
  })

  test('of a deposit without an income statement are fiscal years, whenever they end', () => {
    const content = of(
      accounts({ date_cloture_exercice: '20200331', 'date_cloture_exercice_n-1': '20190331' }, stock),
    )
    const { facts } = deriveFacts(content.parsed[0].reportedFacts, {
      rules: frRegister.rules,
      fiscalYearEnd: null,
    })
    expect(facts.map(({ fp, fy }) => [fp, fy])).toEqual([
      [0, 2019],
      [0, 2020],
    ])
  })

  test('a year that ends in February ends on its last day, in leap years and others', () => {
    const content = of(
      accounts(
        { date_cloture_exercice: '20200229', 'date_cloture_exercice_n-1': '20190228' },
        '<page numero="03"><liasse code="FJ" m3="000000000000500" m4="000000000000400"/></page>',
      ),
    )
    expect(factLines(content)).toEqual([
      'revenue 2018-03-01..2019-02-28 400',
      'revenue 2019-03-01..2020-02-29 500',
    ])
  })

  test('prior-year figures are left out and counted where the end of that year is not stated', () => {
    const content = of(accounts({ 'date_cloture_exercice_n-1': '' }, flow))
    expect(factLines(content)).toEqual(['revenue 2020-01-01..2020-12-31 500'])
    expect(content.leftOut).toEqual({ 'a prior-year figure without the end of that year': 1 })
  })
})

describe('confidential accounts', () => {
  const pages = `<page numero="01"><liasse code="CO" m3="000000000000050"/></page>
    <page numero="03"><liasse code="FJ" m3="000000000000000"/></page>`

  test('are counted, and nothing of them is read', () => {
    const content = of(accounts({ code_confidentialite: '1' }, pages))
    expect([content.parsed, content.leftOut]).toEqual([[], { 'confidential accounts': 1 }])
  })

  test('give the balance sheet, and no zero as turnover, where only the income statement is confidential', () => {
    const content = of(accounts({ code_confidentialite: '2' }, pages))
    expect(factLines(content)).toEqual(['assets 2020-12-31 50'])
    expect(content.leftOut).toEqual({
      'a confidential income statement': 1,
      'a figure on a confidential page': 1,
    })
  })
})

test('a record that states two deposit dates counts from the later one', async () => {
  const record = await Bun.file(new URL('fixtures/bilan-saisi-377708425.json', import.meta.url)).json()
  const content = json({ ...record, dateDepot: '2023-02-01' })
  expect(isoDate(content.parsed[0].reportedFacts[0].filing.filed)).toBe('2023-02-01')
})

test('the table has exactly the metrics that the manifest promises', async () => {
  const manifest = (await loadMarkets()).get('FR')
  const canonical = canonicalMetrics
    .map(({ name }) => name)
    .filter(name => !manifest?.unstated.includes(name))
  const own = manifest?.metrics.map(({ name }) => name) ?? []
  expect(Object.keys(concepts).sort()).toEqual([...canonical, ...own].sort())
})

import { describe, expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { concepts } from '../../../../src/ingest/registers/be/concepts.ts'
import { enterpriseNumber } from '../../../../src/ingest/registers/be/enterprises.ts'
import { createReader } from '../../../../src/ingest/registers/be/readDocument.ts'
import type { DocumentContent, SourceDocument } from '../../../../src/ingest/registers/registerInterface.ts'
import { loadMarkets } from '../../../../src/markets/markets.ts'
import { canonicalMetrics } from '../../../../src/markets/metrics.ts'
import { factLines } from '../factLines.ts'
import { accounts, instance, json, microReference, reference } from './documents.ts'

/** The content of the last of several documents of one import. */
const readLast = (...documents: SourceDocument[]): DocumentContent => {
  const read = createReader()
  const contents = documents.map(read)
  return contents[contents.length - 1]
}

describe('real accounts', () => {
  // Xerius Sociaal Verzekeringsfonds, enterprise 0410682657, accounts of 2016 (taxonomy of 2017-04-01).
  test('in the taxonomy of elements: turnover, both years, and liabilities that balance', async () => {
    const content = readLast(
      json('references.json', [reference()]),
      await instance('npo-0410682657-2016.xbrl', '2017-00000001'),
    )
    expect(factLines(content)).toEqual([
      'assets 2015-12-31 122860790',
      'assets 2016-12-31 127331481',
      'cash 2015-12-31 11664277',
      'cash 2016-12-31 9605508',
      'current_assets 2015-12-31 113683637',
      'current_assets 2016-12-31 118624419',
      'equity 2015-12-31 25858182',
      'equity 2016-12-31 28642939',
      'liabilities 2015-12-31 97002608',
      'liabilities 2016-12-31 98688542',
      'net_income 2015-01-01..2015-12-31 2965588',
      'net_income 2016-01-01..2016-12-31 2784757',
      'operating_income 2015-01-01..2015-12-31 2836360',
      'operating_income 2016-01-01..2016-12-31 2878575',
      'revenue 2015-01-01..2015-12-31 20363143',
      'revenue 2016-01-01..2016-12-31 21726317',
    ])
    const [{ profile, reportedFacts }] = content.parsed
    expect(profile).toEqual({
      market: 'BE',
      issuerId: '0410682657',
      name: 'Xerius Sociaal Verzekeringsfonds',
      tickers: ['0410682657.BE'],
      registers: true,
    })
    expect(reportedFacts[0].filing).toEqual({
      accession: 'BE:2017-00000001',
      form: 'm05-f',
      filed: dayNumber('2017-06-28'),
      acceptedAt: null,
    })
  })

  // The anonymous micro filing: its rubrics 9900, 9901, 9904, 20/58, 10/15, 17/49, 29/58 and 54/58.
  test('of a micro company: a gross margin and no revenue, and a part of a rubric is not the rubric', async () => {
    const content = readLast(
      json('references.json', [microReference]),
      await instance('micro-0925590628-2022.xbrl', '2023-00000002'),
    )
    expect(factLines(content).filter(line => line.includes('2022-12-31'))).toEqual([
      'assets 2022-12-31 554894.28',
      'cash 2022-12-31 6580.23',
      'current_assets 2022-12-31 269961.45',
      'equity 2022-12-31 246428.46',
      'gross_profit 2022-01-01..2022-12-31 48786.15',
      'liabilities 2022-12-31 308465.82',
      'net_income 2022-01-01..2022-12-31 1672.05',
      'operating_income 2022-01-01..2022-12-31 3434.19',
    ])
    expect(factLines(content)).toContain('net_income 2021-01-01..2021-12-31 -110927.07')
    expect(factLines(content).some(line => line.startsWith('revenue'))).toBe(false)
  })
})

describe('accounts in JSON', () => {
  const both = accounts([
    ['70', 'N', '100.50'],
    ['70', 'NM1', '90'],
    ['16', 'N', '0.10'],
    ['17/49', 'N', '0.20'],
    ['17/49', 'NM1', '7'],
    ['20/58', 'NM1', '50'],
    ['60', 'N', '5'],
  ])

  test('take enterprise, date and year from their reference; liabilities are a sum', () => {
    const content = readLast(
      json('references.json', [
        reference(),
        reference({
          ReferenceNumber: '2016-00000009',
          DepositDate: '2016-07-01',
          ExerciseDates: { startDate: '2015-01-01', endDate: '2015-12-31' },
        }),
      ]),
      json('2017-00000001.json', both),
    )
    expect(factLines(content)).toEqual([
      'assets 2015-12-31 50',
      'liabilities 2015-12-31 7',
      'liabilities 2016-12-31 0.3',
      'revenue 2015-01-01..2015-12-31 90',
      'revenue 2016-01-01..2016-12-31 100.5',
    ])
    const tags = content.parsed[0].reportedFacts.map(({ metric, tag }) => `${metric} ${tag}`)
    expect(tags).toContain('liabilities 16+17/49')
    expect(content.waits).toBeUndefined()
  })

  test('wait for a reference that is read later, and are left out without one', () => {
    const read = createReader()
    const first = read(json('a.json', both))
    expect([first.parsed, first.waits, first.leftOut]).toEqual([
      [],
      true,
      { 'accounts whose reference is not among the files': 1 },
    ])
    read(json('references.json', [reference()]))
    expect(factLines(read(json('a.json', both)))).toContain('revenue 2016-01-01..2016-12-31 100.5')
  })

  test('never guess the dates of the prior year: its flows wait for its reference, its balance sheet does not', () => {
    const content = readLast(json('references.json', [reference()]), json('a.json', both))
    expect(factLines(content)).toEqual([
      'assets 2015-12-31 50',
      'liabilities 2015-12-31 7',
      'liabilities 2016-12-31 0.3',
      'revenue 2016-01-01..2016-12-31 100.5',
    ])
    expect(content.waits).toBe(true)
    expect(content.leftOut).toEqual({
      'a prior-year figure without a reference that states the first day of that year': 1,
    })
  })

  test('ignore a reference to the prior year that was deposited after them, and references that disagree', () => {
    const before = (change: object) =>
      reference({
        ReferenceNumber: '2016-00000009',
        DepositDate: '2016-07-01',
        ExerciseDates: { startDate: '2015-01-01', endDate: '2015-12-31' },
        ...change,
      })
    const late = before({ DepositDate: '2018-01-01' })
    const other = before({
      ReferenceNumber: '2016-00000010',
      ExerciseDates: { startDate: '2014-10-01', endDate: '2015-12-31' },
    })
    for (const references of [[late], [before({}), other], [other, before({})]]) {
      const content = readLast(json('r.json', [reference(), ...references]), json('a.json', both))
      expect([content.waits, factLines(content).some(line => line.startsWith('revenue 2015'))]).toEqual([
        true,
        false,
      ])
    }
  })

  test('over a period other than a year have no flows', () => {
    const long = reference({ ExerciseDates: { startDate: '2015-07-01', endDate: '2016-12-31' } })
    const content = readLast(
      json('r.json', [long]),
      json(
        'a.json',
        accounts([
          ['70', 'N', '1'],
          ['20/58', 'N', '2'],
        ]),
      ),
    )
    expect(factLines(content)).toEqual(['assets 2016-12-31 2'])
    expect(content.leftOut).toEqual({ 'a flow over a period other than a year': 1 })
  })

  test('a correction is a deposit with a date of its own', () => {
    const read = createReader()
    const corrected = reference({
      ReferenceNumber: '2017-00000005',
      DepositDate: '2017-11-03',
      DepositType: 'Correction',
    })
    read(json('r.json', [reference(), corrected]))
    const [first, second] = [
      read(json('a.json', accounts([['20/58', 'N', '1']]))),
      read(json('b.json', accounts([['20/58', 'N', '2']], '2017-00000005'))),
    ]
    const filings = [first, second].map(({ parsed }) => parsed[0].reportedFacts[0].filing)
    expect(filings.map(({ accession, filed }) => `${accession} ${isoDate(filed)}`)).toEqual([
      'BE:2017-00000001 2017-06-28',
      'BE:2017-00000005 2017-11-03',
    ])
  })
})

describe('references', () => {
  test('without an enterprise number take it from the name of their file', () => {
    const { EnterpriseNumber: _, ...bare } = reference()
    const known = (name: string) =>
      readLast(json(name, [bare]), json('a.json', accounts([['20/58', 'N', '1']]))).parsed[0]?.profile
        .issuerId
    expect(known('refs/0410682657.json')).toBe('0410682657')
    expect(known('refs.zip!2024/references_0410682657_all.json')).toBe('0410682657')
    // Ten digits that are not an enterprise number: the last two do not check the others.
    expect(known('0410682658.json')).toBeUndefined()
    expect(known('0410682657/references.json')).toBeUndefined()
  })

  test('count from the later date where two sources differ', () => {
    for (const days of [
      ['2017-06-28', '2017-07-15'],
      ['2017-07-15', '2017-06-28'],
    ]) {
      const content = readLast(
        ...days.map((DepositDate, at) => json(`${at}.json`, [reference({ DepositDate })])),
        json('a.json', accounts([['20/58', 'N', '1']])),
      )
      expect(isoDate(content.parsed[0].reportedFacts[0].filing.filed)).toBe('2017-07-15')
    }
  })

  test('are read by every import, name their enterprises and have no figures', () => {
    const content = readLast(json('r.json', [reference(), reference({ ReferenceNumber: '2018-00000001' })]))
    expect(content.isAlwaysRead).toBe(true)
    expect(content.parsed).toHaveLength(1)
    expect(content.parsed[0].reportedFacts).toEqual([])
  })
})

test('an enterprise number may be written with dots, with BE and without its leading zero', () => {
  for (const text of ['0410.682.657', 'BE0410682657', 'be 0410 682 657', '410682657']) {
    expect(enterpriseNumber(text)).toBe('0410682657')
  }
  for (const text of ['0410682658', '41068265', '', '0410682657x', null, 410682657]) {
    expect(enterpriseNumber(text)).toBeNull()
  }
})

test('the table has exactly the metrics that the manifest promises, and 9900 is never revenue', async () => {
  const manifest = (await loadMarkets()).get('BE')
  const canonical = canonicalMetrics
    .map(({ name }) => name)
    .filter(name => !manifest?.unstated.includes(name))
  expect(Object.keys(concepts).sort()).toEqual([...canonical].sort())
  expect(concepts.revenue.tagGroups.flat()).toEqual(['70'])
  expect(concepts.gross_profit.tagGroups.flat()).toEqual(['9900'])
})

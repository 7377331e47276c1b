import { expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { deriveFacts } from '../../../../src/facts/deriveFacts.ts'
import { parseCompanyfacts } from '../../../../src/ingest/registers/us/companyfacts.ts'
import { usRegister } from '../../../../src/ingest/registers/us/register.ts'

const fixture = (name: string) => Bun.file(new URL(`fixtures/${name}`, import.meta.url))

test('a figure keeps its tag, unit, period, filing and value', async () => {
  const facts = parseCompanyfacts(await fixture('companyfacts-aapl-fy2009.json').json())
  expect(facts.cik).toBe('0000320193')
  expect(facts.malformed).toBe(0)
  // Form 10-K/A, 0001193125-10-012091: net sales of fiscal 2009.
  const amended = facts.reportedFacts.find(
    ({ tag, filing, start }) =>
      tag === 'us-gaap:SalesRevenueNet' &&
      filing.accession === '0001193125-10-012091' &&
      start === dayNumber('2008-09-28'),
  )
  expect(amended).toEqual({
    metric: 'revenue',
    tag: 'us-gaap:SalesRevenueNet',
    unit: 'USD',
    start: dayNumber('2008-09-28'),
    end: dayNumber('2009-09-26'),
    value: 42_905_000_000,
    rounded: false,
    filing: {
      accession: '0001193125-10-012091',
      form: '10-K/A',
      filed: dayNumber('2010-01-25'),
      acceptedAt: null,
    },
  })
})

test('a CIK may be a number or a padded string, and the taxonomy may be IFRS', async () => {
  const facts = parseCompanyfacts(await fixture('companyfacts-lpa.json').json())
  expect(facts.cik).toBe('0001997711')
  const units = new Set(facts.reportedFacts.map(({ metric, unit }) => `${metric} ${unit}`))
  expect(units).toEqual(
    new Set([
      'revenue USD',
      'net_income USD',
      'assets USD',
      'equity USD',
      'eps USD/shares',
      'liabilities USD',
    ]),
  )
})

test('malformed figures are counted and left out, and the rest is read', () => {
  const good = {
    start: '2020-01-01',
    end: '2020-12-31',
    val: 5,
    accn: '0000000001-21-000001',
    form: '10-K',
    filed: '2021-02-01',
  }
  const facts = parseCompanyfacts({
    cik: 1,
    entityName: '',
    facts: {
      'us-gaap': {
        Revenues: {
          units: {
            USD: [
              good,
              { ...good, val: '5' },
              { ...good, end: '2020-02-30' },
              { ...good, accn: 7 },
              { ...good, start: '2021-01-01' },
              { ...good, val: Number.POSITIVE_INFINITY }, // JSON.parse('1e999')
              null,
            ],
            Store: [good],
          },
        },
        SomethingElse: { units: { USD: [good] } },
      },
    },
  })
  expect(facts.reportedFacts).toHaveLength(1)
  expect(facts.malformed).toBe(6)
  expect(facts.figuresRead).toBe(9)
  expect(facts.name).toBeNull()
})

test('the later of two filing dates of one accession counts', () => {
  const filed = (day: string, val: number) => ({
    start: '2020-01-01',
    end: '2020-12-31',
    val,
    accn: '0000000001-21-000001',
    form: '10-K',
    filed: day,
  })
  for (const figures of [
    [filed('2021-02-01', 5), filed('2021-05-01', 4)],
    [filed('2021-05-01', 4), filed('2021-02-01', 5)],
  ]) {
    const document = { cik: 1, facts: { 'us-gaap': { Revenues: { units: { USD: figures } } } } }
    const { facts } = deriveFacts(parseCompanyfacts(document).reportedFacts, {
      rules: usRegister.rules,
      fiscalYearEnd: null,
    })
    expect(facts.map(fact => isoDate(fact.filing.filed))).toEqual(['2021-05-01'])
  }
})

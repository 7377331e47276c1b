import { expect, test } from 'bun:test'
import { dayNumber } from '../../../../src/dates.ts'
import { FinancialStatementData } from '../../../../src/ingest/registers/us/dataSets.ts'

const fixture = (name: string) => Bun.file(new URL(`fixtures/${name}`, import.meta.url))

test('month-end periods, whole-entity figures only, and earnings per share in their unit', async () => {
  const data = new FinancialStatementData()
  for (const line of (await fixture('fsds-sub.txt').text()).trimEnd().split('\n')) data.readSubmission(line)
  for (const line of (await fixture('fsds-num.txt').text()).trimEnd().split('\n')) data.readFigure(line)
  const [apple, ...others] = [...data.take()]
  expect(others).toEqual([])
  expect(apple.profile.issuerId).toBe('0000320193')
  const eps = apple.reportedFacts.find(
    ({ metric, end, start }) =>
      metric === 'eps_diluted' && end === dayNumber('2009-06-30') && start === dayNumber('2009-04-01'),
  )
  expect(eps?.unit).toBe('USD/shares')
  expect(eps?.value).toBe(1.35)
  expect(eps?.rounded).toBe(true)
  expect(eps?.filing).toEqual({
    accession: '0001193125-09-153165',
    fiscalYearEnd: '0930',
    companyName: 'APPLE INC',
    sector: 'SIC 3571',
    form: '10-Q',
    filed: dayNumber('2009-07-22'),
    acceptedAt: null,
    readings: [{ lister: '', shown: Date.parse('2009-07-22T16:42:00Z'), clock: 'local' }],
  })
  expect([...data.take()]).toEqual([])
})

test('a figure of a segment or a co-registrant, or over another number of quarters, is left out', () => {
  const data = new FinancialStatementData()
  data.readSubmission('adsh\tcik\tname\tform\tfiled\taccepted')
  data.readSubmission('0000000001-20-000001\t1\tONE\t10-K\t20200201\t2020-02-01 10:00:00.0')
  data.readFigure('adsh\ttag\tversion\tddate\tqtrs\tuom\tsegments\tcoreg\tvalue\tfootnote')
  const figure = (qtrs: number, segments: string, coreg: string) =>
    data.readFigure(
      `0000000001-20-000001\tRevenues\tus-gaap/2019\t20191231\t${qtrs}\tUSD\t${segments}\t${coreg}\t5.0000\t`,
    )
  figure(4, '', '')
  figure(4, 'Segments=A;', '')
  figure(4, '', 'Sub')
  figure(8, '', '')
  expect([...data.take()].flatMap(contribution => contribution.reportedFacts)).toHaveLength(1)
  expect(data.unplaced).toBe(1)
  expect(() =>
    data.readFigure('0000000009-20-000001\tRevenues\tus-gaap/2019\t20191231\t4\tUSD\t\t\t5\t'),
  ).toThrow('known `adsh`')
})

test('`ifrs` is the taxonomy that companyfacts calls ifrs-full', () => {
  const data = new FinancialStatementData()
  data.readSubmission('adsh\tcik\tname\tform\tfiled\taccepted')
  data.readSubmission('0000000001-20-000001\t1\tONE\t20-F\t20200401\t2020-04-01 10:00:00.0')
  data.readFigure('adsh\ttag\tversion\tddate\tqtrs\tuom\tsegments\tcoreg\tvalue\tfootnote')
  data.readFigure('0000000001-20-000001\tRevenue\tifrs/2019\t20191231\t4\tUSD\t\t\t5.0000\t')
  const statements = [...data.take()].flatMap(contribution => contribution.reportedFacts)
  expect(statements.map(({ metric, tag }) => [metric, tag])).toEqual([['revenue', 'ifrs-full:Revenue']])
})

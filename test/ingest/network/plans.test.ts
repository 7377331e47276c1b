import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../../../src/config.ts'
import { sources } from '../../../src/ingest/allRegisters.ts'
import type { RegisterRequest, StepResult, SyncTask } from '../../../src/ingest/network/source.ts'
import { secrets } from './replay.ts'

const json = (name: string) => JSON.parse(readFileSync(resolve(import.meta.dir, 'fixtures', name), 'utf8'))
const fresh = (document: unknown): StepResult => ({
  kind: 'fresh',
  bytes: Buffer.from(JSON.stringify(document)),
})

interface PlanRun {
  readonly requests: RegisterRequest[]
  readonly cursors: string[]
}

/** Runs the plan of a market against a register that answers with `answer`. */
function runPlan(
  market: string,
  answer: (request: RegisterRequest) => StepResult,
  more: Partial<SyncTask> = {},
  pages: string[][] = [],
): PlanRun {
  const run: PlanRun = { requests: [], cursors: [] }
  const task: SyncTask = {
    settings: { ...readConfig({}).registers, ...secrets, SEC_CONTACT: 'Test Firm test@firm.example' },
    since: null,
    today: '2026-11-21',
    companies: [],
    cursor: () => null,
    newId: () => 'id',
    ...more,
  }
  const plan = sources.get(market)?.plan(task)
  if (plan === undefined) throw new Error(market)
  let result: StepResult = { kind: 'cached' }
  for (let step = plan.next(result); !step.done; step = plan.next(result)) {
    result = { kind: 'cached' }
    if (step.value.do === 'send') {
      run.requests.push(step.value.request)
      result = answer(step.value.request)
    }
    if (step.value.do === 'next companies') result = { kind: 'companies', numbers: pages.shift() ?? [] }
    if (step.value.do === 'advance') run.cursors.push(`${step.value.name}: ${step.value.position}`)
  }
  return run
}

test('DK: a full page is followed by the one after its last hit, and a fortnight is searched again', () => {
  const [, hit] = json('dk-hits.json')
  const page = (size: number, first: number) => ({
    hits: {
      hits: Array.from({ length: size }, (_, n) => ({
        ...hit,
        _id: `urn:ofk:oid:${first + n}`,
        sort: [1369951200000, `urn:ofk:oid:${first + n}`],
      })),
    },
  })
  const cursor = (name: string) => (name === 'hits' ? '2013-06-10' : null)
  const { requests, cursors } = runPlan(
    'DK',
    request => {
      if (request.method !== 'POST') return { kind: 'cached' }
      return fresh(request.body?.includes('search_after') ? page(3, 9_366_644) : page(500, 9_366_144))
    },
    { cursor },
  )
  const searches = requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => JSON.parse(body ?? ''))
  expect(searches.map(search => search.search_after)).toEqual([
    undefined,
    [1369951200000, 'urn:ofk:oid:9366643'],
  ])
  expect(searches[0].query.bool.filter[1]).toEqual({
    range: { offentliggoerelsesTidspunkt: { gte: '2013-05-27' } },
  })
  // 2013-05-30T22:00Z is the 31st in Denmark.
  expect(cursors).toEqual(['hits: 2013-05-31', 'hits: 2013-05-31'])
  // Documents are fetched from the host in the settings, whatever host the index names.
  expect(requests.at(-1)?.url).toBe('https://regnskaber.virk.dk/43540201/Y3ZyLcutZQ.xml')
})

test('NZ: a full page is followed by the one after its greatest number, and an interrupted sweep continues there', () => {
  const [row] = json('nz-returns.json').d
  const page = (size: number, first: number) => ({
    d: Array.from({ length: size }, (_, n) => ({ ...row, __metadata: undefined, AnnualReturnId: first + n })),
  })
  const answer = (request: RegisterRequest) =>
    fresh(decodeURIComponent(request.url).includes('gt 0') ? page(1_000, 1) : page(7, 1_001))
  const { requests, cursors } = runPlan('NZ', answer)
  expect(requests.map(({ key }) => key)).toEqual(['returns/0', 'returns/1000'])
  expect(cursors).toEqual(['returns: after 1000', 'returns: 2026-11-21 done'])
  expect(runPlan('NZ', answer, { cursor: () => 'after 1000' }).requests.map(({ key }) => key)).toEqual([
    'returns/1000',
  ])
  expect(runPlan('NZ', answer, { cursor: () => '2026-11-21 done' }).requests).toEqual([])
  expect(runPlan('NZ', answer, { cursor: () => '2026-11-20 done' }).requests.length).toBe(2)
})

test('KR: fetches every page of a day, and looks for a report in each possible year until its receipt is found', () => {
  const [row] = json('kr-list.json').list
  // A year that ends in March: its report of 2020-12 is the third quarter of business year 2020, or the first of another.
  const odd = { ...row, report_nm: '[기재정정]분기보고서 (2020.12)', rcept_no: '20210215000001' }
  const unlisted = { ...row, corp_code: '00000001', corp_cls: 'E' }
  const answer = (request: RegisterRequest): StepResult => {
    if (request.key.startsWith('list/'))
      return fresh({ status: '000', total_page: 2, list: request.key.endsWith('/1') ? [unlisted] : [odd] })
    if (request.key === 'accounts/00164779/2020/11014/CFS')
      return fresh({ status: '000', list: [{ rcept_no: '20201116001609' }] })
    if (request.key === 'accounts/00164779/2019/11014/OFS')
      return fresh({ status: '000', list: [{ rcept_no: '20210215000001' }] })
    return { kind: 'missing' }
  }
  const { requests, cursors } = runPlan('KR', answer, { since: '2021-02-15', today: '2021-02-15' })
  expect(requests.map(({ key }) => key)).toEqual([
    'corpCode',
    'list/2021-02-15/1',
    'list/2021-02-15/2',
    'company/00164779',
    // This place has an older receipt, so another report.
    'accounts/00164779/2020/11014/CFS',
    'accounts/00164779/2019/11014/CFS',
    'accounts/00164779/2019/11014/OFS',
  ])
  expect(requests.at(-1)?.revision).toBe('20210215000001')
  expect(cursors).toEqual(['lists: 2021-02-15'])
})

test('US: after the first sweep fetches only companies that filed accounts by the daily index', () => {
  const index = readFileSync(resolve(import.meta.dir, 'fixtures/us-master.idx'))
  const answer = (request: RegisterRequest): StepResult => {
    if (request.key === 'daily-index/2025/QTR4')
      return fresh({
        directory: {
          item: ['master.20251030.idx', 'master.20251031.idx', 'form.20251031.idx'].map(name => ({ name })),
        },
      })
    if (request.key.startsWith('daily-index/2026/')) return fresh({ directory: { item: [] } })
    return request.key.startsWith('daily-index/') ? { kind: 'fresh', bytes: index } : { kind: 'cached' }
  }
  const cursor = (name: string) =>
    ({ sweep: '2025-10-31', daily: '2025-10-30', 'data sets': '2025-06-30' })[name] ?? null
  const { requests, cursors } = runPlan('US', answer, { cursor, today: '2025-11-03' })
  expect(requests.map(({ key, revision }) => [key, revision])).toEqual([
    ['company_tickers', '2025-11-03'],
    ['daily-index/2025/QTR4', null],
    ['daily-index/2025-10-31', ''],
    ['submissions/0000320193', '2025-10-31'],
    ['companyfacts/0000320193', '2025-10-31'],
    ['package/0000320193-25-000079', ''],
    ['data set/2025q3', '2025-11-03'],
  ])
  expect(cursors).toEqual(['daily: 2025-10-31', 'data sets: 2025-09-30'])
  expect(requests.slice(-2).map(({ url }) => url)).toEqual([
    'https://www.sec.gov/Archives/edgar/data/320193/000032019325000079/0000320193-25-000079-xbrl.zip',
    'https://www.sec.gov/files/dera/data/financial-statement-data-sets/2025q3.zip',
  ])
  // An unfinished first sweep does not count as finished.
  const unswept = (name: string) => (name === 'sweep' ? '2025-10-31' : null)
  expect(
    runPlan('US', answer, { cursor: unswept, since: '2025-10-31', today: '2025-11-03' }).cursors,
  ).toEqual([])
  // Reports of long ago are in the data sets, and companies by name need none of these.
  const keysOn = (today: string, companies: string[] = []) =>
    runPlan('US', answer, { cursor, today, companies }).requests.map(({ key }) => key)
  expect(keysOn('2026-04-01').filter(key => /^(package|data set)/.test(key))).toEqual([
    'data set/2025q3',
    'data set/2025q4',
    'data set/2026q1',
  ])
  expect(keysOn('2025-11-03', ['0000320193']).at(-1)).toBe('package/0000320193-25-000079')
})

test('US: a report without XBRL, and a second registrant of one, are not requested in full', () => {
  const line = (cik: number, accession: string) =>
    `${cik}|NAME|10-K|20251031|edgar/data/${cik}/${accession}.txt`
  const index = `CIK|Company Name|Form Type|Date Filed|File Name
${line(1, '0000000001-25-000001')}
${line(2, '0000000001-25-000001')}
${line(2, '0000000002-25-000002')}
${line(2, '0000000002-25-000003')}`
  const answer = ({ key }: RegisterRequest): StepResult => {
    if (key === 'daily-index/2025/QTR4')
      return fresh({ directory: { item: [{ name: 'master.20251031.idx' }] } })
    if (key.startsWith('daily-index/')) return { kind: 'fresh', bytes: Buffer.from(index) }
    if (key !== 'submissions/0000000002') return { kind: 'cached' }
    const recent = { accessionNumber: ['0000000002-25-000002', '0000000002-25-000003'], isXBRL: [0, 1] }
    return fresh({ filings: { recent, files: [] } })
  }
  const { requests } = runPlan('US', answer, { since: '2025-10-31', today: '2025-11-03', companies: [] })
  expect(requests.map(({ key }) => key).filter(key => key.startsWith('package'))).toEqual([
    'package/0000000001-25-000001',
    'package/0000000002-25-000003',
  ])
})

test('US: data sets come in order, some in each run, until one is not out yet', () => {
  const plan = (
    position: string | null,
    answers: Record<string, StepResult['kind']> = {},
  ): (string | null)[] => {
    const { requests, cursors } = runPlan(
      'US',
      ({ key }): StepResult => {
        const kind = answers[key] ?? 'cached'
        return kind === 'failed' || kind === 'missing' ? { kind } : { kind: 'cached' }
      },
      {
        cursor: name => (name === 'daily' ? '2026-11-20' : name === 'data sets' ? position : null),
        today: '2026-11-21',
      },
    )
    const sets = requests.flatMap(({ key }) => (key.startsWith('data set/') ? [key.slice(-6)] : []))
    return [sets.join(' '), cursors.filter(one => one.startsWith('data sets')).at(-1) ?? null]
  }
  // The SEC has no earlier reports in XBRL than those of June 2009; a set of long ago that is missing is passed over.
  expect(plan(null, { 'data set/2009q1': 'missing' })).toEqual([
    '2009q1 2009q2 2009q3 2009q4 2010q1 2010q2 2010q3 2010q4',
    'data sets: 2010-12-31',
  ])
  expect(plan('2026-03-31')).toEqual(['2026q2 2026q3', 'data sets: 2026-09-30'])
  expect(plan('2026-03-31', { 'data set/2026q3': 'missing' })).toEqual([
    '2026q2 2026q3',
    'data sets: 2026-06-30',
  ])
  expect(plan('2025-12-31', { 'data set/2026q1': 'failed' })).toEqual(['2026q1', null])
  expect(plan('2026-09-30')).toEqual(['', null])
})

test('US: fetches older submissions from the years of XBRL, and again when there are more', () => {
  // The list that the SEC names for Tesla (CIK 1318605).
  const files = (name: string, filingTo: string, filingCount = 720) => ({
    cik: '1318605',
    filings: { recent: {}, files: [{ name, filingCount, filingFrom: '2005-02-17', filingTo }] },
  })
  const requestsAfter = (document: unknown) => {
    const run = runPlan(
      'US',
      ({ key }) => (key === 'submissions/0001318605' ? fresh(document) : { kind: 'cached' }),
      {
        companies: ['0001318605'],
      },
    )
    const [, submissions] = run.requests
    submissions.check(Buffer.from(JSON.stringify(document)))
    return run.requests.slice(2).map(({ key, revision, url }) => [key, revision, url.split('/').at(-1)])
  }
  const facts = ['companyfacts/0001318605', '2026-11-21', 'CIK0001318605.json']
  const list = 'CIK0001318605-submissions-001.json'
  expect(requestsAfter(files(list, '2018-02-11'))).toEqual([
    [`submissions/${list}`, '720 until 2018-02-11', list],
    facts,
  ])
  expect(requestsAfter(files(list, '2008-12-31'))).toEqual([facts])
  expect(requestsAfter({ cik: '1318605', filings: { recent: {} } })).toEqual([facts])
  for (const strange of ['../../x.json', 'CIK0000000001-submissions-001.json'])
    expect(() => requestsAfter(files(strange, '2018-02-11'))).toThrow(
      '`filings.files` with `name` and `filingTo`',
    )
  expect(() => requestsAfter(files(list, 'never'))).toThrow('`filings.files` with `name` and `filingTo`')
})

test('JP: fetches only reports with accounts, of the named companies, and not withdrawn ones', () => {
  const list = json('jp-documents.json')
  const [other, amended] = list.results
  const day = (...results: object[]) => fresh({ ...list, results })
  const documents = (results: object[], companies: string[] = []) =>
    runPlan('JP', request => (request.key.startsWith('list/') ? day(...results) : { kind: 'cached' }), {
      since: '2025-06-27',
      today: '2025-06-27',
      companies,
    })
      .requests.filter(({ key }) => key.startsWith('document/'))
      .map(({ url }) => url.replace(/.*documents\//, ''))
  expect(documents([other, amended])).toEqual(['S100W81U?type=5'])
  expect(documents([{ ...amended, csvFlag: '0' }])).toEqual(['S100W81U?type=1'])
  expect(documents([{ ...amended, withdrawalStatus: '1' }])).toEqual([])
  expect(documents([{ ...amended, docID: '../../x' }])).toEqual([])
  expect(documents([other, amended], ['E00659'])).toEqual(['S100W81U?type=5'])
  expect(documents([other, amended], ['E00001'])).toEqual([])
})

test('FR and BE: a company is done for the day when all its documents are fetched', () => {
  const fr = runPlan(
    'FR',
    request => {
      if (request.key === 'login') return fresh({ token: 't' })
      return request.key.startsWith('attachments') ? fresh(json('fr-attachments.json')) : { kind: 'cached' }
    },
    {},
    [['377708425'], ['552032534']],
  )
  expect(fr.requests.map(({ key }) => key)).toEqual([
    'login',
    'attachments/377708425',
    'bilan/63df98a88eded29cb3182411',
    'attachments/552032534',
    'bilan/63df98a88eded29cb3182411',
  ])
  expect(fr.cursors).toEqual(['company 377708425: 2026-11-21', 'company 552032534: 2026-11-21'])
  // Without companies to fetch there is no login.
  expect(runPlan('FR', () => ({ kind: 'cached' })).requests).toEqual([])
  const old = {
    ...json('be-references.json')[0],
    ReferenceNumber: '2021-00000001',
    DepositDate: '2021-07-01',
  }
  const be = runPlan(
    'BE',
    request =>
      request.key.startsWith('references') ? fresh([old, ...json('be-references.json')]) : { kind: 'cached' },
    {},
    [['0400003551']],
  )
  // For deposits before April 2022 the register has no figures in JSON.
  expect(be.requests.map(({ key }) => key)).toEqual(['references/0400003551', 'deposit/2024-00290653'])
})

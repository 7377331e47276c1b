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
    return request.key.startsWith('daily-index/') ? { kind: 'fresh', bytes: index } : { kind: 'cached' }
  }
  const cursor = (name: string) => ({ sweep: '2025-10-31', daily: '2025-10-30' })[name] ?? null
  const { requests, cursors } = runPlan('US', answer, { cursor, today: '2025-11-03' })
  expect(requests.map(({ key, revision }) => [key, revision])).toEqual([
    ['company_tickers', '2025-11-03'],
    ['daily-index/2025/QTR4', null],
    ['daily-index/2025-10-31', ''],
    ['submissions/0000320193', '2025-10-31'],
    ['companyfacts/0000320193', '2025-10-31'],
  ])
  expect(cursors).toEqual(['daily: 2025-10-31'])
  // An unfinished first sweep does not count as finished.
  const unswept = (name: string) => (name === 'sweep' ? '2025-10-31' : null)
  expect(
    runPlan('US', answer, { cursor: unswept, since: '2025-10-31', today: '2025-11-03' }).cursors,
  ).toEqual([])
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

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultFetchPolicy } from '../../../src/ingest/network/fetchPolicy.ts'
import { krRegister } from '../../../src/ingest/registers/kr/register.ts'
import { krSource } from '../../../src/ingest/registers/kr/source.ts'
import { openArchive } from '../../../src/ingest/sync/archive.ts'
import { syncRegister } from '../../../src/ingest/sync/syncRegister.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

const databases: TestDatabase[] = []
const folder = mkdtempSync(join(tmpdir(), 'asfiled-together-'))
afterAll(async () => {
  for (const database of databases) await database.close()
  rmSync(folder, { recursive: true, force: true })
}, 180_000)

const fixture = new URL('../registers/kr/fixtures/005380.jsonl', import.meta.url)
const lines = (await Bun.file(fixture).text())
  .trim()
  .split('\n')
  .map(line => JSON.parse(line))
/** Late amendments of Hyundai Motor. Without its overview the end of its fiscal years is unknown. */
const statementsOf = (year: string | null) =>
  lines.find(({ _request }) => _request.bsns_year === year && _request.fs_div === 'CFS')
const report = (year: string, receipt: string) => ({
  corp_code: '00164742',
  corp_cls: 'Y',
  rcept_no: receipt,
  report_nm: `[기재정정]사업보고서 (${year}.12)`,
})
const reports: Readonly<Record<string, ReturnType<typeof report>>> = {
  '20240314': report('2021', '20240314001466'),
  // Received the day before; listed a day later so that another run fetches it.
  '20240315': report('2022', '20240314001531'),
}
const overview = {
  status: '000',
  corp_code: '00164742',
  corp_name: '현대자동차(주)',
  corp_name_eng: 'HYUNDAI MOTOR CO',
  stock_code: '005380',
  corp_cls: 'Y',
  acc_mt: '12',
}

/** The revenue by year that is served after a run on each day. */
async function revenueAfter(days: readonly string[], overviewFrom: string) {
  const db = await testDatabase()
  databases.push(db)
  const after: string[][] = []
  for (const day of days) {
    const answer = (url: URL): unknown => {
      const missing = { status: '013', message: '조회된 데이타가 없습니다.' }
      switch (url.pathname.split('/').at(-1)) {
        case 'list.json': {
          const listed = reports[url.searchParams.get('bgn_de') ?? '']
          return listed === undefined ? missing : { status: '000', total_page: 1, list: [listed] }
        }
        case 'company.json':
          return day < overviewFrom ? missing : overview
        case 'fnlttSinglAcntAll.json': {
          const found = statementsOf(url.searchParams.get('bsns_year'))
          return found ?? missing
        }
        default:
          return missing
      }
    }
    let now = 0
    await syncRegister(db.sql, {
      source: krSource,
      register: krRegister,
      companies: ['00164742'],
      since: null,
      settings: { OPENDART_URL: 'http://register.example/api', OPENDART_KEY: 'k'.repeat(40) },
      fetchPolicy: { ...defaultFetchPolicy, requestsPerSecond: 1_000, userAgent: 'test' },
      network: {
        fetch: async url => {
          const requested = new URL(String(url))
          if (requested.pathname.endsWith('corpCode.xml'))
            return new Response('<result><status>013</status></result>')
          return Response.json(answer(requested))
        },
        now: () => now,
        sleep: async ms => {
          now += ms
        },
        random: () => 0.5,
      },
      archive: openArchive(join(folder, String(databases.length))),
      today: () => day,
      newId: () => crypto.randomUUID(),
      signal: new AbortController().signal,
      onProgress: () => {},
      log: () => {},
      ...(day === days[0] ? { since: '2024-03-14' } : {}),
    })
    const rows = await db.sql<{ row: string }[]>`
      select concat_ws(' ', f.fy, f.filed, f.value / 1000000) as row from fact f join metric m using (metric_id)
      join filing l using (filing_id)
      where m.name = 'revenue' and f.fp = 0 and f.superseded = 'infinity'
        and l.accession in ('KR:20240314001466', 'KR:20240314001531') and f.fy in (2021, 2022) order by 1`
    after.push(rows.map(({ row }) => row))
  }
  return after
}

// 20240314001466: 117,610,626 in 2021; 20240314001531: 142,527,535 in 2022 (million won).
const both = ['2021 2024-03-14 117610626', '2022 2024-03-14 142527535']

test('a report is imported with the overview that an earlier run fetched', async () => {
  expect(await revenueAfter(['2024-03-14', '2024-03-15'], '2024-03-14')).toEqual([both.slice(0, 1), both])
}, 120_000)

test('a waiting report is imported once a later run fetches the overview', async () => {
  const after = await revenueAfter(['2024-03-14', '2024-03-15', '2024-04-01'], '2024-04-01')
  expect(after.slice(0, 2)).toEqual([[], []])
  expect(after[2]).toEqual(both)
}, 120_000)

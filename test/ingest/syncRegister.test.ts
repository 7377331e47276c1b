import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { defaultManners } from '../../src/ingest/network/network.ts'
import { parseJson } from '../../src/ingest/reading/json.ts'
import type { Register } from '../../src/ingest/registers/register.ts'
import { registers, sources } from '../../src/ingest/registers/registers.ts'
import { openArchive } from '../../src/ingest/sync/archive.ts'
import type { SyncOptions } from '../../src/ingest/sync/options.ts'
import { syncRegister } from '../../src/ingest/sync/syncRegister.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { allSecrets, type Replay, startReplay } from './registers/network/replay.ts'
import { storedFacts } from './stored.ts'

setDefaultTimeout(60_000)

let replay: Replay
let db: TestDatabase
let folder: string
let said: string[]

beforeEach(async () => {
  replay = await startReplay()
  db = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'asfiled-sync-'))
  said = []
})
afterEach(async () => {
  await replay.stop()
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

function run(market: string, more: Partial<SyncOptions> & { day?: string } = {}) {
  const source = sources.get(market)
  if (source === undefined) throw new Error(market)
  let now = 0
  const { day = '2026-11-21', ...options } = more
  return syncRegister(db.sql, {
    ...{ source, since: null, companies: [], register: undefined, settings: replay.settings },
    manners: {
      ...defaultManners,
      requestsPerSecond: 10,
      userAgent: 'Test Firm test@firm.example',
      timeoutMs: 500,
    },
    network: {
      fetch: (url, init) => fetch(url, init),
      now: () => now,
      sleep: async ms => {
        now += ms
      },
      random: () => 0.5,
    },
    archive: openArchive(folder),
    today: () => day,
    newId: () => crypto.randomUUID(),
    signal: new AbortController().signal,
    onProgress: () => {},
    say: line => said.push(line),
    ...options,
  })
}

function filesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true })
    .map(String)
    .filter(name => statSync(join(path, name)).isFile())
    .sort()
}

/** What each register is asked on a first run of a few days, and what is kept of it. */
const markets = [
  {
    market: 'US',
    options: { companies: ['0000320193', '0001997711'] },
    asked: [
      'GET /sec/files/company_tickers.json',
      'GET /sec-data/submissions/CIK0000320193.json',
      // Named by the file before it; the server has it not.
      'GET /sec-data/submissions/CIK0000320193-submissions-001.json',
      'GET /sec-data/api/xbrl/companyfacts/CIK0000320193.json',
      'GET /sec-data/submissions/CIK0001997711.json',
      'GET /sec-data/api/xbrl/companyfacts/CIK0001997711.json',
    ],
    kept: [
      'us/2026-11-21/company_tickers.json',
      'us/2026-11-21/companyfacts/CIK0000320193.json',
      'us/2026-11-21/companyfacts/CIK0001997711.json',
      'us/2026-11-21/submissions/CIK0000320193.json',
    ],
    // The directory of the current quarter alone can have changed.
    again: ['GET /sec/Archives/edgar/daily-index/2026/QTR4/index.json'],
  },
  {
    market: 'JP',
    options: { since: '2025-06-26', day: '2025-06-28' },
    asked: [
      'GET /edinet-codes/Edinetcode.zip',
      'GET /edinet/documents.json?date=2025-06-26&type=2',
      'GET /edinet/documents.json?date=2025-06-27&type=2',
      'GET /edinet/documents/S100W81U?type=5',
      'GET /edinet/documents.json?date=2025-06-28&type=2',
    ],
    kept: [
      'jp/2025-06-28/Edinetcode.zip',
      'jp/2025-06-28/S100W81U.zip',
      'jp/2025-06-28/documents_2025-06-26.json',
      'jp/2025-06-28/documents_2025-06-27.json',
      'jp/2025-06-28/documents_2025-06-28.json',
    ],
    // The day is not over.
    again: ['GET /edinet/documents.json?date=2025-06-28&type=2'],
  },
  {
    market: 'KR',
    options: { since: '2020-11-15', day: '2020-11-16' },
    asked: [
      'GET /opendart/corpCode.xml',
      'GET /opendart/list.json?bgn_de=20201115&end_de=20201115&pblntf_ty=A&page_no=1&page_count=100',
      'GET /opendart/list.json?bgn_de=20201116&end_de=20201116&pblntf_ty=A&page_no=1&page_count=100',
      'GET /opendart/company.json?corp_code=00164779',
      'GET /opendart/fnlttSinglAcntAll.json?corp_code=00164779&bsns_year=2020&reprt_code=11014&fs_div=CFS',
    ],
    kept: [
      'kr/2020-11-16/company/company_00164779.json',
      'kr/2020-11-16/corpCode.zip',
      'kr/2020-11-16/fnlttSinglAcntAll_00164779_2020_11014_CFS.json',
      'kr/2020-11-16/list/list_20201116_1.json',
    ],
    again: ['GET /opendart/list.json?bgn_de=20201116&end_de=20201116&pblntf_ty=A&page_no=1&page_count=100'],
  },
  {
    market: 'TW',
    options: {},
    asked: ['t187ap06', 't187ap07'].flatMap(table =>
      ['ci', 'basi', 'bd', 'fh', 'ins', 'mim'].map(industry => `GET /twse/opendata/${table}_L_${industry}`),
    ),
    kept: ['t187ap06', 't187ap07'].flatMap(table =>
      ['basi', 'bd', 'ci', 'fh', 'ins', 'mim'].map(industry => `tw/2026-11-21/${table}_L_${industry}.json`),
    ),
    again: [],
  },
  {
    market: 'FR',
    options: { companies: ['377708425'] },
    asked: [
      'POST /inpi/sso/login',
      'GET /inpi/companies/377708425/attachments',
      'GET /inpi/bilans-saisis/63df98a88eded29cb3182411',
    ],
    kept: [
      'fr/2026-11-21/attachments/377708425.json',
      'fr/2026-11-21/bilans-saisis/377708425_2023-01-02_63df98a88eded29cb3182411.json',
    ],
    again: [],
  },
  {
    market: 'BE',
    options: { companies: ['0400003551'] },
    asked: [
      'GET /nbb/authentic/legalEntity/0400003551/references',
      'GET /nbb/authentic/deposit/2024-00290653/accountingData',
    ],
    kept: [
      'be/2026-11-21/0400003551/0400003551_2024-07-26_2024-00290653.json',
      'be/2026-11-21/0400003551/references_0400003551.json',
    ],
    again: [],
  },
  {
    market: 'DK',
    options: {},
    asked: ['POST /virk/offentliggoerelser/_search', 'GET /virk-documents/43540201/Y3ZyLcutZQ.xml'],
    kept: ['dk/2026-11-21/10204534/Y3ZyLcutZQ.xml', 'dk/2026-11-21/hits/2026-11-21_from_beginning.json'],
    again: ['POST /virk/offentliggoerelser/_search'],
  },
  {
    market: 'NZ',
    options: {},
    asked: [
      'GET /charities/GrpOrgAllReturns?$format=json&$orderby=AnnualReturnId&$top=1000&$filter=AnnualReturnId gt 0',
    ],
    kept: ['nz/2026-11-21/GrpOrgAllReturns_000000000.json'],
    again: [],
  },
]

const readable = (asked: readonly string[]) => asked.map(line => line.replaceAll('+', ' '))

describe('each register', () => {
  for (const { market, options, asked, kept, again } of markets) {
    test(`${market} is asked for what it has, and nothing of it a second time`, async () => {
      const first = await run(market, options)
      expect(first.fetched.failed).toEqual([])
      expect(readable(replay.asked)).toEqual(asked)
      expect(filesBelow(folder)).toEqual(kept)
      // Without an importer everything waits for one.
      expect(first.waiting).toBe(kept.filter(name => !/daily-index|\/list\/|attachments/.test(name)).length)

      replay.asked.length = 0
      replay.replace('2026/QTR4/index.json', { status: 200, body: '{"directory":{"item":[]}}' })
      const second = await run(market, options.since === undefined ? options : { ...options, since: null })
      expect(second.fetched.failed).toEqual([])
      expect(readable(replay.asked)).toEqual(again)
    })
  }

  test('tells which credential is missing, before it is asked for anything', async () => {
    const lacking: Record<string, string> = {
      US: 'SEC_CONTACT',
      JP: 'EDINET_KEY',
      KR: 'OPENDART_KEY',
      FR: 'INPI_USER',
      BE: 'NBB_KEY',
    }
    for (const [market, name] of Object.entries(lacking)) {
      const settings = { ...replay.settings, [name]: '' }
      await expect(run(market, { settings })).rejects.toThrow(`Set ${name} in the environment`)
    }
    expect(replay.asked).toEqual([])
  })

  test('tells which credential is wrong, and never what it is', async () => {
    const wrong: Record<string, Partial<SyncOptions> & { name: string }> = {
      JP: { name: 'EDINET_KEY', since: '2026-11-20' },
      KR: { name: 'OPENDART_KEY', since: '2026-11-20' },
      FR: { name: 'INPI_PASSWORD', companies: ['377708425'] },
      BE: { name: 'NBB_KEY', companies: ['0400003551'] },
    }
    for (const [market, { name, ...options }] of Object.entries(wrong)) {
      const settings = { ...replay.settings, [name]: 'wrong-key-4720-secret' }
      const { fetched } = await run(market, { ...options, settings })
      expect(fetched.stopped).toContain('Check ')
      expect(fetched.stopped).toContain(name)
      expect(JSON.stringify(fetched)).not.toContain('4720')
    }
  })
})

test('a login that expires in the middle is renewed', async () => {
  replay.meet('bilans-saisis', { reply: { status: 401, body: '' } })
  const { fetched } = await run('FR', { companies: ['377708425'] })
  expect(fetched.failures).toBe(0)
  expect(replay.asked.filter(line => line.endsWith('login')).length).toBe(2)
  expect(filesBelow(folder).length).toBe(2)
})

test('no credential is in the database, the archive or what is said', async () => {
  for (const { market, options } of markets) {
    replay.meet('', { reply: { status: 500, body: '' } })
    await run(market, options)
    // What fails for good is named, too.
    const down = { reply: { status: 500, body: '' } }
    replay.meet('', down, down, down, down, down)
    said.push(JSON.stringify(await run(market, { day: '2026-11-22', ...options })))
  }
  const tables = ['sync_cursor', 'sync_document', 'sync_file']
  const rows = await Promise.all(tables.map(table => db.sql`select * from ${db.sql(table)}`))
  expect(rows.flat().length).toBeGreaterThan(30)
  const archived = filesBelow(folder).map(name => readFileSync(join(folder, name)).toString())
  const everything = [JSON.stringify(rows), ...archived, ...said].join('\n')
  expect(everything).toContain('(500)')
  for (const secret of allSecrets) expect(everything).not.toContain(secret)
})

describe('what does not come', () => {
  const companies = ['0000320193', '0001997711']

  test('is named and passed over, the rest is had, and the next run asks for it alone', async () => {
    const down = { reply: { status: 500, body: '' } }
    replay.meet('companyfacts/CIK0000320193', down, down, down, down, down)
    const first = await run('US', { companies })
    expect(first.fetched.failed.map(({ name }) => name)).toEqual([
      `${replay.settings.SEC_DATA_URL}/api/xbrl/companyfacts/CIK0000320193.json`,
    ])
    expect(first.fetched.stopped).toBeNull()
    replay.asked.length = 0
    // A day later the sweep is still the one that was begun.
    const second = await run('US', { companies, day: '2026-11-22' })
    expect(second.fetched.failures).toBe(0)
    expect(replay.asked).toEqual([
      'GET /sec/files/company_tickers.json',
      'GET /sec-data/api/xbrl/companyfacts/CIK0000320193.json',
    ])
  })

  test('be it a list of older submissions: the next run knows of it from the archive', async () => {
    const list = 'CIK0001318605-submissions-001.json'
    const files = [{ name: list, filingCount: 720, filingFrom: '2005-02-17', filingTo: '2018-02-11' }]
    replay.replace('submissions/CIK0001318605.json', {
      ...{ status: 200, body: JSON.stringify({ cik: '1318605', filings: { recent: {}, files } }) },
    })
    const older = readFileSync(resolve(import.meta.dir, './registers/us/fixtures', list))
    replay.replace(list, { status: 200, body: older })
    const down = { reply: { status: 500, body: '' } }
    replay.meet(list, down, down, down, down, down)
    const companies = ['0001318605']
    const first = await run('US', { companies })
    expect(first.fetched.failed.map(({ name }) => name)).toEqual([
      `${replay.settings.SEC_DATA_URL}/submissions/${list}`,
    ])
    replay.asked.length = 0
    const second = await run('US', { companies })
    expect(second.fetched.failures).toBe(0)
    expect(replay.asked).toEqual([`GET /sec-data/submissions/${list}`])
    expect(filesBelow(folder)).toContain(`us/2026-11-21/submissions/${list}`)
  })

  test('because the form has changed is said so, and nothing of it is kept', async () => {
    replay.replace('documents.json', { status: 200, body: '{"metadata":{"status":"200"},"documents":[]}' })
    const { fetched } = await run('JP', { since: '2026-11-20' })
    expect(fetched.stopped).toContain('documents.json?date=2026-11-20')
    expect(fetched.stopped).toContain(
      'The register has changed the form of its answer: `results` was expected',
    )
    expect(filesBelow(folder)).toEqual(['jp/2026-11-21/Edinetcode.zip'])
  })

  test('five times in a row ends the run', async () => {
    replay.replace('submissions', { status: 400, body: '' })
    replay.replace('companyfacts', { status: 400, body: '' })
    const many = Array.from({ length: 20 }, (_, n) => String(n + 1).padStart(10, '0'))
    const { fetched } = await run('US', { companies: many })
    expect(fetched.stopped).toContain('5 requests in a row have failed')
    expect(replay.asked.length).toBe(6)
  })

  test('because the requests of the day are used up goes on another day', async () => {
    replay.meet('fnlttSinglAcntAll', {
      reply: { status: 200, body: '{"status":"020","message":"요청 제한"}' },
    })
    const first = await run('KR', { since: '2020-11-15', day: '2020-11-16' })
    expect(first.fetched.stopped).toContain('are used up (020)')
    replay.asked.length = 0
    const second = await run('KR', { day: '2020-11-17' })
    expect(second.fetched.stopped).toBeNull()
    expect(replay.asked.filter(line => line.includes('fnltt')).length).toBe(1)
    expect(filesBelow(folder).some(name => name.endsWith('11014_CFS.json'))).toBe(true)
  })
})

describe('a register that overwrites', () => {
  const at = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'))

  test('has every pull that differs kept, by day, and one that does not only once', async () => {
    await run('TW', { day: '2026-11-20' })
    await run('TW', { day: '2026-11-21' })
    expect(filesBelow(folder).filter(name => name.includes('2026-11-21'))).toEqual([])
    const [row] = at('tw/2026-11-20/t187ap06_L_ci.json')
    const edited = JSON.stringify([{ ...row, 營業收入: '71289958.00' }])
    replay.replace('t187ap06_L_ci', { status: 200, body: edited })
    await run('TW', { day: '2026-11-22' })
    expect(filesBelow(folder).filter(name => !name.includes('2026-11-20'))).toEqual([
      'tw/2026-11-22/t187ap06_L_ci.json',
    ])
    expect(at('tw/2026-11-20/t187ap06_L_ci.json')[0].營業收入).toBe('71289957.00')
  })

  /** AnnualReturnId 420137: assets of 1,914,923,000 AUD on 30 June 2025. */
  test('and takes an edit back is believed as of each day on which it was read', async () => {
    const register = registers.get('NZ')
    await run('NZ', { day: '2026-11-19', register })
    const said = at('nz/2026-11-19/GrpOrgAllReturns_000000000.json')
    const edited = structuredClone(said)
    edited.d.find((row: { TotalAssets: number }) => row.TotalAssets === 1_914_923_000).TotalAssets =
      1_914_923_001
    replay.replace('GrpOrgAllReturns', { status: 200, body: JSON.stringify(edited) })
    await run('NZ', { day: '2026-11-20', register })
    replay.replace('GrpOrgAllReturns', { status: 200, body: JSON.stringify(said) })
    const third = await run('NZ', { day: '2026-11-21', register })
    expect([third.imported.skipped, third.waiting]).toEqual([[], 0])
    const assets = await db.sql<{ day: string; value: number }[]>`
      select day::text, value from unnest(array['2026-11-19', '2026-11-20', '2026-11-21']::date[]) as day,
      lateral (select value from fact_as_of(day) f join metric m using (metric_id)
        where m.name = 'assets' and f.current and f.period_end = '2025-06-30') seen order by day`
    expect(assets.map(row => ({ ...row }))).toEqual([
      { day: '2026-11-19', value: 1_914_923_000 },
      { day: '2026-11-20', value: 1_914_923_001 },
      { day: '2026-11-21', value: 1_914_923_000 },
    ])
  })
})

describe('what was fetched', () => {
  test('goes into the store as files do, and adds nothing a second time', async () => {
    const register = registers.get('US')
    const companies = ['0000320193', '0001997711']
    const first = await run('US', { register, companies })
    expect(first.imported).toMatchObject({ documents: 4, skipped: [] })
    expect(first.waiting).toBe(0)
    const facts = await storedFacts(db.sql)
    // 0001193125-09-214859, filed 2009-10-27: revenue of fiscal 2009, 36,537 million.
    expect(facts.some(row => row.includes('36537000000') && row.includes('0001193125-09-214859'))).toBe(true)
    const second = await run('US', { register, companies, since: '2025-10-01', day: '2026-01-05' })
    // The list of tickers, submissions and companyfacts: the register says that they are what they were.
    expect(second.fetched.same).toBe(3)
    expect(second.imported.factsAdded).toBe(0)
    expect(await storedFacts(db.sql)).toEqual(facts)
  })

  test('before there was an importer is imported when there is one, day by day', async () => {
    await run('NZ', { day: '2026-11-19' })
    expect(await storedFacts(db.sql)).toEqual([])
    const { imported, waiting } = await run('NZ', { day: '2026-11-20', register: registers.get('NZ') })
    expect(imported.documents).toBe(1)
    expect(waiting).toBe(0)
    expect((await storedFacts(db.sql)).length).toBeGreaterThan(10)
  })

  test('and cannot be read is named in every run and waits', async () => {
    const unreadable: Register = {
      ...(registers.get('NZ') as Register),
      mapping: 'other',
      readDocument: ({ bytes }) => {
        parseJson(bytes.subarray(10))
        throw new Error('unreachable')
      },
    }
    for (const day of ['2026-11-19', '2026-11-20']) {
      const { imported, waiting } = await run('NZ', { day, register: unreadable })
      expect(imported.skipped.map(({ name }) => name)).toEqual([
        join(folder, 'nz/2026-11-19/GrpOrgAllReturns_000000000.json'),
      ])
      expect(waiting).toBe(1)
    }
  })
})

describe('the archive', () => {
  test('refuses names that would leave it', async () => {
    const archive = openArchive(folder)
    for (const name of ['../x.json', '/etc/x', 'a/../../x', '.hidden', 'a\u0000b', 'a/'])
      await expect(archive.keep('US', '2026-11-21', name, new Uint8Array(1))).rejects.toThrow(
        'no name of a file',
      )
  })

  test('that cannot be written is named, and what was kept stays', async () => {
    await run('NZ')
    // A file where the folder of the market should be.
    writeFileSync(join(folder, 'tw'), '')
    await expect(run('TW')).rejects.toThrow(/The archive cannot be written: .*tw/)
    expect(filesBelow(folder)).toEqual(['nz/2026-11-21/GrpOrgAllReturns_000000000.json', 'tw'])
  })

  test('whose file is gone asks for it again', async () => {
    await run('TW')
    rmSync(join(folder, 'tw/2026-11-21/t187ap06_L_ci.json'))
    replay.asked.length = 0
    await run('TW')
    expect(replay.asked).toEqual(['GET /twse/opendata/t187ap06_L_ci'])
  })

  test('keeps both of two answers of one day', async () => {
    const archive = openArchive(folder)
    const bytes = (text: string) => new TextEncoder().encode(text)
    expect(await archive.keep('US', '2026-11-21', 'a.json', bytes('1'))).toBe('us/2026-11-21/a.json')
    expect(await archive.keep('US', '2026-11-21', 'a.json', bytes('2'))).toBe('us/2026-11-21/a-2.json')
    expect(await archive.keep('US', '2026-11-21', 'a.json', bytes('1'))).toBe('us/2026-11-21/a.json')
    writeFileSync(join(folder, 'us/2026-11-21/b.json.part'), 'half')
    await archive.keep('US', '2026-11-21', 'b.json', bytes('whole'))
    expect(filesBelow(folder)).toEqual([
      'us/2026-11-21/a-2.json',
      'us/2026-11-21/a.json',
      'us/2026-11-21/b.json',
    ])
  })
})

test('--since makes no gap, and a run for some companies leaves the place of all others alone', async () => {
  const place = async () =>
    (await db.sql`select name, position from sync_cursor order by name`).map(row => ({ ...row }))
  await run('JP', { since: '2026-11-18', day: '2026-11-18' })
  expect(await place()).toEqual([{ name: 'lists', position: '2026-11-18' }])
  await run('JP', { since: '2026-11-20', day: '2026-11-21' })
  expect(await place()).toEqual([{ name: 'lists', position: '2026-11-18' }])
  await run('JP', { since: '2026-11-16', day: '2026-11-21' })
  expect(await place()).toEqual([{ name: 'lists', position: '2026-11-21' }])
  await run('JP', { since: '2026-11-22', day: '2026-11-22', companies: ['E00659'] })
  expect((await place()).map(row => row.position)).toEqual(['2026-11-21', '2026-11-22'])
})

test('two runs for one market do not run together', async () => {
  replay.meet('t187ap06_L_ci', 'hang')
  const first = run('TW')
  while (replay.asked.length === 0) await Bun.sleep(5)
  await expect(run('TW')).rejects.toThrow('Another process is fetching TW')
  expect((await first).fetched.failures).toBe(0)
})

test('a stop that is asked for ends cleanly, and the next run goes on', async () => {
  const stop = new AbortController()
  replay.meet('t187ap06_L_fh', 'hang')
  const running = run('TW', { signal: stop.signal })
  while (!replay.asked.some(line => line.endsWith('_fh'))) await Bun.sleep(5)
  stop.abort()
  const { fetched } = await running
  expect(fetched).toMatchObject({ interrupted: true, kept: 3, failures: 0 })
  replay.asked.length = 0
  const second = await run('TW')
  expect(second.fetched).toMatchObject({ stopped: null, kept: 9, known: 3 })
  expect(replay.asked[0]).toBe('GET /twse/opendata/t187ap06_L_fh')
})

test('answers that make sense together only are imported together, also where some came earlier', async () => {
  const read: string[][] = []
  const together = (day: string) => {
    const names: string[] = []
    read.push(names)
    const register: Register = {
      ...(registers.get('NZ') as Register),
      ...{ market: 'BE', overwrites: false, mapping: day },
      readDocument: ({ name }) => {
        names.push(name.slice(name.lastIndexOf('/') + 1))
        return { contributions: [], figuresRead: 0, malformed: 0 }
      },
    }
    return run('BE', { day, register, companies: ['0400003551'] })
  }
  const down = { reply: { status: 500, body: '' } }
  replay.meet('accountingData', down, down, down, down, down)
  await together('2026-11-20')
  // The references say what they said, and only the figures are new.
  await together('2026-11-21')
  const references = 'references_0400003551.json'
  expect(read).toEqual([[references], ['0400003551_2024-07-26_2024-00290653.json', references]])
})

import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { registers, sources } from '../../../src/ingest/allRegisters.ts'
import { defaultFetchPolicy } from '../../../src/ingest/network/fetchPolicy.ts'
import { parseJson } from '../../../src/ingest/reading/json.ts'
import type { Register } from '../../../src/ingest/registers/registerInterface.ts'
import { openArchive } from '../../../src/ingest/sync/archive.ts'
import type { SyncOptions } from '../../../src/ingest/sync/options.ts'
import { syncRegister } from '../../../src/ingest/sync/syncRegister.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { allSecrets, type Replay, startReplay } from '../network/replay.ts'
import { storedFacts } from '../stored.ts'
import { expectedRuns } from './expectedRuns.ts'
import { filesBelow } from './filesBelow.ts'

setDefaultTimeout(180_000)

let replay: Replay
let db: TestDatabase
let folder: string
let logged: string[]

beforeEach(async () => {
  replay = await startReplay()
  db = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'asfiled-sync-'))
  logged = []
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
    source,
    since: null,
    companies: [],
    register: undefined,
    settings: replay.settings,
    fetchPolicy: {
      ...defaultFetchPolicy,
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
    log: line => logged.push(line),
    ...options,
  })
}

const readable = (requests: readonly string[]) => requests.map(line => line.replaceAll('+', ' '))

describe('each register', () => {
  for (const { market, options, requests, files, requestsAgain } of expectedRuns) {
    test(`${market} is fetched completely, and nothing of it a second time`, async () => {
      const first = await run(market, options)
      expect(first.fetched.failed).toEqual([])
      expect(readable(replay.requests)).toEqual(requests)
      expect(filesBelow(folder)).toEqual(files)
      // Without an importer all files wait for one.
      expect(first.waiting).toBe(files.filter(name => !/daily-index|\/list\/|attachments/.test(name)).length)

      replay.requests.length = 0
      replay.replace('2026/QTR4/index.json', { status: 200, body: '{"directory":{"item":[]}}' })
      const second = await run(market, options.since === undefined ? options : { ...options, since: null })
      expect(second.fetched.failed).toEqual([])
      expect(readable(replay.requests)).toEqual(requestsAgain)
    })
  }

  test('names a missing credential before the first request', async () => {
    const required: Record<string, string> = {
      US: 'SEC_CONTACT',
      JP: 'EDINET_KEY',
      KR: 'OPENDART_KEY',
      FR: 'INPI_USER',
      BE: 'NBB_KEY',
    }
    for (const [market, name] of Object.entries(required)) {
      const settings = { ...replay.settings, [name]: '' }
      await expect(run(market, { settings })).rejects.toThrow(`Set ${name} in the environment`)
    }
    expect(replay.requests).toEqual([])
  })

  test('names a wrong credential without showing its value', async () => {
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

test('a login that expires during a run is renewed', async () => {
  replay.failNext('bilans-saisis', { reply: { status: 401, body: '' } })
  const { fetched } = await run('FR', { companies: ['377708425'] })
  expect(fetched.failures).toBe(0)
  expect(replay.requests.filter(line => line.endsWith('login')).length).toBe(2)
  expect(filesBelow(folder).length).toBe(2)
})

test('no credential is in the database, the archive or the output', async () => {
  for (const { market, options } of expectedRuns) {
    replay.failNext('', { reply: { status: 500, body: '' } })
    await run(market, options)
    // Messages about lasting failures as well.
    const down = { reply: { status: 500, body: '' } }
    replay.failNext('', down, down, down, down, down)
    logged.push(JSON.stringify(await run(market, { day: '2026-11-22', ...options })))
  }
  const tables = ['sync_cursor', 'sync_document', 'sync_file']
  const rows = await Promise.all(tables.map(table => db.sql`select * from ${db.sql(table)}`))
  expect(rows.flat().length).toBeGreaterThan(30)
  const archived = filesBelow(folder).map(name => readFileSync(join(folder, name)).toString())
  const everything = [JSON.stringify(rows), ...archived, ...logged].join('\n')
  expect(everything).toContain('(500)')
  for (const secret of nonEmpty(allSecrets)) expect(everything).not.toContain(secret)
})

describe('a request that fails', () => {
  const companies = ['0000320193', '0001997711']

  test('is reported and skipped, and the next run repeats it alone', async () => {
    const down = { reply: { status: 500, body: '' } }
    replay.failNext('companyfacts/CIK0000320193', down, down, down, down, down)
    const first = await run('US', { companies })
    expect(first.fetched.failed.map(({ name }) => name)).toEqual([
      `${replay.settings.SEC_DATA_URL}/api/xbrl/companyfacts/CIK0000320193.json`,
    ])
    expect(first.fetched.stopped).toBeNull()
    replay.requests.length = 0
    // A day later the same sweep continues.
    const second = await run('US', { companies, day: '2026-11-22' })
    expect(second.fetched.failures).toBe(0)
    expect(replay.requests).toEqual([
      'GET /sec/files/company_tickers.json',
      'GET /sec-data/api/xbrl/companyfacts/CIK0000320193.json',
    ])
  })

  test('for a list of older submissions is repeated by the next run, which knows the list from the archive', async () => {
    const list = 'CIK0001318605-submissions-001.json'
    const files = [{ name: list, filingCount: 720, filingFrom: '2005-02-17', filingTo: '2018-02-11' }]
    replay.replace('submissions/CIK0001318605.json', {
      status: 200,
      body: JSON.stringify({ cik: '1318605', filings: { recent: {}, files } }),
    })
    const older = readFileSync(resolve(import.meta.dir, '../registers/us/fixtures', list))
    replay.replace(list, { status: 200, body: older })
    const down = { reply: { status: 500, body: '' } }
    replay.failNext(list, down, down, down, down, down)
    const companies = ['0001318605']
    const first = await run('US', { companies })
    expect(first.fetched.failed.map(({ name }) => name)).toEqual([
      `${replay.settings.SEC_DATA_URL}/submissions/${list}`,
    ])
    replay.requests.length = 0
    const second = await run('US', { companies })
    expect(second.fetched.failures).toBe(0)
    expect(replay.requests).toEqual([`GET /sec-data/submissions/${list}`])
    expect(filesBelow(folder)).toContain(`us/2026-11-21/submissions/${list}`)
  })

  test('because the format has changed is reported, and the response is not stored', async () => {
    replay.replace('documents.json', { status: 200, body: '{"metadata":{"status":"200"},"documents":[]}' })
    const { fetched } = await run('JP', { since: '2026-11-20' })
    expect(fetched.stopped).toContain('documents.json?date=2026-11-20')
    expect(fetched.stopped).toContain(
      'The register has changed the format of its response: expected `results`',
    )
    expect(filesBelow(folder)).toEqual(['jp/2026-11-21/Edinetcode.zip'])
  })

  test('five times in a row ends the run', async () => {
    replay.replace('submissions', { status: 400, body: '' })
    replay.replace('companyfacts', { status: 400, body: '' })
    const many = Array.from({ length: 20 }, (_, n) => String(n + 1).padStart(10, '0'))
    const { fetched } = await run('US', { companies: many })
    expect(fetched.stopped).toContain('5 requests in a row failed')
    expect(replay.requests.length).toBe(6)
  })

  test('because the daily quota is used up continues on another day', async () => {
    replay.failNext('fnlttSinglAcntAll', {
      reply: { status: 200, body: '{"status":"020","message":"요청 제한"}' },
    })
    const first = await run('KR', { since: '2020-11-15', day: '2020-11-16' })
    expect(first.fetched.stopped).toContain('no requests left for today (020)')
    replay.requests.length = 0
    const second = await run('KR', { day: '2020-11-17' })
    expect(second.fetched.stopped).toBeNull()
    expect(replay.requests.filter(line => line.includes('fnltt')).length).toBe(1)
    expect(filesBelow(folder).some(name => name.endsWith('11014_CFS.json'))).toBe(true)
  })
})

describe('a register that overwrites', () => {
  const at = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'))

  test('has each different version stored by day, and an unchanged one only once', async () => {
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
  test('and reverts an edit is shown as of each day on which it was fetched', async () => {
    const register = registers.get('NZ')
    await run('NZ', { day: '2026-11-19', register })
    const original = at('nz/2026-11-19/GrpOrgAllReturns_000000000.json')
    const edited = structuredClone(original)
    edited.d.find((row: { TotalAssets: number }) => row.TotalAssets === 1_914_923_000).TotalAssets =
      1_914_924_500
    replay.replace('GrpOrgAllReturns', { status: 200, body: JSON.stringify(edited) })
    await run('NZ', { day: '2026-11-20', register })
    replay.replace('GrpOrgAllReturns', { status: 200, body: JSON.stringify(original) })
    const third = await run('NZ', { day: '2026-11-21', register })
    expect([third.imported.skipped, third.waiting]).toEqual([[], 0])
    const assets = await db.sql<{ day: string; value: number }[]>`
      select day::text, value from unnest(array['2026-11-19', '2026-11-20', '2026-11-21']::date[]) as day,
      lateral (select value from fact_as_of(day) f join metric m using (metric_id)
        where m.name = 'assets' and f.current and f.period_end = '2025-06-30') seen order by day`
    expect(assets.map(row => ({ ...row }))).toEqual([
      { day: '2026-11-19', value: 1_914_923_000 },
      { day: '2026-11-20', value: 1_914_924_500 },
      { day: '2026-11-21', value: 1_914_923_000 },
    ])
  })
})

describe('a fetched file', () => {
  test('is imported like a given file, and adds nothing a second time', async () => {
    const register = registers.get('US')
    const companies = ['0000320193', '0001997711']
    const first = await run('US', { register, companies })
    expect(first.imported).toMatchObject({ documents: 4, skipped: [] })
    expect(first.waiting).toBe(0)
    const facts = await storedFacts(db.sql)
    // 0001193125-09-214859, filed 2009-10-27: revenue of fiscal 2009, 36,537 million.
    expect(facts.some(row => row.includes('36537000000') && row.includes('0001193125-09-214859'))).toBe(true)
    const second = await run('US', { register, companies, since: '2025-10-01', day: '2026-01-05' })
    // The list of tickers, submissions and companyfacts: the register answers that they are unchanged.
    expect(second.fetched.unchanged).toBe(3)
    expect(second.imported.factsAdded).toBe(0)
    expect(await storedFacts(db.sql)).toEqual(facts)
  })

  test('that came before there was an importer is imported once there is one, day by day', async () => {
    await run('NZ', { day: '2026-11-19' })
    expect(await storedFacts(db.sql)).toEqual([])
    const { imported, waiting } = await run('NZ', { day: '2026-11-20', register: registers.get('NZ') })
    expect(imported.documents).toBe(1)
    expect(waiting).toBe(0)
    expect((await storedFacts(db.sql)).length).toBeGreaterThan(10)
  })

  test('that cannot be read is reported in every run and waits', async () => {
    const unreadable: Register = {
      ...(registers.get('NZ') as Register),
      derivationVersion: () => 'other',
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
  test('that cannot be written is reported, and its files stay', async () => {
    await run('NZ')
    // A file where the folder of the market should be.
    writeFileSync(join(folder, 'tw'), '')
    await expect(run('TW')).rejects.toThrow(/The archive cannot be written: .*tw/)
    expect(filesBelow(folder)).toEqual(['nz/2026-11-21/GrpOrgAllReturns_000000000.json', 'tw'])
  })

  test('without a recorded file fetches it again', async () => {
    await run('TW')
    rmSync(join(folder, 'tw/2026-11-21/t187ap06_L_ci.json'))
    replay.requests.length = 0
    await run('TW')
    expect(replay.requests).toEqual(['GET /twse/opendata/t187ap06_L_ci'])
  })
})

test('--since leaves no gap, and a run for some companies does not move the cursor of full runs', async () => {
  const cursors = async () =>
    (await db.sql`select name, position from sync_cursor order by name`).map(row => ({ ...row }))
  await run('JP', { since: '2026-11-18', day: '2026-11-18' })
  expect(await cursors()).toEqual([{ name: 'lists', position: '2026-11-18' }])
  await run('JP', { since: '2026-11-20', day: '2026-11-21' })
  expect(await cursors()).toEqual([{ name: 'lists', position: '2026-11-18' }])
  await run('JP', { since: '2026-11-16', day: '2026-11-21' })
  expect(await cursors()).toEqual([{ name: 'lists', position: '2026-11-21' }])
  await run('JP', { since: '2026-11-22', day: '2026-11-22', companies: ['E00659'] })
  expect((await cursors()).map(row => row.position)).toEqual(['2026-11-21', '2026-11-22'])
})

test('two runs for one market cannot run at the same time', async () => {
  replay.failNext('t187ap06_L_ci', 'hang')
  const first = run('TW')
  while (replay.requests.length === 0) await Bun.sleep(5)
  await expect(run('TW')).rejects.toThrow('Another process is already fetching TW')
  expect((await first).fetched.failures).toBe(0)
})

test('a stop ends the run cleanly, and the next run continues', async () => {
  const stop = new AbortController()
  replay.failNext('t187ap06_L_fh', 'hang')
  const running = run('TW', { signal: stop.signal })
  while (!replay.requests.some(line => line.endsWith('_fh'))) await Bun.sleep(5)
  stop.abort()
  const { fetched } = await running
  expect(fetched).toMatchObject({ interrupted: true, saved: 4, failures: 0 })
  replay.requests.length = 0
  const second = await run('TW')
  expect(second.fetched).toMatchObject({ stopped: null, saved: 9, cached: 4 })
  expect(replay.requests[0]).toBe('GET /twse/opendata/t187ap06_L_fh')
})

test('files of one subject are imported together, also if some came earlier', async () => {
  const read: string[][] = []
  const together = (day: string) => {
    const names: string[] = []
    read.push(names)
    const register: Register = {
      ...(registers.get('NZ') as Register),
      market: 'BE',
      overwrites: false,
      derivationVersion: () => day,
      readDocument: ({ name }) => {
        names.push(name.slice(name.lastIndexOf('/') + 1))
        return { parsed: [], figuresRead: 0, malformed: 0 }
      },
    }
    return run('BE', { day, register, companies: ['0400003551'] })
  }
  const down = { reply: { status: 500, body: '' } }
  replay.failNext('accountingData', down, down, down, down, down)
  await together('2026-11-20')
  // The references are unchanged, and only the figures are new.
  await together('2026-11-21')
  const references = 'references_0400003551.json'
  expect(read).toEqual([[references], ['0400003551_2024-07-26_2024-00290653.json', references]])
})

import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { registers, sources } from '../../../src/ingest/allRegisters.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { defaultFetchPolicy } from '../../../src/ingest/network/fetchPolicy.ts'
import { openArchive } from '../../../src/ingest/sync/archive.ts'
import type { SyncOptions } from '../../../src/ingest/sync/options.ts'
import { saveCursor } from '../../../src/ingest/sync/queries.ts'
import { syncRegister } from '../../../src/ingest/sync/syncRegister.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sharedPath } from '../../shared.ts'
import { type Replay, startReplay } from '../network/replay.ts'
import { filesBelow } from './filesBelow.ts'

setDefaultTimeout(120_000)

const packageName = '0000320193-25-000057-xbrl.zip'
const packagePath = sharedPath(`registers/us/filings/${packageName}`)
const setPath = sharedPath('registers/us/fsds/2009q3.zip')

let replay: Replay
let db: TestDatabase
let folder: string
let waits: number[]

beforeEach(async () => {
  replay = await startReplay()
  db = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'asfiled-packages-'))
  waits = []
})
afterEach(async () => {
  await replay.stop()
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

const zip = (body: Uint8Array) => ({ status: 200, body })

/** EDGAR on the day after Apple filed its 10-Q for the quarter to 2025-03-29. */
function serveApple(body: Uint8Array): void {
  const items = ['master.20250502.idx'].map(name => ({ name }))
  replay.replace('2025/QTR2/index.json', {
    status: 200,
    body: JSON.stringify({ directory: { item: items } }),
  })
  replay.replace('master.20250502.idx', {
    status: 200,
    body: `Description:           Daily Index of EDGAR Dissemination Feed by CIK
Last Data Received:    May 2, 2025

CIK|Company Name|Form Type|Date Filed|File Name
320193|Apple Inc.|10-Q|20250502|edgar/data/320193/0000320193-25-000057.txt
1059235|AN INSIDER|4|20250502|edgar/data/1059235/0001059235-25-000001.txt
`,
  })
  const recent = {
    accessionNumber: ['0000320193-25-000057'],
    filingDate: ['2025-05-02'],
    reportDate: ['2025-03-29'],
    acceptanceDateTime: ['2025-05-02T10:00:46.000Z'],
    form: ['10-Q'],
    isXBRL: [1],
  }
  replay.replace('submissions/CIK0000320193.json', {
    status: 200,
    body: JSON.stringify({
      cik: '0000320193',
      name: 'Apple Inc.',
      tickers: ['AAPL'],
      exchanges: ['Nasdaq'],
      fiscalYearEnd: '0927',
      filings: { recent, files: [] },
    }),
  })
  replay.replace(packageName, zip(body))
}

async function run(more: Partial<SyncOptions> & { day?: string } = {}) {
  const source = sources.get('US')
  const register = registers.get('US')
  if (source === undefined || register === undefined) throw new Error('The United States are missing.')
  let now = 0
  const { day = '2025-05-03', ...options } = more
  return syncRegister(db.sql, {
    source,
    since: null,
    companies: [],
    register,
    settings: replay.settings,
    fetchPolicy: {
      ...defaultFetchPolicy,
      requestsPerSecond: 10,
      userAgent: 'Test Firm test@firm.example',
      timeoutMs: 5_000,
    },
    network: {
      fetch: (url, init) => fetch(url, init),
      now: () => now,
      sleep: async ms => {
        waits.push(ms)
        now += ms
      },
      random: () => 0.5,
    },
    archive: openArchive(folder),
    today: () => day,
    newId: () => crypto.randomUUID(),
    signal: new AbortController().signal,
    onProgress: () => {},
    log: () => {},
    ...options,
  })
}

/** As after a first sweep, and with all data sets up to then. */
async function afterSweep(dataSets = '2025-03-31'): Promise<void> {
  await saveCursor(db.sql, 'US', 'sweep', '2025-05-01')
  await saveCursor(db.sql, 'US', 'daily', '2025-05-01')
  await saveCursor(db.sql, 'US', 'data sets', dataSets)
}

const wholeFilings = (sql = db.sql) => sql<
  { accession: string; source: number; figures: number; filed: string }[]
>`
  select l.accession, w.source, w.figures, l.filed
  from whole_filing w join filing l using (filing_id) order by l.accession`

/** `grep -o '<ix:nonFraction' aapl-20250329.htm | wc -l` gives 674. */
const apple = { accession: '0000320193-25-000057', source: 3, figures: 674, filed: '2025-05-02' }
const packageRequests = () => replay.requests.filter(line => line.includes('-xbrl.zip'))
const address = 'GET /sec/Archives/edgar/data/320193/000032019325000057/0000320193-25-000057-xbrl.zip'

describe.skipIf(packagePath === null || setPath === null)('a sync of the United States', () => {
  const real = packagePath === null ? Buffer.alloc(0) : readFileSync(packagePath)

  test('fetches the reports of a day in full, imports them, and fetches none twice', async () => {
    await afterSweep()
    serveApple(real)
    const { fetched, imported, waiting } = await run()
    expect([fetched.failed, imported.skipped, waiting]).toEqual([[], [], 0])
    expect(packageRequests()).toEqual([address])
    const archived = filesBelow(folder).find(name => name.endsWith('.zip')) ?? ''
    expect(archived).toBe(`us/2025-05-03/packages/${packageName}`)
    expect(readFileSync(join(folder, archived)).equals(real)).toBe(true)
    const stored = await wholeFilings()
    expect(stored).toContainEqual(apple)

    replay.requests.length = 0
    const second = await run({ since: '2025-05-02' })
    expect([second.fetched.failed, packageRequests()]).toEqual([[], []])

    // What is archived is imported into another database without the register.
    const other = await testDatabase()
    const register = registers.get('US')
    if (register === undefined) throw new Error('The United States are missing.')
    replay.requests.length = 0
    await importRegister(
      other.sql,
      register,
      { paths: [join(folder, 'us')], observedOn: '2025-05-03' },
      () => {},
    )
    expect([...(await wholeFilings(other.sql))]).toEqual([...stored])
    expect(replay.requests).toEqual([])
    await other.close()
  })

  test('requests a report again that arrives in half, or that EDGAR delays', async () => {
    await afterSweep()
    serveApple(real)
    replay.failNext('-xbrl.zip', 'half', {
      reply: { status: 429, body: '', headers: { 'Retry-After': '7' } },
    })
    const { fetched } = await run()
    expect([fetched.failed, packageRequests()]).toEqual([[], [address, address, address]])
    expect(waits).toContain(7_000)
    expect(await wholeFilings()).toContainEqual(apple)
  })

  test('reports a zip without its end or a page in place of it, and the next run fetches it', async () => {
    for (const [at, body] of [
      real.subarray(0, real.length - 60_000),
      '<html>Undeclared Automated Tool</html>',
    ].entries()) {
      await afterSweep()
      serveApple(Buffer.from(body))
      const { fetched, imported } = await run()
      expect(fetched.failed.map(({ name }) => name)).toEqual([
        address.replace('GET /sec', replay.settings.SEC_URL),
      ])
      expect(fetched.failed[0].reason).toContain(at === 0 ? 'truncated' : 'page in place of the zip')
      expect([imported.skipped, filesBelow(folder).filter(name => name.endsWith('.zip'))]).toEqual([[], []])
    }
    serveApple(real)
    const { fetched } = await run()
    expect(fetched.failed).toEqual([])
    expect(await wholeFilings()).toContainEqual(apple)
  })

  test('names a zip whose content is damaged, and imports the rest', async () => {
    await afterSweep()
    // The directory at the end is whole, and the bytes of the first documents are not.
    const damaged = Buffer.from(real)
    damaged.fill(0x55, 2_000, 60_000)
    serveApple(damaged)
    const { fetched, imported, waiting } = await run()
    expect([fetched.failed, waiting]).toEqual([[], 1])
    expect(imported.skipped).toHaveLength(1)
    expect(imported.skipped[0].name).toContain(packageName)
    expect(await wholeFilings()).not.toContainEqual(expect.objectContaining({ source: 3 }))
    const [{ day }] = await db.sql<{ day: string }[]>`
      select position as day from sync_cursor where market = 'US' and name = 'daily'`
    expect(day).toBe('2025-05-02')
  })

  test('goes on without a report that EDGAR does not have in full', async () => {
    await afterSweep()
    serveApple(real)
    replay.replace(packageName, { status: 404, body: '' })
    const { fetched } = await run()
    expect([fetched.failed, fetched.missing > 0]).toEqual([[], true])
    expect(packageRequests()).toEqual([address])
  })

  test('fetches the next data sets, and asks for one that is not out yet on the next day again', async () => {
    await afterSweep('2009-06-30')
    replay.replace('2009q3.zip', zip(readFileSync(setPath ?? '')))
    replay.replace('QTR', { status: 200, body: '{"directory":{"item":[]}}' })
    const setsAsked = () =>
      replay.requests.flatMap(line => /financial-statement-data-sets\/(\w+)\.zip$/.exec(line)?.[1] ?? [])
    const first = await run({ day: '2010-01-05' })
    expect([first.fetched.failed, setsAsked()]).toEqual([[], ['2009q3', '2009q4']])
    const stored = await wholeFilings()
    // `cut -f1 num.txt pre.txt | sort -u` names as many filings.
    expect(stored.length).toBe(435)
    expect(new Set(stored.map(({ source }) => source))).toEqual(new Set([2]))
    replay.requests.length = 0
    await run({ day: '2010-01-06' })
    expect(setsAsked()).toEqual(['2009q4'])
  })
})

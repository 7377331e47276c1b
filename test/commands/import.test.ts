import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type TestDatabase, testDatabase } from '../database.ts'
import { rounds } from '../rounds.ts'
import { sharedPath } from '../shared.ts'
import { zipped } from '../zipped.ts'
import { runOn } from './runInProcess.ts'

setDefaultTimeout(180_000)

const root = resolve(import.meta.dir, '../..')
const fixtures = join(root, 'test/ingest/registers/us/fixtures')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-import-'))
let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

const asfiled = (...args: string[]) => asfiledWith({}, ...args)
const asfiledWith = (env: Record<string, string>, ...args: string[]) =>
  runOn({ DATABASE_URL: db.url, ...env }, ...args)

/** In a process of its own. */
async function spawnImport(path: string) {
  const child = Bun.spawn(['bun', 'src/cli.ts', 'import', 'us', path], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: db.url, NO_COLOR: '1' },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [error, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  return { code, error }
}

const line = (out: string, label: string) =>
  out
    .split('\n')
    .find(text => text.startsWith(label))
    ?.slice(label.length)
    .trim()

test('a folder is imported, and a second run adds nothing and keeps the data version', async () => {
  const files = join(folder, 'good')
  mkdirSync(files)
  for (const name of [
    'companyfacts-aapl-fy2009.json',
    'companyfacts-lpa.json',
    'submissions-aapl.json',
    'company_tickers.json',
    'CIK0001318605-submissions-001.json',
  ]) {
    cpSync(join(fixtures, name), join(files, name))
  }
  const first = await asfiled('import', 'us', files)
  expect(first).toMatchObject({ code: 0 })
  expect(line(first.out, 'documents')).toBe('5')
  expect(Number(line(first.out, 'facts added'))).toBeGreaterThan(20)
  expect(line(first.out, 'data version')).toBe('1')
  const second = await asfiled('import', 'us', files)
  expect(second.code).toBe(0)
  expect(line(second.out, 'documents')).toBe('5 (5 of them imported before)')
  expect(line(second.out, 'facts added')).toBe('0')
  expect(line(second.out, 'data version')).toBe('1')
  const [row] = await db.sql`
    select e.ticker, e.name, e.fiscal_year_end from entity e where issuer_id = '0000320193'`
  expect(row).toEqual({ ticker: 'AAPL', name: 'Apple Inc.', fiscal_year_end: '0926' })
})

test('broken files are skipped and named with their position, and the exit code shows it', async () => {
  const files = join(folder, 'broken')
  mkdirSync(files)
  cpSync(join(fixtures, 'companyfacts-lpa.json'), join(files, 'good.json'))
  writeFileSync(join(files, 'cut.json'), '{"cik": 1,\n "facts": {"us-gaap": {')
  writeFileSync(join(files, 'other.json'), '{"data": []}')
  writeFileSync(join(files, 'binary.json'), new Uint8Array([0x7b, 0xff, 0xfe]))
  writeFileSync(join(files, 'no.zip'), 'PK but not really')
  symlinkSync(join(folder, 'nowhere.json'), join(files, 'link.json'))
  const some = await asfiled('import', 'us', files)
  expect(some.code).toBe(1)
  expect(some.error).toContain('cut.json: line 2, column 24 (byte 34)')
  expect(some.error).toContain('other.json: This is not companyfacts')
  expect(some.error).toContain('binary.json: The document is not UTF-8.')
  expect(some.error).toContain('no.zip: The zip cannot be read')
  expect(some.error).toContain('link.json: ENOENT')
  expect(line(some.out, 'skipped')).toBe('5')
  const none = await asfiled('import', 'us', join(files, 'cut.json'))
  expect([none.code, none.error]).toEqual([1, expect.stringContaining('Nothing was imported')])
  const missing = await asfiled('import', 'us', join(folder, 'nothing-here'))
  expect(missing.code).toBe(2)
  expect(missing.error).toContain('does not exist')
})

test('zips are read entry by entry: documents, and a data set with its bad lines named', async () => {
  const read = (name: string) => Bun.file(join(fixtures, name)).bytes()
  const documents = join(folder, 'companyfacts.zip')
  const damaged = zipped([{ name: 'CIK3.json', content: await read('companyfacts-lpa.json') }])
  damaged[60] ^= 0xff
  writeFileSync(
    documents,
    zipped([{ name: 'CIK1.json', content: await read('companyfacts-aapl-fy2009.json') }]),
  )
  writeFileSync(join(folder, 'damaged.zip'), damaged)
  const num = Buffer.concat([
    await read('fsds-num.txt'),
    Buffer.from('0001193125-09-153165\tAssets\tus-gaap/2008\tsoon\t0\tUSD\t\t\t1\t\n'),
  ])
  const set = join(folder, '2009q3.zip')
  writeFileSync(
    set,
    zipped([
      { name: 'sub.txt', content: await read('fsds-sub.txt') },
      { name: 'num.txt', content: num },
    ]),
  )
  const run = await asfiled('import', 'us', documents, join(folder, 'damaged.zip'), set)
  expect(run.code).toBe(1)
  expect(run.error).toContain('num.txt: line 16: A figure must have')
  expect(run.error).toMatch(/damaged.zip!CIK3.json: The (packed|unpacked) data/)
  expect(line(run.out, 'skipped')).toBe('2')
  expect(line(run.out, 'figures read')).toMatch(/^\d+ in /)
})

const appleFacts = sharedPath('registers/us/companyfacts/CIK0000320193.json')
test.skipIf(appleFacts === null)(
  'an import that loses its database reports it, and the same command completes it',
  async () => {
    const files = join(folder, 'many')
    const copies = rounds(12, 24)
    mkdirSync(files)
    const apple = await Bun.file(String(appleFacts)).text()
    for (let n = 1; n <= copies; n++) {
      writeFileSync(join(files, `CIK${n}.json`), apple.replace('"cik":320193', `"cik":${900_000 + n}`))
    }
    const running = spawnImport(files)
    const killer = setInterval(async () => {
      await db.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'asfiled' and query ilike 'copy fact %'`
    }, 20)
    const broken = await running
    clearInterval(killer)
    expect(broken.code).toBe(1)
    expect(broken.error).toContain('The connection to the database was lost')
    const resumed = await asfiled('import', 'us', files)
    expect(resumed.code).toBe(0)
    const again = await asfiled('import', 'us', files)
    expect(line(again.out, 'facts added')).toBe('0')
    const counts = await db.sql`
    select count(*)::int as facts from fact join entity using (entity_id)
    where issuer_id between '0000900001' and '0000900024' group by entity_id`
    expect(counts.length).toBe(copies)
    expect(new Set(counts.map(row => row.facts)).size).toBe(1)
  },
)

test('help shows the accepted files and an example', async () => {
  const { out, code } = await asfiled('import', 'us', '--help')
  expect(code).toBe(0)
  for (const text of ['companyfacts.zip', 'asfiled import us', 'Exit code']) expect(out).toContain(text)
})

test('Danish reports wait for their index, and a balance that does not add up is named', async () => {
  const danish = join(root, 'test/ingest/registers/dk/fixtures')
  const files = join(folder, 'danish')
  mkdirSync(files)
  const report = await Bun.file(join(danish, 'netcompany-2014.xml')).text()
  // Assets of the group, published as 378,948,000.
  writeFileSync(join(files, 'netcompany-2014.xml'), report.replace('>378948000<', '>378950000<'))
  const waiting = await asfiled('import', 'dk', files)
  expect(waiting.code).toBe(0)
  expect(line(waiting.out, 'facts added')).toBe('0')
  expect(line(waiting.out, 'awaiting')).toBe(
    '1 filings without a filing day in any document; stored, not served',
  )
  expect(line(waiting.out, 'left out')).toBe(
    '5: a figure of accounts other than the preferred ones (group before parent company)',
  )
  expect(line(waiting.out, 'checks')).toBe(
    'assets = liabilities + equity: 1 checked, 0 broken, 1 open (an item without a metric may explain the difference)',
  )
  writeFileSync(join(files, 'netcompany-2014.xml'), report.replace('>378948000<', '>378946000<'))
  const broken = await asfiled('import', 'dk', files)
  expect(line(broken.out, 'checks')).toBe('assets = liabilities + equity: 1 checked, 1 broken')
  expect(line(broken.out, '  broken')).toBe(
    'DK 21783684 2014-12-31 DK:21783684/netcompany-2014: off by -2,000 DKK',
  )
  const dated = await asfiled('import', 'dk', join(danish, 'index.json'))
  expect(line(dated.out, 'awaiting')).toBeUndefined()
  expect(Number(line(dated.out, 'facts added'))).toBeGreaterThan(5)
})

test('a register that overwrites needs a reading day that is not in the future', async () => {
  const path = join(root, 'test/ingest/registers/nz/fixtures/returns.json')
  const { code, error } = await asfiled('import', 'nz', path, '--pulled', '2999-01-01')
  expect([code, error]).toEqual([2, expect.stringContaining('--pulled 2999-01-01 is in the future')])
  expect((await asfiled('import', 'nz', path, '--pulled', '2026-02-30')).error).toContain('YYYY-MM-DD')
  expect((await asfiled('import', 'nz', path, '--pulled', '2026-02-20')).code).toBe(0)
  const again = await asfiled('import', 'nz', path, '--pulled', '2026-02-21')
  expect([again.code, line(again.out, 'facts added')]).toEqual([0, '0'])
  expect((await asfiled('import', 'nz', path)).error).not.toContain('--pulled')
  expect((await asfiled('import', 'nz', path)).error).toContain('give the day of that download with --pulled')
})

test('--json prints one object and nothing else on standard output, with the same exit codes', async () => {
  const files = join(folder, 'json')
  mkdirSync(files)
  cpSync(join(fixtures, 'companyfacts-lpa.json'), join(files, 'good.json'))
  writeFileSync(join(files, 'cut.json'), '{"cik": 1,\n "facts": {"us-gaap": {')
  const some = await asfiled('import', 'us', files, '--json')
  expect(some.code).toBe(1)
  expect(some.error).toContain('cut.json: line 2, column 24 (byte 34)')
  const report = JSON.parse(some.out)
  expect(report).toMatchObject({ market: 'US', malformed: { count: 0, named: [] }, future_filings: {} })
  expect(report.skipped).toEqual([
    { name: expect.stringContaining('cut.json'), reason: expect.stringContaining('line 2, column 24') },
  ])
  const lines = await asfiled('import', 'us', files)
  expect(lines.code).toBe(1)
  expect(report.data_version).toBe(Number(line(lines.out, 'data version')))
  expect(Number(line(lines.out, 'figures read')?.split(' ')[0].replaceAll(',', ''))).toBe(0)
  const good = await asfiled('import', 'us', join(files, 'good.json'), '--json')
  expect([good.code, JSON.parse(good.out).documents_unchanged]).toEqual([0, 1])
  const none = await asfiled('import', 'us', join(files, 'cut.json'), '--json')
  expect([none.code, JSON.parse(none.out).documents]).toEqual([1, 0])
  const missing = await asfiled('import', 'us', join(folder, 'nothing-here'), '--json')
  expect([missing.code, missing.out]).toEqual([2, ''])
})

test('a build deletes no release while BULK_KEEP is set, which an earlier version obeyed', async () => {
  // One company: what a release contains is not the question here.
  const small = await testDatabase()
  await runOn({ DATABASE_URL: small.url }, 'import', 'us', join(fixtures, 'companyfacts-lpa.json'))
  const bulk = {
    DATABASE_URL: small.url,
    BULK_DIR: join(folder, 'kept'),
    ALLOW_UNVERIFIED_MARKETS: 'US',
  }
  const releases: number[] = []
  const buildNext = async (settings: Record<string, string>) => {
    await small.sql`update data_version set version = version + 1`
    const built = await asfiledWith({ ...bulk, ...settings }, 'bulk', 'build', '--json')
    releases.unshift(JSON.parse(built.out).data_version)
    return built.error
  }
  const listed = async () =>
    JSON.parse((await asfiledWith(bulk, 'bulk', 'list', '--json')).out).releases.map(
      (release: { data_version: number }) => release.data_version,
    )
  for (let round = 0; round < 4; round++)
    expect(await buildNext({ BULK_KEEP: '12' })).toContain('While it is set, no release is deleted')
  expect(await listed()).toEqual(releases)
  expect(await buildNext({})).not.toContain('BULK_KEEP')
  expect(await listed()).toEqual(releases.slice(0, 3))
  await small.close()
})

test('bulk and a noted backup print one object, too', async () => {
  const bulk = { BULK_DIR: join(folder, 'bulk'), ALLOW_UNVERIFIED_MARKETS: 'US' }
  const none = await asfiledWith(bulk, 'bulk', 'list', '--json')
  expect([none.code, JSON.parse(none.out)]).toEqual([0, { releases: [], unfinished: [] }])
  const built = await asfiledWith(bulk, 'bulk', 'build', '--json')
  expect(built.code).toBe(0)
  const { is_new, folder: made, published, seconds, ...manifest } = JSON.parse(built.out)
  expect([is_new, published, typeof seconds]).toEqual([true, null, 'number'])
  expect(manifest).toEqual(await Bun.file(join(made, 'manifest.json')).json())
  const again = await asfiledWith(bulk, 'bulk', 'build', '--json')
  expect(JSON.parse(again.out)).toMatchObject({ is_new: false, data_version: manifest.data_version })
  const { data_version, as_of, rows, files, bytes } = manifest
  const list = await asfiledWith(bulk, 'bulk', 'list', '--json')
  expect(JSON.parse(list.out)).toEqual({
    releases: [{ data_version, as_of, rows, files: files.length, bytes }],
    unfinished: [],
  })
  const removed = await asfiledWith(bulk, 'bulk', 'remove', String(data_version), '--json')
  expect([removed.code, JSON.parse(removed.out)]).toEqual([0, { removed: data_version }])
  const gone = await asfiledWith(bulk, 'bulk', 'remove', String(data_version), '--json')
  expect([gone.code, gone.out]).toEqual([2, ''])
  const noted = await asfiled('backup', '--record', 'other.dump', '--json')
  expect([noted.code, JSON.parse(noted.out)]).toEqual([
    0,
    { file: 'other.dump', bytes: null, recorded: true },
  ])
})

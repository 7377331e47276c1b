import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sources } from '../../src/ingest/allRegisters.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { allSecrets, type Replay, startReplay } from '../ingest/network/replay.ts'
import { storedFacts } from '../ingest/stored.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { runOn } from './runInProcess.ts'

setDefaultTimeout(180_000)

const root = resolve(import.meta.dir, '../..')
let db: TestDatabase
let replay: Replay
let folder: string
/** Everything that every command of these tests wrote. */
let written = ''

beforeAll(() => {
  written = ''
})
beforeEach(async () => {
  db = await testDatabase()
  replay = await startReplay()
  folder = mkdtempSync(join(tmpdir(), 'asfiled-sync-cli-'))
})
afterEach(async () => {
  await replay.stop()
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})
afterAll(() => {
  expect(written).toContain('requests')
  for (const secret of nonEmpty(allSecrets)) expect(written).not.toContain(secret)
})

function start(args: readonly string[], settings: Record<string, string> = {}) {
  const child = Bun.spawn(['bun', 'src/cli.ts', 'sync', ...args], {
    cwd: root,
    env: {
      ...process.env,
      ...replay.settings,
      DATABASE_URL: db.url,
      DATA_DIR: folder,
      NO_COLOR: '1',
      ...settings,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const ended = async () => {
    const [out, error, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    written += out + error
    return { out, error, code }
  }
  return { child, ended: ended() }
}

const sync = (...args: string[]) => start(args).ended

/** In this process, which starts sooner. Only for commands that end before they wait for signals. */
async function syncHere(args: readonly string[], settings: Record<string, string> = {}) {
  const env = { ...replay.settings, DATABASE_URL: db.url, DATA_DIR: folder, ...settings }
  const run = await runOn(env, 'sync', ...args)
  written += run.out + run.error
  return run
}

const line = (out: string, label: string) =>
  out
    .split('\n')
    .find(text => text.startsWith(label))
    ?.slice(label.length)
    .trim()

const until = async (part: string) => {
  while (!replay.requests.some(request => request.includes(part))) await Bun.sleep(5)
}

/** Standard error of a command without complaints. */
const onlyTheDatabase = expect.stringMatching(
  /^Database: PostgreSQL at 127\.0\.0\.1:\d+\/\w+ \(DATABASE_URL\)\n$/,
)

/** Apple has more than a thousand filings: the older ones are in a list of their own. */
const sweep = [
  'GET /sec/files/company_tickers.json',
  'GET /sec-data/submissions/CIK0000320193.json',
  'GET /sec-data/submissions/CIK0000320193-submissions-001.json',
  'GET /sec-data/api/xbrl/companyfacts/CIK0000320193.json',
  ...['0001652044', '0001997711'].flatMap(cik => [
    `GET /sec-data/submissions/CIK${cik}.json`,
    `GET /sec-data/api/xbrl/companyfacts/CIK${cik}.json`,
  ]),
  ...['2009q1', '2009q2', '2009q3', '2009q4', '2010q1', '2010q2', '2010q3', '2010q4'].map(
    quarter => `GET /sec/files/dera/data/financial-statement-data-sets/${quarter}.zip`,
  ),
]
const beforeDataSets = sweep.findIndex(request => request.includes('data-sets'))

test('an address of a register that was removed does not make a run fetch from the register itself', async () => {
  const addresses = Object.keys(replay.settings).filter(name => name.endsWith('_URL'))
  const unset = Object.fromEntries(nonEmpty(addresses).map(name => [name, '']))
  const run = await syncHere(['us'], { ...unset, SEC_URL: 'https://mirror.example' })
  expect([run.code, run.out]).toEqual([2, ''])
  expect(run.error).toContain('would fetch from the registers themselves: SEC_URL. Omit them')
  const mirrored = await syncHere(['us', '--since', '2999-01-01'], { SEC_URL: 'https://mirror.example' })
  expect(mirrored.error).toContain('--since 2999-01-01 is in the future')
  expect(replay.requests).toEqual([])
})

test('a register is fetched and imported, and a second run finds nothing new', async () => {
  const first = await sync('us')
  expect([first.code, first.error]).toEqual([0, onlyTheDatabase])
  expect(replay.requests).toEqual(sweep)
  expect(line(first.out, 'requests')).toBe('16 (0 more were already stored)')
  expect(line(first.out, 'documents')).toBe('4')
  expect(Number(line(first.out, 'facts added'))).toBeGreaterThan(20)
  const facts = await storedFacts(db.sql)
  replay.requests.length = 0
  replay.replace('daily-index', { status: 200, body: '{"directory":{"item":[]}}' })
  const second = await sync('us')
  expect(second.code).toBe(0)
  const [sets, others] = [true, false].map(isSet =>
    replay.requests.filter(request => request.includes('data-sets') === isSet),
  )
  expect(nonEmpty(others).every(request => request.includes('daily-index'))).toBe(true)
  // The next eight: the first ones are missing at this register and will not come.
  expect(sets.map(request => request.slice(-10, -4))).toEqual(
    ['2011', '2012'].flatMap(year => ['q1', 'q2', 'q3', 'q4'].map(quarter => year + quarter)),
  )
  expect(line(second.out, 'facts added')).toBe('0')
  expect(await storedFacts(db.sql)).toEqual(facts)
})

test('kill -9 in the middle: the next run requests nothing that is stored, and ends where an undisturbed one does', async () => {
  await sync('us')
  const wanted = await storedFacts(db.sql)
  await db.close()
  db = await testDatabase()
  rmSync(join(folder, 'registers'), { recursive: true })

  replay.requests.length = 0
  replay.failNext('companyfacts/CIK0001997711', 'hang')
  const killed = start(['us'])
  await until('companyfacts/CIK0001997711')
  killed.child.kill('SIGKILL')
  expect((await killed.ended).code).not.toBe(0)
  expect(replay.requests).toEqual(sweep.slice(0, beforeDataSets))
  expect(await storedFacts(db.sql)).toEqual([])

  const resumed = await sync('us')
  expect([resumed.code, resumed.error]).toEqual([0, onlyTheDatabase])
  // Only the answer that never came is requested again.
  expect(replay.requests).toEqual([
    ...sweep.slice(0, beforeDataSets),
    'GET /sec-data/api/xbrl/companyfacts/CIK0001997711.json',
    ...sweep.slice(beforeDataSets),
  ])
  expect(await storedFacts(db.sql)).toEqual(wanted)
})

test('Ctrl-C stops cleanly, and the next run continues', async () => {
  replay.failNext('submissions/CIK0001652044', 'hang')
  const stopped = start(['us'])
  await until('submissions/CIK0001652044')
  stopped.child.kill('SIGINT')
  const { code, error } = await stopped.ended
  expect(code).toBe(1)
  expect(error).toContain('Stopping after the work in progress')
  expect(error).toContain('Run the same command again to continue.')
  const resumed = await sync('us')
  expect(resumed.code).toBe(0)
  expect(replay.requests).toEqual([...sweep.slice(0, 5), ...sweep.slice(4)])
})

test('the exit code shows whether everything was fetched', async () => {
  const companies = join(folder, 'companies.txt')
  writeFileSync(companies, '# listed\n320193\nCIK0001997711\n')
  replay.replace('companyfacts/CIK0001997711', { status: 200, body: '{"cik":1997711,"figures":{}}' })
  const some = await sync('us', '--companies', companies)
  expect(some.code).toBe(1)
  expect(some.error).toContain('/api/xbrl/companyfacts/CIK0001997711.json: The register has changed the form')
  replay.replace('documents.json', { status: 403, body: '' })
  replay.replace('Edinetcode', { status: 403, body: '' })
  const none = await sync('jp', '--since', '2025-06-27')
  expect(none.code).toBe(1)
  expect(none.error).toContain('Check EDINET_KEY.')
})

test('missing settings and options are reported before the first request', async () => {
  const needed = await syncHere(['be'], { NBB_KEY: '' })
  expect([needed.code, needed.error]).toEqual([2, expect.stringContaining('Set NBB_KEY in the environment')])
  const contact = await syncHere(['us'], { SEC_CONTACT: 'none' })
  expect([contact.code, contact.error]).toEqual([
    2,
    expect.stringContaining('SEC_CONTACT must contain a name and an e-mail'),
  ])
  const companies = await syncHere(['fr'])
  expect([companies.code, companies.error]).toEqual([2, expect.stringContaining('--companies')])
  const list = join(folder, 'companies.txt')
  writeFileSync(list, '377708425\n12-34\n')
  const odd = await syncHere(['fr', '--companies', list])
  expect([odd.code, odd.error]).toEqual([
    2,
    expect.stringContaining('companies.txt:2: 12-34 is not a valid SIREN'),
  ])
  expect((await syncHere(['us', '--since', '2999-01-01'])).error).toContain('in the future')
  expect(replay.requests).toEqual([])
})

test('help states what is fetched, what it needs and what the exit codes mean', async () => {
  for (const market of nonEmpty([...sources.keys()]).map(code => code.toLowerCase())) {
    const { out, code } = await syncHere([market, '--help'])
    expect(code).toBe(0)
    for (const text of [`asfiled sync ${market}`, 'Exit code', '--since']) expect(out).toContain(text)
    expect(out.includes('--companies')).toBe(!['tw', 'nz'].includes(market))
  }
})

test('answers are stored under the market and the day', async () => {
  await sync('nz')
  const [day] = readdirSync(join(folder, 'registers/nz'))
  expect(day).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(readdirSync(join(folder, 'registers/nz', day))).toEqual(['GrpOrgAllReturns_000000000.json'])
})

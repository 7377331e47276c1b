import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { explainFileError } from '../../src/commands/files.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { runOn } from './runInProcess.ts'

setDefaultTimeout(180_000)

const root = resolve(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-wrong-'))
const [text, closed, inner] = [join(folder, 'text.csv'), join(folder, 'closed.csv'), join(folder, 'folder')]
let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
  for (const file of [text, closed]) writeFileSync(file, 'x\n')
  mkdirSync(inner)
  chmodSync(folder, 0o755)
  chmodSync(closed, 0)
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

const settings = () => ({ DATABASE_URL: db.url, DATA_DIR: join(folder, 'data'), COMPUTE_THREADS: '1' })

/** Root stays the owner of this folder, which others may not be able to read, but must obey the modes of files. */
const asOrdinaryOwner = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']

/** Runs a command in a process of its own, which may not read every file even if this account may. */
async function asfiled(args: readonly string[], { isUnprivileged = false, stdout = 'pipe' } = {}) {
  const runAs = isUnprivileged && process.getuid?.() === 0 ? asOrdinaryOwner : []
  const command = [...runAs, process.execPath, 'src/cli.ts', ...args]
  const child = Bun.spawn(stdout === 'pipe' ? command : ['sh', '-c', `"$@" ${stdout}`, 'sh', ...command], {
    cwd: root,
    env: { ...process.env, ...settings() },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [error, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  return { code, error: error.trim() }
}

/** One sentence, or several, of ours: no stack, no name of a system call. */
const inWords = expect.not.stringMatching(/^ +at |Bun v|errno|\bE[A-Z]{4,}\b/m)

const us = 'test/ingest/registers/us/fixtures/'
const filings = [`${us}companyfacts-aapl-fy2009.json`, `${us}submissions-aapl.json`]
const archive = 'sample/signals.csv.gz'

const faults: [string[], RegExp][] = [
  [['signals', 'import', inner], /folder is a folder\. Give a file/],
  [['signals', 'import', '/dev/zero'], /\/dev\/zero is neither a file nor a pipe/],
  [['signals', 'import', join(folder, 'missing')], /missing does not exist/],
  [['signals', 'sample', archive, inner], /folder, which is a folder\. Give a file in it/],
  [['signals', 'sample', archive, '/dev/full'], /\/dev\/full could not be written: no space left on device/],
  [['backtest', inner], /folder is a folder/],
  [
    ['backtest', archive, '--horizon', '1d', '--json', inner],
    /folder, which is a folder\. Give a file in it/,
  ],
  [['data', 'sample', '--us', ...filings, '--to', text], /text\.csv: file already exists\. Correct the path/],
  [['data', 'sample', '--us', ...filings, '--companies', inner], /folder is not a file/],
  [['sync', 'us', '--companies', inner], /folder is not a file/],
  [['import', 'us', join(folder, 'missing')], /missing does not exist/],
]
test.each(faults)('%j is refused in words', async (args, message) => {
  const { code, error } = await runOn(settings(), ...args)
  expect([1, 2]).toContain(code)
  expect(error).toMatch(message)
  expect(error).toEqual(inWords)
})

const closedFaults = [
  ['signals', 'sample', closed],
  ['backtest', closed],
  ['data', 'sample', '--us', ...filings, '--companies', closed],
]
test.each(closedFaults.map((args): [string[]] => [args]))(
  '%j, which this account may not read, is refused in words',
  async args => {
    const { code, error } = await asfiled(args, { isUnprivileged: true })
    expect([1, 2]).toContain(code)
    expect(error).toMatch(/closed\.csv (cannot|could not) be read: permission denied/)
    expect(error).toEqual(inWords)
  },
)

test('output that cannot be written is a failure: a key that was not shown is named, to be revoked', async () => {
  const list = await asfiled(['keys', 'list'], { stdout: '>/dev/full' })
  expect(list).toEqual({ code: 1, error: expect.stringContaining('Standard output could not be written') })
  const args = ['keys', 'create', '--email', 'ana@fund.example', '--licence', 'free']
  const { code, error } = await asfiled(args, { stdout: '>/dev/full' })
  expect(code).toBe(1)
  expect(error).toMatch(/not shown\. Revoke it: \.\/asfiled keys revoke asf_live_\w{8}/)
  expect(error).toEqual(inWords)
})

test('advice on the path comes only where another path would mend it', () => {
  const failed = (code: string) =>
    Object.assign(new Error(`${code}: it failed, open '/x'`), { code, path: '/x' })
  expect(explainFileError(failed('EACCES'))?.message).toEndWith('Correct the path or its permissions.')
  expect(explainFileError(failed('EIO'))?.message).toBe('/x: it failed.')
})

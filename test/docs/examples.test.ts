import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from '../boot/serverProcess.ts'
import { emptyServerDatabase, prepareDataDir, type TestDatabase } from '../database.ts'
import { type Replay, startReplay } from '../ingest/network/replay.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { findPython } from '../python.ts'
import { type Block, blocksOf, documents } from './blocks.ts'
import { writeInputs } from './inputs.ts'

/** Runs every command and example of the README and the guides against one server, as a reader would who pastes them in order,
 * and compares the answers that they show. */

setDefaultTimeout(120_000)

const root = resolve(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-docs-'))
const dataDir = makeDataDir()
let server: ServerProcess
let replay: Replay
let empty: TestDatabase
let key = ''

beforeAll(async () => {
  await prepareDataDir(dataDir)
  server = await startServerProcess(dataDir)
  key = /asf_live_\w+/.exec(server.said())?.[0] ?? ''
  replay = await startReplay()
  empty = await emptyServerDatabase()
  await writeInputs(folder)
  writeProgram('npx', 'shift 2; exec bun "$@"')
  writeProgram('createdb', 'true')
  // Those of this machine may be older than the server, which they then refuse.
  for (const name of ['pg_dump', 'pg_restore', 'pg_basebackup']) writeProgram(name, 'true')
})

afterAll(async () => {
  server.signal('SIGTERM')
  await server.exited
  await replay.stop()
  await empty.close()
  removeDataDir(dataDir)
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Replacements on the PATH: `npx -y bun@... x` runs `bun x`, and `createdb` does nothing because the database
 * exists.
 */
function writeProgram(name: string, script: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'bin', name), 0o755)
}

const blocks = (await Promise.all((await documents()).map(blocksOf))).flat()
const place = ({ document, line }: Block) => `${document}:${line}`
/** A server that a reader starts, and the tests that this is one of. */
const isLongRunning = (line: string) => /bun@\S+ (start|run test)\b/.test(line)

/** What a reader would enter for the placeholders of a document. */
const filledIn = (text: string) =>
  text
    .replaceAll('http://localhost:3000', server.address)
    .replace(/^export KEY=\.\.\..*$/gm, `export KEY=${key}`)
    .replaceAll('asf_live_Ab3', revocable)
    .replaceAll('Your Firm you@firm.example', replay.settings.SEC_CONTACT)
    .replaceAll('postgres://user:password@host:5432/asfiled', empty.url)

let revocable = ''

async function shell(script: string, extra: Record<string, string> = {}) {
  const child = Bun.spawn(['sh', '-ec', script], {
    cwd: folder,
    env: {
      ...process.env,
      ...replay.settings,
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      DATA_DIR: dataDir,
      DATABASE_URL: '',
      NO_COLOR: '1',
      KEY: key,
      ...extra,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, err, code }
}

/** Numbers are cut to ten digits, because the last bits may depend on the order in which a kernel adds. */
const tenDigits = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (_, item) =>
    typeof item === 'number' ? Number(item.toPrecision(10)) : item,
  )

describe('examples', () => {
  test('are there: queries, backtests and commands', () => {
    expect(blocks.filter(block => block.shown?.language === 'json').length).toBeGreaterThan(8)
    expect(blocks.filter(block => block.text.includes('./asfiled')).length).toBeGreaterThan(4)
    const languages = new Set(blocks.map(block => block.language))
    // `py` needs an environment of its own, and a long test runs what it shows.
    expect([...languages].sort()).toEqual([
      'bash',
      'json',
      'py',
      'python',
      'r',
      'sh',
      'sql',
      'text',
      'ts',
      'yaml',
    ])
  })

  const commands = blocks.filter(block => block.language === 'sh')
  test.each(nonEmpty(commands).map((block): [string, Block] => [place(block), block]))(
    '%s',
    async (_, block) => {
      if (block.text.includes('asf_live_Ab3')) {
        const made = await shell('./asfiled keys create --email old@fund.example --licence personal --json')
        revocable = JSON.parse(made.out).prefix
      }
      const lines = filledIn(block.text).split('\n')
      const script = lines.filter(line => !isLongRunning(line)).join('\n')
      const run = await shell(script)
      // A result below the bar that an example sets is what its exit code 3 says.
      const allowed = script.includes('--fail-below') ? [0, 3] : [0]
      expect({ ...run, isAllowed: allowed.includes(run.code) }).toMatchObject({ isAllowed: true })
      if (block.shown?.language === 'json')
        expect(tenDigits(JSON.parse(run.out))).toMatchObject(tenDigits(JSON.parse(block.shown.text)))
    },
  )

  const starts = commands.filter(block => block.text.split('\n').some(isLongRunning))
  test.each(nonEmpty(starts).map((block): [string, Block] => [place(block), block]))(
    '%s starts a server',
    async (_, block) => {
      const line = block.text.split('\n').find(text => /bun@\S+ start\b/.test(text)) ?? ''
      expect(line).toMatch(/npx -y bun@\d+\.\d+\.\d+ start/)
      const { version } = await Bun.file(resolve(root, 'package.json'))
        .json()
        .then(({ packageManager }) => ({ version: packageManager.replace('bun@', '') }))
      expect(line).toContain(`bun@${version} start`)
      const own = block.text.includes('DATABASE_URL') ? { DATABASE_URL: empty.url } : {}
      const started = await startServerProcess(dataDir, own)
      expect((await started.get('/ready')).status).toBe(200)
      started.signal('SIGTERM')
      expect(await started.exited).toBe(0)
    },
  )

  const python = findPython('pandas', 'pyarrow', 'requests')
  const notebooks = blocks.filter(block => block.language === 'python')
  test
    .skipIf(python === null)
    .each(nonEmpty(notebooks).map((block): [string, Block] => [place(block), block]))(
    '%s prints what it shows',
    async (_, block) => {
      writeFileSync(join(folder, 'notebook.py'), filledIn(block.text))
      const run = await shell(`${python} notebook.py`, { PYTHONPATH: resolve(root, 'clients/python/src') })
      expect(run).toEqual({ out: block.shown?.text ?? '', err: '', code: 0 })
    },
  )
})

describe('documents', () => {
  test('every link between files leads to a file', async () => {
    const missing: string[] = []
    for (const document of [...(await documents()), 'ARCHITECTURE.md', 'CONTRIBUTING.md']) {
      const text = await Bun.file(resolve(root, document)).text()
      for (const [, target] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
        if (/^https?:/.test(target)) continue
        if (!(await Bun.file(resolve(root, document, '..', target)).exists()))
          missing.push(`${document}: ${target}`)
      }
    }
    expect(missing).toEqual([])
  })

  test('every path that ARCHITECTURE answers a question with exists', async () => {
    const text = await Bun.file(resolve(root, 'ARCHITECTURE.md')).text()
    const table = text.slice(text.indexOf('## What the names do not tell you'), text.indexOf('## Rooms'))
    const paths = [...table.matchAll(/`((?:src|manifests|test|sql)\/[^`<]+|\.env\.example)`/g)].map(
      found => found[1],
    )
    expect(paths.length).toBeGreaterThanOrEqual(20)
    expect(paths.filter(path => !existsSync(resolve(root, path)))).toEqual([])
  })

  test('every setting of .env.example is read, and every setting that is read is in it', async () => {
    const listed = (await Bun.file(resolve(root, '.env.example')).text()).match(/^[A-Z_]+(?==)/gm) ?? []
    const sources = ['src/config.ts', 'src/registerSettings.ts'].map(file =>
      Bun.file(resolve(root, file)).text(),
    )
    const config = (await Promise.all(sources)).join()
    const read = [...config.matchAll(/(?:text|integer|list)\('([A-Z_]+)'|environment\.([A-Z_]+)/g)].map(
      match => match[1] ?? match[2],
    )
    expect([...new Set(read)].sort()).toEqual([...listed].sort())
  })
})

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorCodes } from '../../src/errors.ts'
import {
  makeDataDir,
  removeDataDir,
  runCommand,
  type ServerProcess,
  startServerProcess,
} from '../boot/serverProcess.ts'
import { prepareDataDir } from '../database.ts'
import { blocksOf } from '../docs/blocks.ts'
import { findPython } from '../python.ts'

/** The Python client against the server as a person starts it: its own tests, its types, its README and its notebook. */

setDefaultTimeout(300_000)

const client = resolve(import.meta.dir, '../../clients/python')
const python = findPython('requests', 'pandas', 'polars', 'pyarrow', 'tqdm', 'pytest', 'mypy')
const notebooks = python === null ? null : findPython('nbclient', 'nbformat', 'ipykernel', 'matplotlib')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-python-'))
const dataDir = makeDataDir()
let server: ServerProcess | null = null
let key = ''
let releases: readonly number[] = []
let oemKeys: readonly string[] = []

beforeAll(async () => {
  if (python === null) return
  await prepareDataDir(dataDir)
  server = await startServerProcess(dataDir)
  key = /asf_live_\w+/.exec(server.said())?.[0] ?? ''
  const early = await buildRelease()
  await importAmendment()
  await importNewTicker()
  await importDailyPrices()
  releases = [early, await buildRelease()]
  oemKeys = [await makeOemKey(), await makeOemKey('--bulk')]
})

afterAll(async () => {
  server?.signal('SIGTERM')
  await server?.exited
  removeDataDir(dataDir)
  rmSync(folder, { recursive: true, force: true })
})

/** Builds bulk files of the present data version, and returns it. */
async function buildRelease(): Promise<number> {
  const { code, out, err } = await runCommand(dataDir, 'bulk', 'build')
  if (code !== 0) throw new Error(err)
  return Number(/data version (\d+)/.exec(out)?.[1])
}

async function makeOemKey(...more: string[]): Promise<string> {
  const order = ['--email', 'oem@fund.example', '--licence', 'oem', ...more]
  const { code, out, err } = await runCommand(dataDir, 'keys', 'create', ...order, '--json')
  if (code !== 0) throw new Error(err)
  return JSON.parse(out).key
}

/** A made-up amendment of Apple's revenue of fiscal 2010, filed later than any day of the README and the notebook. */
async function importAmendment(): Promise<void> {
  const period = { start: '2009-09-27', end: '2010-09-25', fy: 2010, fp: 'FY' }
  const filing = { accn: '0000320193-12-999999', form: '10-K/A', filed: '2012-05-01' }
  const fact = { label: 'Revenue', units: { USD: [{ ...period, ...filing, val: 65_000_000_000 }] } }
  const facts = { cik: 320193, entityName: 'Apple Inc.', facts: { 'us-gaap': { SalesRevenueNet: fact } } }
  const file = join(folder, 'CIK0000320193.json')
  await Bun.write(file, JSON.stringify(facts))
  await importUs(file)
}

/** Masco has another ticker in the list of the SEC: in the feed it is renamed. */
async function importNewTicker(): Promise<void> {
  const file = join(folder, 'company_tickers.json')
  const masco = { cik_str: 62996, ticker: 'MASX', title: 'MASCO CORP /DE/' }
  await Bun.write(file, JSON.stringify({ 0: masco }))
  await importUs(file)
}

/** A price set for the tests of prices, shown to the key of the owner and to no other. */
async function importDailyPrices(): Promise<void> {
  const file = join(folder, 'daily.csv')
  const closes = [100, 110, 55, 66, 33]
  const rows = closes.flatMap((close, at) => [
    `2012-01-0${at + 2},AAPL,${close},${at === 2 ? 2 : 1}`,
    `2012-01-0${at + 2},MSFT,10,1`,
  ])
  await Bun.write(file, `date,symbol,close,split_factor\n${rows.join('\n')}\n`)
  const stated = ['--set', 'daily', '--currency', 'USD', '--raw', '--known', 'date']
  for (const args of [
    ['import', file, ...stated],
    ['rights', 'daily', '--allow', key.slice(0, 17)],
  ]) {
    const { code, err } = await runCommand(dataDir, 'prices', ...args)
    if (code !== 0) throw new Error(err)
  }
}

async function importUs(file: string): Promise<void> {
  const { code, err } = await runCommand(dataDir, 'import', 'us', file)
  if (code !== 0) throw new Error(err)
}

async function run(program: string | null, args: readonly string[], cwd: string) {
  const child = Bun.spawn([program ?? 'python3', ...args], {
    cwd,
    env: {
      ...process.env,
      PYTHONPATH: join(client, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
      // As the owner of a checkout runs them, whatever that person's Jupyter and Matplotlib are set to.
      IPYTHONDIR: folder,
      JUPYTER_CONFIG_DIR: folder,
      MPLCONFIGDIR: folder,
      ASFILED_URL: server?.address ?? '',
      ASFILED_KEY: key,
      ASFILED_TEST_URL: server?.address ?? '',
      ASFILED_TEST_KEY: key,
      ASFILED_TEST_RELEASES: releases.join(','),
      ASFILED_TEST_PRICES: 'daily',
      ASFILED_TEST_OEM_KEYS: oemKeys.join(','),
      ASFILED_TEST_CODES: errorCodes.join(','),
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

const programs = (await blocksOf('clients/python/README.md')).filter(({ language }) => language === 'python')

describe.skipIf(python === null)('the Python client', () => {
  test('passes its tests against the real server, none skipped', async () => {
    const { out, err, code } = await run(python, ['-m', 'pytest', '-rs', '--color=no'], client)
    expect(out.match(/^SKIPPED .*$/gm)).toBeNull()
    expect({ code, report: code === 0 ? '' : `${out}${err}` }).toEqual({ code: 0, report: '' })
    expect(out).toMatch(/^[1-9]\d* passed/m)
  })

  test('is clean under mypy --strict', async () => {
    const cache = join(folder, 'mypy')
    const { out, code } = await run(python, ['-m', 'mypy', '--cache-dir', cache], client)
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('no issues found') })
  })

  test('has examples in its README', () => {
    expect(programs.length).toBeGreaterThan(4)
    expect(programs.filter(({ shown }) => shown !== null).length).toBeGreaterThan(2)
  })

  test('prints what its README shows', async () => {
    // One after the other in one program, as a reader pastes them.
    const mark = '\u0001'
    const script = programs.map(({ text }) => `${text}\nprint("${mark}", end="")\n`).join('')
    await Bun.write(join(folder, 'readme.py'), script)
    const { out, err, code } = await run(python, ['readme.py'], folder)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const printed = out.split(mark).slice(0, -1)
    expect(printed).toEqual(programs.map(({ shown }) => shown?.text ?? ''))
  })

  test.skipIf(notebooks === null)(
    'has a notebook whose stored outputs are those of the real server',
    async () => {
      const notebook = join(client, 'examples/forecasts.ipynb')
      const { out, err, code } = await run(
        notebooks,
        [join(client, 'examples/run.py'), '--check', notebook],
        folder,
      )
      expect({ code, report: code === 0 ? '' : `${out}${err}` }).toEqual({ code: 0, report: '' })
    },
  )
})

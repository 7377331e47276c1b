import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from './serverProcess.ts'

/** With LONG=1 the largest panel: 2,500 dates of 10,000 assets. */
const dates = process.env.LONG === undefined ? 60 : 2_500
const assets = 10_000
const rows = dates * assets
/** Maximum memory per row in addition to what the server uses before. */
const maxBytesPerRow = 40
/**
 * What a small panel may use in addition, for windows of the file and for the parts being sent to the
 * database.
 */
const freeBytes = 100_000_000

if (process.env.LONG === undefined) console.log('shortened: 600,000 rows; 25,000,000 with LONG=1')

const folder = makeDataDir()
let server: ServerProcess
let key = ''
const python = process.env.PYTHON ?? Bun.which('python3')
const hasArrow =
  python !== null && Bun.spawnSync([python, '-c', 'import pyarrow.parquet, numpy']).exitCode === 0

beforeAll(async () => {
  server = await startServerProcess(folder, { COMPUTE_TIMEOUT_MS: '3000000' })
  const cli = Bun.spawnSync(
    [
      'bun',
      'src/cli.ts',
      'keys',
      'create',
      '--email',
      'ana@fund.example',
      '--licence',
      'personal',
      '--quant',
    ],
    { env: { ...process.env, DATA_DIR: folder, DATABASE_URL: '' } },
  )
  key = /asf_live_\w+/.exec(cli.stdout.toString())?.[0] ?? ''
}, 600_000)
afterAll(async () => {
  server.signal('SIGTERM')
  await server.exited
  removeDataDir(folder)
}, 180_000)

const dayAt = (date: number) => new Date(86_400_000 * (14_000 + date)).toISOString().slice(0, 10)
const names = Array.from({ length: assets }, (_, i) => `A${String(i).padStart(5, '0')}`)
/** The same numbers as the Python below makes. */
const scoreAt = (date: number, asset: number) => ((date * 7_919 + asset * 104_729) % 1_000_003) / 1_000_003
const returnAt = (date: number, asset: number) => (((date * 31 + asset * 17) % 2_001) - 1_000) / 25_000

/** Writes a file line by line, or value by value. */
async function written(name: string, parts: Iterable<string>): Promise<string> {
  const path = join(folder, name)
  const sink = Bun.file(path).writer({ highWaterMark: 4_194_304 })
  for (const part of parts) {
    sink.write(part)
    await sink.flush()
  }
  await sink.end()
  return path
}

function* csv(order: (date: number) => number = date => date) {
  yield 'date,asset,market,score,forward_return\n'
  for (let at = 0; at < dates; at++) {
    const date = order(at)
    const day = dayAt(date)
    yield names.map((name, i) => `${day},${name},US,${scoreAt(date, i)},${returnAt(date, i)}\n`).join('')
  }
}

function* jsonColumns() {
  const columns: [string, (date: number) => string][] = [
    ['date', date => `"${dayAt(date)}",`.repeat(assets).slice(0, -1)],
    ['asset', () => names.map(name => `"${name}"`).join(',')],
    ['market', () => '"US",'.repeat(assets).slice(0, -1)],
    ['score', date => names.map((_, i) => scoreAt(date, i)).join(',')],
    ['forward_return', date => names.map((_, i) => returnAt(date, i)).join(',')],
  ]
  yield '{"panel":{'
  for (const [at, [name, cells]] of columns.entries()) {
    yield `${at === 0 ? '' : ','}"${name}":[`
    for (let date = 0; date < dates; date++) yield `${date === 0 ? '' : ','}${cells(date)}`
    yield ']'
  }
  yield '}}'
}

const parquetScript = `
import sys, numpy as np, pyarrow as pa, pyarrow.parquet as pq
path, dates, assets = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
names = pa.array([f"A{i:05d}" for i in range(assets)])
writer = None
i = np.arange(assets, dtype=np.int64)
for first in range(0, dates, 100):
    parts = []
    for date in range(first, min(first + 100, dates)):
        parts.append(pa.table({
            "date": pa.array(np.full(assets, 14000 + date, np.int32)).cast(pa.date32()),
            "asset": names, "market": pa.array(["US"] * assets),
            "score": ((date * 7919 + i * 104729) % 1000003) / 1000003,
            "forward_return": (((date * 31 + i * 17) % 2001) - 1000) / 25000}))
    table = pa.concat_tables(parts)
    writer = writer or pq.ParquetWriter(path, table.schema)
    writer.write_table(table)
writer.close()
`

const memoryOf = (name: 'VmRSS' | 'VmHWM') =>
  1_024 *
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1])

interface Stored {
  readonly id: string
  readonly bytes: number
  readonly n_rows: number
}

/** Stores a file, and measures what that takes at its peak. */
async function store(path: string, type: string, encoding?: string): Promise<Stored> {
  // Sets VmHWM back to what is resident now.
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
  const before = memoryOf('VmRSS')
  const started = performance.now()
  const response = await fetch(`${server.address}/api/v1/panels`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': type,
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    },
    body: Bun.file(path),
  })
  const text = await response.text()
  expect([response.status, text.slice(0, 500)]).toEqual([expect.any(Number), expect.stringContaining('"id"')])
  const stored: Stored = JSON.parse(text)
  const growth = memoryOf('VmHWM') - before
  console.log(
    `${type} ${encoding ?? ''}: ${(statSync(path).size / 1e6).toFixed(0)} MB, ${(growth / rows).toFixed(1)} bytes a row, ${((performance.now() - started) / 1_000).toFixed(1)} s`,
  )
  rmSync(path)
  expect(stored.n_rows).toBe(rows)
  expect(growth).toBeLessThan(maxBytesPerRow * rows + (process.env.LONG === undefined ? freeBytes : 0))
  return stored
}

const drop = (id: string) =>
  fetch(`${server.address}/api/v1/panels/${id}`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${key}` },
  })

async function compressed(path: string, tool: string): Promise<string> {
  const packed = `${path}.${tool}`
  const child = Bun.spawn([tool, '-1', '-c', path], { stdout: Bun.file(packed) })
  expect(await child.exited).toBe(0)
  rmSync(path)
  return packed
}

describe(`${rows.toLocaleString('en')} rows are stored with ${maxBytesPerRow} bytes a row at the peak`, () => {
  let first: Stored | null = null
  /** The same rows are the same panel, whatever their form. It leaves the cache before the next one. */
  const same = async (stored: Stored) => {
    first ??= stored
    expect(stored.bytes).toBe(first.bytes)
  }

  test('as CSV', async () => {
    const stored = await store(await written('rows.csv', csv()), 'text/csv')
    await same(stored)
    const answer = await fetch(`${server.address}/api/v1/backtest`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ panel: stored.id, config: { costBps: 10 } }),
    })
    expect([answer.status, (await answer.json()).n_rows]).toEqual([200, rows])
    await drop(stored.id)
  }, 1_800_000)

  test('as CSV in another order of dates, with gzip', async () => {
    const path = await compressed(
      await written(
        'mixed.csv',
        csv(date => (date * 7) % dates),
      ),
      'gzip',
    )
    const stored = await store(path, 'text/csv', 'gzip')
    await same(stored)
    await drop(stored.id)
  }, 1_800_000)

  test.skipIf(!hasArrow)(
    'as Parquet',
    async () => {
      const path = join(folder, 'rows.parquet')
      const child = Bun.spawn([python ?? '', '-c', parquetScript, path, String(dates), String(assets)])
      expect(await child.exited).toBe(0)
      const stored = await store(path, 'application/vnd.apache.parquet')
      await same(stored)
      await drop(stored.id)
    },
    1_800_000,
  )

  test.skipIf(Bun.which('zstd') === null)(
    'as JSON columns, with zstd',
    async () => {
      const path = await compressed(await written('columns.json', jsonColumns()), 'zstd')
      const stored = await store(path, 'application/json', 'zstd')
      await same(stored)
      await drop(stored.id)
    },
    1_800_000,
  )

  test.skipIf(process.env.LONG === undefined)(
    'a row more is refused',
    async () => {
      const more = (function* () {
        yield* csv()
        yield '2030-01-01,A,US,1,0\n'
      })()
      const path = await written('more.csv', more)
      const response = await fetch(`${server.address}/api/v1/panels`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' },
        body: Bun.file(path),
      })
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining('panel has more than 25,000,000 rows'),
      ])
    },
    1_800_000,
  )
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { loadSignalsSample } from '../src/features/signals/import/sample.ts'
import { type Compression, compressions, compressStream, type Encoding } from '../src/http/compression.ts'
import { loadSample } from '../src/ingest/sample/loadSample.ts'
import { loadBenchData } from './data/loadBenchData.ts'
import { type Served, sellKey, startApp } from './http.ts'
import { scratchDatabase } from './scratchDatabase.ts'

/** Measures the size and processor time of real answers, compressed with gzip 6 and with zstd at several levels. The
 * choices in `compressions` are based on it. */

const entities = 10_000
const rounds = 10
const zstdLevels = [3, 5, 6, 7, 9]

const backtest = {
  method: 'POST',
  body: '{"source":{"market":"US","horizon":"1d","from":"2013-01-02"},"config":{"quantile":0.1,"holdDays":5}}',
}

interface Sample {
  readonly name: string
  readonly path: string
  readonly chosen: Compression
  readonly init?: RequestInit
  /** True if the answer is sent while it is produced. */
  readonly streamed?: boolean
}

const { companyRows, marketRows, results, documents } = compressions
const samples: readonly Sample[] = [
  { name: 'AAPL, history', path: '/api/v1/fundamentals?ticker=AAPL', chosen: companyRows },
  { name: 'AAPL, latest', path: '/api/v1/fundamentals?ticker=AAPL&view=latest', chosen: companyRows },
  { name: 'AAPL, history, CSV', path: '/api/v1/fundamentals?ticker=AAPL&format=csv', chosen: companyRows },
  {
    name: 'four companies, streamed',
    path: '/api/v1/fundamentals?ticker=AAPL,GOOGL,SNOW,2330.TW',
    chosen: companyRows,
    streamed: true,
  },
  {
    name: 'cross-section of 1,000',
    path: '/api/v1/cross-section?market=FR&metric=net_income',
    chosen: marketRows,
  },
  {
    name: 'cross-section of 1,000, CSV',
    path: '/api/v1/cross-section?market=FR&metric=net_income&format=csv',
    chosen: marketRows,
  },
  { name: 'coverage index', path: '/api/v1/fundamentals', chosen: results },
  {
    name: '50,000 signals, streamed',
    path: '/api/v1/signals?limit=50000',
    chosen: results,
    streamed: true,
  },
  {
    name: '50,000 signals, CSV, streamed',
    path: '/api/v1/signals?limit=50000&format=csv',
    chosen: results,
    streamed: true,
  },
  { name: 'backtest', path: '/api/v1/backtest', chosen: results, init: backtest },
  { name: 'tear sheet', path: '/api/v1/backtest?format=html', chosen: results, init: backtest },
  { name: '/openapi.json', path: '/openapi.json', chosen: documents },
  { name: '/docs/errors', path: '/docs/errors', chosen: documents },
  { name: 'swagger-ui-bundle.js', path: '/docs/assets/swagger-ui-bundle.js', chosen: documents },
]

/** The answers of a server on the sample and on generated companies, uncompressed. */
function fetchSamples(): Promise<Uint8Array<ArrayBuffer>[]> {
  return scratchDatabase(async (sql, url) => {
    await loadBenchData(sql, { entities, seed: 1, onProgress: () => {} })
    await loadSample(sql)
    await loadSignalsSample(sql)
    const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-'))
    const children: Bun.Subprocess[] = []
    try {
      const environment = { ...process.env, DATA_DIR: join(folder, 'data'), PORT: '0', DATABASE_URL: url }
      const server = await startApp(environment, folder, children)
      const key = await sellKey(environment, '--quant')
      const bodies: Uint8Array<ArrayBuffer>[] = []
      for (const sample of samples) bodies.push(await fetchSample(server, key, sample))
      return bodies
    } finally {
      for (const child of children) {
        child.kill('SIGTERM')
        await child.exited
      }
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

async function fetchSample({ port }: Served, key: string, { path, init }: Sample) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...init,
    headers: {
      Authorization: `Bearer ${key}`,
      'Accept-Encoding': 'identity',
      'Content-Type': 'application/json',
    },
  })
  if (response.status !== 200) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
  return response.bytes()
}

type Codec = (bytes: Uint8Array<ArrayBuffer>) => number | Promise<number>

function codecs({ streamed = false }: Sample): ReadonlyMap<string, Codec> {
  const coded = new Map<string, Codec>()
  const add = (encoding: Encoding, level: number, whole: Codec) => {
    const compression: Compression = { preferred: 'zstd', zstdLevel: level }
    coded.set(`${encoding} ${level}`, streamed ? bytes => streamedSize(bytes, encoding, compression) : whole)
  }
  add('gzip', 6, bytes => gzipSync(bytes, { level: 6 }).length)
  for (const level of zstdLevels) add('zstd', level, bytes => Bun.zstdCompressSync(bytes, { level }).length)
  return coded
}

/** Roughly the chunk size of `signals/stream.ts` and `fundamentals/stream.ts`. */
const chunkBytes = 150_000

async function streamedSize(bytes: Uint8Array<ArrayBuffer>, encoding: Encoding, compression: Compression) {
  let at = 0
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) controller.close()
      else controller.enqueue(bytes.subarray(at, at + chunkBytes))
      at += chunkBytes
    },
  })
  let size = 0
  for await (const chunk of compressStream(source, encoding, compression)) size += chunk.length
  return size
}

/** Returns the size, and the shortest processor time of several rounds in milliseconds. Other processes can only make a
 * round slower, so the shortest time is the most accurate. */
async function measure(codec: Codec, bytes: Uint8Array<ArrayBuffer>): Promise<{ size: number; ms: number }> {
  const repeats = Math.max(1, Math.round(1_000_000 / bytes.length))
  let size = 0
  let ms = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    for (let repeat = 0; repeat < repeats; repeat++) size = await codec(bytes)
    const { user, system } = process.cpuUsage(before)
    ms = Math.min(ms, (user + system) / 1_000 / repeats)
  }
  return { size, ms }
}

function chosenName({ chosen }: Sample): string {
  const zstd = `zstd ${chosen.zstdLevel}`
  return chosen.preferred === 'gzip' ? `gzip 6, else ${zstd}` : zstd
}

if (import.meta.main) {
  const bodies = await fetchSamples()
  const names = ['gzip 6', ...zstdLevels.map(level => `zstd ${level}`)]
  console.log(`| answer | bytes | ${names.join(' | ')} | chosen |`)
  console.log(`|${'---|'.repeat(names.length + 3)}`)
  for (const [place, sample] of samples.entries()) {
    const cells: string[] = []
    for (const codec of codecs(sample).values()) {
      const { size, ms } = await measure(codec, bodies[place])
      cells.push(`${size.toLocaleString('en-US')}, ${ms.toFixed(2)}`)
    }
    const bytes = bodies[place].length.toLocaleString('en-US')
    console.log(`| ${sample.name} | ${bytes} | ${cells.join(' | ')} | ${chosenName(sample)} |`)
  }
}

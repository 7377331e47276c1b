import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Figure } from './figure.ts'
import type { LoadOutcome, LoadTask } from './httpLoad.ts'

/** Measures the speed of cached responses (`view=latest` of one company, with authentication, rate limits shared through
 * the database, and the log) relative to an Elysia route that returns the same bytes. Each server is its own process, and
 * a third process loads them alternately, so that both sides of the ratio come from one session. */

const root = resolve(import.meta.dir, '..')
const path = '/api/v1/fundamentals?ticker=AAPL&view=latest'
/** Clients usually ask for compression. Uncompressed, the answer exceeds 16 KB, and Bun 1.4.4 would write each header of such
 * an answer separately (`docs/bun-large-answers.md`). Both are measured, so that this cost does not come back unnoticed. */
const encodings = ['gzip', 'identity'] as const

export interface HttpBench {
  readonly gzip: HttpRounds
  /** null: not measured. */
  readonly identity: HttpRounds | null
}

export interface HttpRounds {
  bytes: number
  rounds: HttpRound[]
  /** Median of the rounds' ratios: our request rate over the bare route's. */
  ratio: number
}

export interface HttpRound {
  barePerSecond: number
  perSecond: number
  ratio: number
  /** Processor time of the server per request, in microseconds; null: not available on this system. */
  bareMicros: number | null
  micros: number | null
  p50Ms: number
  p99Ms: number
}

export interface Served {
  pid: number
  port: number
}

const warmUps = 2

/** First proves parity: both servers must return the same bytes.
 *
 * @param short only the compressed answer, which has a budget, and fewer rounds, for CI */
export async function benchHttp({ short = false }: { readonly short?: boolean } = {}): Promise<HttpBench> {
  const { rounds, roundMs } = short ? { rounds: 3, roundMs: 1_500 } : { rounds: 7, roundMs: 3_000 }
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-'))
  const children: Bun.Subprocess[] = []
  try {
    const environment = { ...process.env, DATA_DIR: join(folder, 'data'), PORT: '0', DATABASE_URL: '' }
    const app = await startApp(environment, folder, children)
    const authorization = `Bearer ${await sellKey(environment)}`
    const benchOf = async (encoding: (typeof encodings)[number]): Promise<HttpRounds> => {
      const headers = { Authorization: authorization, 'Accept-Encoding': encoding }
      const expected = await fetchBytes(`http://127.0.0.1:${app.port}${path}`, headers)
      const file = join(folder, encoding)
      await Bun.write(file, expected)
      const bare = await startBare(file, children)
      const plain = await fetchBytes(`http://127.0.0.1:${bare.port}/`, {})
      if (Buffer.compare(expected, plain) !== 0) throw new Error('The two servers return different bytes.')
      const task = { connections: 256, ms: roundMs }
      // The first rounds warm up both servers and do not count.
      const measured: HttpRound[] = []
      for (let round = 1 - warmUps; round <= rounds; round++) {
        const a = await measure(bare, { ...task, port: bare.port, path: '/', headers })
        const b = await measure(app, { ...task, port: app.port, path, headers })
        if (round > 0) measured.push(compare(a, b))
      }
      const ratios = measured.map(({ ratio }) => ratio).sort((x, y) => x - y)
      return { bytes: expected.length, rounds: measured, ratio: ratios[Math.floor(ratios.length / 2)] }
    }
    return { gzip: await benchOf('gzip'), identity: short ? null : await benchOf('identity') }
  } finally {
    for (const child of children.reverse()) {
      child.kill('SIGTERM')
      await child.exited
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

export type Environment = Record<string, string | undefined>

export async function startApp(
  env: Environment,
  folder: string,
  children: Bun.Subprocess[],
): Promise<Served> {
  const log = Bun.file(join(folder, 'log'))
  const child = Bun.spawn(['bun', 'src/main.ts'], { cwd: root, env, stdout: 'pipe', stderr: log })
  children.push(child)
  let output = ''
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk)
    const port = /ready at\s+http:\/\/[^:]+:(\d+)/.exec(output)?.[1]
    if (port !== undefined) return { pid: child.pid, port: Number(port) }
  }
  throw new Error(`The server did not start:\n${output}`)
}

async function startBare(file: string, children: Bun.Subprocess[]): Promise<Served> {
  const child = Bun.spawn(['bun', 'bench/httpBare.ts', file], { cwd: root, stdout: 'pipe' })
  children.push(child)
  for await (const chunk of child.stdout) {
    return { pid: child.pid, port: Number(new TextDecoder().decode(chunk)) }
  }
  throw new Error('The bare route did not start.')
}

/** Creates a key with limits so high that no request is refused, though all are counted. */
export async function sellKey(env: Environment, ...more: string[]): Promise<string> {
  const terms = ['--licence', 'oem', '--per-minute', '900000000', '--email', 'load@bench.example', ...more]
  const child = Bun.spawn(['bun', 'src/cli.ts', 'keys', 'create', ...terms, '--json'], {
    cwd: root,
    env,
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return JSON.parse(await new Response(child.stdout).text()).key
}

async function fetchBytes(url: string, headers: Record<string, string>): Promise<Uint8Array> {
  const response = await fetch(url, { headers, decompress: false })
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}: ${await response.text()}`)
  return response.bytes()
}

interface Measured extends LoadOutcome {
  micros: number | null
}

export async function measure(served: Served, task: LoadTask): Promise<Measured> {
  const before = processorSeconds(served.pid)
  const child = Bun.spawn(['bun', 'bench/httpLoad.ts', JSON.stringify(task)], { cwd: root, stdout: 'pipe' })
  const outcome: LoadOutcome = JSON.parse(await new Response(child.stdout).text())
  const after = processorSeconds(served.pid)
  if (outcome.failures > 0)
    throw new Error(
      `${outcome.failures} of ${outcome.requests} requests failed: ${outcome.failed.join('; ')}.`,
    )
  const micros = after === null || before === null ? null : ((after - before) / outcome.requests) * 1e6
  return { ...outcome, micros }
}

const ticksPerSecond = 100

/** Processor seconds of a process so far; null: not on Linux. */
export function processorSeconds(pid: number): number | null {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return null
  const text = readFileSync(file, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

function compare(bare: Measured, app: Measured): HttpRound {
  return {
    barePerSecond: Math.round(bare.perSecond),
    perSecond: Math.round(app.perSecond),
    ratio: app.perSecond / bare.perSecond,
    bareMicros: bare.micros,
    micros: app.micros,
    p50Ms: app.p50Ms,
    p99Ms: app.p99Ms,
  }
}

export function httpFigures({ gzip, identity }: HttpBench): Figure[] {
  const middle = gzip.rounds[Math.floor(gzip.rounds.length / 2)]
  return [
    ratioFigure('http.latest_ratio_to_bare_route', gzip),
    { name: 'http.latest_requests', value: middle.perSecond, unit: 'requests/s' },
    { name: 'http.latest_p99', value: middle.p99Ms, unit: 'ms' },
    ...(identity === null ? [] : [ratioFigure('http.latest_plain_ratio_to_bare_route', identity)]),
  ]
}

function ratioFigure(name: string, { ratio, rounds }: HttpRounds): Figure {
  const ratios = rounds.map(round => round.ratio)
  const spread = `${Math.min(...ratios).toFixed(2)} .. ${Math.max(...ratios).toFixed(2)}`
  return { name, value: ratio, unit: 'times', spread }
}

if (import.meta.main) {
  const result = await benchHttp({ short: process.argv.includes('--short') })
  for (const encoding of encodings) {
    const measured = result[encoding]
    if (measured === null) continue
    const { rounds, bytes, ratio } = measured
    console.table(
      rounds.map(round => ({
        'bare /s': round.barePerSecond,
        'asfiled /s': round.perSecond,
        ratio: round.ratio.toFixed(3),
        'bare us': round.bareMicros?.toFixed(1),
        'asfiled us': round.micros?.toFixed(1),
        'p50 ms': round.p50Ms.toFixed(2),
        'p99 ms': round.p99Ms.toFixed(2),
      })),
    )
    console.log(`${encoding}: ${bytes} bytes per response; ratio ${ratio.toFixed(3)} (median)`)
  }
}

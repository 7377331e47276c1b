import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { holderOf } from '../../src/postgres/embedded/processes.ts'
import { randomOf } from '../data/makeEntity.ts'
import type { ScaleFigure } from './bounds.ts'
import type { Context } from './context.ts'
import { dropCaches } from './memory.ts'
import { companyPath } from './reads.ts'
import { sampleEntities } from './sampleEntities.ts'

const runs = 5
const maxSeconds = 3
const timeoutMs = 60_000
const pollMs = 2

/** Measures the time from the start of the process to the first 200 from /health and to the first figures of a company.
 * The embedded PostgreSQL is stopped before each start. */
export async function warmStart(context: Context): Promise<ScaleFigure[]> {
  const { log } = context
  await context.stopServer()
  const companies = await context.withSql(sql =>
    sampleEntities(sql, runs, randomOf(`warm start ${context.seed}`)),
  )
  if (!context.isEmbedded) log('warmStart: DATABASE_URL names the database, which was left running')
  const health: number[] = []
  const data: number[] = []
  for (let run = 0; run < runs; run++) {
    if (context.isEmbedded) await waitForStop(context.env.DATA_DIR ?? '.data')
    if (context.dropsCaches) dropCaches()
    const port = await freePort()
    const began = performance.now()
    const seconds = () => (performance.now() - began) / 1_000
    const starting = context.server({ PORT: String(port) })
    const died = starting.then(() => new Promise<never>(() => {}))
    await Promise.race([waitForOk(`http://127.0.0.1:${port}/health`, ''), died])
    health.push(seconds())
    const path = companyPath(companies[run % companies.length].ticker, 'latest')
    await Promise.race([waitForOk(`http://127.0.0.1:${port}${path}`, context.key), died])
    data.push(seconds())
    await starting
    await context.stopServer()
  }
  return [figure('health', health), figure('first_figures', data)]
}

/** Reports the slowest run. */
function figure(name: string, seconds: readonly number[]): ScaleFigure {
  const spread = `${runs} starts, ${Math.min(...seconds).toFixed(2)} .. ${Math.max(...seconds).toFixed(2)}`
  return { name: `warmStart.${name}`, value: Math.max(...seconds), unit: 's', spread, max: maxSeconds }
}

async function waitForOk(url: string, key: string): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } }).catch(() => null)
    if (response !== null) {
      const text = await response.text()
      if (response.status === 200) return
      throw new Error(`${url} returned ${response.status}: ${text.slice(0, 300)}`)
    }
    await Bun.sleep(pollMs)
  }
  throw new Error(`${url} did not answer within ${timeoutMs / 1_000} s`)
}

/** Waits until the previous PostgreSQL has stopped, because a running one would make the start faster. */
async function waitForStop(dataDir: string): Promise<void> {
  const cluster = join(dataDir, 'database/cluster')
  const file = join(cluster, 'postmaster.pid')
  const deadline = performance.now() + timeoutMs
  const holder = () => holderOf(Number(readFileSync(file, 'utf8').split('\n')[0]), cluster)
  while (existsSync(file) && holder() === 'server') {
    if (performance.now() > deadline)
      throw new Error('PostgreSQL is still running: is another process connected to this data directory?')
    await Bun.sleep(50)
  }
}

function freePort(): Promise<number> {
  return new Promise((fulfil, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => fulfil(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

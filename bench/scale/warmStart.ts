import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { isAlive } from '../../src/postgres/embedded/identity.ts'
import { randomOf } from '../data/makeEntity.ts'
import type { ScaleFigure } from './bars.ts'
import type { Context } from './Context.ts'
import { drawEntities } from './draw.ts'
import { dropCaches } from './memory.ts'
import { companyPath } from './reads.ts'

const runs = 5
const mostSeconds = 3
const patienceMs = 60_000
const everyMs = 2

/** From the start of the process to the first 200 of /health and to the first figures of a company, PostgreSQL stopped
 * before where it is ours. */
export async function warmStart(context: Context): Promise<ScaleFigure[]> {
  const { say } = context
  await context.stopServer()
  const companies = await context.withSql(sql =>
    drawEntities(sql, runs, randomOf(`warm start ${context.seed}`)),
  )
  if (!context.isEmbedded) say('warmStart: DATABASE_URL names the database, which was left running')
  const health: number[] = []
  const data: number[] = []
  for (let run = 0; run < runs; run++) {
    if (context.isEmbedded) await stopped(context.env.DATA_DIR ?? '.data')
    if (context.dropsCaches) dropCaches()
    const port = await freePort()
    const began = performance.now()
    const seconds = () => (performance.now() - began) / 1_000
    const starting = context.server({ PORT: String(port) })
    const died = starting.then(() => new Promise<never>(() => {}))
    await Promise.race([answered(`http://127.0.0.1:${port}/health`, ''), died])
    health.push(seconds())
    const path = companyPath(companies[run % companies.length].ticker, 'latest')
    await Promise.race([answered(`http://127.0.0.1:${port}${path}`, context.key), died])
    data.push(seconds())
    await starting
    await context.stopServer()
  }
  return [figure('health', health), figure('first_figures', data)]
}

/** The slowest of the runs. */
function figure(name: string, seconds: readonly number[]): ScaleFigure {
  const spread = `${runs} starts, ${Math.min(...seconds).toFixed(2)} .. ${Math.max(...seconds).toFixed(2)}`
  return { name: `warmStart.${name}`, value: Math.max(...seconds), unit: 's', spread, most: mostSeconds }
}

async function answered(url: string, key: string): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } }).catch(() => null)
    if (response !== null) {
      const text = await response.text()
      if (response.status === 200) return
      throw new Error(`${url} is answered ${response.status}: ${text.slice(0, 300)}`)
    }
    await Bun.sleep(everyMs)
  }
  throw new Error(`${url} did not answer within ${patienceMs / 1_000} s`)
}

/** Nothing is measured while an old PostgreSQL runs. */
async function stopped(dataDir: string): Promise<void> {
  const file = join(dataDir, 'database/cluster/postmaster.pid')
  const deadline = performance.now() + patienceMs
  while (existsSync(file) && isAlive(Number(readFileSync(file, 'utf8').split('\n')[0]))) {
    if (performance.now() > deadline)
      throw new Error('PostgreSQL runs on: is another process connected to this data directory?')
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

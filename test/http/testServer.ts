import { pino } from 'pino'
import { watchAccess } from '../../src/access/queries.ts'
import { ComputePool } from '../../src/backtest/pool/computePool.ts'
import { createApp } from '../../src/boot/app.ts'
import { makeResources, type Opened, type Resources } from '../../src/boot/resources.ts'
import { readConfig } from '../../src/config.ts'
import { companyDirectory } from '../../src/features/companies/directory.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { testCursors } from '../cursors.ts'
import { pinsOf } from '../pins.ts'
import { watchAnswers } from './undeclared.ts'

/** The day on which the tests' servers live. */
export const testToday = '2026-07-01'

export interface TestServer {
  readonly url: string
  readonly port: number
  readonly app: ReturnType<typeof createApp>
  readonly resources: Resources
  readonly logged: Record<string, unknown>[]
  /** What the operator sees in the terminal. */
  readonly terminal: string[]
  stop(): Promise<void>
}

/** The real app with its real verbs over `sql`, on a real port. Proxies on loopback are trusted, so the address of a client is what
 * its X-Forwarded-For states.
 *
 * @param change replaces resources, and what they are made of
 * @param settings as in the environment */
export async function testServer(
  sql: Sql,
  change: Partial<Resources> = {},
  settings: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const logged: Record<string, unknown>[] = []
  const terminal: string[] = []
  const config = readConfig({
    TRUSTED_PROXIES: '127.0.0.0/8',
    BODY_LIMIT_MB: '1',
    PORT: '3000',
    LOG_LEVEL: 'debug',
    ...settings,
  })
  const lookups = change.lookups ?? sql
  const { pool, closePool } = lazyPool()
  const pins = pinsOf(sql)
  const opened: Opened = {
    config,
    sql,
    lookups,
    pins,
    pool,
    admission: sql,
    directory: companyDirectory(lookups),
    log: pino({ level: 'info' }, { write: line => logged.push(JSON.parse(line)) }),
    showInTerminal: text => void terminal.push(text),
    today: () => testToday,
    dataVersion: () => 1,
    markets: await loadMarkets(),
    cursors: testCursors,
  }
  const resources = { ...makeResources({ ...opened, ...change }), ...change }
  const unwatch = await watchAccess(sql, () => resources.access.keyCache.invalidate())
  const app = createApp(resources)
  watchAnswers(app)
  app.listen({ hostname: '127.0.0.1', port: 0 })
  const port = app.server?.port ?? 0
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    app,
    resources,
    logged,
    terminal,
    stop: async () => {
      await app.server?.stop(true)
      await unwatch()
      await pins.close()
      await closePool()
    },
  }
}

/** One thread that starts with its first task: most tests send none. */
function lazyPool(): { pool: ComputePool; closePool: () => Promise<void> } {
  let made: ComputePool | null = null
  const target: ComputePool = Object.create(ComputePool.prototype)
  const pool = new Proxy(target, {
    get(_, name) {
      made ??= new ComputePool({ threads: 1, queue: 32, timeLimitMs: 20_000 })
      const value: unknown = Reflect.get(made, name)
      return typeof value === 'function' ? value.bind(made) : value
    },
  })
  return { pool, closePool: async () => made?.close() }
}

import { pino } from 'pino'
import { watchAccess } from '../../src/access/queries.ts'
import { ComputePool } from '../../src/backtest/pool/computePool.ts'
import { createApp } from '../../src/boot/app.ts'
import { makeServices } from '../../src/boot/makeServices.ts'
import { readConfig } from '../../src/config.ts'
import { loadSignalsSample } from '../../src/features/signals/import/sample.ts'
import type { Services } from '../../src/http/services.ts'
import { loadSample } from '../../src/ingest/sample/loadSample.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { watchDataVersion } from '../../src/postgres/snapshot.ts'
import { testDatabase } from '../database.ts'

/** The day on which the tests' servers live. */
export const testToday = '2026-07-01'

export interface RealServer {
  readonly url: string
  readonly port: number
  readonly sql: Sql
  readonly app: ReturnType<typeof createApp>
  readonly services: Services
  stop(): Promise<void>
}

export interface RealServerOptions {
  readonly today?: () => string
  /** As in the environment. */
  readonly settings?: Record<string, string>
}

/** The app over the real verbs and the shipped sample, on a real port. Proxies on loopback are trusted, so a test
 * is whom its X-Forwarded-For says. */
export async function realServer(options: RealServerOptions = {}): Promise<RealServer> {
  const database = await testDatabase()
  const { sql } = database
  await loadSample(sql)
  await loadSignalsSample(sql)
  const config = readConfig({
    TRUSTED_PROXIES: '127.0.0.0/8',
    BODY_LIMIT_MB: '64',
    PORT: '3000',
    ...options.settings,
  })
  const pool = new ComputePool({ threads: 1, queue: 32, timeLimitMs: 20_000 })
  const version = await watchDataVersion(sql, () => {})
  const log = pino({ level: 'silent' })
  const { services, caches } = await makeServices({
    config,
    sql,
    admission: sql,
    lookups: sql,
    pool,
    log,
    today: options.today ?? (() => testToday),
    dataVersion: version.current,
  })
  const unwatch = await watchAccess(sql, caches.forgetAccess)
  const app = createApp(services).listen({ hostname: '127.0.0.1', port: 0 })
  const port = app.server?.port ?? 0
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    sql,
    app,
    services,
    stop: async () => {
      await app.server?.stop(true)
      await unwatch()
      await version.close()
      await pool.close()
      await database.close()
    },
  }
}

import { makeServices } from '../../src/boot/makeServices.ts'
import { ComputePool } from '../../src/compute/ComputePool.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { createKey, type KeyOrder } from '../../src/domain/access/createKey.ts'
import { loadSample } from '../../src/domain/ingest/loadSample.ts'
import { loadSignalsSample } from '../../src/domain/signals/load-signals-sample.ts'
import { createLog } from '../../src/http/log.ts'
import type { Services } from '../../src/http/services.ts'
import type { Licence } from '../../src/model/access.ts'
import { watchDataVersion } from '../../src/store/data-version.ts'
import type { Sql } from '../../src/store/database.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { type TestServer, testServer } from './testServer.ts'

/** The day on which the servers of these tests live, unless a test says otherwise. */
export const testToday = '2026-07-01'

/** A fresh database with the shipped sample in it. */
export async function sampleDatabase(): Promise<TestDatabase> {
  const db = await testDatabase()
  await loadSample(db.sql)
  await loadSignalsSample(db.sql)
  return db
}

export interface SampleServerOptions {
  readonly today?: () => string
  readonly settings?: Partial<Config>
  readonly change?: Partial<Services>
}

/** The real app with its real verbs on `sql`, listening on loopback in this process. The address of a client is what
 * X-Forwarded-For says. */
export async function sampleServer(sql: Sql, options: SampleServerOptions = {}): Promise<TestServer> {
  const { today = () => testToday, change = {} } = options
  const config: Config = {
    ...readConfig({ COMPUTE_THREADS: '1', TRUSTED_PROXIES: '127.0.0.0/8', BODY_LIMIT_MB: '4' }),
    ...options.settings,
  }
  const pool = new ComputePool({ threads: config.computeThreads, queue: 16, timeLimitMs: 30_000 })
  const caches = { forgetData: () => {} }
  const version = await watchDataVersion(sql, () => caches.forgetData())
  const log = createLog('silent')
  const made = await makeServices({ config, sql, pool, log, today, dataVersion: version.current })
  Object.assign(caches, made.caches)
  const { access: _, log: __, ...verbs } = made.services
  const server = await testServer(sql, { ...verbs, ...change })
  return {
    ...server,
    stop: async () => {
      await server.stop()
      await version.close()
      await pool.close()
    },
  }
}

let mails = 0

/** A key as `keys create` would make it. Its limits are as sold. */
export async function sellKey(sql: Sql, licence: Licence, change: Partial<KeyOrder> = {}): Promise<string> {
  const email = `buyer@house${++mails}-${process.pid}.example`
  const order: KeyOrder = { email, licence, quant: false, environment: 'test', ...change }
  return (await createKey({ sql, today: () => new Date().toISOString().slice(0, 10) }, order)).key
}

/** A key that no test runs out of: the minute limit is not what is under test. */
export function sellTirelessKey(sql: Sql, quant: boolean): Promise<string> {
  return sellKey(sql, 'oem', { quant, perMinute: 1_000_000 })
}

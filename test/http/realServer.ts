import { pino } from 'pino'
import { companyDirectory } from '../../src/features/companies/directory.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { watchDataVersion } from '../../src/postgres/dataVersion.ts'
import { shippedDatabase } from '../database.ts'
import { type TestServer, testServer, testToday } from './testServer.ts'

export interface RealServer extends Omit<TestServer, 'logged'> {
  readonly sql: Sql
  readonly databaseUrl: string
}

export interface RealServerOptions {
  readonly today?: () => string
  /** As in the environment. */
  readonly settings?: Record<string, string>
}

/** A test server on the shipped sample, which follows the data version as the real one does. */
export async function realServer({
  today = () => testToday,
  settings,
}: RealServerOptions = {}): Promise<RealServer> {
  const database = await shippedDatabase()
  const { sql } = database
  const directory = companyDirectory(sql)
  const version = await watchDataVersion(sql, () => directory.forget())
  const log = pino({ level: 'silent' })
  const server = await testServer(
    sql,
    { today, directory, log, dataVersion: version.current },
    { BODY_LIMIT_MB: '64', ...settings },
  )
  return {
    ...server,
    sql,
    databaseUrl: database.url,
    stop: async () => {
      await server.stop()
      await version.close()
      await database.close()
    },
  }
}

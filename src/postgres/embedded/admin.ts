import postgres from 'postgres'
import { type ClusterLocation, superuser } from './folder.ts'

export const databaseName = 'asfiled'
const connectTimeoutS = 5
const queryTimeoutMs = 10_000

/** The superuser's URL, for set-up, shutdown and backups. Pools use the role of `roles.ts`. */
export const adminUrl = (location: ClusterLocation, port: number, database: string) =>
  `postgres://${superuser}:${location.password}@127.0.0.1:${port}/${database}`

/** Runs `work` as the superuser, on a single connection that stays open however long it takes. */
export async function withAdmin<T>(
  location: ClusterLocation,
  port: number,
  database: string,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const sql = postgres(adminUrl(location, port, database), {
    max: 1,
    connect_timeout: connectTimeoutS,
    // The driver's default closes a connection within the hour, and a backup with it.
    max_lifetime: null,
    onnotice: () => {},
    connection: { application_name: 'asfiled-admin', TimeZone: 'UTC' },
  })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 2 })
  }
}

/** Runs one query as the superuser with a time limit: even a server that hangs accepts connections. */
export async function adminQuery<Row extends postgres.MaybeRow>(
  location: ClusterLocation,
  port: number,
  query: (sql: postgres.Sql) => postgres.PendingQuery<Row[]>,
): Promise<readonly Row[]> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('The database does not answer.')), queryTimeoutMs)
  try {
    return await withAdmin(location, port, 'postgres', sql => Promise.race([query(sql), late.promise]))
  } finally {
    clearTimeout(timer)
  }
}

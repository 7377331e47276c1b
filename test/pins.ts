import { openPins } from '../src/boot/pins.ts'
import type { Sql } from '../src/postgres/client.ts'

/** The stores of earlier data versions of the database that a pool is connected to. They have to be closed. */
export const pinsOf = (sql: Sql) =>
  openPins({
    config: { statementTimeoutMs: 60_000 },
    url: addressOf(sql),
    sql,
    elapsedMs: () => performance.now(),
  })

export function addressOf({ options }: Sql): string {
  const { user, pass, host, port, database } = options
  const password = typeof pass === 'string' ? `:${encodeURIComponent(pass)}` : ''
  return `postgres://${encodeURIComponent(user)}${password}@${host[0]}:${port[0]}/${database}`
}

import type { Sql, SqlClient } from './client.ts'

/** Where the reads of a pool go that has replicas. */
export interface ReadRoute {
  readonly primary: Sql
  /** Runs `work` in a snapshot of a replica, and again in one of the primary if the replica fails. */
  snapshot<T>(work: (connection: SqlClient) => Promise<T>): Promise<T>
  /** The database has this version: a replica that lacks it is not read. */
  seen(version: number): void
}

const routes = new WeakMap<object, ReadRoute>()

export function setReadRoute(pool: Sql, route: ReadRoute): void {
  routes.set(pool, route)
}

/** null: a plain pool. */
export const readRouteOf = (pool: Sql): ReadRoute | null => routes.get(pool) ?? null

/** Call it with a version that was read on a connection of the primary. Without it this pool may go on reading an older version from a
 * replica until the server hears of the import, and the two never agree. */
export const noteVersion = (pool: Sql, version: number): void => routes.get(pool)?.seen(version)

/** For a statement that writes, in a place whose other statements read: replicas refuse it. */
export const primaryOf = (pool: Sql): Sql => routes.get(pool)?.primary ?? pool

import type { Sql, SqlClient } from './client.ts'

/** Routes the reads of a pool that has replicas. */
export interface ReadRoute {
  readonly primary: Sql
  /** Runs `work` in a snapshot of a replica, and again in one of the primary if the replica fails. */
  snapshot<T>(work: (connection: SqlClient) => Promise<T>): Promise<T>
  /** Reports that the database has this version: replicas that lack it are no longer read. */
  seen(version: number): void
}

const routes = new WeakMap<object, ReadRoute>()

export function setReadRoute(pool: Sql, route: ReadRoute): void {
  routes.set(pool, route)
}

/** Null for a plain pool. */
export const readRouteOf = (pool: Sql): ReadRoute | null => routes.get(pool) ?? null

/**
 * Call this with a version that was read on a connection of the primary. Otherwise this pool may keep reading
 * an older version from a replica until the server learns of the import, and the two never agree.
 */
export const noteVersion = (pool: Sql, version: number): void => routes.get(pool)?.seen(version)

/** For a statement that writes among statements that read: replicas would reject it. */
export const primaryOf = (pool: Sql): Sql => routes.get(pool)?.primary ?? pool

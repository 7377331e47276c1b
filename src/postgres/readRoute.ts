import type { Sql, SqlClient } from './client.ts'

/** Where the reads of a pool go that has replicas. */
export interface ReadRoute {
  readonly primary: Sql
  /** Runs `work` in a snapshot of a replica, and again in one of the primary if the replica fails. */
  snapshot<T>(work: (connection: SqlClient) => Promise<T>): Promise<T>
}

const routes = new WeakMap<object, ReadRoute>()

export function setReadRoute(pool: Sql, route: ReadRoute): void {
  routes.set(pool, route)
}

/** null: a plain pool. */
export const readRouteOf = (pool: Sql): ReadRoute | null => routes.get(pool) ?? null

/** For a statement that writes, in a place whose other statements read: replicas refuse it. */
export const primaryOf = (pool: Sql): Sql => routes.get(pool)?.primary ?? pool

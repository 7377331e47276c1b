import type { Sql } from '../../postgres/client.ts'

export interface TableSize {
  readonly table: string
  /** The planner's estimate. */
  readonly rows: number
  readonly bytes: number
}

/** The sizes of those names that are tables. */
export async function readTableSizes(sql: Sql, tables: readonly string[]): Promise<readonly TableSize[]> {
  return sql<TableSize[]>`
    select n.name as "table", greatest(c.reltuples, 0)::float8 as rows, pg_total_relation_size(c.oid)::float8 as bytes
    from unnest(${[...tables]}::text[]) n (name) join pg_class c on c.oid = to_regclass(n.name) and c.relkind in ('r', 'p')`
}

export interface LongTransaction {
  readonly pid: number
  readonly application: string
  readonly seconds: number
}

/**
 * The longest open transaction: a change of a table waits for it, and everything else waits behind that
 * change.
 */
export async function readLongestTransaction(sql: Sql): Promise<LongTransaction | null> {
  const [row] = await sql<LongTransaction[]>`
    select pid, application_name as application, extract(epoch from now() - xact_start)::float8 as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null and backend_type = 'client backend'
    order by xact_start limit 1`
  return row ?? null
}

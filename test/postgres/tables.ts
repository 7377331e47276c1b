import type { Sql } from '../../src/postgres/client.ts'

/** The columns of every table, by table. Both records of migrations are left out: an upgrade adds to them.
 *
 * @param kinds those of pg_class.relkind: with `v` also the views, under which a renamed table keeps its old name for a version */
export async function readTables(
  sql: Sql,
  kinds: readonly ('r' | 'v')[] = ['r'],
): Promise<Map<string, string[]>> {
  const rows = await sql<{ name: string; columns: string[] }[]>`
    select format('%I.%I', n.nspname, c.relname) as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = any(${[...kinds]}::text[]) and n.nspname in ('public', 'asfiled_queue') and c.relname not like 'migration%'
    group by 1`
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}

/** All rows of these columns, in an order of their own. */
export async function readRows(sql: Sql, table: string, columns: readonly string[]): Promise<string[]> {
  const rows = await sql.unsafe<{ row: string }[]>(
    `select r::text as row from (select ${columns.join(', ')} from ${table}) r order by 1`,
  )
  return rows.map(({ row }) => row)
}

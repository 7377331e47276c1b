import type { SqlClient } from '../client.ts'
import { type RelationName, relationName } from './damageQueries.ts'

/** A relation with pages, and the location of its files. */
export interface StoredRelation extends RelationName {
  /** Path of its first file, below the database's folder. */
  readonly path: string
  readonly bytes: number
  /** An index's method: `btree`, `gin`; null for other relations. */
  readonly method: string | null
  /**
   * Whether an index can be used. One that is being built, or whose build failed, has no complete structure.
   */
  readonly isValid: boolean
}

const pageSize = 200

/**
 * Relations of this database and those shared by all databases, in the order of their OIDs. Temporary ones
 * are excluded, because only their sessions can read them.
 */
export async function* listRelations(sql: SqlClient, fromRelation: number): AsyncGenerator<StoredRelation> {
  for (let from = fromRelation; ; ) {
    const rows = await sql<StoredRelation[]>`
      select ${relationName(sql)}, pg_relation_filepath(c.oid) as path,
        (coalesce(pg_relation_size(c.oid, 'main'), 0) + coalesce(pg_relation_size(c.oid, 'fsm'), 0)
          + coalesce(pg_relation_size(c.oid, 'vm'), 0))::float8 as bytes,
        (select amname from pg_am a where a.oid = c.relam and c.relkind = 'i') as method,
        coalesce((select x.indisvalid and x.indisready from pg_index x where x.indexrelid = c.oid), true) as "isValid"
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'm', 't', 'i', 'S') and c.relpersistence <> 't' and c.oid >= ${from}::int8::oid
        and pg_relation_filepath(c.oid) is not null
      order by c.oid limit ${pageSize}`
    yield* rows
    if (rows.length < pageSize) return
    from = rows[rows.length - 1].relation + 1
  }
}

/** The total size of these relations, for the progress of a check. */
export async function readTotalBytes(sql: SqlClient): Promise<number> {
  const [{ bytes }] = await sql<{ bytes: number }[]>`
    select coalesce(sum(pg_relation_size(oid, 'main') + pg_relation_size(oid, 'fsm') + pg_relation_size(oid, 'vm')), 0)::float8
      as bytes
    from pg_class where relkind in ('r', 'm', 't', 'i', 'S') and relpersistence <> 't'`
  return bytes
}

/** Whether the relation still has that file: TRUNCATE, VACUUM FULL and REINDEX write a new one. */
export async function hasFile(sql: SqlClient, { relation, path }: StoredRelation): Promise<boolean> {
  const rows = await sql`select from pg_class where oid = ${relation} and pg_relation_filepath(oid) = ${path}`
  return rows.count > 0
}

export async function readBytes(
  sql: SqlClient,
  path: string,
  offset: number,
  length: number,
): Promise<Uint8Array | null> {
  const [{ bytes }] = await sql<{ bytes: Uint8Array | null }[]>`
    select pg_read_binary_file(${path}, ${offset}, ${length}, true) as bytes`
  return bytes
}

export async function countBlocks(
  sql: SqlClient,
  relation: number,
  fork: string,
  blockBytes: number,
): Promise<number> {
  const [row] = await sql<{ blocks: number | null }[]>`
    select (pg_relation_size(${relation}::int8::oid, ${fork}) / ${blockBytes})::float8 as blocks`
  return row.blocks ?? 0
}

/** Reads blocks into PostgreSQL's buffers, which verifies those that it reads from disk. */
export async function prewarm(
  sql: SqlClient,
  { relation }: RelationName,
  blocks: { readonly fork: string; readonly first: number; readonly last: number },
): Promise<void> {
  await sql`select pg_prewarm(${relation}::int8::oid::regclass, 'buffer', ${blocks.fork}, ${blocks.first}, ${blocks.last})`
}

/** Reads the rows in a range of a table's blocks, which any role with read access may do. */
export async function readRows(
  sql: SqlClient,
  { name }: RelationName,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<void> {
  await sql`
    select count(*) from only ${sql.unsafe(name)}
    where ctid >= ${`(${first},0)`}::tid and ctid < ${`(${last + 1},0)`}::tid`
}

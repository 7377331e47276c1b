import type { SqlClient, SqlFragment } from '../client.ts'
import type { DamageError, Fork } from './damageErrors.ts'

/** A table, index or other relation, with a readable name. */
export interface RelationName {
  /** Its OID; 0 if unknown. */
  readonly relation: number
  readonly name: string
  readonly kind: 'table' | 'toast' | 'index' | 'sequence' | 'unknown'
  readonly isCatalog: boolean
  /** The table of an index or of out-of-line values (TOAST). */
  readonly ofTable: string | null
}

/** A damaged part of the database. */
export interface Finding extends RelationName {
  /** What detected it: the page check, the structure check, or a statement that ran into it. */
  readonly foundBy: 'pages' | 'structure' | 'request'
  readonly fork: Fork
  readonly firstBlock: number | null
  readonly lastBlock: number | null
  /** How many blocks between the two are damaged; null if unknown. */
  readonly blocks: number | null
  readonly detail: string
}

/** A finding recorded in the database. */
export interface RecordedFinding extends Finding {
  readonly firstSeenAt: string
  readonly lastSeenAt: string
}

/**
 * The columns of a RelationName for the relation `c` of pg_class with the namespace `n`. The first OID of
 * user objects is 16384.
 */
export const relationName = (sql: SqlClient): SqlFragment => sql`
  c.oid::int8::float8 as relation, ${displayName(sql, sql`n.nspname`, sql`c.relname`)} as name,
  case c.relkind when 'i' then 'index' when 't' then 'toast' when 'S' then 'sequence' else 'table' end as kind,
  c.oid < 16384 as "isCatalog",
  (select ${displayName(sql, sql`tn.nspname`, sql`t.relname`)}
    from pg_class t join pg_namespace tn on tn.oid = t.relnamespace
    where t.oid = case c.relkind
      when 't' then (select o.oid from pg_class o where o.reltoastrelid = c.oid)
      when 'i' then (
        select coalesce((select o.oid from pg_class o where o.reltoastrelid = x.indrelid), x.indrelid)
        from pg_index x where x.indexrelid = c.oid) end) as "ofTable"`

const displayName = (sql: SqlClient, schema: SqlFragment, name: SqlFragment): SqlFragment => sql`
  case when ${schema} = 'public' then format('%I', ${name}) else format('%I.%I', ${schema}, ${name}) end`

const globalTablespace = 1664

/** The relation that an error names; null if there is none, or none any more. */
export async function findDamagedRelation(sql: SqlClient, error: DamageError): Promise<RelationName | null> {
  const { filenode, isShared, relationName: named } = error
  if (filenode === null && named === null) return null
  const found =
    filenode === null
      ? sql`c.relname = ${named} and (n.nspname = 'pg_toast' or n.nspname = any(current_schemas(true)))`
      : sql`c.oid in (
          select pg_filenode_relation(t.oid, ${filenode}::oid) from pg_tablespace t
          where (t.oid = ${globalTablespace}) = ${isShared})`
  const [row] = await sql<RelationName[]>`
    select ${relationName(sql)} from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${found} limit 1`
  return row ?? null
}

/**
 * Records a finding. Blocks of the same pass add up; those of an earlier one are replaced.
 *
 * @returns whether it was not yet on record
 */
export async function recordFinding(
  sql: SqlClient,
  finding: Finding,
  passId: number | null,
): Promise<boolean> {
  const { relation, foundBy, fork, name, kind, isCatalog, ofTable } = finding
  const { firstBlock, lastBlock, blocks, detail } = finding
  const [{ isNew }] = await sql<{ isNew: boolean }[]>`
    insert into page_damage as d
      (relation, found_by, fork, name, kind, is_catalog, of_table, first_block, last_block, blocks, detail, pass_id)
    values (${relation}, ${foundBy}, ${fork}, ${name}, ${kind}, ${isCatalog}, ${ofTable}, ${firstBlock}, ${lastBlock},
      ${blocks}, ${detail}, ${passId})
    on conflict (relation, found_by, fork) do update set
      name = excluded.name, of_table = excluded.of_table, detail = excluded.detail, pass_id = excluded.pass_id,
      first_block = case when d.pass_id = excluded.pass_id then least(d.first_block, excluded.first_block)
                         else excluded.first_block end,
      last_block = case when d.pass_id = excluded.pass_id then greatest(d.last_block, excluded.last_block)
                        else excluded.last_block end,
      blocks = case when d.pass_id = excluded.pass_id then d.blocks + excluded.blocks else excluded.blocks end,
      last_seen_at = now()
    returning xmax = 0 as "isNew"`
  return isNew
}

const finding = (sql: SqlClient): SqlFragment => sql`
  relation::float8 as relation, found_by as "foundBy", fork, name, kind, is_catalog as "isCatalog", of_table as "ofTable",
  first_block::float8 as "firstBlock", last_block::float8 as "lastBlock", blocks::float8 as blocks, detail,
  to_char(first_seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "firstSeenAt",
  to_char(last_seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "lastSeenAt"`

/** Marks findings as logged and returns those that were not, so that only one of all processes logs each. */
export async function takeUnreported(sql: SqlClient): Promise<readonly RecordedFinding[]> {
  return sql<RecordedFinding[]>`
    update page_damage set reported_at = now() where reported_at is null returning ${finding(sql)}`
}

/** The known damaged parts, tables before indexes. */
export async function readFindings(sql: SqlClient, limit: number): Promise<readonly RecordedFinding[]> {
  return sql<RecordedFinding[]>`
    select ${finding(sql)} from page_damage
    order by is_catalog desc, kind = 'index', name, found_by, fork limit ${limit}`
}

export async function countDamagedRelations(sql: SqlClient): Promise<number> {
  const [{ count }] = await sql<{ count: number }[]>`
    select count(distinct relation)::int as count from page_damage`
  return count
}

import type { SqlClient } from '../client.ts'
import { type RecordedFinding, readFindings } from './damageQueries.ts'

export interface Position {
  readonly phase: 'pages' | 'structure'
  readonly relation: number
  /** Index in `forks`. */
  readonly fork: number
  readonly block: number
}

export interface OpenPass extends Position {
  readonly passId: number
  readonly hasStructure: boolean
  readonly pages: number
  readonly totalPages: number
  readonly unchecked: readonly string[]
}

/** If the process of a pass sends no heartbeat for this long, another process continues the pass. */
export const silentSeconds = 20

const openPass = (sql: SqlClient) => sql`
  pass_id::float8 as "passId", has_structure as "hasStructure", phase, at_relation::float8 as relation, at_fork::int as fork,
  at_block::float8 as block, pages::float8 as pages, total_pages::float8 as "totalPages", unchecked`

export interface Claim {
  readonly holder: string
  /** The interval between the starts of two passes. */
  readonly everyHours: number
  /** The interval after which a pass also checks the structure of tables and indexes. */
  readonly structureHours: number
  /** True if damage was just noticed, so the next pass starts earlier. */
  readonly isUrgent: boolean
}

/** The minimum interval between passes that are started because damage was noticed. */
const urgentMinutes = 10

/**
 * Claims the pass that this process should run now: one whose process is silent, or a new one that is due. Returns
 * null if there is none. Only one server at a time runs a pass. A pass is also due if PostgreSQL has counted a wrong
 * checksum since the last pass.
 */
export async function claimPass(
  sql: SqlClient,
  { holder, everyHours, structureHours, isUrgent }: Claim,
): Promise<OpenPass | null> {
  const [abandoned] = await sql<OpenPass[]>`
    update page_check set holder = ${holder}, seen_at = now()
    where pass_id = (
      select pass_id from page_check
      where run_by = 'server' and ended_at is null and seen_at < now() - ${silentSeconds} * interval '1 second'
      order by pass_id limit 1 for update skip locked)
    returning ${openPass(sql)}`
  if (abandoned !== undefined) return abandoned
  const [begun] = await sql<OpenPass[]>`
    with last as (
      select max(started_at) as started_at, max(ended_at) as ended_at, max(started_at) filter (where has_structure) as structure_at
      from page_check where run_by = 'server')
    insert into page_check (run_by, holder, has_structure)
    select 'server', ${holder}, ${isUrgent} or coalesce(structure_at < now() - ${structureHours} * interval '1 hour', true)
    from last
    where started_at is null or started_at < now() - ${everyHours} * interval '1 hour'
      or ended_at < now() - ${urgentMinutes} * interval '1 minute' and (${isUrgent} or exists (
        select from pg_stat_database s
        where s.checksum_last_failure > ended_at
          and s.datid in (0, (select oid from pg_database where datname = current_database()))))
    on conflict do nothing
    returning ${openPass(sql)}`
  return begun ?? null
}

/** Begins a command's own pass. */
export async function beginPass(sql: SqlClient, holder: string, hasStructure: boolean): Promise<OpenPass> {
  const [begun] = await sql<OpenPass[]>`
    insert into page_check (run_by, holder, has_structure) values ('command', ${holder}, ${hasStructure})
    returning ${openPass(sql)}`
  return begun
}

/** Stores the position of a pass. Returns false if another process has taken it over. */
export async function savePosition(
  sql: SqlClient,
  pass: { readonly passId: number; readonly holder: string },
  state: Position & Pick<OpenPass, 'pages' | 'totalPages' | 'unchecked'>,
): Promise<boolean> {
  const { phase, relation, fork, block, pages, totalPages, unchecked } = state
  const saved = await sql`
    update page_check set seen_at = now(), phase = ${phase}, at_relation = ${relation}, at_fork = ${fork}, at_block = ${block},
      pages = ${pages}, total_pages = ${totalPages}, unchecked = ${[...unchecked]}::text[]
    where pass_id = ${pass.passId} and holder = ${pass.holder} and ended_at is null`
  return saved.count > 0
}

/** Deletes the findings that earlier passes reported about a relation and that this pass did not confirm. */
export async function clearFindings(
  sql: SqlClient,
  passId: number,
  relation: number,
  foundBy: readonly string[],
): Promise<void> {
  await sql`
    delete from page_damage d using page_check p
    where p.pass_id = ${passId} and d.relation = ${relation} and d.found_by = any(${[...foundBy]})
      and d.last_seen_at < p.started_at`
}

/** Lets another process continue the pass at once. */
export async function releasePass(sql: SqlClient, passId: number, holder: string): Promise<void> {
  await sql`
    update page_check set seen_at = now() - ${silentSeconds + 1} * interval '1 second'
    where pass_id = ${passId} and holder = ${holder} and ended_at is null`
}

const maxPasses = 100

/**
 * Ends a pass. A complete pass also deletes the findings of relations that no longer exist, and findings that could
 * not be attributed to a relation.
 */
export async function endPass(
  sql: SqlClient,
  passId: number,
  ended: 'complete' | 'stopped',
): Promise<readonly RecordedFinding[]> {
  if (ended === 'complete')
    await sql`
      delete from page_damage d using page_check p
      where p.pass_id = ${passId} and d.last_seen_at < p.started_at
        and not exists (select from pg_class c where c.oid::int8 = d.relation)`
  const findings = await readFindings(sql, 1_000)
  const outcome = ended === 'stopped' ? 'stopped' : findings.length === 0 ? 'clean' : 'damaged'
  await sql`update page_check set ended_at = now(), outcome = ${outcome} where pass_id = ${passId}`
  await sql`
    delete from page_check
    where ended_at is not null and pass_id in (select pass_id from page_check order by pass_id desc offset ${maxPasses})
      or run_by = 'command' and ended_at is null and seen_at < now() - interval '1 hour'`
  return findings
}

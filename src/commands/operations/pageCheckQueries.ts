import type { Sql } from '../../postgres/client.ts'
import {
  countDamagedRelations,
  type RecordedFinding,
  readFindings,
} from '../../postgres/integrity/damageQueries.ts'
import { silentSeconds } from '../../postgres/integrity/passQueries.ts'

export interface PageCheckState {
  /** The last pass over all pages; null if there was none. */
  readonly last: { readonly at: string; readonly ageSeconds: number; readonly pages: number } | null
  /** The pass in progress. */
  readonly running: { readonly pages: number; readonly totalPages: number } | null
  /** What the last pass could not check, as sentences. */
  readonly unchecked: readonly string[]
  readonly findings: readonly RecordedFinding[]
  readonly damagedRelations: number
  readonly hasChecksums: boolean
  /** PostgreSQL's own count since its statistics were last reset; null if it does not count. */
  readonly checksumFailures: number | null
  readonly lastFailureAt: string | null
  /** Whether a failure occurred after the last pass over all pages. */
  readonly isFailureNew: boolean
}

export async function readPageCheck(sql: Sql, maxFindings: number): Promise<PageCheckState> {
  const [last] = await sql<(NonNullable<PageCheckState['last']> & { unchecked: string[] })[]>`
    select to_char(ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at,
      extract(epoch from now() - ended_at)::float8 as "ageSeconds", pages::float8 as pages, unchecked
    from page_check where outcome in ('clean', 'damaged') order by ended_at desc limit 1`
  const [running] = await sql<NonNullable<PageCheckState['running']>[]>`
    select pages::float8 as pages, total_pages::float8 as "totalPages"
    from page_check where ended_at is null and seen_at > now() - ${silentSeconds * 2} * interval '1 second'
    order by pass_id desc limit 1`
  const [counted] = await sql<
    Pick<PageCheckState, 'checksumFailures' | 'lastFailureAt' | 'isFailureNew' | 'hasChecksums'>[]
  >`
    select sum(checksum_failures)::float8 as "checksumFailures",
      to_char(max(checksum_last_failure) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "lastFailureAt",
      coalesce(max(checksum_last_failure) > coalesce(
        (select max(ended_at) from page_check where outcome in ('clean', 'damaged')), '-infinity'), false) as "isFailureNew",
      current_setting('data_checksums') = 'on' as "hasChecksums"
    from pg_stat_database
    where datid in (0, (select oid from pg_database where datname = current_database()))`
  return {
    last: last ?? null,
    running: running ?? null,
    unchecked: last?.unchecked ?? [],
    ...counted,
    findings: await readFindings(sql, maxFindings),
    damagedRelations: await countDamagedRelations(sql),
  }
}

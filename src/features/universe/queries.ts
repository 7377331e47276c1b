import type { IsoDate } from '../../dates.ts'
import { type AsOf, isInstant, lastWholeDay } from '../../instants.ts'
import type { CompanyState } from '../../markets/companyStates.ts'
import { filingIsKnown } from '../../postgres/asOf.ts'
import type { SqlClient } from '../../postgres/client.ts'

export interface UniverseScope {
  readonly market: string
  readonly asOf: AsOf
  /** Null for all. */
  readonly states: readonly CompanyState[] | null
  /** The register's number after which to continue. */
  readonly after: string | null
  readonly limit: number
  /** Only these of the register's numbers; null for all. */
  readonly only?: readonly string[] | null
}

export interface UniverseRecord {
  readonly issuerId: string
  readonly ticker: string | null
  readonly name: string | null
  readonly sector: string | null
  readonly state: CompanyState
  readonly since: IsoDate
  readonly form: string | null
  readonly accession: string | null
  readonly filed: IsoDate | null
  readonly firstFiled: IsoDate
  readonly lastFiled: IsoDate
}

export interface UniversePage {
  readonly dataVersion: number
  readonly rows: readonly UniverseRecord[]
  readonly hasMore: boolean
}

/**
 * The companies that had a state on the day, in order of the register's number. All that is shown of each comes from
 * its filings up to the day.
 */
export async function universePage(sql: SqlClient, scope: UniverseScope): Promise<UniversePage> {
  const { market, states, after, limit, only = null } = scope
  // Entries of an index have no time, so as of an instant only days that have ended count.
  const day = lastWholeDay(scope.asOf)
  // A filing may have been accepted after its day had ended.
  const isPublic = isInstant(scope.asOf) ? filingIsKnown(sql, scope.asOf) : sql`true`
  const ofStates = states === null ? sql`` : sql`and s.state = any(${[...states]}::text[])`
  const later = after === null ? sql`` : sql`and s.issuer_id > ${after}`
  const chosen = only === null ? sql`` : sql`and s.issuer_id = any(${[...only]}::text[])`
  const found = await sql<(UniverseRecord & { version: string })[]>`
    with page as materialized (
      select s.market, s.issuer_id, s.state, s.from_day, s.accession, e.entity_id, e.ticker, e.name
      from company_state s left join entity e on e.market = s.market and e.issuer_id = s.issuer_id
      where s.market = ${market} and s.from_day <= ${day} and s.until_day > ${day} ${ofStates} ${later} ${chosen}
      order by s.issuer_id
      limit ${limit + 1})
    select d.version, p.issuer_id as "issuerId", p.ticker, f.name, f.sector, p.state, p.from_day as since,
           f.form, f.accession, f.filed, f.first as "firstFiled", f.last as "lastFiled"
    from data_version d left join page p on true
    left join lateral (
      select min(filed) as first, max(filed) as last,
             (array_agg(name order by filed desc, accession desc) filter (where name is not null))[1] as name,
             (array_agg(sector order by filed desc, accession desc) filter (where sector is not null))[1] as sector,
             (array_agg(form order by filed desc, accession desc) filter (where decides))[1] as form,
             (array_agg(accession order by filed desc, accession desc) filter (where decides))[1] as accession,
             (array_agg(filed order by filed desc, accession desc) filter (where decides))[1] as filed
      from (
        select r.filed, r.accession, r.form, r.company_name as name, r.sector,
               case when p.accession is null then filing_role(p.market, r.form, r.is_equity) = 'report'
                    else r.accession = p.accession end as decides
        from register_entry r
        where r.market = p.market and r.issuer_id = p.issuer_id and r.filed <= ${day}
          and not exists (select from filing l where l.accession = r.accession and not (${isPublic}))
        union all
        select l.filed, l.accession, l.form, l.company_name, l.sector,
               case when p.accession is null then filing_role(p.market, l.form, null) = 'report'
                    else l.accession = p.accession end
        from filing l
        where l.entity_id = p.entity_id and l.filed <= ${day} and ${isPublic}) filings) f on true
    order by p.issuer_id`
  const [{ version }] = found
  const rows = found.flatMap(({ version: _, ...row }) => (row.issuerId === null ? [] : [row]))
  return { dataVersion: Number(version), rows: rows.slice(0, limit), hasMore: rows.length > limit }
}

export interface StateCount {
  readonly state: CompanyState
  readonly companies: number
}

/** How many companies had each state on the day. */
export async function universeCounts(
  sql: SqlClient,
  { market, asOf }: Pick<UniverseScope, 'market' | 'asOf'>,
): Promise<{ readonly dataVersion: number; readonly counts: readonly StateCount[] }> {
  const day = lastWholeDay(asOf)
  const found = await sql<{ version: string; state: CompanyState | null; companies: number }[]>`
    select d.version, c.state, c.companies
    from data_version d left join (
      select state, count(*)::int as companies from company_state
      where market = ${market} and from_day <= ${day} and until_day > ${day} group by state) c on true`
  return {
    dataVersion: Number(found[0].version),
    counts: found.flatMap(({ state, companies }) => (state === null ? [] : [{ state, companies }])),
  }
}

/** A company that entered the universe of a market or left it. */
export interface UniverseMove {
  readonly issuerId: string
  readonly day: IsoDate
  readonly kind: 'entry' | 'exit' | 'return'
}

/**
 * Every entry, exit and return up to the day, the latest first. A company enters with its first periodic report on record
 * and leaves when it is delisted, deregistered or has ceased to report. A second notice about a company that has left is no
 * second exit.
 */
export async function universeMoves(
  sql: SqlClient,
  { market, asOf }: Pick<UniverseScope, 'market' | 'asOf'>,
): Promise<{ readonly dataVersion: number; readonly moves: readonly UniverseMove[] }> {
  const day = lastWholeDay(asOf)
  const found = await sql<(UniverseMove & { version: string })[]>`
    select d.version, m.*
    from data_version d left join (
      select issuer_id as "issuerId", from_day as day,
             case when has_left is null then 'entry' when is_gone then 'exit' else 'return' end as kind
      from (
        select issuer_id, from_day, state in ('delisted', 'deregistered', 'ceased') as is_gone,
               lag(state in ('delisted', 'deregistered', 'ceased')) over (partition by issuer_id order by from_day) as has_left
        from company_state where market = ${market} and from_day <= ${day}) states
      where has_left is distinct from is_gone) m on true
    order by m.day desc, m."issuerId"`
  return {
    dataVersion: Number(found[0].version),
    moves: found.flatMap(({ version: _, ...move }) => (move.issuerId === null ? [] : [move])),
  }
}

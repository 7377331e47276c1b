import type { IsoDate } from '../../dates.ts'
import { type AsOf, lastWholeDay } from '../../instants.ts'
import type { CompanyState } from '../../markets/companyStates.ts'
import { factsAsOf, filingIsKnown } from '../../postgres/asOf.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { statementsAsOf } from '../../postgres/statements.ts'

export interface FiledAttributes {
  readonly filings: number
  readonly first: IsoDate | null
  readonly last: IsoDate | null
  readonly name: string | null
  readonly nameFiled: IsoDate | null
  readonly sector: string | null
  readonly sectorFiled: IsoDate | null
  readonly yearEnd: string | null
  readonly yearEndFiled: IsoDate | null
  readonly filerStatus: string | null
  readonly filerStatusFiled: IsoDate | null
}

/** What the company's filings stated by the day: each attribute from the latest filing that states it. */
export async function filedAttributes(
  sql: SqlClient,
  entityId: number,
  asOf: AsOf,
): Promise<FiledAttributes> {
  const latest = (column: 'company_name' | 'sector' | 'fiscal_year_end' | 'filer_status') => sql`
    select ${sql(column)} as value, filed from stated where ${sql(column)} is not null
    order by filed desc, accepted_at desc nulls last, accession desc limit 1`
  const [row] = await sql<FiledAttributes[]>`
    with known as materialized (select * from filing l where entity_id = ${entityId} and ${filingIsKnown(sql, asOf)}),
      stated as materialized (select * from ${statementsAsOf(sql, sql`${entityId}`, asOf)} s)
    select (select count(*)::int from known) as filings, (select min(filed) from known) as first,
           (select max(filed) from known) as last, n.value as name, n.filed as "nameFiled",
           s.value as sector, s.filed as "sectorFiled", y.value as "yearEnd", y.filed as "yearEndFiled",
           k.value as "filerStatus", k.filed as "filerStatusFiled"
    from (select) one
    left join lateral (${latest('company_name')}) n on true
    left join lateral (${latest('sector')}) s on true
    left join lateral (${latest('fiscal_year_end')}) y on true
    left join lateral (${latest('filer_status')}) k on true`
  return row
}

/**
 * The currency of the latest full year with money figures by the day; if there is none, of the latest period.
 */
export async function latestCurrency(sql: SqlClient, entityId: number, asOf: AsOf): Promise<string | null> {
  const [row] = await sql<{ unit: string }[]>`
    select u.name as unit
    from ${factsAsOf(sql, asOf)} f join unit u on u.unit_id = f.unit_id
    where f.entity_id = ${entityId} and u.name ~ '^[A-Z]{3}$'
    order by (f.fp = 0) desc, f.period_end desc, f.filed desc, u.name limit 1`
  return row?.unit ?? null
}

export interface TodayAttributes {
  readonly name: string | null
  readonly otherNames: string[]
  readonly status: string | null
  readonly exchange: string | null
  readonly sector: string | null
  readonly yearEnd: string | null
}

/** What the register states about a company without a day. */
export async function todayAttributes(sql: SqlClient, entityId: number): Promise<TodayAttributes> {
  const [row] = await sql<TodayAttributes[]>`
    select name, status, exchange, sector, fiscal_year_end as "yearEnd",
           array(select o.name from entity_other_name o where o.entity_id = e.entity_id order by o.place) as "otherNames"
    from entity e where entity_id = ${entityId}`
  return row
}

export interface StateOnDay {
  readonly state: CompanyState
  readonly since: IsoDate
  /** The notice that the state follows from; null if it follows from reports. */
  readonly accession: string | null
}

/** The company's state on the day; null before its first report. */
export async function readState(sql: SqlClient, entityId: number, asOf: AsOf): Promise<StateOnDay | null> {
  const [row] = await sql<StateOnDay[]>`
    select s.state, s.from_day as since, s.accession
    from entity e join company_state s on s.market = e.market and s.issuer_id = e.issuer_id
    where e.entity_id = ${entityId} and s.from_day <= ${lastWholeDay(asOf)} and s.until_day > ${lastWholeDay(asOf)}`
  return row ?? null
}

export interface FormerNameOnDay {
  readonly name: string
  readonly from: IsoDate | null
  readonly until: IsoDate
}

/**
 * The names that the company was known to have no longer on the day, most recent first. The register dates the last
 * filing under a name, but only the next filing shows that the company has another one.
 *
 * @param isToday whether a name that the register lists as former today counts without such a filing
 */
export function readFormerNames(
  sql: SqlClient,
  entityId: number,
  asOf: AsOf,
  isToday: boolean,
): Promise<readonly FormerNameOnDay[]> {
  const day = lastWholeDay(asOf)
  const ofCompany = sql`n.market = f.market and n.issuer_id = f.issuer_id`
  return sql<FormerNameOnDay[]>`
    select f.name, min(f.used_from) as from, max(f.used_until) as until
    from entity e join former_name f on f.market = e.market and f.issuer_id = e.issuer_id
    where e.entity_id = ${entityId} and f.used_until <= ${day}
      and (${isToday}
        or exists (select from former_name n where ${ofCompany} and n.used_from > f.used_until and n.used_from <= ${day})
        or exists (select from register_entry n where ${ofCompany} and n.filed > f.used_until and n.filed <= ${day})
        or exists (select from filing l
                   where l.entity_id = e.entity_id and l.filed > f.used_until and ${filingIsKnown(sql, asOf)}))
    group by f.name
    order by until desc, f.name`
}

export interface Statement {
  readonly filed: IsoDate
  readonly accession: string
  readonly name: string | null
  readonly sector: string | null
  readonly yearEnd: string | null
  readonly filerStatus: string | null
}

/** What the filings up to the day state about the company, earliest first. */
export function readStatements(sql: SqlClient, entityId: number, asOf: AsOf): Promise<readonly Statement[]> {
  return sql<Statement[]>`
    select filed, accession, company_name as name, sector, fiscal_year_end as "yearEnd", filer_status as "filerStatus"
    from ${statementsAsOf(sql, sql`${entityId}`, asOf)} s
    where num_nonnulls(company_name, sector, fiscal_year_end, filer_status) > 0
    order by filed, accepted_at nulls first, accession`
}

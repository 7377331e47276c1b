import { companiesPerBlock } from '../../backtest/asOf/figureEvents.ts'
import { neverEnds } from '../../backtest/asOf/packedVintages.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import type { OtherChoice, VintageChoice } from '../../backtest/requestCompare.ts'
import type { IsoDate } from '../../dates.ts'
import { checkCodesOf } from '../../facts/factRow.ts'
import type { CheckState } from '../../markets/checkStates.ts'
import { isInState } from '../../postgres/asOf.ts'
import type { SqlClient, SqlFragment } from '../../postgres/client.ts'

/** The vintages of one metric for a block of companies. */
export interface BlockName {
  readonly metric: string
  readonly fp: AsOfPeriod
  /** States of figures; the others have no value. Null or absent: all. */
  readonly checks?: readonly CheckState[] | null | undefined
  /** The first company of the block. */
  readonly firstEntity: number
  /** Only counts that the cover of a report states, in markets whose covers state them. A balance sheet may count one
   * class of shares, or equivalents of it, where a cover states each class. */
  readonly coverOnly?: true | undefined
  /** What the block contains. By default, all vintages of the metric; `first_filed` and `final`: those that the choice of
   * that name leaves; `interims`: only the vintages of interim states; `interimRules`: for each of these, the rule by which
   * it counts; `vintages` and `interimVintages`: every vintage with its filing, of all states and of interim ones. For all
   * metrics together, `moments`: the times at which the companies' figures are not those of the last ended day; `timedDays`:
   * the days whose filings all counted by their times; `announcements`: the filings with which the companies announced
   * results. */
  readonly kind?:
    | OtherChoice
    | 'interims'
    | 'interimRules'
    | 'moments'
    | 'timedDays'
    | 'announcements'
    | 'vintages'
    | 'interimVintages'
    | undefined
}

/** The kind of the blocks of a choice of vintages. */
export const blockKind = (choice: VintageChoice): OtherChoice | undefined =>
  choice === 'as_known' ? undefined : choice

/** A day after all others, by which every vintage is filed and its `until` is known. Joins read nothing after today. */
const lastDay = '9999-12-31'

/** The condition of `coverOnly`. Only covers of the US register state counts. */
const onCover = (sql: SqlClient, coverOnly: BlockName['coverOnly']): SqlFragment =>
  coverOnly === undefined
    ? sql``
    : sql`and (f.tag_id = (select tag_id from tag where name = 'dei:EntityCommonStockSharesOutstanding')
               or f.entity_id not in (select entity_id from entity where market = 'US'))`

/**
 * The vintages of a block as one packed value, because a market has too many for individual rows.
 * `buildEvents` turns them into what fact_as_of and trailing_as_of return for each day; `period_end <= filed`
 * excludes periods that end after their filing, which are errors or forecasts.
 */
export async function readVintages(
  sql: SqlClient,
  { metric, fp, checks, coverOnly, firstEntity, kind }: BlockName,
): Promise<Uint8Array> {
  const asOf = kind === 'final' ? await versionDay(sql) : lastDay
  const ofBlock = sql`
    f.entity_id >= ${firstEntity}::int and f.entity_id < ${firstEntity + companiesPerBlock}::int
    and f.period_end <= f.filed ${onCover(sql, coverOnly)}`
  const id = (name: string) => sql`(select metric_id from metric where name = ${name})`
  const sources: FactSources = {
    facts: sql`fact_as_of(${asOf})`,
    trailing: sql`trailing_as_of(${asOf})`,
    value: sql`f.value`,
    unit: unitOf(sql, checks),
  }
  const [{ rows }] = await sql<[{ rows: Uint8Array }]>`
    select coalesce(string_agg(
      int4send(v.entity_id) || int4send(v.filed - date '1970-01-01')
        || int4send(coalesce(v.until - date '1970-01-01', ${neverEnds}::int))
        || int4send(v.period_end - date '1970-01-01') || int2send(v.rank) || int2send(v.unit_id) || float8send(v.value),
      ''::bytea), '') as rows
    from (${vintagesOf(sql, fp, metric, ofBlock, id, sources)}) v`
  return rows
}

/** Like `readVintages`, with the accession of the filing of each vintage. */
export async function readFiledVintages(
  sql: SqlClient,
  { metric, fp, firstEntity }: BlockName,
): Promise<{ readonly rows: Uint8Array; readonly accessions: string }> {
  const ofBlock = sql`
    f.entity_id >= ${firstEntity}::int and f.entity_id < ${firstEntity + companiesPerBlock}::int
    and f.period_end <= f.filed`
  const id = (name: string) => sql`(select metric_id from metric where name = ${name})`
  const sources: FactSources = {
    facts: sql`fact_as_of(${lastDay})`,
    trailing: sql`trailing_as_of(${lastDay})`,
    value: sql`f.value, f.accession`,
    unit: sql`f.unit_id`,
  }
  const [row] = await sql<[{ rows: Uint8Array; accessions: string }]>`
    select coalesce(string_agg(
      int4send(v.entity_id) || int4send(v.filed - date '1970-01-01') || int4send(coalesce(v.until - date '1970-01-01', ${neverEnds}::int))
        || int4send(v.period_end - date '1970-01-01') || int2send(v.rank) || int2send(v.unit_id) || float8send(v.value),
      ''::bytea), '') as rows, coalesce(string_agg(coalesce(v.accession, ''), E'\n'), '') as accessions
    from (${vintagesOf(sql, fp, metric, ofBlock, id, sources)}) v (entity_id, filed, until, period_end, rank, unit_id, value, accession)`
  return row
}

/**
 * The day of the import that made the data version. The final vintages are those of this day: a report that falls due later is not
 * public yet, although it is on record, and a request for this version is answered the same on every later day.
 */
async function versionDay(sql: SqlClient): Promise<IsoDate> {
  const [{ day }] = await sql<[{ day: IsoDate }]>`
    select coalesce(max(b.day), import_day())::text as day
    from import_batch b where b.version <= (select version from data_version)`
  return day
}

/** Where vintages are read from. */
interface FactSources {
  readonly facts: SqlFragment
  readonly trailing: SqlFragment
  /** The expression that is packed for each row. */
  readonly value: SqlFragment
  readonly unit: SqlFragment
}

/** The unit that is packed for a figure: its complement if the figure's state is left out. */
const unitOf = (sql: SqlClient, checks: BlockName['checks']): SqlFragment =>
  checks == null
    ? sql`f.unit_id`
    : sql`case when true ${isInState(sql, sql`f.check_state`, checkCodesOf(checks))}
               then f.unit_id else ~ f.unit_id end`

/**
 * Follows the fundamentals route: FY and quarters match its `fp` filters, TTM its trailing rows, latest
 * `view=latest`. `rank` breaks ties between periods that end on the same day.
 */
function vintagesOf(
  sql: SqlClient,
  fp: AsOfPeriod,
  metric: string,
  ofBlock: SqlFragment,
  id: (name: string) => SqlFragment,
  { facts, trailing, value, unit }: FactSources,
): SqlFragment {
  const columns = (rank: SqlFragment) =>
    sql`f.entity_id, f.filed, f.until, f.period_end, ${rank} as rank, ${unit} as unit_id, ${value} as value`
  const none = sql`0::smallint`
  const yearFirst = sql`(case when f.fp = 0 then 5::smallint else f.fp end)`
  switch (fp) {
    case 'FY':
      return sql`
        select ${columns(none)} from ${facts} f
        where ${ofBlock} and f.metric_id = ${id(metric)} and f.fp = 0`
    case 'Q':
      return sql`
        select ${columns(yearFirst)} from ${facts} f
        where ${ofBlock} and f.metric_id = ${id(metric)} and (f.fp > 0 or f.period_start is null)`
    case 'latest':
      return sql`
        select ${columns(yearFirst)} from ${facts} f
        where ${ofBlock} and f.metric_id = ${id(metric)}`
    case 'TTM':
      return sql`
        select ${columns(none)} from ${trailing} f
        where ${ofBlock} and f.metric_id = ${id(`${metric}_ttm`)}
        union all
        select ${columns(none)} from ${facts} f
        where ${ofBlock} and f.metric_id = ${id(metric)} and f.fp = 0 and f.period_start is not null
          and f.unit_id not in (select unit_id from unit where name ~ 'shares$')`
    default:
      return fp satisfies never
  }
}

/** A stretch of time during which a company's figures are not those of the last ended day in its market. */
export interface StoredMoment {
  readonly entity: number
  /** Milliseconds since 1970. */
  readonly from: number
  readonly until: number
  /** Days since 1970-01-01. */
  readonly day: number
  readonly byTime: boolean
  readonly isInterim: boolean
}

/** The moments of a block's companies, by company and time. */
export async function readMoments(sql: SqlClient, firstEntity: number): Promise<readonly StoredMoment[]> {
  return sql<StoredMoment[]>`
    select m.entity_id as entity, (extract(epoch from m.known_at) * 1000)::float8 as "from",
           (extract(epoch from m.until_at) * 1000)::float8 as until, m.day - date '1970-01-01' as day,
           m.by_time as "byTime", m.interim is not null as "isInterim"
    from known_moment m
    where m.entity_id >= ${firstEntity}::int and m.entity_id < ${firstEntity + companiesPerBlock}::int
    order by m.entity_id, m.known_at, m.until_at, m.day`
}

/** The days of a block's companies whose filings all counted by their times. */
export function readTimedDays(
  sql: SqlClient,
  firstEntity: number,
): Promise<readonly { readonly entity: number; readonly day: number }[]> {
  return sql<{ entity: number; day: number }[]>`
    select distinct m.entity_id as entity, m.day - date '1970-01-01' as day
    from known_moment m
    where m.entity_id >= ${firstEntity}::int and m.entity_id < ${firstEntity + companiesPerBlock}::int and m.by_time
    order by 1, 2`
}

/** A filing with which a company announced results. */
export interface StoredAnnouncement {
  readonly entity: number
  readonly market: string
  readonly accession: string
  /** Days since 1970-01-01. */
  readonly filed: number
  /** Milliseconds since 1970; null if unknown, or if it contradicts the filing day. */
  readonly acceptedAt: number | null
}

/** The announcements of a block's companies, by company and filing day. Within a day, those without times come last. */
export function readAnnouncements(
  sql: SqlClient,
  firstEntity: number,
): Promise<readonly StoredAnnouncement[]> {
  return sql<StoredAnnouncement[]>`
    select e.entity_id as entity, a.market, a.accession, a.filed - date '1970-01-01' as filed,
           (extract(epoch from t.accepted_at) * 1000)::float8 as "acceptedAt"
    from entity e
    join announcement a on a.market = e.market and a.issuer_id = e.issuer_id
    cross join lateral (
      select case when filing_has_time(a.filed, a.accepted_at) then a.accepted_at end as accepted_at) t
    where e.entity_id >= ${firstEntity}::int and e.entity_id < ${firstEntity + companiesPerBlock}::int
    order by e.entity_id, a.filed, t.accepted_at nulls last, a.accession`
}

/**
 * Reads the vintages of a block's interim states. They are packed as in `readVintages`, except that the number of the
 * state, in the order of `readMoments`, replaces the company. As in `fact_at`, only vintages that are current in the
 * state are packed, and for `interimVintages` also those that were current before. For `interimRules`, each value is 1 if its filing counted by its time and 0 otherwise.
 */
export async function readInterims(
  sql: SqlClient,
  { metric, fp, checks, coverOnly, firstEntity, kind }: BlockName,
): Promise<{ readonly states: number; readonly rows: Uint8Array; readonly accessions: string }> {
  const id = (name: string) => sql`(select metric_id from metric where name = ${name})`
  const [row] = await sql<[{ states: number; rows: Uint8Array; accessions: string }]>`
    with states as materialized (
      select (row_number() over (order by entity_id, known_at, until_at, day) - 1)::int as number, entity_id, known_at, day
      from known_moment
      where entity_id >= ${firstEntity}::int and entity_id < ${firstEntity + companiesPerBlock}::int and interim is not null)
    select (select count(*)::int from states) as states, coalesce(string_agg(
      int4send(s.number) || int4send(v.filed - date '1970-01-01') || int4send(${neverEnds}::int)
        || int4send(v.period_end - date '1970-01-01') || int2send(v.rank) || int2send(v.unit_id) || float8send(v.value),
      ''::bytea), '') as rows, coalesce(string_agg(coalesce(v.accession, ''), E'\n'), '') as accessions
    from states s
    cross join lateral (
      ${vintagesOf(
        sql,
        fp,
        metric,
        kind === 'interimVintages'
          ? sql`f.entity_id = s.entity_id and f.period_end <= f.filed`
          : sql`f.entity_id = s.entity_id and f.current and f.period_end <= f.filed ${onCover(sql, coverOnly)}`,
        id,
        {
          facts: sql`fact_at(s.known_at, s.day)`,
          trailing: sql`trailing_at(s.known_at, s.day)`,
          value:
            kind === 'interimRules' ? sql`f.by_time::int::float8, f.accession` : sql`f.value, f.accession`,
          unit: unitOf(sql, checks),
        },
      )}) v (entity_id, filed, until, period_end, rank, unit_id, value, accession)`
  return row
}

/** The names of all units by number. */
export async function readUnits(sql: SqlClient): Promise<ReadonlyMap<number, string>> {
  const rows = await sql<{ id: number; name: string }[]>`select unit_id as id, name from unit`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/**
 * The companies of an archive's assets in one market, in the same order; -1 if there is none. A ticker that
 * two markets share is written TICKER:MARKET.
 */
export async function findListed(sql: SqlClient, names: string, market: string): Promise<readonly number[]> {
  const [{ entities }] = await sql<[{ entities: number[] }]>`
    select coalesce(array_agg(coalesce(e.entity_id, -1) order by n.place), '{}') as entities
    from unnest(string_to_array(${names}, E'\n')) with ordinality as n (name, place)
    left join (entity_ticker t join entity e on e.entity_id = t.entity_id and e.market = ${market})
      on t.ticker = case when right(n.name, 3) = ${`:${market}`} then left(n.name, -3) else n.name end`
  return entities
}

import { type CompanySpells, packSpells } from '../../backtest/asOf/companySpells.ts'
import { Failure } from '../../errors.ts'
import { marketZone } from '../../markets/asOf.ts'
import { type GroupScheme, groupOf } from '../../markets/industries.ts'
import type { Markets } from '../../markets/markets.ts'
import type { Sql, SqlClient, SqlFragment } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import { statementsAsOf } from '../../postgres/statements.ts'

/** A day after all others: each row picks its spell by its own day, so all spells are read. */
const lastDay = '9999-12-31'

/** Which labels of companies are read. */
export interface WantedSpells {
  readonly scheme: GroupScheme | null
  readonly hasStates: boolean
  /**
   * Given if the rows have times. A code that a filing states then counts from the end of the filing's day or of the day
   * on which it was accepted in its market, whichever is later.
   */
  readonly markets: Pick<Markets, 'get' | 'codes'> | null
}

interface Spells {
  readonly groups: CompanySpells | null
  readonly states: CompanySpells | null
}

const maxAttempts = 8

/**
 * Opens figures together with the groups and states of their companies over time, all from one data version.
 *
 * @param entitiesOf the companies whose spells are read, in this order
 */
export async function withSpells<Opened extends { readonly dataVersion: number }>(
  sql: Sql,
  { scheme, hasStates, markets }: WantedSpells,
  open: () => Promise<Opened>,
  entitiesOf: (opened: Opened) => Int32Array,
): Promise<Opened & Spells> {
  if (scheme === null && !hasStates) return { ...(await open()), groups: null, states: null }
  for (let left = maxAttempts; left > 0; left--) {
    const opened = await open()
    const entities = entitiesOf(opened)
    const spells = await withSnapshot(sql, async snapshot => {
      if ((await readDataVersion(snapshot)) !== opened.dataVersion) return null
      return {
        groups: scheme === null ? null : await readGroupSpells(snapshot, entities, scheme, markets),
        states: hasStates ? await readStateSpells(snapshot, entities) : null,
      }
    })
    if (spells !== null) return { ...opened, ...spells }
  }
  throw new Failure(
    'database_unavailable',
    'The data kept changing while this request was being served. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/** The states of companies over time, in the order of `entities`; -1: unknown. */
async function readStateSpells(sql: SqlClient, entities: Int32Array): Promise<CompanySpells> {
  const rows = await sql<{ company: number; day: number; label: string }[]>`
    select (w.position - 1)::int as company, s.from_day - date '1970-01-01' as day, s.state as label
    from unnest(${[...entities]}::int[]) with ordinality as w (entity_id, position)
    join entity e on e.entity_id = w.entity_id
    join company_state s on s.market = e.market and s.issuer_id = e.issuer_id
    order by w.position, s.from_day`
  return packSpells(rows, entities.length)
}

/** The groups of companies over time, from the codes that their filings state. */
async function readGroupSpells(
  sql: SqlClient,
  entities: Int32Array,
  scheme: GroupScheme,
  markets: WantedSpells['markets'],
): Promise<CompanySpells> {
  const rows = await sql<{ company: number; day: number; sector: string }[]>`
    select company, day - date '1970-01-01' as day, sector
    from (
      select company, day, sector, lag(sector) over known as before, row_number() over known as ordinal
      from (
        select (w.position - 1)::int as company, ${dayKnown(sql, markets)} as day, l.*
        from unnest(${[...entities]}::int[]) with ordinality as w (entity_id, position)
        join entity e on e.entity_id = w.entity_id
        cross join lateral (select * from ${statementsAsOf(sql, sql`w.entity_id`, lastDay)} s where s.sector is not null) l
      ) dated
      window known as (partition by company order by day, filed, accepted_at nulls first, accession)) stated
    where sector is distinct from before
    order by company, ordinal`
  return packSpells(
    rows.map(({ company, day, sector }) => ({ company, day, label: groupOf(scheme, sector) })),
    entities.length,
  )
}

/** A statement `l` of a company `e` is known from the end of this day. */
function dayKnown(sql: SqlClient, markets: WantedSpells['markets']): SqlFragment {
  if (markets === null) return sql`l.filed`
  const zones = Object.fromEntries(markets.codes.map(code => [code, marketZone(markets, code).name]))
  // An entry of an index has no time, but another registrant of its filing may have one.
  return sql`greatest(l.filed, (
    coalesce(l.accepted_at, (select o.accepted_at from filing o where o.accession = l.accession))
      at time zone (${JSON.stringify(zones)}::text::jsonb ->> e.market))::date)`
}

import type { IsoDate } from '../../dates.ts'
import {
  type SymbolSource,
  type SymbolSpell,
  type SymbolStatement,
  spellsOf,
} from '../../facts/symbolSpells.ts'
import type { SqlClient } from '../../postgres/client.ts'
import type { CompanyIdentity, RegisterNumber } from './queries.ts'

/** The spells of a symbol, and the data version in which they were read. */
export interface DatedSymbol {
  readonly dataVersion: number
  /** In order; empty if no source says anything about the symbol. */
  readonly spells: readonly SymbolSpell[]
}

interface StatementRow extends SymbolStatement {
  readonly id: string
}

const idOfNumber = (sql: SqlClient) => sql`
  case when e.market = 'US' then 'CIK' || e.issuer_id else e.issuer_id || '.' || e.market end`

/**
 * The spells of symbols, by the ID in the request. If any source states something about a symbol, the register's own
 * list also counts as a statement, from the day on which it was first seen to give the ID to its company.
 */
export async function readDatedSymbols(
  sql: SqlClient,
  ids: readonly string[],
): Promise<Map<string, DatedSymbol>> {
  const [{ dataVersion, statements }] = await sql<
    [{ dataVersion: number; statements: readonly StatementRow[] }]
  >`
    with stated as materialized (
      select i.id, s.market, s.issuer_id, s.holder, s.from_day, s.to_day, s.is_beginning, s.source, s.known
      from unnest(${[...ids]}::text[]) as i (id) join symbol_spell s on s.form = symbol_form(i.id)
      where s.from_day < 'infinity'),
    listed as (
      select i.id, t.entity_id,
             coalesce((select b.day from import_batch b where b.version = t.since_version), import_day()) as since
      from (select distinct id from stated) i
      cross join lateral (
        select t.entity_id, t.since_version from entity_ticker t
        where t.ticker = any(array[i.id] || array(
          select replace(symbol_form(i.id), '-', mark) from unnest(array['-', '.', '/']) mark))
        order by t.ticker <> i.id, t.ticker
        limit 1) t)
    select (select version::int from data_version) as "dataVersion",
           coalesce((
             select json_agg(json_build_object(
               'id', id, 'market', market, 'issuerId', issuer_id, 'holder', holder, 'from', from_day, 'to', to_day,
               'isBeginning', is_beginning, 'source', source, 'known', known))
             from (
               select * from stated
               union all
               select l.id, e.market, e.issuer_id, ${idOfNumber(sql)}, l.since, null, false, 'register', l.since
               from listed l join entity e on e.entity_id = l.entity_id) every), '[]') as statements`
  const byId = Map.groupBy(statements, ({ id }) => id)
  return new Map(ids.map(id => [id, { dataVersion, spells: spellsOf(byId.get(id) ?? []) }]))
}

/** The companies with these register numbers, with their preferred IDs. */
export async function findByNumbers(
  sql: SqlClient,
  numbers: readonly RegisterNumber[],
): Promise<CompanyIdentity[]> {
  if (numbers.length === 0) return []
  return sql<CompanyIdentity[]>`
    select e.entity_id as "entityId", e.ticker, e.ticker as preferred, e.issuer_id as "issuerId", e.name, e.market,
           (select version::int from data_version) as "dataVersion", null as twin, null as "sentId",
           array[]::text[] as "formerHolders"
    from unnest(${numbers.map(({ market }) => market)}::text[], ${numbers.map(({ issuerId }) => issuerId)}::text[])
      as wanted (market, issuer_id)
    join entity e on e.issuer_id = wanted.issuer_id and e.market || '' = wanted.market`
}

/** A past or current symbol of a company. */
export interface SymbolOfCompany {
  readonly symbol: string
  readonly from: IsoDate
  readonly to: IsoDate | null
  readonly source: SymbolSource
  readonly known: IsoDate
}

/** All statements about the symbols of a company, in order of their first day. */
export async function readSymbolsOf(
  sql: SqlClient,
  { market, issuerId }: RegisterNumber,
): Promise<SymbolOfCompany[]> {
  return sql<SymbolOfCompany[]>`
    select symbol, from_day as "from", to_day as "to", source, known
    from symbol_spell where market = ${market} and issuer_id = ${issuerId} and from_day < 'infinity'
    order by from_day, symbol, source`
}

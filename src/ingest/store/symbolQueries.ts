import type { IsoDate } from '../../dates.ts'
import type { SymbolStatement } from '../../facts/symbolSpells.ts'
import type { Sql, TransactionSql } from '../../postgres/client.ts'

export interface TickerOfEntity {
  readonly ticker: string
  readonly entityId: number
}

/** A line of the operator's lists. */
export interface ListedSpell extends Pick<SymbolStatement, 'market' | 'issuerId' | 'holder' | 'from' | 'to'> {
  readonly symbol: string
  /** If the register has not named the company yet, the normalised symbol by which it may do so later; otherwise
   * null. */
  readonly pending: string | null
}

export interface SavedSpells {
  readonly added: number
  /** Spells on record that got an end, or a later one. */
  readonly extended: number
}

/**
 * Stores spells of the operator's lists. If two lists state different ends for one spell, the later end counts, and a
 * stated end takes precedence over none, so lists may be imported in any order. `known` is the day on which the first
 * of them was imported.
 */
export async function saveListedSpells(
  transaction: TransactionSql,
  spells: readonly ListedSpell[],
  known: IsoDate,
): Promise<SavedSpells> {
  if (spells.length === 0) return { added: 0, extended: 0 }
  const column = <T>(of: (spell: ListedSpell) => T) => spells.map(of)
  const rows = await transaction<{ added: boolean }[]>`
    insert into symbol_spell (symbol, market, issuer_id, holder, from_day, to_day, is_beginning, source, known, pending)
    select min(symbol), market, min(issuer_id), holder, from_day, max(to_day), true, 'operator', ${known}::date, min(pending)
    from unnest(
      ${column(one => one.symbol)}::text[], ${column(one => one.market)}::text[], ${column(one => one.issuerId)}::text[],
      ${column(one => one.holder)}::text[], ${column(one => one.from)}::date[], ${column(one => one.to)}::date[],
      ${column(one => one.pending)}::text[]
    ) as listed (symbol, market, issuer_id, holder, from_day, to_day, pending)
    group by symbol_form(symbol), market, holder, from_day
    on conflict (form, market, holder, source, from_day, document) do update set to_day = excluded.to_day
      where excluded.to_day > symbol_spell.to_day or excluded.to_day is not null and symbol_spell.to_day is null
    returning xmax = 0 as added`
  const added = rows.filter(row => row.added).length
  return { added, extended: rows.length - added }
}

/** Removes every spell of the operator's lists. */
export async function removeListedSpells(transaction: TransactionSql): Promise<number> {
  const { count } = await transaction`delete from symbol_spell where source = 'operator'`
  return count
}

export interface NamedCompany {
  readonly market: string
  readonly issuerId: string
}

/** The companies that have these IDs today, or had them last if no company has them today, by ID. */
export async function readCompaniesOfIds(
  sql: Sql | TransactionSql,
  ids: readonly string[],
): Promise<Map<string, NamedCompany>> {
  const rows = await sql<(NamedCompany & { id: string })[]>`
    select distinct on (named.id) named.id, e.market, e.issuer_id as "issuerId"
    from (
      select ticker as id, entity_id, 0 as rank, 0 as place from entity_ticker where ticker = any(${[...ids]}::text[])
      union all
      select ticker, entity_id, 1, place from entity_former_id where ticker = any(${[...ids]}::text[])) named
    join entity e on e.entity_id = named.entity_id
    order by named.id, named.rank, named.place desc`
  return new Map(rows.map(({ id, ...company }) => [id, company]))
}

/** The current holders of these symbols, by symbol. Symbols that nobody has today are absent. */
export async function readHolders(
  sql: Sql | TransactionSql,
  symbols: readonly string[],
): Promise<Map<string, NamedCompany>> {
  const rows = await sql<(NamedCompany & { id: string })[]>`
    select t.ticker as id, e.market, e.issuer_id as "issuerId"
    from entity_ticker t join entity e on e.entity_id = t.entity_id
    where t.ticker = any(${[...symbols]}::text[])`
  return new Map(rows.map(({ id, ...company }) => [id, company]))
}

/** Identifies the companies of lists that were imported before the register named them. */
export async function identifyPendingSpells(
  transaction: TransactionSql,
  assigned: readonly TickerOfEntity[],
): Promise<void> {
  if (assigned.length === 0) return
  const tickers = assigned.map(({ ticker }) => ticker)
  const identified = transaction`
    select s.ctid, e.market, e.issuer_id,
           case when e.market = 'US' then 'CIK' || e.issuer_id else e.issuer_id || '.' || e.market end as holder
    from symbol_spell s
    join unnest(${tickers}::text[], ${assigned.map(({ entityId }) => entityId)}::int[]) as named (ticker, entity_id)
      on symbol_form(named.ticker) = s.pending
    join entity e on e.entity_id = named.entity_id
    where s.issuer_id is null`
  // Another list may have stated the same spell under the register's number.
  await transaction`
    delete from symbol_spell s using (${identified}) i, symbol_spell known
    where s.ctid = i.ctid and known.form = s.form and known.market = i.market and known.holder = i.holder
      and known.source = s.source and known.from_day = s.from_day and known.to_day is not distinct from s.to_day`
  await transaction`
    update symbol_spell s set market = i.market, issuer_id = i.issuer_id, holder = i.holder, pending = null
    from (${identified}) i where s.ctid = i.ctid`
}

/** The day since which the register's own list gives each of these IDs to its company, by ID. */
export async function readListedSince(
  transaction: TransactionSql,
  tickers: readonly string[],
): Promise<Map<string, IsoDate>> {
  if (tickers.length === 0) return new Map()
  const rows = await transaction<{ ticker: string; since: IsoDate }[]>`
    select t.ticker, coalesce((select b.day from import_batch b where b.version = t.since_version), import_day()) as since
    from entity_ticker t where t.ticker = any(${[...tickers]}::text[])`
  return new Map(rows.map(({ ticker, since }) => [ticker, since]))
}

/** A symbol that the register's list now gives to another company or to none, unlike when it was last read. */
export interface EndedListing extends TickerOfEntity {
  readonly since: IsoDate
}

/**
 * Records changes of the register's list that were seen on a day. If the end of a spell is seen on the day of its
 * beginning, the company had the symbol on no day.
 *
 * @param begun symbols that replaced an ended symbol of a company
 */
export async function recordListChanges(
  transaction: TransactionSql,
  { ended, begun }: { readonly ended: readonly EndedListing[]; readonly begun: readonly TickerOfEntity[] },
  seenOn: IsoDate | null,
): Promise<void> {
  const holder = transaction`
    case when e.market = 'US' then 'CIK' || e.issuer_id else e.issuer_id || '.' || e.market end`
  const day = transaction`coalesce(${seenOn}::date, import_day())`
  if (ended.length > 0) {
    await transaction`
      update symbol_spell s set to_day = ${day} - 1
      from unnest(${ended.map(({ ticker }) => ticker)}::text[], ${ended.map(({ entityId }) => entityId)}::int[])
        as ended (ticker, entity_id)
      join entity e on e.entity_id = ended.entity_id
      where s.market = e.market and s.issuer_id = e.issuer_id and s.form = symbol_form(ended.ticker)
        and s.source = 'register' and s.to_day is null and s.from_day < ${day}`
    await transaction`
      insert into symbol_spell (symbol, market, issuer_id, holder, from_day, to_day, is_beginning, source, known)
      select ended.ticker, e.market, e.issuer_id, ${holder}, ended.since, ${day} - 1, false, 'register', ${day}
      from unnest(
        ${ended.map(({ ticker }) => ticker)}::text[], ${ended.map(({ entityId }) => entityId)}::int[],
        ${ended.map(({ since }) => since)}::date[]) as ended (ticker, entity_id, since)
      join entity e on e.entity_id = ended.entity_id
      where ended.since < ${day}
      on conflict do nothing`
  }
  if (begun.length === 0) return
  await transaction`
    insert into symbol_spell (symbol, market, issuer_id, holder, from_day, is_beginning, source, known)
    select begun.ticker, e.market, e.issuer_id, ${holder}, ${day}, true, 'register', ${day}
    from unnest(${begun.map(({ ticker }) => ticker)}::text[], ${begun.map(({ entityId }) => entityId)}::int[])
      as begun (ticker, entity_id)
    join entity e on e.entity_id = begun.entity_id
    on conflict do nothing`
}

/** The symbols that the cover page of a filing states. */
export interface CoverSymbols extends NamedCompany {
  readonly accession: string
  /** Null if no source has dated the filing yet: its symbols then count from the moment one does. */
  readonly filed: IsoDate | null
  readonly symbols: readonly string[]
}

/**
 * Records cover pages. A symbol ends when the company's next cover page does not repeat it, whatever the order in which
 * the filings are read: the ends of all its cover pages are computed again.
 *
 * @param known the day on which they were read; null: today
 */
export async function saveCoverSymbols(
  transaction: TransactionSql,
  covers: readonly CoverSymbols[],
  known: IsoDate | null,
): Promise<void> {
  const rows = covers.flatMap(({ symbols, ...cover }) => symbols.map(symbol => ({ ...cover, symbol })))
  if (rows.length === 0) return
  const column = <T>(of: (row: (typeof rows)[number]) => T) => rows.map(of)
  await transaction`
    insert into symbol_spell (symbol, market, issuer_id, holder, from_day, is_beginning, source, known, document)
    select symbol, market, issuer_id, case when market = 'US' then 'CIK' || issuer_id else issuer_id || '.' || market end,
           filed, true, 'filing', coalesce(${known}::date, import_day()), accession
    from unnest(
      ${column(row => row.symbol)}::text[], ${column(row => row.market)}::text[], ${column(row => row.issuerId)}::text[],
      ${column(row => row.filed ?? 'infinity')}::date[], ${column(row => row.accession)}::text[]
    ) as stated (symbol, market, issuer_id, filed, accession)
    on conflict do nothing`
  await endCoverSymbols(transaction, rows)
}

/** Moves the symbols on the cover pages of these filings to the days on which the filings count now. */
export async function dateCoverSymbols(
  transaction: TransactionSql,
  accessions: readonly string[],
): Promise<void> {
  if (accessions.length === 0) return
  const moved = await transaction<NamedCompany[]>`
    update symbol_spell s set from_day = f.filed, to_day = null
    from filing f
    where f.accession = any(${[...accessions]}::text[]) and s.document = f.accession and s.source = 'filing'
      and s.from_day <> f.filed
    returning s.market, s.issuer_id as "issuerId"`
  if (moved.length > 0) await endCoverSymbols(transaction, moved)
}

async function endCoverSymbols(
  transaction: TransactionSql,
  companies: readonly NamedCompany[],
): Promise<void> {
  await transaction`
    update symbol_spell s set to_day = ends.to_day
    from (
      select own.ctid, (
        select min(later.from_day) - 1 from symbol_spell later
        where later.source = 'filing' and later.market = own.market and later.issuer_id = own.issuer_id
          and later.from_day > own.from_day and later.from_day < 'infinity') as to_day
      from symbol_spell own
      join (select distinct market, issuer_id
            from unnest(${companies.map(({ market }) => market)}::text[], ${companies.map(({ issuerId }) => issuerId)}::text[])
              as company (market, issuer_id)) company using (market, issuer_id)
      where own.source = 'filing') ends
    where s.ctid = ends.ctid and s.to_day is distinct from ends.to_day`
}

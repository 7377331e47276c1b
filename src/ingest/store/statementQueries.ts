import { isoDate } from '../../dates.ts'
import type { FormerName, RegisterEntry, RegisterStatements } from '../../facts/registerStatements.ts'
import type { TransactionSql } from '../../postgres/client.ts'

interface Registrant {
  readonly market: string
  readonly issuerId: string
}

/**
 * Stores what documents state about filings and filers, and derives the states of the affected companies again. The
 * resulting rows do not depend on the order of imports.
 *
 * @param timed filings whose times decide from which day on they count, for all of their registrants
 */
export async function saveStatements(
  transaction: TransactionSql,
  { entries, indexes, formerNames }: RegisterStatements,
  saved: readonly Registrant[],
  timed: readonly string[],
): Promise<void> {
  await saveEntries(transaction, entries)
  await saveFormerNames(transaction, formerNames)
  const concerned = [...entries, ...saved, ...(await readRegistrants(transaction, timed))]
  const markets = concerned.map(({ market }) => market)
  const issuerIds = concerned.map(({ issuerId }) => issuerId)
  for (const { market, isFull, first, last } of indexes) {
    await transaction`
      insert into register_index (market, is_full, first_day, last_day)
      values (${market}, ${isFull}, ${isoDate(first)}, ${isoDate(last)})
      on conflict (market, is_full, first_day) do update set last_day = excluded.last_day
        where register_index.last_day < excluded.last_day`
    for (const issuerId of await readSilent(transaction, market, isoDate(first))) {
      markets.push(market)
      issuerIds.push(issuerId)
    }
  }
  if (markets.length === 0) return
  await transaction`select refresh_company_states(${markets}::text[], ${issuerIds}::text[])`
}

async function readRegistrants(
  transaction: TransactionSql,
  accessions: readonly string[],
): Promise<readonly Registrant[]> {
  if (accessions.length === 0) return []
  return transaction<Registrant[]>`
    select distinct market, issuer_id as "issuerId" from register_entry where accession = any(${[...accessions]}::text[])`
}

/** The companies that had not reported for 18 months on the day or later: an index of that day may change their
 * states. */
async function readSilent(transaction: TransactionSql, market: string, day: string): Promise<string[]> {
  const rows = await transaction<{ issuer_id: string }[]>`
    select distinct issuer_id from company_state
    where market = ${market} and until_day > ${day} and state in ('ceased', 'unknown')`
  return rows.map(row => row.issuer_id)
}

/** Merges entries of several sources. Where these differ, the latest day and the alphabetically first text count. */
async function saveEntries(transaction: TransactionSql, entries: readonly RegisterEntry[]): Promise<void> {
  if (entries.length === 0) return
  const texts = (of: (entry: RegisterEntry) => string | undefined) => entries.map(entry => of(entry) ?? null)
  await transaction`
    insert into register_entry as known
      (market, issuer_id, accession, form, filed, is_structured, is_equity, company_name, sector, fiscal_year_end, filer_status)
    select market, issuer_id, accession, min(form), max(filed), bool_or(is_structured), bool_or(is_equity),
           min(company_name), min(sector), min(fiscal_year_end), min(filer_status)
    from unnest(
      ${entries.map(({ market }) => market)}::text[], ${entries.map(({ issuerId }) => issuerId)}::text[],
      ${entries.map(({ accession }) => accession)}::text[], ${entries.map(({ form }) => form)}::text[],
      ${entries.map(({ filed }) => isoDate(filed))}::date[],
      ${entries.map(({ isStructured }) => String(isStructured))}::text[]::bool[],
      ${texts(({ isEquity }) => isEquity?.toString())}::text[]::bool[],
      ${texts(entry => entry.companyName)}::text[], ${texts(entry => entry.sector)}::text[],
      ${texts(entry => entry.fiscalYearEnd)}::text[], ${texts(entry => entry.filerStatus)}::text[]
    ) as stated (market, issuer_id, accession, form, filed, is_structured, is_equity, company_name, sector, fiscal_year_end,
                 filer_status)
    group by market, issuer_id, accession
    on conflict (market, issuer_id, accession) do update set
      form = least(known.form, excluded.form), filed = greatest(known.filed, excluded.filed),
      is_structured = known.is_structured or excluded.is_structured,
      is_equity = greatest(known.is_equity, excluded.is_equity),
      company_name = least(known.company_name, excluded.company_name), sector = least(known.sector, excluded.sector),
      fiscal_year_end = least(known.fiscal_year_end, excluded.fiscal_year_end),
      filer_status = least(known.filer_status, excluded.filer_status)
    where (least(known.form, excluded.form), greatest(known.filed, excluded.filed),
           known.is_structured or excluded.is_structured, greatest(known.is_equity, excluded.is_equity),
           least(known.company_name, excluded.company_name), least(known.sector, excluded.sector),
           least(known.fiscal_year_end, excluded.fiscal_year_end), least(known.filer_status, excluded.filer_status))
      is distinct from (known.form, known.filed, known.is_structured, known.is_equity, known.company_name, known.sector,
                        known.fiscal_year_end, known.filer_status)`
}

async function saveFormerNames(transaction: TransactionSql, names: readonly FormerName[]): Promise<void> {
  if (names.length === 0) return
  await transaction`
    insert into former_name as known (market, issuer_id, name, used_from, used_until)
    select market, issuer_id, name, min(used_from), used_until
    from unnest(
      ${names.map(({ market }) => market)}::text[], ${names.map(({ issuerId }) => issuerId)}::text[],
      ${names.map(({ name }) => name)}::text[],
      ${names.map(({ from }) => (from === null ? null : isoDate(from)))}::date[],
      ${names.map(({ until }) => isoDate(until))}::date[]
    ) as stated (market, issuer_id, name, used_from, used_until)
    group by market, issuer_id, name, used_until
    on conflict (market, issuer_id, name, used_until) do update set used_from = least(known.used_from, excluded.used_from)
      where least(known.used_from, excluded.used_from) is distinct from known.used_from`
}

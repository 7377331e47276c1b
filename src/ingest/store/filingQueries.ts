import { dayNumber } from '../../dates.ts'
import { type Filing, unknownFilingDate } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { BinaryCopyWriter, copyBytes, copyDateText, copyTimestampText } from '../../postgres/copy.ts'

/** The numbers by which facts refer to their filings. */
export class FilingIds {
  readonly #ids = new Map<string, number>()

  set(accession: string, id: number): void {
    this.#ids.set(accession, id)
  }

  has(accession: string): boolean {
    return this.#ids.has(accession)
  }

  id(accession: string): number {
    const id = this.#ids.get(accession)
    if (id === undefined) throw new Error(`filing ${accession} has a fact but is not on record`)
    return id
  }
}

interface FilingRecord {
  filing_id: number
  accession: string
  form: string
  filed: string
  accepted_at: Date | null
  fiscal_year_end: string | null
  company_name: string | null
  sector: string | null
  figures: number
}

/** A filing as it is stored. */
export interface FilingOnRecord {
  readonly id: number
  readonly filing: Filing
  /** How many of its figures are on record. */
  readonly figures: number
}

const filingColumns = (sql: TransactionSql) =>
  sql`filing_id, accession, form, filed, accepted_at, fiscal_year_end, company_name, sector, figures`

/** Adds the filings with these numbers to `known`, by number, except those that it has. */
export async function readFilingsByNumber(
  transaction: TransactionSql,
  ids: ReadonlySet<number>,
  known: Map<number, FilingOnRecord>,
): Promise<void> {
  const unread = [...ids].filter(id => !known.has(id))
  if (unread.length === 0) return
  const rows = await transaction<FilingRecord[]>`
    select ${filingColumns(transaction)} from filing where filing_id = any(${unread}::int[])`
  for (const row of rows) known.set(row.filing_id, onRecord(row))
}

/** The filings on record among `accessions`. */
export async function readFilingsOnRecord(
  transaction: TransactionSql,
  accessions: readonly string[],
): Promise<readonly FilingOnRecord[]> {
  if (accessions.length === 0) return []
  const rows = await transaction<FilingRecord[]>`
    select ${filingColumns(transaction)} from filing where accession = any(${accessions}::text[])`
  return rows.map(onRecord)
}

const onRecord = (row: FilingRecord): FilingOnRecord => ({
  id: row.filing_id,
  filing: {
    accession: row.accession,
    form: row.form,
    filed: row.filed === 'infinity' ? unknownFilingDate : dayNumber(row.filed),
    acceptedAt: row.accepted_at?.getTime() ?? null,
    ...(row.fiscal_year_end === null ? {} : { fiscalYearEnd: row.fiscal_year_end }),
    ...(row.company_name === null ? {} : { companyName: row.company_name }),
    ...(row.sector === null ? {} : { sector: row.sector }),
  },
  figures: row.figures,
})

/** The filings on record among `accessions`, by accession. Their numbers are added to `ids`. */
export async function readFilings(
  transaction: TransactionSql,
  accessions: readonly string[],
  ids: FilingIds,
): Promise<Map<string, Filing>> {
  const filings = new Map<string, Filing>()
  for (const { id, filing } of await readFilingsOnRecord(transaction, accessions)) {
    ids.set(filing.accession, id)
    filings.set(filing.accession, filing)
  }
  return filings
}

/** Every filing on record of some entities. */
export async function readFilingsOfEntities(
  transaction: TransactionSql,
  entityIds: readonly number[],
): Promise<readonly { id: number; accession: string; entityId: number }[]> {
  if (entityIds.length === 0) return []
  return transaction<{ id: number; accession: string; entityId: number }[]>`
    select filing_id as id, accession, entity_id as "entityId" from filing where entity_id = any(${entityIds}::int[])`
}

/** Deletes filings that no row refers to. */
export async function removeFilings(transaction: TransactionSql, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await transaction`delete from filing where filing_id = any(${ids}::int[])`
}

export interface OwnedFiling {
  readonly entityId: number
  readonly filing: Filing
}

/**
 * Adds filings with their numbers of figures, and their own numbers to `ids`. These are taken from the
 * sequence first, because COPY returns none.
 */
export async function addFilings(
  transaction: TransactionSql,
  added: readonly OwnedFiling[],
  ids: FilingIds,
  figures: ReadonlyMap<string, number>,
): Promise<void> {
  if (added.length === 0) return
  const taken = await transaction<{ id: number }[]>`
    select nextval(numbers.name)::int as id
    from (select pg_get_serial_sequence('filing', 'filing_id')::regclass as name offset 0) numbers,
         generate_series(1, ${added.length}::int)`
  added.forEach(({ filing }, index) => {
    ids.set(filing.accession, taken[index].id)
  })
  await copyBytes(
    transaction,
    'copy filing (filing_id, accession, entity_id, form, filed, accepted_at, fiscal_year_end, company_name, sector, figures) from stdin (format binary)',
    encodeFilings(added, ids, figures),
  )
}

/** A company that states figures of a filing. */
export interface Filer {
  readonly entityId: number
  readonly accession: string
}

/** Records the companies that filed a stored filing together with the company under which it is stored. */
export async function addCoFilers(
  transaction: TransactionSql,
  filers: readonly Filer[],
  ids: FilingIds,
): Promise<void> {
  if (filers.length === 0) return
  await transaction`
    insert into co_filer (filing_id, entity_id)
    select l.filing_id, f.entity_id
    from unnest(
      ${filers.map(({ accession }) => ids.id(accession))}::int[],
      ${filers.map(({ entityId }) => entityId)}::int[]
    ) as f (filing_id, entity_id)
    join filing l on l.filing_id = f.filing_id and l.entity_id <> f.entity_id
    on conflict do nothing`
}

function* encodeFilings(
  added: readonly OwnedFiling[],
  ids: FilingIds,
  figures: ReadonlyMap<string, number>,
): Generator<Uint8Array> {
  const copy = new BinaryCopyWriter(10)
  for (const { entityId, filing } of added) {
    copy.row()
    copy.integer(ids.id(filing.accession))
    copy.text(filing.accession)
    copy.integer(entityId)
    copy.text(filing.form)
    copy.date(filing.filed)
    copy.time(filing.acceptedAt)
    for (const text of [filing.fiscalYearEnd, filing.companyName, filing.sector]) {
      if (text === undefined) copy.null()
      else copy.text(text)
    }
    copy.integer(figures.get(filing.accession) ?? 0)
    yield* copy.takeFull()
  }
  yield* copy.finish()
}

/**
 * Updates filings. Sources complement one another: what is known about a filing may improve and is never
 * lost.
 */
export async function amendFilings(transaction: TransactionSql, amended: readonly Filing[]): Promise<void> {
  if (amended.length === 0) return
  await transaction`
    update filing set form = better.form, filed = better.filed, accepted_at = better.accepted_at,
      fiscal_year_end = better.fiscal_year_end, company_name = better.company_name, sector = better.sector
    from unnest(
      ${amended.map(filing => filing.accession)}::text[],
      ${amended.map(filing => filing.form)}::text[],
      ${amended.map(filing => copyDateText(filing.filed))}::date[],
      ${amended.map(filing => (filing.acceptedAt === null ? null : copyTimestampText(filing.acceptedAt)))}::timestamptz[],
      ${amended.map(filing => filing.fiscalYearEnd ?? null)}::text[],
      ${amended.map(filing => filing.companyName ?? null)}::text[],
      ${amended.map(filing => filing.sector ?? null)}::text[]
    ) as better (accession, form, filed, accepted_at, fiscal_year_end, company_name, sector)
    where filing.accession = better.accession
      and (filing.form, filing.filed, filing.accepted_at, filing.fiscal_year_end, filing.company_name, filing.sector)
        is distinct from (better.form, better.filed, better.accepted_at, better.fiscal_year_end, better.company_name, better.sector)`
}

/**
 * How many figures of stored filings are on record for companies other than these, by number. Filings of a single
 * company, which nearly all are, are left out.
 */
export async function countFiguresOfOthers(
  transaction: TransactionSql,
  filingIds: readonly number[],
  entityIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (filingIds.length === 0) return new Map()
  const counted = await transaction<{ id: number; figures: number }[]>`
    with shared as materialized (
      select distinct filing_id from co_filer where filing_id = any(${[...filingIds]}::int[])),
    others as materialized (
      select entity_id from (
        select l.entity_id from shared join filing l using (filing_id)
        union
        select c.entity_id from shared join co_filer c using (filing_id)) filer
      where entity_id <> all(${[...entityIds]}::int[]))
    select filing_id as id, figures
    from (
      select filing_id, count(*)::int as figures
      from (
        select f.filing_id from others join fact f using (entity_id) where f.tag_id is not null
        union all
        select r.filing_id from others join fact_repeat r using (entity_id)) stated
      group by filing_id) counted
    where filing_id in (select filing_id from shared)`
  return new Map(counted.map(({ id, figures }) => [id, figures]))
}

/** Records how many figures each filing on record states, by accession. */
export async function countFigures(
  transaction: TransactionSql,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  if (counts.size === 0) return
  await transaction`
    update filing set figures = counted.figures
    from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::int[]) as counted (accession, figures)
    where filing.accession = counted.accession and filing.figures is distinct from counted.figures`
}

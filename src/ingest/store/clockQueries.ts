import type { ReadingsByFiling } from '../../facts/clockReadings.ts'
import type { ClockReading, Filing } from '../../facts/reportedFact.ts'
import type { SqlFragment, TransactionSql } from '../../postgres/client.ts'

/** Stores these filings' readings in addition to those on record. */
export async function addReadings(transaction: TransactionSql, filings: readonly Filing[]): Promise<void> {
  const rows = filings.flatMap(({ accession, readings = [] }) =>
    readings.map(reading => ({ accession, ...reading })),
  )
  if (rows.length === 0) return
  await transaction`
    insert into clock_reading (accession, lister, shown, clock)
    select accession, lister, timestamp '1970-01-01' + shown * interval '1 millisecond', clock
    from unnest(
      ${rows.map(({ accession }) => accession)}::text[],
      ${rows.map(({ lister }) => lister)}::text[],
      ${rows.map(({ shown }) => shown)}::float8[],
      ${rows.map(({ clock }) => clock)}::text[]
    ) as stated (accession, lister, shown, clock)
    on conflict do nothing`
}

interface ReadingRecord extends ClockReading {
  readonly accession: string
}

/**
 * Everything on record that the times of these filings depend on, and which filings' times depend on them in turn:
 * all filings in the lists that name one of these.
 */
export async function readReadings(
  transaction: TransactionSql,
  accessions: readonly string[],
): Promise<{ readonly readings: ReadingsByFiling; readonly dependent: ReadonlySet<string> }> {
  const listers = await listersOf(transaction, accessions)
  const ofLists = await readRows(transaction, transaction`lister = any(${listers}::text[])`)
  const dependent = new Set([...accessions, ...ofLists.map(({ accession }) => accession)])
  // A filing of several filers also depends on the lists of the others.
  const others = (await listersOf(transaction, [...dependent])).filter(lister => !listers.includes(lister))
  const ofOthers = await readRows(transaction, transaction`lister = any(${others}::text[])`)
  const named = [...dependent, ...ofOthers.map(({ accession }) => accession)]
  const ofSets = await readRows(
    transaction,
    transaction`lister = '' and accession = any(${[...new Set(named)]}::text[])`,
  )
  const readings = new Map<string, ClockReading[]>()
  for (const { accession, ...reading } of [...ofLists, ...ofOthers, ...ofSets]) {
    const known = readings.get(accession)
    if (known === undefined) readings.set(accession, [reading])
    else known.push(reading)
  }
  return { readings, dependent }
}

interface Filer {
  readonly entityId: number
  readonly market: string
  readonly issuerId: string
  readonly fiscalYearEnd: string | null
}

/** The companies on record that filed one of these filings: those that state its figures, and those whose lists name it. */
export async function readFilersOf(
  transaction: TransactionSql,
  accessions: readonly string[],
): Promise<readonly Filer[]> {
  return transaction<Filer[]>`
    select e.entity_id as "entityId", e.market, e.issuer_id as "issuerId", e.fiscal_year_end as "fiscalYearEnd"
    from (
      select l.entity_id from filing l where l.accession = any(${accessions}::text[])
      union
      select c.entity_id from filing l join co_filer c on c.filing_id = l.filing_id
      where l.accession = any(${accessions}::text[])
      union
      select e.entity_id from clock_reading r
      join entity e on e.issuer_id = r.lister and e.market = filing_market(r.accession)
      where r.accession = any(${accessions}::text[]) and r.lister <> ''
    ) filer
    join entity e on e.entity_id = filer.entity_id
    order by e.entity_id`
}

async function listersOf(transaction: TransactionSql, accessions: readonly string[]): Promise<string[]> {
  if (accessions.length === 0) return []
  const rows = await transaction<{ lister: string }[]>`
    select distinct lister from clock_reading where accession = any(${accessions}::text[]) and lister <> ''`
  return rows.map(row => row.lister)
}

const readRows = (transaction: TransactionSql, which: SqlFragment) =>
  transaction<ReadingRecord[]>`
    select accession, lister, clock, (extract(epoch from shown) * 1000)::float8 as shown
    from clock_reading where ${which}`

import type { IsoDate } from '../../dates.ts'
import type { TransactionSql } from '../../postgres/client.ts'

export interface ListedSuccession {
  readonly market: string
  /** Register numbers. */
  readonly predecessor: string
  readonly successor: string
  readonly from: IsoDate
  /** An accession, or null. */
  readonly document: string | null
}

/**
 * Stores successions of the operator's lists. If two lists state different days of one succession, the earlier one
 * counts, so that lists may be imported in any order. Returns how many were added or changed.
 */
export async function saveSuccessions(
  transaction: TransactionSql,
  successions: readonly ListedSuccession[],
): Promise<number> {
  if (successions.length === 0) return 0
  const column = <T>(of: (one: ListedSuccession) => T) => successions.map(of)
  const { count } = await transaction`
    insert into succession (market, predecessor, successor, from_day, known, source, document)
    select market, predecessor, successor, min(from_day), min(from_day), 'operator', min(document)
    from unnest(
      ${column(one => one.market)}::text[], ${column(one => one.predecessor)}::text[],
      ${column(one => one.successor)}::text[], ${column(one => one.from)}::date[], ${column(one => one.document)}::text[]
    ) as listed (market, predecessor, successor, from_day, document)
    group by market, predecessor, successor
    on conflict (market, predecessor, successor) do update set
      from_day = least(succession.from_day, excluded.from_day), known = least(succession.known, excluded.known),
      document = least(succession.document, excluded.document)
    where excluded.from_day < succession.from_day
      or least(succession.document, excluded.document) is distinct from succession.document`
  return count
}

/** Removes every succession of the operator's lists. */
export async function removeListedSuccessions(transaction: TransactionSql): Promise<number> {
  const { count } = await transaction`delete from succession where source = 'operator'`
  return count
}

/** The forms and filers of filings on record, by accession. */
export async function readDocuments(
  transaction: TransactionSql,
  accessions: readonly string[],
): Promise<Map<string, { readonly form: string; readonly issuerId: string }>> {
  if (accessions.length === 0) return new Map()
  const rows = await transaction<{ accession: string; form: string; issuerId: string }[]>`
    select f.accession, f.form, e.issuer_id as "issuerId"
    from filing f join entity e on e.entity_id = f.entity_id
    where f.accession = any(${[...accessions]}::text[])`
  return new Map(rows.map(({ accession, ...filing }) => [accession, filing]))
}

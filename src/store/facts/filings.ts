import { type Filing, untold } from '../../model/statement.ts'
import type { TransactionSql } from '../database.ts'
import { copyDay, copyRows, copyText, copyTime } from './copyRows.ts'

interface FilingRecord {
  accession: string
  form: string
  filed: string
  accepted_at: Date | null
}

/** The filings on record among `accessions`. */
export async function readFilings(
  transaction: TransactionSql,
  accessions: readonly string[],
): Promise<Map<string, Filing>> {
  const rows = await transaction<FilingRecord[]>`
    select accession, form, filed, accepted_at from filing where accession = any(${accessions}::text[])`
  return new Map(
    rows.map(row => [
      row.accession,
      {
        accession: row.accession,
        form: row.form,
        filed: row.filed === 'infinity' ? untold : Date.parse(`${row.filed}T00:00:00Z`) / 86_400_000,
        acceptedAt: row.accepted_at?.getTime() ?? null,
      },
    ]),
  )
}

export interface OwnedFiling {
  readonly entityId: number
  readonly filing: Filing
}

export async function addFilings(transaction: TransactionSql, added: readonly OwnedFiling[]): Promise<void> {
  if (added.length === 0) return
  await copyRows(
    transaction,
    'copy filing (accession, entity_id, form, filed, accepted_at) from stdin',
    added.map(
      ({ entityId, filing }) =>
        `${filing.accession}\t${entityId}\t${copyText(filing.form)}\t${copyDay(filing.filed)}\t${copyTime(filing.acceptedAt)}`,
    ),
  )
}

/** Sources complete one another: what is known of a filing may get better, never less. */
export async function amendFilings(transaction: TransactionSql, amended: readonly Filing[]): Promise<void> {
  if (amended.length === 0) return
  await transaction`
    update filing set form = better.form, filed = better.filed, accepted_at = better.accepted_at
    from unnest(
      ${amended.map(filing => filing.accession)}::text[],
      ${amended.map(filing => filing.form)}::text[],
      ${amended.map(filing => copyDay(filing.filed))}::date[],
      ${amended.map(filing => (filing.acceptedAt === null ? null : copyTime(filing.acceptedAt)))}::timestamptz[]
    ) as better (accession, form, filed, accepted_at)
    where filing.accession = better.accession`
}

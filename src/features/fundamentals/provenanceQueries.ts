import type { SqlClient, SqlFragment } from '../../postgres/client.ts'

/** Where a stored row comes from. */
export interface StoredProvenance {
  readonly accession: string
  readonly form: string
  readonly tag: string | null
  readonly start: string | null
  readonly acceptedAt: string | null
  /** The filings that a derived row's inputs come from, except the filing of the row itself. */
  readonly inputs: readonly string[]
}

/** The columns that `namedProvenance` needs, for the inner statement that reads facts. */
export const rawProvenance = (sql: SqlClient, fields: readonly string[]): SqlFragment =>
  fields.length === 0 ? sql`` : sql`, f.form, f.tag_id, f.period_start, f.inputs as input_ids`

/**
 * For the outer statement, whose rows are `r`: names instead of numbers. Facts are looked up only if fields
 * were requested.
 */
export const namedProvenance = (sql: SqlClient, fields: readonly string[]): SqlFragment =>
  fields.length === 0
    ? sql``
    : sql`, r.accession, r.form, (select t.name from tag t where t.tag_id = r.tag_id) as tag, r.period_start as start,
          to_char(r.accepted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "acceptedAt",
          array(select l.accession from filing l where l.filing_id = any(r.input_ids)) as inputs`

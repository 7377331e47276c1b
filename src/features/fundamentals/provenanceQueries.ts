import { checkCodesOf } from '../../facts/factRow.ts'
import type { CheckState } from '../../markets/checkStates.ts'
import { isInState } from '../../postgres/asOf.ts'
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
  readonly check: CheckState
}

/** The columns that `namedProvenance` and `ofStates` need, for the inner statement that reads facts. */
export const rawProvenance = (
  sql: SqlClient,
  { fields, checks }: { readonly fields: readonly string[]; readonly checks: readonly CheckState[] | null },
): SqlFragment => {
  if (fields.length === 0) return checks === null ? sql`` : sql`, f.check_state`
  return sql`, f.form, f.tag_id, f.period_start, f.inputs as input_ids, f.check_state`
}

/** Whether a row is in one of the requested states. Rows are chosen before, so that no earlier figure takes a place. */
export const ofStates = (
  sql: SqlClient,
  checks: readonly CheckState[] | null,
  rows: 'l' | 'r',
): SqlFragment => isInState(sql, rows === 'l' ? sql`l.check_state` : sql`r.check_state`, checkCodesOf(checks))

/**
 * For the outer statement, whose rows are `r`: names instead of numbers. Facts are looked up only if fields
 * were requested.
 */
export const namedProvenance = (sql: SqlClient, fields: readonly string[]): SqlFragment =>
  fields.length === 0
    ? sql``
    : sql`, r.accession, r.form, (select t.name from tag t where t.tag_id = r.tag_id) as tag, r.period_start as start,
          to_char(r.accepted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "acceptedAt",
          array(select l.accession from filing l where l.filing_id = any(r.input_ids)) as inputs,
          (array['proved', 'consistent', 'contradicted'])[r.check_state] as check`

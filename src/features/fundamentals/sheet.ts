import { type Column, columns } from '../../formats/columns.ts'
import { type AsOf, isInstant } from '../../instants.ts'
import { provenanceSheet } from './fields.ts'
import { isTrailing } from './periods.ts'
import type { Selection } from './plan.ts'
import type { FundamentalsRow } from './schema.ts'

/** Columns of the rows in CSV and Parquet, in the order of the JSON row. */
export const fundamentalsSheet = columns({
  m: 'text',
  fy: 'whole',
  fp: 'text',
  end: 'day',
  filed: 'day',
  v: 'number',
  u: 'text',
  ticker: 'text',
  issuer_id: 'text',
  source: 'text',
  until: 'day',
  kind: 'text',
  generation: 'text',
}) satisfies readonly Column<keyof FundamentalsRow>[]

/**
 * The columns of a response. A cell of `stale` is true or empty; one of `split_factor` is empty if the unit
 * contains no shares.
 */
export const sheetOf = ({
  view,
  adjust,
  fields,
  asOf = null,
  fps = null,
}: Pick<Selection, 'view' | 'adjust' | 'fields'> & {
  readonly asOf?: AsOf | null
  readonly fps?: Selection['fps']
}): readonly Column<keyof FundamentalsRow>[] => [
  ...fundamentalsSheet,
  ...(asOf !== null && isInstant(asOf) ? [{ name: 'known_by', kind: 'text' } as const] : []),
  ...(adjust === 'splits' ? [{ name: 'split_factor', kind: 'number' } as const] : []),
  ...(view === 'latest' ? [{ name: 'stale', kind: 'flag' } as const] : []),
  ...(view === 'latest' && isTrailing({ fps }) ? [{ name: 'stale_reason', kind: 'text' } as const] : []),
  ...provenanceSheet.filter(({ name }) => fields.includes(name)),
]

import type { Column } from '../../formats/columns.ts'
import { provenanceSheet } from './fields.ts'
import { isTrailing } from './periods.ts'
import type { Selection } from './plan.ts'
import type { FundamentalsRow } from './schema.ts'

/** Columns of the rows in CSV and Parquet, in the order of the JSON row. */
export const fundamentalsSheet = [
  { name: 'm', kind: 'text' },
  { name: 'fy', kind: 'whole' },
  { name: 'fp', kind: 'text' },
  { name: 'end', kind: 'day' },
  { name: 'filed', kind: 'day' },
  { name: 'v', kind: 'number' },
  { name: 'u', kind: 'text' },
  { name: 'ticker', kind: 'text' },
  { name: 'issuer_id', kind: 'text' },
  { name: 'source', kind: 'text' },
  { name: 'until', kind: 'day' },
  { name: 'kind', kind: 'text' },
  { name: 'generation', kind: 'text' },
] as const satisfies readonly Column<keyof FundamentalsRow>[]

export const fundamentalsColumns = fundamentalsSheet.map(column => column.name)

/**
 * The columns of a response. A cell of `stale` is true or empty; one of `split_factor` is empty if the unit
 * contains no shares.
 */
export const sheetOf = ({
  view,
  adjust,
  fields,
  fps = null,
}: Pick<Selection, 'view' | 'adjust' | 'fields'> & Partial<Pick<Selection, 'fps'>>): readonly Column<
  keyof FundamentalsRow
>[] => [
  ...fundamentalsSheet,
  ...(adjust === 'splits' ? [{ name: 'split_factor', kind: 'number' } as const] : []),
  ...(view === 'latest' ? [{ name: 'stale', kind: 'flag' } as const] : []),
  ...(view === 'latest' && isTrailing({ fps }) ? [{ name: 'stale_reason', kind: 'text' } as const] : []),
  ...provenanceSheet.filter(({ name }) => fields.includes(name)),
]

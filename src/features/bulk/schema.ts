import type { SchemaElement } from 'hyparquet'

/** A column of a bulk file. The change feed has the same columns. */
export interface BulkColumn {
  readonly name: string
  readonly type: 'text' | 'integer' | 'day' | 'number' | 'flag'
  readonly nullable: boolean
  readonly description: string
}

const column = (
  name: string,
  type: BulkColumn['type'],
  description: string,
  nullable = false,
): BulkColumn => ({ name, type, nullable, description })

/**
 * The columns of a row. Together, `entity`, `metric`, `fp`, `period_end`, `filed` and `accession` identify a
 * row.
 */
export const bulkColumns = [
  column('ticker', 'text', 'The preferred ID of the company. It may change; entity does not.'),
  column(
    'entity',
    'integer',
    'The number of the company in this service: the stable name of a company in a mirror.',
  ),
  column('metric', 'text', 'The metric.'),
  column('fy', 'integer', 'Fiscal year.'),
  column('fp', 'text', 'Fiscal period: FY, Q1, Q2, Q3, Q4, or TTM for the trailing twelve months.'),
  column('period_start', 'day', 'First day of the period; null for a balance.', true),
  column('period_end', 'day', 'Last day of the period.'),
  column('filed', 'day', 'The day on which the figure became public.'),
  column(
    'until',
    'day',
    'The filed day from which it is no longer current; null: it is, as far as is known.',
    true,
  ),
  column('accession', 'text', 'The number of the filing at its register.'),
  column('value', 'number', 'The figure.'),
  column('unit', 'text', 'Its unit.'),
  column('tag', 'text', 'The tag under which the register states it; null for a derived figure.', true),
  column('kind', 'text', 'stated or derived.'),
  column(
    'data_version',
    'integer',
    'The data version in which the row came; 0: before versions were recorded.',
  ),
  column(
    'accepted_at',
    'text',
    'When the register accepted the filing, an instant in UTC; null if no imported document states it. The row counts from then on, or from the end of `filed`.',
    true,
  ),
] as const satisfies readonly BulkColumn[]

const elements: Record<BulkColumn['type'], Omit<SchemaElement, 'name'>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT32' },
  day: { type: 'INT32', converted_type: 'DATE' },
  number: { type: 'DOUBLE' },
  flag: { type: 'BOOLEAN' },
}

/** The columns of a Parquet file. */
export const parquetColumns = (columns: readonly BulkColumn[]): readonly SchemaElement[] =>
  columns.map(({ name, type, nullable }) => ({
    name,
    ...elements[type],
    repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED',
  }))

/** An instant, as every answer writes it. */
export const instantText = (instant: Date): string => instant.toISOString().replace('.000Z', 'Z')

export const fiscalPeriods = ['FY', 'Q1', 'Q2', 'Q3', 'Q4', 'TTM'] as const
export const kinds = ['stated', 'derived'] as const

import type { ColumnValues } from '../../formats/parquet/columnChunk.ts'
import type { FilingNames } from './bulkQueries.ts'
import { ReleaseFile } from './releaseFile.ts'
import { none, RowBuffer, rowsPerGroup } from './rowBuffer.ts'
import { bulkColumns, fiscalPeriods, kinds } from './schema.ts'

/** The names behind the numbers in a row. */
export interface RowNames {
  readonly metrics: ReadonlyMap<number, string>
  readonly units: ReadonlyMap<number, string>
  readonly tags: ReadonlyMap<number, string>
  readonly tickers: ReadonlyMap<number, string>
}

const kindOf = new Int32Array(rowsPerGroup)
const acceptedOf = new Int32Array(rowsPerGroup)
const trailingSuffix = '_ttm'

/** A file of mapped figures of one market and year, with the rows that wait for a full row group. */
export class BulkFile extends ReleaseFile {
  buffer = new RowBuffer()

  constructor(path: string, metadata: Readonly<Record<string, string>>) {
    super(path, bulkColumns, metadata)
  }

  /** Writes a full buffer, or the last one, as a row group. */
  writeGroup(buffer: RowBuffer, names: RowNames, filings: FilingNames): void {
    const { count } = buffer
    if (count === 0) return
    this.writeColumns(columnsOf(buffer, names, filings), count)
    buffer.count = 0
  }
}

function columnsOf(
  { whole, value, count }: RowBuffer,
  names: RowNames,
  filings: FilingNames,
): readonly ColumnValues[] {
  for (let row = 0; row < count; row++) {
    kindOf[row] = whole.tag[row] === none ? 1 : 0
    acceptedOf[row] = filings.acceptedAt.has(whole.filing[row]) ? whole.filing[row] : none
  }
  const text = (
    name: string,
    values: Int32Array,
    textOf: (number: number) => string,
    isOptional = false,
  ): ColumnValues => ({
    name,
    type: 'BYTE_ARRAY',
    values,
    none,
    textOf,
    isOptional,
  })
  const whole32 = (name: string, values: Int32Array, isOptional = false): ColumnValues => ({
    name,
    type: 'INT32',
    values,
    none,
    isOptional,
  })
  return [
    text('ticker', whole.entity, id => nameOf(names.tickers, id)),
    whole32('entity', whole.entity),
    text('metric', whole.metric, id => metricName(nameOf(names.metrics, id))),
    whole32('fy', whole.fy),
    text('fp', whole.fp, fp => fiscalPeriods[fp]),
    whole32('period_start', whole.start, true),
    whole32('period_end', whole.end),
    whole32('filed', whole.filed),
    whole32('until', whole.until, true),
    text('accession', whole.filing, id => nameOf(filings.accessions, id)),
    { name: 'value', type: 'DOUBLE', values: value },
    text('unit', whole.unit, id => nameOf(names.units, id)),
    text('tag', whole.tag, id => nameOf(names.tags, id), true),
    text('kind', kindOf, kind => kinds[kind]),
    whole32('data_version', whole.version),
    text('accepted_at', acceptedOf, id => nameOf(filings.acceptedAt, id), true),
  ]
}

/** Responses name a trailing figure by its metric and fp=TTM. */
export const metricName = (name: string) =>
  name.endsWith(trailingSuffix) ? name.slice(0, -trailingSuffix.length) : name

function nameOf(names: ReadonlyMap<number, string>, id: number): string {
  const name = names.get(id)
  if (name === undefined) throw new Error(`A row names number ${id}, which is not on record.`)
  return name
}

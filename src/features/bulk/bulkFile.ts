import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { ColumnChunkWriter, type ColumnValues } from '../../formats/parquet/columnChunk.ts'
import { ColumnFile } from '../../formats/parquet/columnFile.ts'
import { none, RowBuffer, rowsPerGroup } from './rowBuffer.ts'
import { fiscalPeriods, kinds, parquetColumns } from './schema.ts'

/** The names behind the numbers in a row. */
export interface RowNames {
  readonly metrics: ReadonlyMap<number, string>
  readonly units: ReadonlyMap<number, string>
  readonly tags: ReadonlyMap<number, string>
  readonly tickers: ReadonlyMap<number, string>
}

const chunks = new ColumnChunkWriter({ maxRows: rowsPerGroup, codec: 'ZSTD' })
const kindOf = new Int32Array(rowsPerGroup)
const trailingSuffix = '_ttm'

/** A Parquet file of one market and year, open for writing. */
export class BulkFile {
  readonly #fd: number
  readonly #hash = new Bun.CryptoHasher('sha256')
  readonly #file: ColumnFile
  buffer = new RowBuffer()
  rows = 0
  bytes = 0

  constructor(path: string, metadata: Readonly<Record<string, string>>) {
    this.#fd = openSync(path, 'w', 0o644)
    this.#file = new ColumnFile(chunks, parquetColumns, metadata)
  }

  /** Writes a full buffer, or the last one, as a row group. */
  writeGroup(buffer: RowBuffer, names: RowNames, accessions: ReadonlyMap<number, string>): void {
    const { count } = buffer
    if (count === 0) return
    this.#file.writeGroup(columnsOf(buffer, names, accessions), count)
    this.rows += count
    buffer.count = 0
    this.#flush()
  }

  /** Writes the footer and waits until the file is on disk. Returns its digest. */
  finish(): string {
    this.#file.finish()
    this.#flush()
    fsyncSync(this.#fd)
    closeSync(this.#fd)
    return this.#hash.digest('hex')
  }

  abandon(): void {
    closeSync(this.#fd)
  }

  #flush(): void {
    const bytes = this.#file.take()
    this.#hash.update(bytes)
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at)
    this.bytes += bytes.length
  }
}

function columnsOf(
  { whole, value, count }: RowBuffer,
  names: RowNames,
  accessions: ReadonlyMap<number, string>,
): readonly ColumnValues[] {
  for (let row = 0; row < count; row++) kindOf[row] = whole.tag[row] === none ? 1 : 0
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
    text('accession', whole.filing, id => nameOf(accessions, id)),
    { name: 'value', type: 'DOUBLE', values: value },
    text('unit', whole.unit, id => nameOf(names.units, id)),
    text('tag', whole.tag, id => nameOf(names.tags, id), true),
    text('kind', kindOf, kind => kinds[kind]),
    whole32('data_version', whole.version),
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

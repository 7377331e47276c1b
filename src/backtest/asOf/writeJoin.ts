import type { AsOfPeriod } from '../figureScore.ts'
import { type JoinInput, joinRows, unitsOf } from './joinTask.ts'
import { parquetFile } from './parquetAnswer.ts'
import type { JoinFormat } from './request.ts'
import { csvLines, type Joined, jsonColumns, ndjsonLines } from './textAnswer.ts'

/** What a response contains besides its columns. */
export interface AboutJoin {
  readonly object: 'as_of_join'
  readonly count: number
  readonly data_version: number
  readonly fp: AsOfPeriod
  readonly known: string
  readonly max_age_days: number | null
  readonly unknown: readonly string[]
  readonly unknown_count: number
  readonly renamed?: readonly { readonly sent: string; readonly ticker: string }[]
  readonly licence?: string
  readonly attribution: readonly string[]
  readonly markets: readonly string[]
}

export interface JoinTask extends JoinInput {
  readonly format: JoinFormat
  readonly unitNames: ReadonlyMap<number, string>
  readonly about: AboutJoin
  /** In bytes. */
  readonly limit: number
}

export interface WrittenJoin {
  readonly bytes: Uint8Array
  readonly about: AboutJoin
}

/** Computes a join and writes its response. */
export function writeJoin(task: JoinTask): WrittenJoin {
  const { rows, plan, format, unitNames, about, limit } = task
  const columns = joinRows(task)
  const joined = { rows, columns, extras: plan.extras }
  const units = Object.fromEntries(
    columns.map(column => [
      column.name,
      unitsOf(column)
        .map(unit => unitNames.get(unit) ?? '')
        .sort(),
    ]),
  )
  const { markets: _, ...shown } = { ...about, units }
  return { bytes: write(joined, format, shown, limit), about }
}

function write(joined: Joined, format: JoinFormat, shown: object, limit: number): Uint8Array {
  switch (format) {
    case 'json': {
      const head = JSON.stringify(shown)
      return jsonColumns(joined, { head: `${head.slice(0, -1)},"columns":`, tail: '}' }, limit)
    }
    case 'csv':
      return csvLines(joined, limit)
    case 'ndjson':
      return ndjsonLines(joined, limit)
    case 'parquet':
      return parquetFile(joined, metadataOf(shown), limit)
    default:
      return format satisfies never
  }
}

/** Strings unchanged, other values as JSON. */
const metadataOf = (fields: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )

import type { AsOfPeriod } from '../figureScore.ts'
import { arrowStream } from './arrowAnswer.ts'
import { type JoinInput, joinRows, unitsOf } from './joinTask.ts'
import { parquetFile } from './parquetAnswer.ts'
import type { JoinFormat } from './request.ts'
import { csvLines, type Joined, jsonColumns, ndjsonLines } from './textAnswer.ts'

/** A range of days on which rows name a symbol that none of our companies had on those days. */
export interface UnmatchedSymbol {
  readonly ticker: string
  /** null: every day before. */
  readonly from: string | null
  /** null: every later day. */
  readonly to: string | null
  readonly rows: number
  readonly reason: string
}

/** A lineage with at least one registrant among the rows. */
export interface JoinLineage {
  /** Whether the figures of all of its registrants are used. */
  readonly followed: boolean
  readonly registrants: readonly { readonly ticker: string; readonly issuer_id: string }[]
  readonly seams: readonly {
    readonly predecessor: string
    readonly successor: string
    readonly from: string
    readonly known: string
    readonly source: string
    readonly document: string | null
  }[]
}

/** What a response contains besides its columns. */
export interface AboutJoin {
  readonly object: 'as_of_join'
  readonly count: number
  readonly data_version: number
  readonly fp: AsOfPeriod
  readonly known: string
  readonly max_age_days: number | null
  readonly group?: string
  readonly universe?: string
  readonly checks?: string
  readonly price_set?: string
  readonly unknown: readonly string[]
  readonly unknown_count: number
  readonly renamed?: readonly { readonly sent: string; readonly ticker: string }[]
  readonly unmatched?: readonly UnmatchedSymbol[]
  readonly symbol_assumed?: true
  readonly lineages?: readonly JoinLineage[]
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
  const { plan, format, unitNames, about, limit } = task
  const { rows, columns } = joinRows(task)
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
    case 'arrow':
      return arrowStream(joined, metadataOf(shown), limit)
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

import { Failure } from '../../errors.ts'
import { readCsv } from './readCsv.ts'

/** A table whose first line names its columns. */
export interface CsvRows {
  readonly header: readonly string[]
  readonly records: readonly Readonly<Record<string, string>>[]
}

/** Cells stand between commas or, where the first line has none, between semicolons. */
export function csvRows(text: string): CsvRows {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  const [header = [], ...rows] = readCsv(
    text,
    !firstLine.includes(',') && firstLine.includes(';') ? ';' : ',',
  )
  const twice = header.find((name, at) => header.indexOf(name) !== at)
  if (twice !== undefined) throw new Failure('body_invalid', `line 1: the column ${twice} is there twice.`)
  return {
    header,
    records: rows.map(cells => Object.fromEntries(cells.map((cell, at) => [header[at], cell]))),
  }
}

import { Failure } from '../../../errors.ts'

/** The index of each column of a part of a data set, by its name. */
export type Columns = ReadonlyMap<string, number>

/** Returns the text of a column of one line. A column that the part does not have reads as empty. */
export type Fields = (name: string) => string

export const numColumns = ['adsh', 'tag', 'version', 'ddate', 'qtrs', 'uom', 'value']
export const preColumns = ['adsh', 'report', 'line', 'stmt', 'inpth', 'tag', 'version', 'plabel', 'negating']

export function columnsOf(header: string, needed: readonly string[], file: string): Columns {
  const columns = new Map(header.split('\t').map((name, index) => [name.trim(), index]))
  const missing = needed.filter(name => !columns.has(name))
  if (missing.length > 0) {
    throw new Failure(
      'body_invalid',
      `The first line of ${file} does not have the columns ${missing.join(', ')}.`,
    )
  }
  return columns
}

/** The sets before 2024 have no column `segments`. */
export function fieldReader(line: string, columns: Columns): Fields {
  const fields = line.split('\t')
  return name => fields[columns.get(name) ?? -1] ?? ''
}

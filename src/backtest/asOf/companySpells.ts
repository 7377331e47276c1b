import type { CarriedColumn } from './carried/carriedColumn.ts'
import { textTable } from './carried/texts.ts'
import { findPositions, type JoinRows, none } from './positions.ts'

/**
 * Labels of companies over time, such as their states: from `days[i]` on, including that day, company c has the label
 * `labels[values[i]]`, for i from `starts[c]` up to but excluding `starts[c + 1]`. NaN: no label.
 */
export interface CompanySpells {
  readonly starts: Int32Array
  readonly days: Int32Array
  readonly values: Float64Array
  readonly labels: readonly string[]
}

/** A spell before packing: the index of its company, and its first day since 1970-01-01. */
export interface ReadSpell {
  readonly company: number
  readonly day: number
  readonly label: string | null
}

/** @param read in order of company and day */
export function packSpells(read: readonly ReadSpell[], companies: number): CompanySpells {
  const starts = new Int32Array(companies + 1)
  const days = new Int32Array(read.length)
  const values = new Float64Array(read.length)
  const numbers = new Map<string, number>()
  for (const [index, { company, day, label }] of read.entries()) {
    starts[company + 1]++
    days[index] = day
    if (label !== null && !numbers.has(label)) numbers.set(label, numbers.size)
    values[index] = label === null ? Number.NaN : (numbers.get(label) ?? Number.NaN)
  }
  for (let company = 0; company < companies; company++) starts[company + 1] += starts[company]
  return { starts, days, values, labels: [...numbers.keys()] }
}

/**
 * Finds the label of each row by the same rule as for figures: the label that was known on the row's date, or -1 if there
 * is none. The result contains indexes of labels, not of spells.
 */
export function labelsOfRows(
  rows: JoinRows,
  companyOfName: Int32Array,
  { starts, days, values }: CompanySpells,
  inclusive: boolean,
): Int32Array {
  const events = { starts, days, values, ends: days }
  const found = findPositions(rows, companyOfName, events, { inclusive, maxAgeDays: null })
  for (let row = 0; row < found.length; row++) if (found[row] !== none) found[row] = values[found[row]]
  return found
}

/** A column of the answer that repeats a label for each row. */
export function labelColumn(
  name: string,
  labelOfRow: Int32Array,
  { labels }: Pick<CompanySpells, 'labels'>,
): CarriedColumn {
  const cells = new Int32Array(labelOfRow.length)
  for (let row = 0; row < cells.length; row++) cells[row] = labelOfRow[row] + 1
  return { name, cells, values: { kind: 'text', table: textTable(labels) } }
}

import { isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { type BacktestFactors, maxFactorDates } from '../requestFactors.ts'

/** Factor returns by column, in the unit of their source. */
export interface FactorTable {
  /** Days as YYYY-MM-DD or months as YYYY-MM, ascending. */
  readonly dates: readonly string[]
  readonly columns: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
  /** Null if there is no column RF. */
  readonly rf: readonly (number | null)[] | null
  readonly unit: 'fraction' | 'percent'
}

/** The field `factors` of a request that has the returns of a file. */
export function factorRequest({ dates, columns, rf, unit }: FactorTable): BacktestFactors {
  return {
    date: [...dates],
    returns: Object.fromEntries(columns.map(({ name, values }) => [name, [...values]])),
    ...(rf === null ? {} : { rf: [...rf] }),
    ...(unit === 'percent' ? { unit } : {}),
  }
}

/** How Kenneth French's files write a missing return. */
const missing: readonly number[] = [-99.99, -999]

/** Reads a file of factor returns.
 *
 * - A file of Kenneth French's data library, as downloaded: lines of text, a header whose first cell is empty, then a
 *   block of months (YYYYMM) or days (YYYYMMDD) in percent, where -99.99 and -999 are missing. The first line after
 *   the header that does not begin with digits ends the block, so the annual block below is never read.
 * - CSV whose first line is `date`, or an empty cell if the dates have hyphens, and the names of the factors, with
 *   fractions and days or months in any of the same forms. An empty cell is missing. Every line must be a row.
 *
 * @param name what error messages call the file */
export function readFactorFile(text: string, name: string): FactorTable {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const headerAt = lines.findIndex(
    (line, i) => isHeader(line) && isDateText(cellsOf(nextFilled(lines, i))[0]),
  )
  if (headerAt < 0) {
    throw new Failure(
      'body_invalid',
      `${name} has no header of factors. Expected a file of Kenneth French's data library as downloaded (a line such as ",Mkt-RF,SMB,HML,RF", followed by rows such as "192607, 2.89, -2.55, -2.39, 0.22"), or CSV whose first line is date and the names of the factors.`,
    )
  }
  const [first, ...rest] = cellsOf(lines[headerAt])
  // A table that a program saved with its index has an empty first cell, too, but its days have hyphens.
  const isFrench = first === '' && /^\d+$/.test(cellsOf(nextFilled(lines, headerAt))[0])
  const names = rest.at(-1) === '' ? rest.slice(0, -1) : rest
  checkNames(names, name)
  const dates: string[] = []
  const values: (number | null)[][] = names.map(() => [])
  for (let i = headerAt + 1; i < lines.length; i++) {
    const line = lines[i]
    const cells = cellsOf(line)
    if (line.trim() === '') {
      if (isFrench && dates.length > 0) break
      continue
    }
    if (isFrench && !/^\d/.test(cells[0])) break
    const date = dateOf(cells[0])
    if (date === null)
      throw badCell(name, i, cells[0], 'a day (YYYY-MM-DD, YYYYMMDD) or a month (YYYY-MM, YYYYMM)')
    if (cells.length !== names.length + 1 && !(cells.length === names.length + 2 && cells.at(-1) === ''))
      throw new Failure(
        'body_invalid',
        `${name}: line ${i + 1} has ${cells.length} cells; the header has ${names.length + 1}.`,
      )
    if (dates.length === maxFactorDates)
      throw new Failure(
        'body_invalid',
        `${name} has more than ${maxFactorDates.toLocaleString('en')} rows. Remove those before the backtest begins.`,
      )
    dates.push(date)
    values.forEach((column, c) => {
      column.push(readValue(cells[c + 1], isFrench, () => badCell(name, i, cells[c + 1], 'a number')))
    })
  }
  const isRf = (column: string) => column.toLowerCase() === 'rf'
  const rfAt = names.findIndex(isRf)
  return {
    dates,
    columns: names.flatMap((column, c) => (isRf(column) ? [] : [{ name: column, values: values[c] }])),
    rf: rfAt < 0 ? null : values[rfAt],
    unit: isFrench ? 'percent' : 'fraction',
  }
}

const cellsOf = (line: string): string[] => line.split(',').map(cell => cell.trim().replace(/^"(.*)"$/, '$1'))

function isHeader(line: string): boolean {
  const [first, ...names] = cellsOf(line)
  return (first === '' || first.toLowerCase() === 'date') && names.some(name => name !== '')
}

const nextFilled = (lines: readonly string[], after: number): string =>
  lines.slice(after + 1, after + 4).find(line => line.trim() !== '') ?? ''

const isDateText = (text: string) => /^\d{6}(\d{2})?$|^\d{4}-\d{2}(-\d{2})?$/.test(text)

/** Null for text that is not a date, and for a day that does not exist. */
function dateOf(text: string): string | null {
  if (!isDateText(text)) return null
  const digits = text.replaceAll('-', '')
  const month = `${digits.slice(0, 4)}-${digits.slice(4, 6)}`
  const date = digits.length === 6 ? month : `${month}-${digits.slice(6)}`
  return isIsoDate(digits.length === 6 ? `${month}-01` : date) ? date : null
}

function readValue(text: string, isFrench: boolean, fault: () => Failure): number | null {
  if (text === '') return null
  const value = Number(text)
  if (!Number.isFinite(value) || Math.abs(value) > 1e6) throw fault()
  return isFrench && missing.includes(value) ? null : value
}

function checkNames(names: readonly string[], file: string): void {
  const bad = names.find((name, i) => name === '' || name.length > 64 || names.indexOf(name) !== i)
  if (bad === undefined) return
  throw new Failure(
    'body_invalid',
    `${file}: its header names ${JSON.stringify(bad.slice(0, 64))}, which is empty, too long or repeated. Give each factor a name of its own.`,
  )
}

const badCell = (name: string, line: number, cell: string, expected: string) =>
  new Failure(
    'body_invalid',
    `${name}: line ${line + 1}: ${JSON.stringify(cell.slice(0, 40))} is not ${expected}.`,
  )

import { dayNumber, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { type BodySource, sizeOf } from '../codec/bodyBytes.ts'
import {
  type Bounds,
  borrowBounds,
  type ColumnName,
  cellChecks,
  cellSchemas,
  checkGroups,
  checkPanelSize,
  closeBounds,
  columnNames,
  maxAssetLength,
  maxGroupLength,
  maxMarketLength,
  returnBounds,
  scoreBounds,
  volumeBounds,
} from '../codec/cells.ts'
import { checkExtraCells, ExtraCell, extraBounds, extraCheck } from '../codec/extraColumns.ts'
import { describeFault } from '../codec/faults.ts'
import { NameInterner } from '../codec/nameInterner.ts'
import type { ParsedPanel } from '../codec/panelBuilder.ts'
import { maxPanelRows, type TableFormat } from '../request.ts'
import { checkPanelTable, missingScoreOf, numberCell, textCell } from './panelColumns.ts'
import { readTableChunks } from './tableFile.ts'

/** The columns that must be numbers. */
const numberColumns = ['score', 'forward_return', 'dollar_volume', 'close', 'borrow_bps']

/** Reads the rows of a Parquet file or an Arrow stream directly into columns of numbers: as texts and objects they take ten
 * times the memory.
 *
 * @param named the columns of the caller's own that the request names
 * @param mayLackReturns whether prices give the returns */
export async function readParquetPanel(
  source: BodySource,
  named: readonly string[] = [],
  mayLackReturns = false,
  format: TableFormat = 'parquet',
): Promise<ParsedPanel> {
  const wanted = named.filter(name => !columnNames.some(known => known === name))
  let panel: ParquetColumns | null = null
  let missingScore: Failure | null = null
  const reading = {
    numbers: [...numberColumns, ...wanted],
    maxRows: maxPanelRows + 1,
    cells: (maxPanelRows + 1) * (columnNames.length + wanted.length),
    textLength: Math.max(maxAssetLength, maxMarketLength, maxGroupLength),
  }
  const count = await readTableChunks(source, format, reading, {
    open: (names, rows) => {
      checkPanelTable(names, rows, sizeOf(source), wanted, mayLackReturns)
      checkExtraCells(rows, wanted.length)
      missingScore = missingScoreOf(names)
      panel = new ParquetColumns(names, rows, wanted)
    },
    take: (name, values, from, length) => panel?.take(name, values, from, length),
    takeCodes: (name, dictionary, codes, from, length) =>
      panel?.takeCodes(name, dictionary, codes, from, length),
  })
  const columns = (panel ?? new ParquetColumns([], 0, [])).columns(count)
  return { columns, placeOf: row => `row ${row + 1}`, missingScore }
}

const optionalNumbers: readonly (readonly [ColumnName, Bounds])[] = [
  ['dollar_volume', volumeBounds],
  ['close', closeBounds],
  ['borrow_bps', borrowBounds],
]

class ParquetColumns {
  readonly #days: DayCells
  readonly #assets: NameCells<Int32Array>
  readonly #markets: NameCells<Uint16Array>
  readonly #scores: NumberCells
  readonly #returns: NumberCells
  /** Volumes, closes and borrow costs, if the file has them. */
  readonly #optional = new Map<string, NumberCells>()
  readonly #groups: NameCells<Uint16Array> | null
  readonly #extras: ReadonlyMap<string, NumberCells>

  constructor(names: readonly string[], rows: number, wanted: readonly string[]) {
    this.#days = new DayCells(new Int32Array(shared(4 * rows)))
    this.#assets = new NameCells('asset', new NameInterner(maxAssetLength), new Int32Array(shared(4 * rows)))
    const markets = new NameInterner(maxMarketLength)
    markets.numberOf('')
    this.#markets = new NameCells('market', markets, new Uint16Array(shared(2 * rows)))
    const numbers = () => new Float64Array(shared(8 * rows))
    const scores = numbers()
    if (!names.includes('score')) scores.fill(Number.NaN)
    this.#scores = new NumberCells('score', scoreBounds, scores)
    const returns = numbers()
    if (!names.includes('forward_return')) returns.fill(Number.NaN)
    this.#returns = new NumberCells('forward_return', returnBounds, returns)
    for (const [name, bounds] of optionalNumbers)
      if (names.includes(name)) this.#optional.set(name, new NumberCells(name, bounds, numbers()))
    const groups = new NameInterner(maxGroupLength)
    groups.numberOf('')
    this.#groups = names.includes('group')
      ? new NameCells('group', groups, new Uint16Array(shared(2 * rows)))
      : null
    this.#extras = new Map(
      names
        .filter(name => wanted.includes(name))
        .map(name => [name, new NumberCells(name, extraBounds, numbers())]),
    )
  }

  take(name: string, values: ArrayLike<unknown>, from: number, length: number): void {
    const column = this.#column(name)
    column.take(values, from, length)
  }

  takeCodes(
    name: string,
    dictionary: ArrayLike<unknown>,
    codes: Int32Array,
    from: number,
    length: number,
  ): void {
    this.#column(name).takeCodes(dictionary, codes, from, length)
  }

  columns(count: number): ParsedPanel['columns'] {
    return {
      count,
      day: this.#days.numbers,
      asset: this.#assets.numbers,
      market: this.#markets.numbers,
      score: this.#scores.values,
      forwardReturn: this.#returns.values,
      dollarVolume: this.#optional.get('dollar_volume')?.values,
      close: this.#optional.get('close')?.values,
      borrowBps: this.#optional.get('borrow_bps')?.values,
      assetNames: this.#assets.names,
      marketNames: this.#markets.names,
      ...(this.#groups === null ? {} : { group: this.#groups.numbers, groupNames: this.#groups.names }),
      ...(this.#extras.size === 0
        ? {}
        : { extras: [...this.#extras].map(([name, { values }]) => ({ name, values })) }),
    }
  }

  #column(name: string): CellColumn {
    switch (name) {
      case 'date':
        return this.#days
      case 'asset':
        return this.#assets
      case 'market':
        return this.#markets
      case 'score':
        return this.#scores
      case 'forward_return':
        return this.#returns
      default: {
        const own = name === 'group' ? this.#groups : (this.#extras.get(name) ?? this.#optional.get(name))
        if (own) return own
        throw new Error(`The column ${name} was not announced.`)
      }
    }
  }
}

/** A column that accepts cells in the form that the file has them. */
interface CellColumn {
  take(cells: ArrayLike<unknown>, from: number, length: number): void
  /** @param codes the index of each cell in the dictionary, -1 for null */
  takeCodes(dictionary: ArrayLike<unknown>, codes: Int32Array, from: number, length: number): void
}

const shared = (bytes: number) => new SharedArrayBuffer(bytes)

/** How many distinct values are remembered with their numbers. */
const maxKnown = 100_000
const unread = -0x8000_0000

/** Cells that are converted to integers: days, and the numbers of names. */
abstract class NumberedCells<Numbers extends Int32Array | Uint16Array> implements CellColumn {
  readonly numbers: Numbers
  readonly #known = new Map<unknown, number>()
  #dictionary: ArrayLike<unknown> | null = null
  /** The number of each dictionary entry that a row has used. */
  #numberOfCode = new Int32Array(0)

  constructor(numbers: Numbers) {
    this.numbers = numbers
  }

  /** The number of a cell; fails if it is not valid. */
  protected abstract read(cell: unknown, row: number): number

  take(cells: ArrayLike<unknown>, from: number, length: number): void {
    const { numbers } = this
    for (let i = 0; i < length; i++) numbers[from + i] = this.#lookUp(cells[i], from + i)
  }

  /** Each entry of the dictionary is read once, for the first row that uses it. */
  takeCodes(dictionary: ArrayLike<unknown>, codes: Int32Array, from: number, length: number): void {
    if (this.#dictionary !== dictionary) {
      this.#dictionary = dictionary
      this.#numberOfCode = new Int32Array(dictionary.length).fill(unread)
    } else if (this.#numberOfCode.length < dictionary.length) {
      const longer = new Int32Array(2 * dictionary.length).fill(unread)
      longer.set(this.#numberOfCode)
      this.#numberOfCode = longer
    }
    const { numbers } = this
    const table = this.#numberOfCode
    for (let i = 0; i < length; i++) {
      const code = codes[i]
      let number = code === -1 ? unread : table[code]
      if (number === unread) {
        number = this.#lookUp(code === -1 ? null : dictionary[code], from + i)
        if (code !== -1) table[code] = number
      }
      numbers[from + i] = number
    }
  }

  #lookUp(cell: unknown, row: number): number {
    const known = this.#known.get(cell)
    if (known !== undefined) return known
    const number = this.read(cell, row)
    if (this.#known.size < maxKnown) this.#known.set(cell, number)
    return number
  }
}

class DayCells extends NumberedCells<Int32Array> {
  protected read(cell: unknown, row: number): number {
    const date = textCell(cell)
    if (date === null || !isIsoDate(date)) throw cellFault('date', date, row)
    return dayNumber(date)
  }
}

class NameCells<Numbers extends Int32Array | Uint16Array> extends NumberedCells<Numbers> {
  readonly #name: 'asset' | 'market' | 'group'
  readonly #interner: NameInterner

  constructor(name: 'asset' | 'market' | 'group', interner: NameInterner, numbers: Numbers) {
    super(numbers)
    this.#name = name
    this.#interner = interner
  }

  get names(): readonly string[] {
    return this.#interner.names
  }

  protected read(cell: unknown, row: number): number {
    const name = textCell(cell)
    if (!cellChecks[this.#name].Check(name)) throw cellFault(this.#name, name, row)
    const number = this.#interner.numberOf(name ?? '')
    if (this.#name === 'market') checkPanelSize(0, this.#interner.names.length)
    if (this.#name === 'group') checkGroups(this.#interner.names.length)
    return number
  }
}

class NumberCells implements CellColumn {
  readonly #name: string
  readonly #bounds: Bounds
  readonly values: Float64Array

  constructor(name: string, bounds: Bounds, values: Float64Array) {
    this.#name = name
    this.#bounds = bounds
    this.values = values
  }

  take(cells: ArrayLike<unknown>, from: number, length: number): void {
    if (cells instanceof Float64Array) this.#takeDoubles(cells, from, length)
    else for (let i = 0; i < length; i++) this.values[from + i] = this.#number(cells[i], from + i)
  }

  takeCodes(dictionary: ArrayLike<unknown>, codes: Int32Array, from: number, length: number): void {
    if (dictionary instanceof Float64Array) {
      const { values } = this
      for (let i = 0; i < length; i++) values[from + i] = codes[i] === -1 ? Number.NaN : dictionary[codes[i]]
      this.#takeDoubles(values.subarray(from, from + length), from, length)
      return
    }
    for (let i = 0; i < length; i++)
      this.values[from + i] = codes[i] === -1 ? Number.NaN : this.#number(dictionary[codes[i]], from + i)
  }

  #takeDoubles(cells: Float64Array, from: number, length: number): void {
    const { min, max } = this.#bounds
    const { values } = this
    for (let i = 0; i < length; i++) {
      const value = cells[i]
      values[from + i] =
        (value >= min && value <= max) || Number.isNaN(value) ? value : this.#number(value, from + i)
    }
  }

  #number(cell: unknown, row: number): number {
    const value = numberCell(cell)
    if (value === null) return Number.NaN
    if (typeof value === 'number' && value >= this.#bounds.min && value <= this.#bounds.max) return value
    throw cellFault(this.#name, value, row)
  }
}

/** The schema's error for a cell. */
function cellFault(name: string, value: string | number | null, row: number): Failure {
  const location = [`row ${row + 1}`, name]
  const known = columnNames.find(column => column === name)
  const fault = (known === undefined ? extraCheck : cellChecks[known]).Errors(value).First()
  if (fault) return describeFault(fault, location, known === undefined ? ExtraCell : cellSchemas[known])
  return new Failure('body_invalid', `${location.join('.')} cannot be read.`, { param: location.join('.') })
}

import { tagKey } from '../wholeFilings/tags.ts'
import type { PresentedRow, StatedSums } from './presentedRows.ts'

/** The totals of a statement, and the lines that each of them adds up. */
export interface Structure {
  /** By row, the index of the total that contains it directly; null if no total is known to contain it. */
  readonly parents: readonly (number | null)[]
  /** By row, 1 or -1: the factor with which its stated value enters its total's stated value. 1 without a total. */
  readonly weights: readonly number[]
  /** By row, the rows that it is the sum of; empty for lines that are no totals. */
  readonly items: readonly (readonly number[])[]
}

/** The sign with which a row is expected to enter the total below it. */
export type ExpectedSign = (row: PresentedRow) => 1 | -1

/**
 * The structure that the filing's calculation linkbase states; for filings without one, that of the arithmetic: a
 * total is a line that equals the sum of the lines above it, back to the total before, in every column.
 */
export function readStructure(
  rows: readonly PresentedRow[],
  sums: StatedSums,
  expected: ExpectedSign,
): Structure {
  const structure = new Draft(rows.length)
  if (sums.length > 0) addStatedSums(structure, rows, sums)
  else addArithmetic(structure, rows, expected)
  return structure
}

/** Whether a row is part of another, directly or through totals between them. */
export function contains({ parents }: Structure, total: number, part: number): boolean {
  for (let at = parents[part]; at !== null; at = parents[at]) if (at === total) return true
  return false
}

/** The last total that contains a row; the row itself if none does. */
export function outermostTotal({ parents }: Pick<Structure, 'parents'>, at: number): number {
  let row = at
  for (let next = parents[row]; next !== null; next = parents[row]) row = next
  return row
}

class Draft implements Structure {
  readonly parents: (number | null)[]
  readonly weights: number[]
  readonly items: number[][]

  constructor(count: number) {
    this.parents = Array.from({ length: count }, () => null)
    this.weights = Array.from({ length: count }, () => 1)
    this.items = Array.from({ length: count }, () => [])
  }

  add(total: number, item: number, weight: number): void {
    if (item === total || this.parents[item] !== null || contains(this, item, total)) return
    this.parents[item] = total
    this.weights[item] = weight
    this.items[total].push(item)
  }
}

function addStatedSums(draft: Draft, rows: readonly PresentedRow[], sums: StatedSums): void {
  const indexOf = new Map<string, number>()
  rows.forEach(({ concept, atBeginning }, at) => {
    if (!atBeginning && !indexOf.has(tagKey(concept))) indexOf.set(tagKey(concept), at)
  })
  // Items that the statement does not show pass their own items on.
  const byTotal = new Map(sums.map(sum => [tagKey(sum.total), sum]))
  const addItems = (total: number, tag: string, factor: number, depth: number) => {
    for (const { concept, weight } of byTotal.get(tag)?.items ?? []) {
      const item = indexOf.get(tagKey(concept))
      if (item !== undefined) draft.add(total, item, factor * weight < 0 ? -1 : 1)
      else if (depth < maxHiddenTotals) addItems(total, tagKey(concept), factor * weight, depth + 1)
    }
  }
  for (const [tag, total] of indexOf) addItems(total, tag, 1, 0)
}

const maxHiddenTotals = 4

/** A total further away than this is not looked for. */
const maxItems = 60

/** The columns with figures decide. More of them would only take longer. */
const maxColumns = 4

function addArithmetic(draft: Draft, rows: readonly PresentedRow[], expected: ExpectedSign): void {
  const values = rows.map(({ figures }) =>
    figures.slice(0, maxColumns).map(figure => (figure?.value == null ? null : Number(figure.value))),
  )
  const unit = roundingUnit(values.filter((_, at) => rows[at].unit === 'currency'))
  const open: number[] = []
  rows.forEach((row, at) => {
    if (row.unit !== 'currency' || row.atBeginning) return
    const items = itemsOf(at, open, rows, values, unit, expected)
    if (items !== null) {
      for (const { item, weight } of items) draft.add(at, item, weight)
      open.length -= items.length
    }
    open.push(at)
  })
}

interface Item {
  readonly item: number
  readonly weight: number
}

/** The items that a row is the sum of: the last ones that are open; null if it is no total of them. */
function itemsOf(
  at: number,
  open: readonly number[],
  rows: readonly PresentedRow[],
  values: readonly (readonly (number | null)[])[],
  unit: number,
  expected: ExpectedSign,
): Item[] | null {
  const columns = values[at].flatMap((value, column) => (value === null ? [] : [column]))
  const evidence = columns.filter(column => values[at][column] !== 0).length
  if (evidence === 0) return null
  const own = expected(rows[at])
  const isNamed = isNamedTotal(rows[at])
  // One column alone may add up by chance, unless the line says that it is a total.
  if (evidence < 2 && !isNamed) return null
  const maxFlips = isNamed && evidence > 1 ? 2 : 0
  const deepest = Math.max(0, open.length - maxItems)
  for (let flips = 0; flips <= maxFlips; flips++) {
    const rest = columns.map(column => values[at][column] ?? 0)
    const items: Item[] = []
    for (let index = open.length - 1; index >= deepest; index--) {
      const item = open[index]
      const weight = expected(rows[item]) * own
      items.push({ item, weight })
      columns.forEach((column, order) => {
        rest[order] -= weight * (values[item][column] ?? 0)
      })
      if (items.length < 2) continue
      // Rounded items may add up to a little more or less than a total, but then its name must say that it is one.
      const tolerance = isNamed ? unit * Math.min(2, (items.length + 1) / 2) : unit / 100
      const flipped = flippedItems(flips, items, rest, columns, values, tolerance)
      if (flipped === null) continue
      const found = items.map(each => (flipped.includes(each) ? { ...each, weight: -each.weight } : each))
      if (hasTwoParts(found, columns, values)) return found.reverse()
    }
  }
  return null
}

/** Items whose signs must be reversed for the sum to hold; null if there are none in this number. */
function flippedItems(
  count: number,
  items: readonly Item[],
  rest: readonly number[],
  columns: readonly number[],
  values: readonly (readonly (number | null)[])[],
  tolerance: number,
): readonly Item[] | null {
  const holds = (more: (order: number) => number) =>
    rest.every((value, order) => Math.abs(value + more(order)) <= tolerance)
  if (count === 0) return holds(() => 0) ? [] : null
  const effect = ({ item, weight }: Item, order: number) => 2 * weight * (values[item][columns[order]] ?? 0)
  for (const [index, first] of items.entries()) {
    if (count === 1) {
      if (holds(order => effect(first, order))) return [first]
      continue
    }
    for (const second of items.slice(index + 1))
      if (holds(order => effect(first, order) + effect(second, order))) return [first, second]
  }
  return null
}

/** A line that repeats another one is not its total. */
const hasTwoParts = (
  items: readonly Item[],
  columns: readonly number[],
  values: readonly (readonly (number | null)[])[],
) => columns.some(column => items.filter(({ item }) => (values[item][column] ?? 0) !== 0).length >= 2)

/** Rows that are totals by their name; only for these may the usual signs be wrong. */
const isNamedTotal = ({ name, words }: PresentedRow) =>
  /^total\b|^net cash|^(net )?(increase|decrease)( decrease| increase)? in cash|before .*taxes|^net (income|loss|earnings)/.test(
    words,
  ) ||
  /^(Assets|Liabilities|StockholdersEquity|CostsAndExpenses|OperatingExpenses|Nonoperating|OperatingIncome|GrossProfit|NetCash|CashAndCashEquivalentsPeriod|IncomeLossFromContinuing|ProfitLoss$|NetIncomeLoss|PropertyPlantAndEquipmentNet)/.test(
    name,
  )

/** What the last digit of the statement's figures stands for: 1,000 for figures in thousands. */
export function roundingUnit(values: readonly (readonly (number | null)[])[]): number {
  const stated = values.flat().filter(value => value !== null && value !== 0)
  if (stated.length === 0) return 0
  for (let unit = 1e9; unit > 1; unit /= 10)
    if (stated.every(value => value !== null && value % unit === 0)) return unit
  return stated.every(Number.isInteger) ? 1 : 0.01
}

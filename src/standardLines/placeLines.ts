import { isInstant } from '../wholeFilings/layOut.ts'
import type { CompanyKind, Section, StandardLine, StandardStatement } from './definition.ts'
import type { PresentedRow, StatedSums } from './presentedRows.ts'
import { sectionsOf } from './sections.ts'
import { expectedSign } from './signs.ts'
import { isCatchAll, isKnownTag, linesFor } from './standardLines.ts'
import { contains, outermostTotal, readStructure, type Structure } from './structure.ts'
import { isAboutMore } from './subjects.ts'

/** The lines of one presented statement under their standard names. */
export interface PlacedStatement {
  readonly statement: StandardStatement
  readonly kind: CompanyKind
  readonly rows: readonly PresentedRow[]
  readonly structure: Structure
  readonly placed: readonly PlacedLine[]
  readonly missing: readonly MissingLine[]
}

export interface PlacedLine {
  readonly line: StandardLine
  /** The rows whose sum is the line; mostly one. */
  readonly rows: readonly number[]
  /** By row, the factor from the stated figures to the line; if omitted, the structure of the statement tells. */
  readonly factors?: readonly (1 | -1)[]
}

/** A line for which the statement has two readings. */
export interface MissingLine {
  readonly line: StandardLine
  /** Each of these rows could be the line, and nothing decides. */
  readonly readings: readonly number[]
}

export function placeLines(
  statement: StandardStatement,
  kind: CompanyKind,
  rows: readonly PresentedRow[],
  sums: StatedSums,
): PlacedStatement {
  const structure = readStructure(rows, sums, expectedSign[statement])
  const sections = sectionsOf(statement, rows, structure)
  const placing = new Placing(rows, structure)
  const lines = linesFor(statement, kind)
  const places = new Places(rows, sections)
  // Patterns are tried last, on the few rows that are left: they take most of the time of an import.
  const candidates = (line: StandardLine, among: readonly number[], is: (row: PresentedRow) => boolean) =>
    among.filter(at => {
      const row = rows[at]
      if (!placing.isFree(at) || !is(row)) return false
      if (line.unlike?.test(row.words) || isAboutMore(line, row.words)) return false
      return !isCatchAll(line) || collects.test(row.words)
    })
  // What a tag means by its definition is decided first, then what tags like it mean, and last what labels say.
  for (const line of lines) {
    const groups = line.adds ? [line.tags.flat()] : line.tags
    const found = groups.map(names => candidates(line, places.withTags(line, names), () => true))
    placing.place(line, found.find(({ length }) => length > 0) ?? [])
  }
  for (const line of lines) {
    const { alike } = line
    if (alike !== null)
      placing.place(
        line,
        candidates(line, places.of(line), ({ name }) => alike.test(name)),
      )
  }
  for (const line of lines) {
    const { words } = line
    if (words !== null)
      placing.place(
        line,
        candidates(
          line,
          places.of(line),
          row =>
            words.test(row.words) &&
            !saysOtherwise(line, row.name) &&
            (row.isOwn || !isKnownTag(statement, row.name, row.words)),
        ),
      )
  }
  placing.preferOuterTotals()
  placing.dropPartialTotals()
  placing.dropPartialSides(sections)
  placing.dropNonoperatingInOperating()
  placing.dropUnfoundedTotals()
  placing.dropTaxesAboveWorkingCapital()
  placing.dropIntangiblesWithGoodwill()
  placing.renameWholes(lines)
  if (statement === 'cash_flow') {
    placing.dropContinuingTotals()
    placeCash(lines, rows, placing)
  }
  return { statement, kind, rows, structure, placed: placing.lines(), missing: placing.missing() }
}

/** Whether a tag without a definition here contradicts the label: it is income, and the line a cost, or so. */
function saysOtherwise({ sign, name, statement }: StandardLine, tag: string): boolean {
  if (statement === 'balance') return /^tax/.test(name) && /Deferred/.test(tag)
  if (statement === 'cash_flow' && /^(income_taxes|interest)_paid$/.test(name))
    return !/Paid|Payment/.test(tag)
  if (statement === 'cash_flow')
    return name === 'change_in_taxes'
      ? /Noncash|Deferred|Expense/.test(tag)
      : name.startsWith('investments_') && /Business/.test(tag)
  if (statement !== 'income') return false
  if (/BeforeIncomeTax/.test(tag)) return name !== 'pretax_income'
  if (name.startsWith('cost_of_') && /Selling|General|Administrative|Marketing|Research/.test(tag))
    return true
  if (sign === 'cost') return /^(?!.*(Expense|Cost|Tax|Loss|Dividend)).*(Income|Revenues?|Gains?)/.test(tag)
  if (name === 'other_nonoperating') return /^Other(Operating|CostAndExpenseOperating)/.test(tag)
  return /Expense|Cost/.test(tag) && !/Income|Revenue/.test(tag) && /revenue|income|gains/.test(name)
}

/** Words of lines that collect the rest. The tags of such lines are also used where no other tag fits. */
const collects = /\b(all|other|others|miscellaneous|sundry|various)\b/

const isInstantRow = ({ figures }: PresentedRow) => {
  const first = figures.find(figure => figure !== null)
  return first != null && isInstant(first.context)
}

/** Where the rows of a statement stand, to find those that can be a line. */
class Places {
  /** By section, unit and kind of period, in order. */
  readonly #rows = new Map<string, number[]>()
  readonly #byName = new Map<string, number[]>()
  readonly #keys: readonly (string | null)[]

  constructor(rows: readonly PresentedRow[], sections: readonly (Section | null)[]) {
    this.#keys = rows.map((row, at) => {
      const section = sections[at]
      return section === null || row.atBeginning
        ? null
        : `${section} ${row.unit} ${isInstantRow(row) ? 'instant' : 'duration'}`
    })
    rows.forEach(({ name }, at) => {
      const key = this.#keys[at]
      if (key === null) return
      push(this.#rows, key, at)
      push(this.#byName, name, at)
    })
  }

  /** The rows in the sections of a line, with its unit and kind of period. */
  of({ sections, unit, period }: StandardLine): readonly number[] {
    const found = sections.flatMap(section => this.#rows.get(`${section} ${unit} ${period}`) ?? [])
    return sections.length === 1 ? found : found.sort((a, b) => a - b)
  }

  /** Those with one of these tags. */
  withTags(line: StandardLine, names: readonly string[]): readonly number[] {
    const found = new Set<number>()
    for (const name of names)
      for (const at of this.#byName.get(name) ?? []) if (this.#isOf(line, at)) found.add(at)
    return [...found].sort((a, b) => a - b)
  }

  #isOf({ sections, unit, period }: StandardLine, at: number): boolean {
    return sections.some(section => this.#keys[at] === `${section} ${unit} ${period}`)
  }
}

function push(map: Map<string, number[]>, key: string, at: number): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [at])
  else known.push(at)
}

/** Balances on a statement of cash flows are those of cash. */
function placeCash(lines: readonly StandardLine[], rows: readonly PresentedRow[], placing: Placing): void {
  const isCash = ({ name, words }: PresentedRow) =>
    /^Cash/.test(name) ||
    (/\bcash\b/.test(words) && /\b(beginning|end|start|ending|opening|closing)\b/.test(words))
  for (const line of lines) {
    if (line.name !== 'cash_at_beginning' && line.name !== 'cash_at_end') continue
    const atBeginning = line.name === 'cash_at_beginning'
    const found = rows.flatMap((row, at) =>
      row.unit === 'currency' && isInstantRow(row) && isCash(row) && row.atBeginning === atBeginning
        ? [at]
        : [],
    )
    // A statement may add short-term investments to its last balance: cash is what it begins with.
    const same = found.filter(at =>
      rows.some(row => row.atBeginning !== atBeginning && row.concept === rows[at].concept),
    )
    placing.place(line, same.length > 0 ? same : found)
  }
}

const operatingTotals: ReadonlySet<string> = new Set([
  'revenue',
  'operating_income',
  'operating_expenses',
  'costs_and_expenses',
])

/** The owners' part and the whole. */
const wholes = [
  ['net_income', 'net_income_including_minority_interest'],
  ['equity', 'equity_including_minority_interest'],
] as const

/** Whether others than the owners have a part, such as the holders of a subsidiary's preference stock. */
const isOfOthers = ({ name, words }: PresentedRow) =>
  /^(?!.*IncludingPortion).*(Noncontrolling|MinorityInterest)/.test(name) ||
  /^(?!.*(including|before)).*\b(non ?controlling|minority) (ownership )?interests?\b/.test(words)

class Placing {
  readonly #rows: readonly PresentedRow[]
  readonly #structure: Structure
  readonly #lines = new Map<StandardLine, readonly number[]>()
  readonly #missing = new Map<StandardLine, readonly number[]>()
  readonly #taken = new Set<number>()

  constructor(rows: readonly PresentedRow[], structure: Structure) {
    this.#rows = rows
    this.#structure = structure
  }

  isFree(at: number): boolean {
    return !this.#taken.has(at)
  }

  /** Gives a line these rows, besides those that it has. */
  place(line: StandardLine, candidates: readonly number[]): void {
    const known = this.#lines.get(line)
    const readings = this.#missing.get(line)
    if (candidates.length === 0 || (!line.adds && (known !== undefined || readings !== undefined))) return
    const all = this.#distinct([...(known ?? readings ?? []), ...candidates])
    if (all.length === 1 || (line.adds && this.#areApart(all))) {
      this.#lines.set(line, all)
      this.#missing.delete(line)
      for (const at of all) this.#taken.add(at)
    } else {
      this.#lines.delete(line)
      this.#missing.set(line, all)
      // Rows with two readings may still be other lines, such as the two parts of a total that is not stated.
      for (const at of all) this.#taken.delete(at)
    }
  }

  /** Without parts of others and without repetitions. */
  #distinct(candidates: readonly number[]): readonly number[] {
    const outer = candidates.filter(
      at => !candidates.some(other => other !== at && contains(this.#structure, other, at)),
    )
    return outer.filter(
      (at, index) => !outer.slice(0, index).some(other => this.#isSame(this.#rows[other], this.#rows[at])),
    )
  }

  #isSame(a: PresentedRow, b: PresentedRow): boolean {
    return a.figures.every((figure, at) => (figure?.value ?? null) === (b.figures[at]?.value ?? null))
  }

  /** Whether one total of the statement counts each of the rows, so that none is a part of another. */
  #areApart(rows: readonly number[]): boolean {
    const { parents } = this.#structure
    if (rows.some(at => parents[at] === null)) return false
    const [first, ...others] = rows.map(at => outermostTotal(this.#structure, at))
    return others.every(total => total === first)
  }

  /** A tag may stand on a part, such as the face value of debt, of a total with a tag of the company's own. */
  preferOuterTotals(): void {
    for (const [line, rows] of [...this.#lines]) {
      const [at] = rows
      const total = this.#structure.parents[at]
      if (rows.length > 1 || total === null || this.#taken.has(total)) continue
      if (this.#structure.items[at].length > 0) continue
      const { isOwn, words } = this.#rows[total]
      if (!isOwn || line.words?.test(words) !== true) continue
      this.#lines.set(line, [total])
      this.#taken.delete(at)
      this.#taken.add(total)
    }
  }

  /**
   * A line that stands beside its own parts in the same total is not their total: cost of goods beside cost of services
   * is not the cost of revenue. Whether it is a part or the whole has two readings.
   */
  dropPartialTotals(): void {
    const { parents, items } = this.#structure
    for (const [line, rows] of [...this.#lines]) {
      const [total] = rows
      if (rows.length > 1 || items[total].length > 0 || parents[total] === null) continue
      const besides: number[] = []
      for (const [{ parent }, parts] of this.#lines)
        if (parent === line.name) besides.push(...parts.filter(at => parents[at] === parents[total]))
      if (besides.length === 0) continue
      this.#lines.delete(line)
      this.#missing.set(line, [total, ...besides])
    }
  }

  /** A total of noncurrent items is one only if no other such item stands beside it. */
  dropPartialSides(sections: readonly (Section | null)[]): void {
    const { parents } = this.#structure
    for (const [line, [total]] of [...this.#lines]) {
      if (line.name !== 'noncurrent_assets' && line.name !== 'noncurrent_liabilities') continue
      const hasOthers = this.#rows.some(
        (_, at) =>
          at !== total &&
          parents[at] !== null &&
          parents[at] === parents[total] &&
          sections[at] === sections[total],
      )
      if (hasOthers) this.#lines.delete(line)
    }
  }

  /** An item that revenue or operating income counts is operating, whatever its tag says. */
  dropNonoperatingInOperating(): void {
    const operating = new Set(
      [...this.#lines].flatMap(([{ name }, rows]) => (operatingTotals.has(name) ? rows : [])),
    )
    // Above the first cost a statement has revenues.
    const firstCost = this.#rows.findIndex(row => expectedSign.income(row) < 0)
    for (const [line, rows] of [...this.#lines]) {
      if (line.name !== 'other_nonoperating' && line.name !== 'nonoperating_total') continue
      const isOperating = rows.some(at => operating.has(this.#structure.parents[at] ?? -1) || at < firstCost)
      if (isOperating) this.#lines.delete(line)
    }
  }

  /** A total of expenses or of nonoperating items that adds up nothing and is not called a total is one such item. */
  dropUnfoundedTotals(): void {
    for (const [line, [total]] of [...this.#lines]) {
      if (line.name !== 'nonoperating_total' && line.name !== 'operating_expenses') continue
      const isTotal = this.#structure.items[total].length > 0 || /^total\b/.test(this.#rows[total].words)
      if (!isTotal && !(line.name === 'nonoperating_total' && this.#isAllBesidesOperating(total)))
        this.#lines.delete(line)
    }
  }

  /** Income taxes above the changes of working capital may be the deferred ones. */
  dropTaxesAboveWorkingCapital(): void {
    const found = this.#find('change_in_taxes')
    if (found === undefined) return
    const changes = ['change_in_receivables', 'change_in_inventory', 'change_in_payables']
    const first = Math.min(...changes.flatMap(name => this.#find(name)?.rows ?? []))
    const isVague = ({ words }: PresentedRow) => /^(income )?taxes( net)?$/.test(words)
    if (found.rows.some(at => at < first && isVague(this.#rows[at]))) this.#lines.delete(found.line)
  }

  /** The cash of continuing operations is not that of all, if the statement has cash of discontinued ones besides. */
  dropContinuingTotals(): void {
    for (const activity of ['operating', 'investing', 'financing']) {
      const found = this.#find(`${activity}_cash_flow`)
      if (found === undefined) continue
      const { name, words } = this.#rows[found.rows[0]]
      if (!/ContinuingOperations$/.test(name) && !/\bcontinuing\b/.test(words)) continue
      const isDiscontinued = (row: PresentedRow) =>
        new RegExp(`^Cash.*(${activity}.*Discontinued|Discontinued.*${activity})`, 'i').test(row.name) ||
        (/\bdiscontinued\b/.test(row.words) &&
          new RegExp(`\\bcash\\b.*\\b${activity}\\b|\\b${activity}\\b.*\\bcash\\b`).test(row.words))
      const isStated = ({ figures }: PresentedRow) => figures.some(figure => Number(figure?.value ?? 0) !== 0)
      if (this.#rows.some(row => isDiscontinued(row) && isStated(row))) this.#lines.delete(found.line)
    }
  }

  /** Whether a total adds a row to operating income alone. */
  #isAllBesidesOperating(at: number): boolean {
    const { parents, items } = this.#structure
    const parent = parents[at]
    if (parent === null) return false
    const operating = this.#find('operating_income')?.rows ?? []
    const others = items[parent].filter(item => item !== at)
    return others.length === 1 && operating.includes(others[0])
  }

  dropIntangiblesWithGoodwill(): void {
    const goodwill = this.#find('goodwill')?.rows[0]
    const found = this.#find('intangible_assets')
    if (goodwill === undefined || found === undefined) return
    if (found.rows.some(at => contains(this.#structure, at, goodwill))) this.#lines.delete(found.line)
  }

  /**
   * Tags of owners' and of whole profit and equity are confused, and so are those of operating expenses with and without
   * the cost of revenue. Other lines of the statement tell which one a row is.
   */
  renameWholes(lines: readonly StandardLine[]): void {
    const of = (name: string) => this.#find(name)?.rows[0]
    const whole =
      /^(ProfitLoss|IncomeLossFromContinuingOperationsIncludingPortion\w*|StockholdersEquityIncludingPortion\w*|PartnersCapitalIncluding\w*)$/
    for (const [owners, all] of wholes) {
      const at = of(owners)
      if (at === undefined || !whole.test(this.#rows[at].name)) continue
      const isShared = this.#rows.some(
        (row, other) => other !== at && row.unit === 'currency' && isOfOthers(row),
      )
      if (isShared) this.#rename(owners, all, lines)
    }
    const cost = of('cost_of_revenue')
    const [expenses, everything] = [of('operating_expenses'), of('costs_and_expenses')]
    if (cost === undefined) return
    if (expenses !== undefined && contains(this.#structure, expenses, cost))
      this.#rename('operating_expenses', 'costs_and_expenses', lines)
    const profit = of('gross_profit')
    if (everything !== undefined && profit !== undefined && contains(this.#structure, profit, cost))
      if (everything > profit && !contains(this.#structure, everything, cost))
        this.#rename('costs_and_expenses', 'operating_expenses', lines)
  }

  #find(name: string): PlacedLine | undefined {
    for (const [line, rows] of this.#lines) if (line.name === name) return { line, rows }
  }

  /** Without a row if the other line has one, or is none of the company's kind. */
  #rename(from: string, to: string, lines: readonly StandardLine[]): void {
    const found = this.#find(from)
    const line = lines.find(({ name }) => name === to)
    if (found === undefined) return
    this.#lines.delete(found.line)
    if (line !== undefined && !this.#lines.has(line)) this.#lines.set(line, found.rows)
  }

  lines(): readonly PlacedLine[] {
    return [...this.#lines].map(([line, rows]) => ({ line, rows: [...rows].sort((a, b) => a - b) }))
  }

  missing(): readonly MissingLine[] {
    return [...this.#missing].map(([line, readings]) => ({ line, readings }))
  }
}

import { nearestMonthEnd } from '../dates.ts'
import {
  beginningOf,
  layOutStatement,
  type Period,
  quartersOf,
  type StatementRow,
  type StatementTable,
} from './layOut.ts'
import { isOwnTag, tagKey } from './tags.ts'
import type { Dimension, ReportedFigure, Statement, StatementLine, WholeFiling } from './wholeFiling.ts'

/** A statement in the filing that presents it. */
export interface Presentation extends Pick<WholeFiling, 'accession' | 'figures' | 'sums'> {
  readonly statement: Statement
}

/** A statement as known on a day: the latest presentation, with the columns that earlier ones add. */
export interface KnownStatement {
  readonly columns: readonly KnownColumn[]
  readonly rows: readonly KnownRow[]
}

export interface KnownColumn {
  /** Null in a statement of equity, whose columns are components. */
  readonly period: Period | null
  readonly dimensions: readonly Dimension[]
  /** The filing whose figures the column has. */
  readonly accession: string
}

export interface KnownRow
  extends Pick<StatementRow, 'line' | 'isHeading' | 'atBeginning' | 'dimensions' | 'period'> {
  /** The latest filing that presents the line. Its label, depth and sign are used. */
  readonly accession: string
  /** Null if unknown, because the filing states no sums. */
  readonly isTotal: boolean | null
  /** Other tags that the line has in the earlier filings whose columns are added. */
  readonly otherTags: readonly OtherTag[]
  /** By column. Empty for headings. */
  readonly cells: readonly (KnownCell | null)[]
}

/** A tag that an earlier filing used for the line. */
export interface OtherTag {
  readonly tag: string
  readonly label: string | null
  /** The latest filing with this tag. */
  readonly accession: string
  /** The ends of the periods in which both filings state the same values, which is how the tag was recognised. */
  readonly equalAt: readonly number[]
}

export interface KnownCell {
  readonly figure: ReportedFigure
  readonly accession: string
}

/**
 * Joins the presentations of one statement, the latest first. The columns of the latest presentation stay as they are.
 * Each earlier presentation adds two things: the columns that are missing, if a period of the latest presentation is as
 * long, and the lines that only it has, each below the line that it follows there. Two lines are the same if their tags
 * are the same, or if `sameValues` recognises that a tag was renamed.
 *
 * @param lastDay periods that end later are left out
 */
export function knownStatement(
  [latest, ...earlier]: readonly [Presentation, ...Presentation[]],
  lastDay = Number.POSITIVE_INFINITY,
): KnownStatement {
  const table = layOutStatement(latest, latest.statement)
  const isEquity = hasComponents(table)
  const known = isEquity ? new KnownComponents(table, lastDay) : new KnownPeriods(table, lastDay)
  known.add(latest, table)
  for (const each of earlier) {
    const further = layOutStatement(each, each.statement)
    if (hasComponents(further) === isEquity) known.add(each, further)
  }
  return known.table()
}

/** Whether the columns are components of equity. */
const hasComponents = ({ columns }: StatementTable) => columns.some(({ period }) => period === null)

interface DraftRow extends Omit<KnownRow, 'cells' | 'otherTags'> {
  readonly otherTags: OtherTag[]
  /** By the key of the column. */
  readonly cells: Map<string, KnownCell>
}

/**
 * Equal for the same period in sources that state exact days and in those that round them to the end of a month and
 * count quarters.
 */
export const periodKey = (period: Period) => `${quartersOf(period)} ${nearestMonthEnd(period.end)}`

const dimensionKey = (dimensions: readonly Dimension[]) =>
  dimensions.length === 0
    ? ''
    : dimensions.map(({ axis, member }) => `${tagKey(axis)} ${tagKey(member)}`).join(' ')

const isTotal = ({ statement, sums }: Presentation, { concept, labelRole }: StatementLine) => {
  if (/total(Label)?$/i.test(labelRole ?? '')) return true
  if (sums.length === 0) return null
  return sums.some(({ role, total }) => role === statement.role && total === concept)
}

const draftOf = (from: Presentation, row: StatementRow): DraftRow => ({
  line: row.line,
  isHeading: row.isHeading,
  atBeginning: row.atBeginning,
  dimensions: row.dimensions,
  period: row.period,
  accession: from.accession,
  isTotal: row.isHeading ? false : isTotal(from, row.line),
  otherTags: [],
  cells: new Map(),
})

/** Identifies the rows of a table: a tag may be on several lines, for example cash at the beginning and at the end. */
function rowKeys(rows: readonly StatementRow[]): string[] {
  const counts = new Map<string, number>()
  return rows.map(({ line, atBeginning, dimensions, isHeading }) => {
    const key = `${isHeading} ${tagKey(line.concept)} ${atBeginning} ${dimensionKey(dimensions)}`
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    return `${key} ${count}`
  })
}

/** A statement whose columns are periods. */
class KnownPeriods {
  readonly #lengths: ReadonlySet<number>
  readonly #lastDay: number
  readonly #columns = new Map<string, KnownColumn>()
  readonly #rows: DraftRow[] = []
  /** Under each key that a filing used. */
  readonly #byKey = new Map<string, DraftRow>()

  constructor({ columns }: StatementTable, lastDay: number) {
    this.#lengths = new Set(columns.map(({ period }) => (period === null ? 0 : quartersOf(period))))
    this.#lastDay = lastDay
  }

  add(from: Presentation, { columns, rows }: StatementTable): void {
    const isLatest = this.#columns.size === 0
    const keys = columns.map(({ period }) => (period === null ? '' : periodKey(period)))
    // Two columns of one presentation may be close to the same end of a month.
    const distinct = keys.map((key, at) => (keys.indexOf(key) === at ? key : `${key} ${at}`))
    const added = columns.flatMap(({ period, dimensions }, at) => {
      if (period === null || period.end > this.#lastDay) return []
      const isNew = isLatest || (!this.#columns.has(keys[at]) && this.#lengths.has(quartersOf(period)))
      if (!isNew) return []
      if (isLatest) keys[at] = distinct[at]
      this.#columns.set(keys[at], { period, dimensions, accession: from.accession })
      return [at]
    })
    if (added.length === 0) return
    const shared = keys.flatMap((_, at) => (added.includes(at) ? [] : [at]))
    const found = this.#match(from, rows, keys, shared)
    // Lines before any that both filings have come below the headings with which the latest presentation begins.
    const first = this.#rows.findIndex(({ isHeading }) => !isHeading)
    let last = (first < 0 ? this.#rows.length : first) - 1
    rows.forEach((row, at) => {
      const { draft } = found[at]
      if (draft === null && row.isHeading && !isLatest) return
      const hasFigures = added.some(column => row.cells[column] != null)
      if (draft === null && !row.isHeading && !hasFigures) return
      const target = draft ?? draftOf(from, row)
      if (draft === null) this.#rows.splice(last + 1, 0, target)
      this.#byKey.set(found[at].key, target)
      last = this.#rows.indexOf(target)
      for (const column of added) {
        const figure = row.cells[column] ?? null
        if (figure !== null) target.cells.set(keys[column], { figure, accession: from.accession })
      }
    })
  }

  /** The known row of each row, by tag or else by values; null for rows that no later filing has. */
  #match(
    from: Presentation,
    rows: readonly StatementRow[],
    keys: readonly string[],
    shared: readonly number[],
  ) {
    const found = rowKeys(rows).map(key => ({ key, draft: this.#byKey.get(key) ?? null }))
    const claimed = new Set(found.map(({ draft }) => draft))
    const open = this.#rows.filter(row => !row.isHeading && !claimed.has(row))
    rows.forEach((row, at) => {
      if (found[at].draft !== null || row.isHeading || open.length === 0) return
      const same = open.filter(other => this.#sameValues(other, row, rows, keys, shared).length > 0)
      if (same.length !== 1) return
      const [draft] = same
      const equal = this.#sameValues(draft, row, rows, keys, shared)
      found[at] = { key: found[at].key, draft }
      open.splice(open.indexOf(draft), 1)
      draft.otherTags.push({
        tag: row.line.concept,
        label: row.line.label,
        accession: from.accession,
        equalAt: equal,
      })
    })
    return found
  }

  /**
   * The ends of the periods that show that a company renamed its own tag: in all periods that both filings state, at
   * least two, the values are the same, not zero, and on no other line of either. Empty if nothing shows it.
   */
  #sameValues(
    known: DraftRow,
    row: StatementRow,
    rows: readonly StatementRow[],
    keys: readonly string[],
    shared: readonly number[],
  ): number[] {
    if (!isOwnTag(known.line.concept) && !isOwnTag(row.line.concept)) return []
    if (known.atBeginning !== row.atBeginning) return []
    if (dimensionKey(known.dimensions) !== dimensionKey(row.dimensions)) return []
    const ends: number[] = []
    for (const at of shared) {
      const ours = known.cells.get(keys[at])?.figure ?? null
      const theirs = row.cells[at] ?? null
      if (ours === null && theirs === null) continue
      if (ours === null || theirs === null || !isSame(ours, theirs) || theirs.value === '0') return []
      const isUnique =
        rows.filter(({ cells }) => isSame(cells[at] ?? null, theirs)).length === 1 &&
        this.#rows.filter(({ cells }) => isSame(cells.get(keys[at])?.figure ?? null, theirs)).length === 1
      if (!isUnique) return []
      ends.push(theirs.context.end)
    }
    return ends.length >= minEqualPeriods ? ends : []
  }

  table(): KnownStatement {
    const columns = [...this.#columns].sort(([, a], [, b]) => comparePeriods(a.period, b.period))
    return {
      columns: columns.map(([, column]) => column),
      rows: this.#rows.map(({ cells, ...row }) => ({
        ...row,
        cells: row.isHeading ? [] : columns.map(([key]) => cells.get(key) ?? null),
      })),
    }
  }
}

const minEqualPeriods = 2

const isSame = (a: ReportedFigure | null, b: ReportedFigure) =>
  a !== null && a.value !== null && a.value === b.value && a.unit === b.unit

const comparePeriods = (a: Period | null, b: Period | null) =>
  a === null || b === null ? 0 : quartersOf(a) - quartersOf(b) || b.end - a.end

/** A statement of equity: its columns are components, and its rows repeat for each period. */
class KnownComponents {
  readonly #lengths: ReadonlySet<number>
  readonly #lastDay: number
  readonly #columns = new Map<string, KnownColumn>()
  readonly #periods = new Map<string, { readonly period: Period; readonly rows: DraftRow[] }>()

  constructor({ rows }: StatementTable, lastDay: number) {
    this.#lengths = new Set(rows.flatMap(({ period }) => (period === null ? [] : [quartersOf(period)])))
    this.#lastDay = lastDay
  }

  add(from: Presentation, { columns, rows }: StatementTable): void {
    const keys = columns.map(({ dimensions }) => dimensionKey(dimensions))
    const byPeriod = Map.groupBy(rows, ({ period }) => (period === null ? '' : periodKey(period)))
    for (const [key, ofPeriod] of byPeriod) {
      const [{ period }] = ofPeriod
      if (period === null || period.end > this.#lastDay) continue
      if (this.#periods.has(key) || !this.#lengths.has(quartersOf(period))) continue
      const drafts = ofPeriod.map(row => {
        const draft = draftOf(from, row)
        columns.forEach(({ dimensions }, at) => {
          const figure = row.cells[at] ?? null
          if (figure === null) return
          draft.cells.set(keys[at], { figure, accession: from.accession })
          if (!this.#columns.has(keys[at]))
            this.#columns.set(keys[at], { period: null, dimensions, accession: from.accession })
        })
        return draft
      })
      this.#periods.set(key, { period, rows: drafts })
    }
  }

  table(): KnownStatement {
    const columns = [...this.#columns]
    const periods = [...this.#periods.values()].sort(
      (a, b) => beginningOf(a.period) - beginningOf(b.period) || b.period.end - a.period.end,
    )
    return {
      columns: columns.map(([, column]) => column),
      rows: periods.flatMap(({ rows }) =>
        rows.map(({ cells, ...row }) => ({
          ...row,
          cells: row.isHeading ? [] : columns.map(([key]) => cells.get(key) ?? null),
        })),
      ),
    }
  }
}

import { type ChosenStatement, chooseStatement, kindOfName, type StatementName } from './kindOfStatement.ts'
import type { StoredFiling } from './knownFilingQueries.ts'
import {
  type KnownRow,
  type KnownStatement,
  knownStatement,
  type Presentation,
  periodKey,
} from './knownStatement.ts'
import { isInstant, type Period } from './layOut.ts'
import { tagKey } from './tags.ts'
import type { StatementKind } from './wholeFiling.ts'

/** The statement of a kind with its figures; null if the filing does not present it with figures. */
export function presentationIn(
  filing: StoredFiling,
  kind: StatementKind,
): (ChosenStatement & Presentation) | null {
  const chosen = chooseStatement(filing, kind)
  if (chosen === null) return null
  const { accession, sums } = filing
  const figures = filing.figuresOf(new Set(chosen.statement.lines.map(({ concept }) => concept)))
  return figures.length === 0 ? null : { ...chosen, accession, sums, figures }
}

/** Where a filing presents a figure. */
export interface PresentedLine {
  readonly statement: StatementName
  /** From 1, counted as in the statement of this filing alone. */
  readonly line: number
  /** Null if the source has none. */
  readonly label: string | null
}

/** A figure of the whole company that the filing states. */
export interface SoughtFigure {
  readonly tag: string
  readonly period: Period
  readonly value: number
}

/** A figure of several statements, such as net income, is sought in this order. */
const searchOrder: readonly StatementName[] = ['income', 'balance', 'cash_flow', 'comprehensive', 'equity']

/** Finds figures on the statements of one filing. */
export class PresentedLines {
  readonly #filing: StoredFiling
  /** Laid out when they are first needed. */
  readonly #tables = new Map<StatementName, KnownStatement | null>()

  constructor(filing: StoredFiling) {
    this.#filing = filing
  }

  /**
   * The first line that shows the figure with exactly this value; null if no statement does. A line with balances at
   * the beginning of a period counts only if no other line of the statement shows the figure.
   *
   * @param first the statement to be searched before all others
   */
  find(figure: SoughtFigure, first: StatementName): PresentedLine | null {
    const order = [first, ...searchOrder.filter(name => name !== first)]
    for (const statement of order) {
      const table = this.#tableOf(statement)
      if (table === null) continue
      const found = table.rows.flatMap((row, at) => (shows(table, row, figure) ? [{ row, at }] : []))
      const chosen = found.find(({ row }) => !row.atBeginning) ?? found.at(0)
      if (chosen !== undefined) return { statement, line: chosen.at + 1, label: chosen.row.line.label }
    }
    return null
  }

  #tableOf(name: StatementName): KnownStatement | null {
    const known = this.#tables.get(name)
    if (known !== undefined) return known
    const presentation = presentationIn(this.#filing, kindOfName[name])
    const table = presentation === null ? null : knownStatement([presentation])
    this.#tables.set(name, table)
    return table
  }
}

function shows({ columns }: KnownStatement, row: KnownRow, { tag, period, value }: SoughtFigure): boolean {
  if (row.isHeading || row.dimensions.length > 0 || tagKey(row.line.concept) !== tagKey(tag)) return false
  return row.cells.some(
    (cell, at) =>
      cell !== null &&
      columns[at].dimensions.length === 0 &&
      Number(cell.figure.value ?? Number.NaN) === value &&
      isSamePeriod(cell.figure.context, period),
  )
}

/** Sources may round the end of a period to the end of a month. */
const isSamePeriod = (a: Period, b: Period): boolean =>
  isInstant(a) === isInstant(b) && periodKey(a) === periodKey(b)

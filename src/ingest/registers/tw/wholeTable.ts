import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { type FigureContext, plainDecimal, type ReportedFigure } from '../../../wholeFilings/wholeFiling.ts'
import { shown } from '../../reading/namedFaults.ts'
import { usesOfTag } from './concepts.ts'
import { accessionOf, firstDay, lastDay, type Quarter, type Table } from './deadlines.ts'
import { type FigureTally, textOfCell } from './figures.ts'

/**
 * The prefix of concepts. The register names its columns and has no codes for them: `mops:營業收入`, after the
 * Market Observation Post System that publishes them.
 */
const prefix = 'mops:'

/** A row of a table: the stated cells by the register's names of their columns, in the order of the table. */
export interface TableRow {
  readonly table: Table
  readonly quarter: Quarter
  readonly cells: readonly (readonly [column: string, cell: unknown])[]
  /** The day on which the table was made; null if it does not say. */
  readonly madeOn: number | null
}

/**
 * An income statement, which goes on to comprehensive income, or a balance sheet, as the register's table shows it.
 * All are of the group, or of the company if it has no group: the tables do not say of which.
 */
export function wholeTable({ table, quarter, cells, madeOn }: TableRow, tally: FigureTally): StatedFiling {
  const { code, year, quarter: number } = quarter
  const isIncome = table === 'income'
  const context: FigureContext = {
    start: isIncome ? firstDay(quarter) : null,
    end: lastDay(quarter),
    quarters: null,
    dimensions: [],
  }
  const figures: ReportedFigure[] = []
  const columns: string[] = []
  for (const [column, cell] of cells) {
    const text = textOfCell(cell)
    if (text === '') continue
    const measure = measureOf(column)
    const value = measure === 'money' ? inDollars(text) : plainDecimal(text)
    if (value === null) {
      // The metric's reader has named a fault in a mapped column.
      if (usesOfTag(column) === undefined)
        tally.faults.add(`${code}, ${year} Q${number}, ${column}: ${shown(cell)} is not a decimal number`)
      continue
    }
    columns.push(column)
    figures.push({ concept: prefix + column, context, unit: units[measure], decimals: null, value })
  }
  const statement = {
    role: isIncome ? 't187ap06' : 't187ap07',
    title: null,
    kind: isIncome ? ('IS' as const) : ('BS' as const),
    parenthetical: false,
    lines: columns.map((column, index) => ({
      order: index + 1,
      concept: prefix + column,
      depth: null,
      label: column,
      labelRole: null,
      negated: false,
    })),
  }
  return {
    market: 'TW',
    issuerId: code,
    whole: {
      accession: accessionOf(quarter, table),
      taxonomies: new Map(),
      figures,
      statements: [statement],
      sums: [],
      defaultMembers: new Map(),
    },
    source: 'dataSet',
    periodEnd: lastDay(quarter),
    ...(madeOn === null ? {} : { seenOn: madeOn }),
  }
}

const units = { money: 'TWD', perShare: 'TWD/shares', shares: 'shares' } as const

/** Money is in thousands, except per share; numbers of shares are single shares. */
function measureOf(column: string): keyof typeof units {
  if (column.includes('每股')) return 'perShare'
  return column.includes('股數') ? 'shares' : 'money'
}

/** An exponent would not be thousands of the register's own spelling. */
const inDollars = (thousands: string): string | null =>
  /e/i.test(thousands) ? null : plainDecimal(`${thousands}e3`)

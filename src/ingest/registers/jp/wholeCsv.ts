import {
  type Dimension,
  type FigureContext,
  plainDecimal,
  type ReportedFigure,
  type StatementLine,
} from '../../../wholeFilings/wholeFiling.ts'
import { separateAccounts, type WholeReport } from './wholeReport.ts'

/**
 * A CSV names the members of a figure without their axes, as the context ID does. They are members of this axis:
 * `CapitalStockMember`.
 */
const membersAxis = 'edinet:members'

/**
 * The axis of figures from years before the prior year, whose days the CSV does not state. Its members are
 * the register's names of periods (`Prior2YearInstant`), and the context of such a figure has only the last
 * day of the report's year.
 */
const periodAxis = 'edinet:period'

/** A row with a unit. */
export interface CsvFigure {
  readonly row: number
  readonly tag: string
  readonly label: string
  readonly contextId: string
  readonly unit: string
  /** Null if the cell is empty. */
  readonly value: string | null
}

/** What a CSV states about the days of its contexts. Days are NaN where it does not state them. */
export interface CsvDays {
  readonly filed: number
  /** The report's year and the prior year. */
  readonly years: readonly { readonly start: number; readonly end: number }[]
}

/**
 * All figures of a CSV, which the register makes from the instance, and their elements in its order, with labels. The
 * CSV does not tell statements apart.
 *
 * @param role of the only statement
 * @param fault names a figure that is not a decimal number
 */
export function wholeCsv(
  rows: readonly CsvFigure[],
  days: CsvDays,
  role: string,
  fault: (figure: CsvFigure) => void,
): WholeReport {
  const contexts = new Map<string, FigureContext>()
  const figures: ReportedFigure[] = []
  const lines = new Map<string, StatementLine>()
  for (const figure of rows) {
    const { tag, label, contextId, unit } = figure
    const value = figure.value === null ? null : plainDecimal(figure.value)
    if (value === null && figure.value !== null) {
      fault(figure)
      continue
    }
    const context = contexts.get(contextId) ?? contextOf(contextId, days)
    contexts.set(contextId, context)
    figures.push({ concept: tag, context, unit, decimals: null, value })
    if (!lines.has(tag))
      lines.set(tag, {
        order: lines.size + 1,
        concept: tag,
        depth: null,
        label: label === '' ? null : label,
        labelRole: null,
        negated: false,
      })
  }
  const statement = { role, title: null, kind: null, parenthetical: false, lines: [...lines.values()] }
  return {
    taxonomies: new Map(),
    figures,
    statements: lines.size === 0 ? [] : [statement],
    sums: [],
    defaultMembers: new Map(),
    source: 'figures',
  }
}

const separateMark = '_NonConsolidatedMember'

/** Periods before members: `Prior1YearInstant_NonConsolidatedMember_CapitalStockMember`. */
function contextOf(id: string, { filed, years }: CsvDays): FigureContext {
  const [period] = id.split('_', 1)
  const isSeparate = id.slice(period.length).startsWith(separateMark)
  const members = id.slice(period.length + (isSeparate ? separateMark.length : 0)).replace(/^_/, '')
  const dimensions: Dimension[] = isSeparate ? [separateAccounts] : []
  if (members !== '') dimensions.push({ axis: membersAxis, member: members })
  const stated = statedDays(period, { filed, years })
  if (stated === null) dimensions.push({ axis: periodAxis, member: period })
  dimensions.sort((a, b) => (a.axis < b.axis ? -1 : 1))
  const yearEnd = years[0]?.end ?? Number.NaN
  const unstated = { start: null, end: Number.isNaN(yearEnd) ? filed : yearEnd }
  return { ...(stated ?? unstated), quarters: null, dimensions }
}

/** Null if the CSV does not state the days of the period. */
function statedDays(period: string, { filed, years }: CsvDays): Pick<FigureContext, 'start' | 'end'> | null {
  if (period === 'FilingDateInstant') return { start: null, end: filed }
  const parts = /^(CurrentYear|Prior(\d)Year)(Duration|Instant)$/.exec(period)
  const year = parts === null ? undefined : years[Number(parts[2] ?? 0)]
  if (parts === null || year === undefined || Number.isNaN(year.end)) return null
  if (parts[3] === 'Instant') return { start: null, end: year.end }
  return Number.isNaN(year.start) ? null : { start: year.start, end: year.end }
}

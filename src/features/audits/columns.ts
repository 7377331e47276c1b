import type { AuditBody } from '../../backtest/audit/auditBody.ts'
import type { NumberCells } from '../../backtest/audit/numbers.ts'
import { metricOfName } from '../../backtest/audit/recognise.ts'
import { type AuditColumnSettings, maxFiledCompanies } from '../../backtest/audit/request.ts'
import type { AuditReading } from '../../backtest/audit/result.ts'
import { type AsOfPeriod, asOfPeriods } from '../../backtest/figureScore.ts'
import { Failure } from '../../errors.ts'
import type { Markets } from '../../markets/markets.ts'
import { nearNames } from '../../spelling.ts'
import { isOwnTag } from '../../wholeFilings/tags.ts'
import type { Terms } from '../../wholeFilings/terms.ts'
import { allLines, isLine } from './filedColumns.ts'

/** A column and what it may contain. */
export interface WantedColumn {
  readonly cells: NumberCells
  readonly settings: AuditColumnSettings
  readonly recognised: AuditReading['recognised']
  readonly kind: 'metric' | 'tag' | 'line'
  /** What it may show: one metric, tag or line, or all metrics if its name says nothing. */
  readonly names: readonly string[]
  /** The kinds of periods that it may show, in order of preference. */
  readonly periods: readonly AsOfPeriod[]
}

/** Trailing twelve months contain the fiscal years, and the latest contain everything. */
const periodsInOrder: readonly AsOfPeriod[] = ['FY', 'TTM', 'Q', 'latest']

interface ColumnDeps {
  readonly markets: Pick<Markets, 'metrics'>
  /** Texts of whole filings, the tags that companies share among them. */
  readonly terms: Pick<Terms, 'numberOf'>
}

/** What the columns of an audit may contain, from the request or their names. */
export function wantedColumns(
  { markets: { metrics }, terms }: ColumnDeps,
  { columns, plan, rows }: Pick<AuditBody, 'columns' | 'plan' | 'rows'>,
): WantedColumn[] {
  const hasTimes = (rows.times ?? null) !== null
  return columns.map((cells): WantedColumn => {
    const settings = plan.columns?.get(cells.name) ?? {}
    const { metric, tag, line, fp } = settings
    const periods = fp === undefined ? periodsInOrder : [fp]
    const column = { cells, settings, periods }
    if (metric !== undefined) {
      requireMetric(metrics, cells.name, metric)
      return { ...column, recognised: 'sent', kind: 'metric', names: [metric] }
    }
    const filed = tag === undefined && line === undefined ? null : sentFigures(terms, cells.name, settings)
    if (filed !== null) {
      requireDates(cells.name, filed.kind, hasTimes)
      return {
        ...column,
        ...filed,
        recognised: 'sent',
        periods: filedPeriods(cells.name, filed.kind, periods),
      }
    }
    const named = metricOfName(cells.name, metrics.keys())
    if (named !== null) return { ...column, recognised: 'name', kind: 'metric', names: [named] }
    const found = hasTimes || fp === 'TTM' ? null : figuresOfName(terms, cells.name)
    return found === null
      ? { ...column, ...anyMetric(metrics) }
      : { ...column, ...found, recognised: 'name', periods: filedPeriods(cells.name, found.kind, periods) }
  })
}

const anyMetric = (metrics: Markets['metrics']): Pick<WantedColumn, 'recognised' | 'kind' | 'names'> => ({
  recognised: 'values',
  kind: 'metric',
  names: [...metrics.keys()],
})

/**
 * Bounds the companies whose whole filings are read. Columns that the request maps to a tag or line are refused; those that
 * were only called like one are found by their values, as all others are.
 */
export function boundFiledColumns(
  { metrics }: Pick<Markets, 'metrics'>,
  columns: readonly WantedColumn[],
  companies: number,
): readonly WantedColumn[] {
  if (companies <= maxFiledCompanies) return columns
  return columns.map(column => {
    if (column.kind === 'metric') return column
    if (column.recognised === 'name')
      return {
        ...column,
        ...anyMetric(metrics),
        periods: column.settings.fp === undefined ? periodsInOrder : column.periods,
      }
    const { name } = column.cells
    throw new Failure(
      'parameter_invalid',
      `columns.${name} is a ${wordOf(column.kind)}, whose figures are read from whole filings. Such columns are for at most ${maxFiledCompanies} companies; these rows have ${companies.toLocaleString('en')}, with predecessors, successors and other holders of their symbols. Split the rows by company, or map the column to a metric.`,
      { param: `columns.${name}` },
    )
  })
}

/** Columns whose names say nothing are first compared with all metrics, of every period. */
export const everyPeriod: AsOfPeriod = 'latest'

function requireMetric(metrics: ReadonlyMap<string, unknown>, column: string, sent: string): void {
  if (metrics.has(sent)) return
  const near = nearNames(sent, metrics.keys(), 3)
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
  const line = isLine(sent) ? ` For the standard line of this name, send {"line": "${sent}"}.` : ''
  throw new Failure(
    'parameter_invalid',
    `columns.${column} is ${sent}, which is not a metric.${line}${hint} GET /api/v1/fundamentals without ticker lists all metrics.`,
    { param: `columns.${column}`, near },
  )
}

type FiledFigures = Pick<WantedColumn, 'names'> & { readonly kind: 'tag' | 'line' }

/** The tag or line to which the request maps a column. */
function sentFigures(
  terms: ColumnDeps['terms'],
  column: string,
  { tag, line }: AuditColumnSettings,
): FiledFigures | null {
  const param = `columns.${column}`
  if (line !== undefined) {
    if (isLine(line)) return { kind: 'line', names: [line] }
    const near = nearNames(line, allLines(), 3)
    const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
    throw new Failure(
      'parameter_invalid',
      `${param} is ${line}, which is not a standard line.${hint} GET /api/v1/statements?view=standard shows the standard lines of a company.`,
      { param, near },
    )
  }
  if (tag === undefined) return null
  if (tag.includes(':') || /^(ifrs[a-z-]*|dart)_/.test(tag)) return { kind: 'tag', names: [tag] }
  const names = sharedTags(terms, tag)
  if (names.length > 0) return { kind: 'tag', names }
  throw new Failure(
    'parameter_invalid',
    `${param} is ${tag}, which is not a tag of a taxonomy that companies share. Send a tag with its prefix, such as us-gaap:InventoryNet.`,
    { param },
  )
}

const prefixes = ['us-gaap', 'ifrs-full', 'srt', 'dei']

/** The tags of shared taxonomies that have this name, as filings on record use them. */
const sharedTags = (terms: ColumnDeps['terms'], name: string): string[] =>
  prefixes.map(prefix => `${prefix}:${name}`).filter(tag => terms.numberOf(tag) !== undefined)

/** Names of tags begin with a capital letter. */
const tagShape = /^[A-Z][A-Za-z0-9]{2,}$/

/** Whether it has to be known which tags filings use, to say what the columns contain. */
export const asksForTags = ({ columns, plan }: Pick<AuditBody, 'columns' | 'plan'>): boolean =>
  columns.some(({ name }) => {
    const { metric, line, tag } = plan.columns?.get(name) ?? {}
    return metric === undefined && line === undefined && tagShape.test(tag ?? name)
  })

/** The tag or standard line that a column is called. */
function figuresOfName(terms: ColumnDeps['terms'], name: string): FiledFigures | null {
  if (name.includes(':')) return isOwnTag(name) ? null : { kind: 'tag', names: [name] }
  const names = tagShape.test(name) ? sharedTags(terms, name) : []
  if (names.length > 0) return { kind: 'tag', names }
  return isLine(name) ? { kind: 'line', names: [name] } : null
}

const wordOf = (kind: 'tag' | 'line') => (kind === 'tag' ? 'tag' : 'standard line')

function requireDates(column: string, kind: 'tag' | 'line', hasTimes: boolean): void {
  if (!hasTimes) return
  throw new Failure(
    'parameter_invalid',
    `columns.${column} is a ${wordOf(kind)}. Such columns are for rows with dates: send date in place of time, or map the column to a metric.`,
    { param: `columns.${column}` },
  )
}

function filedPeriods(
  column: string,
  kind: 'tag' | 'line',
  periods: readonly AsOfPeriod[],
): readonly AsOfPeriod[] {
  const stated = periods.filter(fp => fp !== 'TTM')
  if (stated.length > 0) return stated
  throw new Failure(
    'parameter_invalid',
    `columns.${column} is a ${wordOf(kind)}, for which there are no trailing twelve months: filings do not state them. Send fp as FY, Q or latest.`,
    { param: `columns.${column}.fp` },
  )
}

/** The other kinds of periods of a metric, tag or line. */
export const otherPeriodsOf = ({ kind }: Pick<WantedColumn, 'kind'>, fp: AsOfPeriod): AsOfPeriod[] =>
  asOfPeriods.filter(other => other !== fp && other !== 'latest' && !(other === 'TTM' && kind !== 'metric'))

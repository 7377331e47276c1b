import { isoDate } from '../../dates.ts'
import type { CarriedColumn, StoredType } from '../asOf/carried/carriedColumn.ts'
import { textAt } from '../asOf/carried/shownTexts.ts'
import { textTable } from '../asOf/carried/texts.ts'
import type { EventBlock, Events } from '../asOf/figureEvents.ts'
import { gatherEvents } from '../asOf/gather.ts'
import { findKnownDays, type KnownDays, placeInterims, type RowClocks, rangesOf } from '../asOf/knownDays.ts'
import { parquetFile } from '../asOf/parquetAnswer.ts'
import { findPositions, type JoinRows, none } from '../asOf/positions.ts'
import type { JoinFormat } from '../asOf/request.ts'
import type { ParsedRows } from '../asOf/rows.ts'
import { timeColumn } from '../asOf/rowTimes.ts'
import { csvLines, jsonColumns, ndjsonLines } from '../asOf/textAnswer.ts'
import type { AsOfPeriod } from '../figureScore.ts'
import { type AuditedFigures, type AuditedRows, type ClassifiedColumn, classifyColumn } from './classify.ts'
import { type FoundReading, interpretColumn } from './interpret.ts'
import { comparedWithKnown, matchTolerance } from './match.ts'
import type { NumberCells } from './numbers.ts'
import { type PremiumSettings, premiumOfColumn } from './premiumOfColumn.ts'
import {
  type AuditedColumn,
  type AuditReading,
  type ColumnPremium,
  maxWorstCells,
  type WorstCell,
} from './result.ts'
import type { AuditPlan } from './settings.ts'
import {
  type AdjustedVintages,
  adjustment,
  adjustVintages,
  type ShareKind,
  shareKindOf,
  splitsOfCompanies,
} from './splits.ts'
import { auditReasons, auditStates, type StateCounts } from './states.ts'
import { countColumn, lagOf, type RankedCell, stateCounts, vintagesOf, worstCells } from './summarise.ts'
import { firstAtLeast, type Vintages } from './vintages.ts'

/** One kind of figures that a column may show. */
export interface FigureKind {
  /** The name of the metric, tag or line. */
  readonly name: string
  readonly fp: AsOfPeriod
}

/** A column and the figures that it may show, before it is known how it is to be read. */
export interface ColumnToInterpret {
  readonly cells: NumberCells
  readonly scale: number | null
  readonly sign: 1 | -1 | null
  /** In order of preference, each with the blocks of its vintages. */
  readonly candidates: readonly (FigureKind & { readonly vintages: readonly EventBlock[] })[]
}

/** The rows of an audit and their companies. */
export interface AuditRowsInput {
  readonly rows: ParsedRows
  /** For each name, and for each slot of `slotOfRow`, its index in `entities`; -1: unknown. */
  readonly companyOfName: Int32Array
  /** For each row, the name or slot that determines its company; null if it is always the name. */
  readonly slotOfRow: Int32Array | null
  readonly entities: Int32Array
}

export interface InterpretInput extends AuditRowsInput {
  readonly columns: readonly ColumnToInterpret[]
}

/** Finds how the columns of an audit are to be read. */
export function interpretColumns({
  rows,
  companyOfName,
  slotOfRow,
  entities,
  columns,
}: InterpretInput): FoundReading[] {
  const sent: JoinRows = { count: rows.count, day: rows.day, name: slotOfRow ?? rows.name }
  return columns.map(({ cells, candidates, scale, sign }) =>
    interpretColumn(
      sent,
      companyOfName,
      cells,
      candidates.map(({ name, fp, vintages }) => ({
        metric: name,
        fp,
        vintagesOf: companies =>
          gatherEvents(
            vintages,
            companies.map(company => entities[company]),
          ),
      })),
      { scale, sign },
    ),
  )
}

/** A column to audit, with the blocks of its figures. */
export interface ColumnToAudit {
  readonly cells: NumberCells
  readonly kind: 'metric' | 'tag' | 'line'
  readonly name: string
  readonly recognised: AuditReading['recognised']
  readonly reading: FoundReading
  readonly nextFp: AsOfPeriod | null
  /** What the request says about splits; null: to be found. */
  readonly splits: 'as_filed' | 'adjusted' | null
  /** Only figures in this currency count; null: in all. */
  readonly currency: string | null
  readonly fp: AsOfPeriod
  readonly figures: readonly EventBlock[]
  readonly vintages: readonly EventBlock[]
  readonly otherPeriods: readonly { readonly fp: AsOfPeriod; readonly vintages: readonly EventBlock[] }[]
  /** For rows with times, the figures and vintages of the interim states. */
  readonly interims: {
    readonly figures: readonly EventBlock[]
    readonly vintages: readonly EventBlock[]
  } | null
}

export interface AuditTask extends AuditRowsInput {
  readonly plan: AuditPlan
  readonly columns: readonly ColumnToAudit[]
  readonly unitNames: ReadonlyMap<number, string>
  /** The other companies of a name, by the number of the name. */
  readonly others: ReadonlyMap<number, readonly number[]>
  /** The earnings releases of the companies. */
  readonly releases: readonly EventBlock[]
  /** Present if rows have times. */
  readonly clocks: Omit<RowClocks, 'times'> | null
  /** For rows with returns. */
  readonly premium: PremiumSettings | null
  readonly formats: readonly JoinFormat[]
  /** In bytes, for each format. */
  readonly limit: number
}

/** A cell of `worst` before its company and its filing's address are filled in. */
export interface FoundCell extends Omit<WorstCell, 'url' | 'issuer_id'> {
  /** Index of the company whose figure it shows; -1: none. */
  readonly company: number
}

export interface AuditFindings {
  readonly columns: readonly AuditedColumn[]
  readonly counts: StateCounts
  readonly worst: readonly FoundCell[]
  readonly premium: readonly ColumnPremium[]
  /** For each format, the bytes of the rows with the added columns; JSON is only the object of columns. */
  readonly rows: Partial<Record<JoinFormat, Uint8Array>>
}

/** Audits all columns. */
export function auditRows(task: AuditTask): AuditFindings {
  const { rows, premium } = task
  const known = knownRows(task)
  const releases = gatherEvents(task.releases, task.entities)
  const audited = task.columns.map(column => {
    const figures = figuresOf(task, known, column)
    const found = classifyColumn(
      known.audited,
      figures,
      releases,
      row => task.others.get(rows.name[row]) ?? [],
    )
    return { column, figures, found }
  })
  const total = new Float64Array(auditStates.length + 1)
  const columns = audited.map(({ column, figures, found }): AuditedColumn => {
    const counted = countColumn(known.audited, figures, found)
    for (const [index, state] of auditStates.entries()) total[index + 1] += counted.counts[state]
    total[0] += counted.counts.empty
    return { name: column.cells.name, reading: shownReading(task, known, column, figures, found), ...counted }
  })
  const worst = worstCells(known.audited, audited, maxWorstCells)
  return {
    columns,
    counts: stateCounts(total),
    worst: worst.map(cell => foundCell(task, known.audited, audited[cell.column], cell)),
    premium:
      premium === null
        ? []
        : audited.map(({ figures, found }) => premiumOfColumn(rows, known.audited, figures, found, premium)),
    rows: writeRows(task, known.audited, audited),
  }
}

interface AuditedOne {
  readonly column: ColumnToAudit
  readonly figures: AuditedFigures
  readonly found: ClassifiedColumn
}

/** When the rows of an audit are, and which company each has. */
interface KnownRows {
  readonly audited: AuditedRows
  readonly sent: JoinRows
  readonly days: KnownDays | null
}

function knownRows({ rows, plan, companyOfName, slotOfRow, entities, clocks }: AuditTask): KnownRows {
  const { count, day, name, times = null } = rows
  const sent: JoinRows = { count, day, name: slotOfRow ?? name }
  const company = new Int32Array(count)
  for (let row = 0; row < count; row++) company[row] = companyOfName[sent.name[row]]
  if (times === null || clocks === null) {
    const lag = plan.inclusive ? 0 : 1
    const knownDay = lag === 0 ? day : day.map(one => one - lag)
    const audited = {
      count,
      company,
      knownDay,
      endedDay: knownDay,
      ownDay: day,
      interimOfRow: null,
      instant: null,
    }
    return { audited, sent, days: null }
  }
  const instant = new Float64Array(count).fill(Number.NaN)
  const days = findKnownDays(sent, companyOfName, entities, { ...clocks, times }, instant)
  const interimOfRow =
    days.interims.length === 0
      ? null
      : days.interimOfRow.map(interim => (interim === -1 ? -1 : entities.length + interim))
  // A row without a company has no market, so its time has no day.
  const ownDay = days.ownDay.map((one, row) => (company[row] === -1 ? day[row] : one))
  const endedDay = ownDay.map(one => one - 1)
  const audited = { count, company, knownDay: days.rows.day, ownDay, endedDay, interimOfRow, instant }
  return { audited, sent, days }
}

function figuresOf(
  task: AuditTask,
  { audited, sent, days }: KnownRows,
  column: ColumnToAudit,
): AuditedFigures {
  const { companyOfName, entities, plan, unitNames } = task
  const interims = days?.interims ?? []
  const events = gatherEvents(column.figures, entities, rangesOf(interims, column.interims?.figures ?? []))
  const vintages = gatherEvents(
    column.vintages,
    entities,
    rangesOf(interims, column.interims?.vintages ?? []),
  )
  const rule = { inclusive: days !== null || plan.inclusive, maxAgeDays: plan.maxAgeDays }
  const positions = findPositions(days?.rows ?? sent, companyOfName, events, rule, undefined, audited.ownDay)
  if (days !== null) placeInterims(days, events, entities.length, plan.maxAgeDays, positions)
  const { scale, sign, rounding } = column.reading
  const shareKinds = new Map<number, ShareKind>(
    [...unitNames].map(([unit, name]) => [unit, shareKindOf(name)]),
  )
  const units = column.currency === null ? null : unitsOfCurrency(unitNames, column.currency)
  // A figure in another currency says nothing about the column: nothing comparable was known.
  if (units !== null)
    for (const [row, position] of positions.entries())
      if (position !== none && !units.has(events.units[position])) positions[row] = none
  const figures: AuditedFigures = {
    cells: column.cells,
    reading: { scale, sign, rounding, splits: column.splits ?? 'as_filed' },
    events,
    positions,
    vintages,
    adjusted: null,
    otherPeriods: column.otherPeriods.map(({ fp, vintages: blocks }) => ({
      fp,
      vintages: gatherEvents(blocks, entities),
    })),
    shareKinds,
    units,
  }
  if (column.splits === 'as_filed' || !hasShares(figures)) return figures
  const adjusted = adjustVintages(vintages, shareKinds)
  if (column.splits === null && !areSplitsAdjusted(audited, figures, adjusted)) return figures
  return { ...figures, adjusted, reading: { ...figures.reading, splits: 'adjusted' } }
}

/** A currency, and its amounts per share. */
const unitsOfCurrency = (unitNames: ReadonlyMap<number, string>, currency: string): Set<number> =>
  new Set(
    [...unitNames]
      .filter(([, name]) => name === currency || name.startsWith(`${currency}/`))
      .map(([unit]) => unit),
  )

/** Whether any figure is per share or a number of shares. */
const hasShares = ({ vintages, shareKinds }: AuditedFigures): boolean =>
  [...new Set(vintages.units)].some(unit => (shareKinds.get(unit) ?? 'none') !== 'none')

/**
 * Whether the figures per share of a column are divided by the splits after their filing, as most vendors do. Only cells
 * that equal figures from before a split show it. Figures of all days count, so that a column which looks ahead is
 * recognised as well.
 */
function areSplitsAdjusted(
  { count, company }: AuditedRows,
  { cells, reading, events, positions, vintages, shareKinds }: AuditedFigures,
  adjusted: AdjustedVintages,
): boolean {
  const factors = factorsOf(vintages, adjusted)
  const splits = splitsOfCompanies(vintages, shareKinds)
  let [adjustedCells, cellsAsFiled] = [0, 0]
  for (let row = 0; row < count; row++) {
    const number = cells.cells[row]
    const value = number === 0 ? Number.NaN : cells.numbers[number - 1]
    const own = company[row]
    if (Number.isNaN(value) || value === 0 || own === -1 || !splits.has(own)) continue
    const figure = value * reading.sign * reading.scale
    const tolerance = matchTolerance(value, reading)
    const isOf = (values: Float64Array, order: Int32Array | null): boolean => {
      const to = vintages.starts[own + 1]
      let at = firstAtLeast({ values }, vintages.starts[own], to, figure - tolerance)
      for (; at < to && values[at] <= figure + tolerance; at++)
        if (factors[order?.[at] ?? at] !== 1) return true
      return false
    }
    const position = positions[row]
    if (position !== none) {
      const known = events.values[position]
      const kind = shareKinds.get(events.units[position]) ?? 'none'
      const factor = adjustment(splits.get(own) ?? [], events.filed[position], kind)
      const isKnown = comparedWithKnown(value, known, reading) !== null
      if (isKnown || (factor !== 1 && comparedWithKnown(value, known * factor, reading) !== null)) {
        if (factor !== 1 && isKnown) cellsAsFiled++
        else if (!isKnown) adjustedCells++
        continue
      }
    }
    if (isOf(vintages.values, null)) cellsAsFiled++
    else if (isOf(adjusted.values, adjusted.order)) adjustedCells++
  }
  return adjustedCells > 4 * cellsAsFiled && adjustedCells >= fewestAdjusted
}

/** By vintage, what its value is multiplied by to be adjusted. */
function factorsOf({ values }: Vintages, adjusted: AdjustedVintages): Float64Array {
  const factors = new Float64Array(values.length).fill(1)
  for (const [index, at] of adjusted.order.entries())
    if (adjusted.values[index] !== values[at]) factors[at] = adjusted.values[index] / values[at]
  return factors
}

/** Fewer cells may be mistakes rather than the rule of the column. */
const fewestAdjusted = 10

function shownReading(
  { unitNames }: AuditTask,
  { audited }: KnownRows,
  column: ColumnToAudit,
  figures: AuditedFigures,
  { state, vintage, source }: ClassifiedColumn,
): AuditReading {
  const { kind, name, recognised, reading, fp, nextFp } = column
  const { scale, sign, rounding, matchedShare, nextBest } = reading
  const units = new Set<number>()
  for (let row = 0; row < audited.count; row++)
    if (state[row] !== 0 && vintage[row] !== none && source[row] === 0)
      units.add(figures.vintages.units[vintage[row]])
  return {
    [kind]: name,
    recognised,
    fp,
    scale,
    sign,
    splits: figures.reading.splits,
    units: [...units].map(unit => unitNames.get(unit) ?? '').sort(),
    converted_from: convertedFrom(audited, figures)
      .map(unit => unitNames.get(unit) ?? '')
      .sort(),
    rounding_unit: rounding.unit === 0 ? null : rounding.unit,
    significant_digits: rounding.digits === 0 ? null : rounding.digits,
    matched_share: share(matchedShare),
    next_best:
      nextBest === null
        ? null
        : {
            fp: nextFp ?? fp,
            scale: nextBest.scale,
            sign: nextBest.sign,
            matched_share: share(nextBest.matchedShare),
          },
  }
}

const share = (value: number) => Math.round(value * 1e4) / 1e4

/** Fewer companies on a date may have one ratio by chance. */
const fewestConverted = 5

/**
 * The units from which a column seems to be converted: on most dates, what companies filed in them is the same multiple
 * of the cells, and that multiple is not a power of ten.
 */
function convertedFrom(
  { count, ownDay, company }: AuditedRows,
  { cells, reading, events, positions }: AuditedFigures,
): number[] {
  const ratios = new Map<string, { unit: number; found: number[] }>()
  for (let row = 0; row < count; row++) {
    const position = positions[row]
    const number = cells.cells[row]
    if (position === none || number === 0 || company[row] === -1) continue
    const figure = cells.numbers[number - 1] * reading.sign * reading.scale
    const known = events.values[position]
    if (
      !(Math.abs(figure) > 0) ||
      known === 0 ||
      comparedWithKnown(cells.numbers[number - 1], known, reading) !== null
    )
      continue
    const unit = events.units[position]
    const key = `${ownDay[row]} ${unit}`
    const of = ratios.get(key) ?? { unit, found: [] }
    of.found.push(figure / known)
    ratios.set(key, of)
  }
  const dates = new Map<number, { all: number; same: number }>()
  for (const { unit, found } of ratios.values()) {
    if (found.length < fewestConverted) continue
    const counted = dates.get(unit) ?? { all: 0, same: 0 }
    counted.all++
    found.sort((a, b) => a - b)
    const median = found[found.length >> 1]
    const near = found.filter(ratio => Math.abs(ratio / median - 1) < 2e-3).length
    const power = Math.log10(Math.abs(median))
    if (near >= 0.6 * found.length && Math.abs(power - Math.round(power)) > 1e-3) counted.same++
    dates.set(unit, counted)
  }
  return [...dates].filter(([, { all, same }]) => same >= all / 2 && same > 0).map(([unit]) => unit)
}

function foundCell(
  { rows }: AuditTask,
  audited: AuditedRows,
  { column, figures, found }: AuditedOne,
  { row }: RankedCell,
): FoundCell {
  const at = found.vintage[row]
  const vintages = vintagesOf(figures, found.source[row])
  const position = figures.positions[row]
  const state = auditStates[found.state[row] - 1]
  return {
    row: row + 1,
    date: dateOf(rows, row),
    ticker: rows.names[rows.name[row]],
    column: column.cells.name,
    value: column.cells.numbers[column.cells.cells[row] - 1],
    known: position === none ? null : asSent(figures, figures.events.values[position]),
    state,
    reason: found.reason[row] === 0 ? null : auditReasons[found.reason[row] - 1],
    days: lagOf(audited, figures, found, row),
    period_end: at === none ? null : isoDate(vintages.ends[at]),
    filed: at === none ? null : isoDate(vintages.days[at]),
    filing: at === none ? null : textAt(accessions(vintages), at),
    company: at === none ? -1 : companyOfVintage(vintages, at),
  }
}

/** The accessions of the filings of vintages. */
const accessions = ({ text, textStarts }: Events) => ({ bytes: text, starts: textStarts })

const companyOfVintage = ({ starts }: Events, at: number): number =>
  starts.findLastIndex(start => start <= at)

/** The date or time of a row, as it was sent. */
function dateOf({ day, layout, times = null }: ParsedRows, row: number): string {
  if (times === null) return isoDate(day[row])
  const column = layout.find(one => typeof one !== 'string' && one.name === timeColumn)
  if (column === undefined || typeof column === 'string') return isoDate(day[row])
  if (column.values.kind === 'stored') return new Date(times.ms[times.cells[row] - 1]).toISOString()
  const text = textAt(column.values.table, column.cells[row] - 1)
  return column.values.kind === 'json' ? String(JSON.parse(text)) : text
}

/** A figure as the column would show it. */
const asSent = ({ reading }: AuditedFigures, figure: number): number =>
  (figure / reading.scale) * reading.sign + 0

const double: StoredType = { type: 'DOUBLE' }
const whole: StoredType = { type: 'INT32' }
const dayType: StoredType = { type: 'INT32', converted_type: 'DATE' }
const stateTable = textTable(auditStates)

/** The columns that the audit adds to the rows for one column. */
function addedColumns(
  { plan }: AuditTask,
  audited: AuditedRows,
  { column, figures, found }: AuditedOne,
): CarriedColumn[] {
  const { name } = column.cells
  const { events, positions } = figures
  const states = Int32Array.from(found.state)
  const known = positions.map(position => position + 1)
  const added: CarriedColumn[] = [
    { name: `${name}_state`, cells: states, values: { kind: 'text', table: stateTable } },
    {
      name: `${name}_known`,
      cells: known,
      values: { kind: 'stored', type: double, numbers: events.values.map(value => asSent(figures, value)) },
    },
    numbered(`${name}_days`, whole, audited.count, row => lagOf(audited, figures, found, row)),
  ]
  for (const extra of plan.extras) {
    const of = (row: number) => vintagesOf(figures, found.source[row])
    if (extra === 'filing') added.push(filingColumn(`${name}_filing`, audited.count, figures, found))
    else
      added.push(
        numbered(`${name}_${extra}`, dayType, audited.count, row => {
          const at = found.vintage[row]
          if (at === none) return null
          return extra === 'filed' ? of(row).days[at] : of(row).ends[at]
        }),
      )
  }
  return added
}

/** A column of numbers with few distinct values. */
function numbered(
  name: string,
  type: StoredType,
  count: number,
  numberOf: (row: number) => number | null,
): CarriedColumn {
  const cells = new Int32Array(count)
  const known = new Map<number, number>()
  const numbers: number[] = []
  for (let row = 0; row < count; row++) {
    const number = numberOf(row)
    if (number === null) continue
    let at = known.get(number)
    if (at === undefined) {
      at = numbers.push(number)
      known.set(number, at)
    }
    cells[row] = at
  }
  return { name, cells, values: { kind: 'stored', type, numbers: Float64Array.from(numbers) } }
}

function filingColumn(
  name: string,
  count: number,
  figures: AuditedFigures,
  { vintage, source }: ClassifiedColumn,
): CarriedColumn {
  const cells = new Int32Array(count)
  const bySource = [0, ...figures.otherPeriods.map((_, index) => index + 1)].map(
    one => new Int32Array(vintagesOf(figures, one).days.length),
  )
  const texts: string[] = []
  for (let row = 0; row < count; row++) {
    const at = vintage[row]
    if (at === none) continue
    const numbers = bySource[source[row]]
    if (numbers[at] === 0) numbers[at] = texts.push(textAt(accessions(vintagesOf(figures, source[row])), at))
    cells[row] = numbers[at]
  }
  return { name, cells, values: { kind: 'text', table: textTable(texts) } }
}

function writeRows(
  task: AuditTask,
  audited: AuditedRows,
  columns: readonly AuditedOne[],
): Partial<Record<JoinFormat, Uint8Array>> {
  const { rows: sent, formats, limit } = task
  if (formats.length === 0) return {}
  const added = columns.flatMap(column => addedColumns(task, audited, column))
  const joined = (layout: ParsedRows['layout']) => ({
    rows: { ...sent, layout: [...layout, ...added] },
    columns: [],
    extras: [],
  })
  const written: Partial<Record<JoinFormat, Uint8Array>> = {}
  for (const format of formats) {
    if (format === 'json') written.json = jsonColumns(joined(sent.layout), { head: '', tail: '' }, limit)
    else if (format === 'csv') written.csv = csvLines(joined(sent.layout), limit)
    else if (format === 'ndjson') written.ndjson = ndjsonLines(joined(sent.layout), limit)
    else written.parquet = parquetFile(joined(typedLayout(sent, columns)), {}, limit)
  }
  return written
}

/** The audited columns as numbers, however the body spelled them. */
function typedLayout({ layout }: ParsedRows, columns: readonly AuditedOne[]): ParsedRows['layout'] {
  const byName = new Map(columns.map(({ column: { cells } }) => [cells.name, cells]))
  return layout.map(column => {
    const cells =
      typeof column === 'string' || column.values.kind === 'stored' ? undefined : byName.get(column.name)
    if (cells === undefined) return column
    const isMissing = (cell: number) => cell > 0 && Number.isNaN(cells.numbers[cell - 1])
    return {
      name: cells.name,
      cells: cells.cells.map(cell => (isMissing(cell) ? 0 : cell)),
      values: { kind: 'stored', type: double, numbers: cells.numbers },
    }
  })
}

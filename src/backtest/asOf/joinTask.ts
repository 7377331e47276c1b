import { figuresOf, findPriced, takesPrices } from '../../markets/strategies/pricedMetrics.ts'
import { type CompanySpells, labelColumn, labelsOfRows } from './companySpells.ts'
import type { EventBlock, Events } from './figureEvents.ts'
import { firstOfBlock, gatherEvents } from './gather.ts'
import { findKnownDays, type Interim, placeInterims, type RowClocks, rangesOf } from './knownDays.ts'
import { findPositions, type JoinRows, none } from './positions.ts'
import type { ParsedRows } from './rows.ts'
import type { RowTimes } from './rowTimes.ts'
import type { JoinPlan } from './settings.ts'
import { type ValuationPrices, valueRows } from './valuations.ts'

/** A join whose companies have been found and may be shown to the caller. */
export interface JoinInput {
  readonly rows: ParsedRows
  readonly plan: JoinPlan
  /** For each name, and for each slot of `slotOfRow`, its index in `entities`; -1: unknown. */
  readonly companyOfName: Int32Array
  /** For each row, the name or slot that determines its company (`datedNames.ts`); null if it is always the name. */
  readonly slotOfRow: Int32Array | null
  /** Other registrants of the companies' lineages. */
  readonly kin: readonly JoinKin[]
  /** The distinct companies of the join. */
  readonly entities: Int32Array
  /** The blocks that contain the companies: of each metric that filings state, then of each figure of the valuations. */
  readonly blocks: readonly (readonly EventBlock[])[]
  /** Present if there are valuations among the metrics. */
  readonly prices?: ValuationPrices | null
  /** The groups of the companies, if the join shows them. */
  readonly groups?: CompanySpells | null
  /** The states of the companies, if the join shows them. */
  readonly states?: CompanySpells | null
  /** Present if rows have times. */
  readonly clocks?: JoinClocks | null
}

export interface JoinClocks extends Omit<RowClocks, 'times'> {
  /** For each metric, the interim states of its companies. */
  readonly interims: readonly (readonly EventBlock[])[]
  /** Only for a join that shows them. */
  readonly rules?: KnownRules | null
}

/** Which figures counted by the times of their filings. */
export interface KnownRules {
  /** The days of each company whose filings all counted by their times. */
  readonly days: readonly EventBlock[]
  /** Like `interims`, with 1 for a figure whose filing counted by its time, and 0 for others. */
  readonly interims: readonly (readonly EventBlock[])[]
}

/** One metric of a join: the events of its companies, and the event that each row shows. */
export interface JoinedColumn {
  readonly name: string
  readonly events: Events
  readonly positions: Int32Array
  /** For each event, 1 if its filing counted by its time, otherwise 0. Null unless it is shown. */
  readonly byTime?: Uint8Array | null
}

export interface JoinedRows {
  /** The rows as sent, with the columns `group` and `state` after their own. */
  readonly rows: ParsedRows
  readonly columns: readonly JoinedColumn[]
}

/** Finds the figure of every row and metric, and the company's group and state at the time. */
export function joinRows(input: JoinInput): JoinedRows {
  const { times = null } = input.rows
  const columns = withValuations(
    input,
    times === null ? joinRowsOnDays(input) : joinRowsAtTimes(input, times),
  )
  const { groups = null, states = null } = input
  if (groups === null && states === null) return { rows: input.rows, columns }
  const labelsOf = labelReader(input)
  const layout = [...input.rows.layout]
  if (groups !== null) layout.push(labelColumn('group', labelsOf(groups), groups))
  if (states !== null) {
    const stateOfRow = labelsOf(states)
    layout.push(labelColumn('state', stateOfRow, states))
    for (const { positions } of columns) keepStates(positions, stateOfRow, states, input.plan)
  }
  return { rows: { ...input.rows, layout }, columns }
}

/** The names of the columns that are found: the metrics that filings state, then the figures of the valuations. */
const figureNames = ({ metrics }: JoinPlan): string[] => [
  ...metrics.filter(name => !takesPrices(name)),
  ...figuresOf(metrics).map(({ metric }) => metric),
]

/** The columns of the answer: the figures found, and the valuations computed from others. */
function withValuations(input: JoinInput, found: readonly JoinedColumn[]): readonly JoinedColumn[] {
  const { plan, companyOfName, slotOfRow, entities, clocks = null, prices = null } = input
  if (prices === null) return found
  const { count, day, name: sent, times = null } = input.rows
  const name = slotOfRow ?? sent
  const atTimes =
    times === null || clocks === null
      ? null
      : findKnownDays({ count, day, name }, companyOfName, entities, { ...clocks, times }).ownDay
  // An answer of a day reads up to its end; any other up to the last day that has ended.
  const lastDays = atTimes === null && plan.inclusive ? day : (atTimes ?? day).map(own => own - 1)
  const rows = { count, companyOfRow: (row: number) => companyOfName[name[row]], lastDays }
  const stated = found.slice(0, found.length - figuresOf(plan.metrics).length)
  const figures = new Map(found.slice(stated.length).map(column => [column.name, column]))
  return plan.metrics.flatMap(metricName => {
    const metric = findPriced(metricName)
    if (metric === undefined) return stated.filter(column => column.name === metricName)
    const valued = { name: metricName, ...valueRows(metric, rows, figures, prices) }
    return plan.extras.includes('known_by')
      ? { ...valued, byTime: new Uint8Array(valued.events.days.length) }
      : valued
  })
}

/** Reads labels by the same rule as figures. For rows with times, only days that have ended in the market count. */
function labelReader(input: JoinInput): (spells: CompanySpells) => Int32Array {
  const { plan, companyOfName, slotOfRow, entities, clocks = null } = input
  const { count, day, name, times = null } = input.rows
  const rows = { count, day, name: slotOfRow ?? name }
  if (times === null || clocks === null)
    return spells => labelsOfRows(rows, companyOfName, spells, plan.inclusive)
  const { ownDay } = findKnownDays(rows, companyOfName, entities, { ...clocks, times })
  return spells => labelsOfRows({ ...rows, day: ownDay }, companyOfName, spells, false)
}

/** Removes the figures of rows whose company is in another state, or in none. */
function keepStates(
  positions: Int32Array,
  stateOfRow: Int32Array,
  { labels }: CompanySpells,
  { universe }: JoinPlan,
): void {
  const isWanted = labels.map(label => universe?.some(state => state === label) === true)
  for (let row = 0; row < positions.length; row++)
    if (stateOfRow[row] === none || !isWanted[stateOfRow[row]]) positions[row] = none
}

/** Finds the figure of every row and metric on the row's day. */
function joinRowsOnDays(input: JoinInput): JoinedColumn[] {
  const { plan, companyOfName, slotOfRow, kin, entities, blocks } = input
  const { count, day, name } = input.rows
  const rows = { count, day, name: slotOfRow ?? name }
  return figureNames(plan).map((name, metric) => {
    const events = gatherEvents(blocks[metric], entities)
    const positions = findPositions(rows, companyOfName, events, plan)
    followKin({ rows, companyOfName, events, positions }, plan, kin)
    return { name, events, positions }
  })
}

/** Finds the figure of every row and metric at the row's time. */
function joinRowsAtTimes(input: JoinInput, times: RowTimes): JoinedColumn[] {
  const { plan, companyOfName, slotOfRow, kin, entities, blocks, clocks = null } = input
  if (clocks === null) throw new Error('Rows with times are joined with the clocks of their markets.')
  const { rules = null } = clocks
  const { count, day, name } = input.rows
  const rows = { count, day, name: slotOfRow ?? name }
  const passes = [null, ...kinPasses(kin)]
  const more: Interim[] = []
  const known = passes.map(pass => {
    const companies = pass === null ? companyOfName : othersOf(pass, companyOfName)
    const days = findKnownDays(rows, companies, entities, { ...clocks, times })
    const first = entities.length + more.length
    more.push(...days.interims)
    return { pass, companies, days, first }
  })
  const rule = { inclusive: true, maxAgeDays: plan.maxAgeDays }
  return figureNames(plan).map((metricName, metric) => {
    const events = gatherEvents(blocks[metric], entities, rangesOf(more, clocks.interims[metric]))
    const positions = new Int32Array(count)
    for (const { pass, companies, days, first } of known) {
      const found = pass === null ? positions : new Int32Array(count)
      findPositions(days.rows, companies, events, rule, found, days.ownDay)
      placeInterims(days, events, first, plan.maxAgeDays, found)
      if (pass === null) continue
      // Only the day of a succession's document is known, so the succession counts from the end of that day.
      const isKnown = (row: number, from: number) => from < days.ownDay[row]
      takeLater({ rows, companyOfName, events, positions }, { pass, found, isKnown })
    }
    const byTime = rules === null ? null : eventsByTime(events, entities, more, rules, metric)
    return { name: metricName, events, positions, byTime }
  })
}

/** Says for each event of the companies, and of the interim states after them, whether its filing counted by its time. */
function eventsByTime(
  { starts, days, filed }: Events,
  entities: Int32Array,
  more: readonly Interim[],
  rules: KnownRules,
  metric: number,
): Uint8Array {
  const byTime = new Uint8Array(days.length)
  const daysOf = new Map(rules.days.map(block => [block.firstEntity, block]))
  for (const [company, entity] of entities.entries()) {
    const block = daysOf.get(firstOfBlock(entity))
    if (block === undefined) continue
    const index = entity - block.firstEntity
    const timed = new Set(block.days.subarray(block.starts[index], block.starts[index + 1]))
    for (let event = starts[company]; event < starts[company + 1]; event++)
      if (timed.has(filed[event])) byTime[event] = 1
  }
  const statesOf = new Map(rules.interims[metric].map(block => [block.firstEntity, block]))
  for (const [index, { block: first, number }] of more.entries()) {
    const states = statesOf.get(first)
    const last = starts[entities.length + index + 1] - 1
    if (states !== undefined && last >= starts[entities.length + index])
      byTime[last] = states.values[states.starts[number + 1] - 1]
  }
  return byTime
}

/** Another registrant of a company's lineage, whose figures the company's rows may show. Both are indexes in
 * `entities`. */
export interface JoinKin {
  readonly company: number
  readonly other: number
  /** The first day on which the succession is known, as days since 1970-01-01. */
  readonly known: number
}

/** Replaces positions by those of other known registrants of the lineage if these have a figure of a later period. */
function followKin(column: ColumnFigures, plan: JoinPlan, kin: readonly JoinKin[]): void {
  const { rows, companyOfName, events } = column
  const lag = plan.inclusive ? 0 : 1
  const isKnown = (row: number, from: number) => from <= rows.day[row] - lag
  for (const pass of kinPasses(kin)) {
    const found = findPositions(rows, othersOf(pass, companyOfName), events, plan)
    takeLater(column, { pass, found, isKnown })
  }
}

/** The figures of one metric that rows show of their own companies, and later of other registrants. */
interface ColumnFigures {
  readonly rows: JoinRows
  readonly companyOfName: Int32Array
  readonly events: Events
  /** For each row, its event; `takeLater` replaces it. */
  readonly positions: Int32Array
}

/** The figures that one pass found. */
interface KinFigures {
  readonly pass: KinPass
  readonly found: Int32Array
  /** Whether a succession that became known on day `from` is known to a row. */
  readonly isKnown: (row: number, from: number) => boolean
}

/** The registrant that a pass adds to each company, by company. */
type KinPass = ReadonlyMap<number, JoinKin>

/** Splits the other registrants into passes: a pass has at most one of them for each company. */
function kinPasses(kin: readonly JoinKin[]): KinPass[] {
  const passes: Map<number, JoinKin>[] = []
  for (const [company, of] of Map.groupBy(kin, one => one.company)) {
    for (const [index, one] of of.toReversed().entries()) {
      passes[index] ??= new Map()
      passes[index].set(company, one)
    }
  }
  return passes
}

const othersOf = (pass: KinPass, companyOfName: Int32Array): Int32Array =>
  companyOfName.map(company => pass.get(company)?.other ?? -1)

/** Replaces positions by those found for the other registrants of one pass, if the succession is known on the row's day
 * and the figure's period is later. */
function takeLater(
  { rows, companyOfName, events: { ends, filed }, positions }: ColumnFigures,
  { pass, found, isKnown }: KinFigures,
): void {
  for (let row = 0; row < rows.count; row++) {
    const at = found[row]
    if (at === none) continue
    if (!isKnown(row, pass.get(companyOfName[rows.name[row]])?.known ?? Number.POSITIVE_INFINITY)) continue
    const own = positions[row]
    const isLater = own === none || ends[at] > ends[own] || (ends[at] === ends[own] && filed[at] > filed[own])
    if (isLater) positions[row] = at
  }
}

/** The ids of the units that a column shows. */
export function unitsOf({ events, positions }: JoinedColumn): number[] {
  const seen = new Set<number>()
  const { units } = events
  let last = -1
  // An iterator would allocate an object per row.
  for (let row = 0; row < positions.length; row++) {
    const position = positions[row]
    if (position < 0 || units[position] === last) continue
    last = units[position]
    seen.add(last)
  }
  return [...seen]
}

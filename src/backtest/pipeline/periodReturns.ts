import { Failure } from '../../errors.ts'
import { closeReturns, type ReturnCounts, type ReturnDates } from '../dataset/closeReturns.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { rebalancingDates } from '../dataset/rebalanceCalendar.ts'
import { never } from '../dataset/returnEnds.ts'
import type { DateView } from '../dataset/subset.ts'
import { takeDates } from '../dataset/takeDates.ts'
import type { DateSpacing } from '../portfolio/dateSpacing.ts'
import { rebalanceStep } from '../portfolio/rebalanceDates.ts'
import type { BacktestConfig } from '../request.ts'
import { defaultDelistingReturn, defaultEntryDates, type Rebalance } from '../requestTrading.ts'
import type { ReturnsUsed } from '../resultTrading.ts'

/** Rows whose returns are those that the configuration earns. */
export interface PeriodRows {
  readonly data: Dataset
  readonly view: DateView
  readonly spacing: DateSpacing
  readonly returnDays: number
  /** How the returns were made; absent: they are those of the rows. */
  readonly returns?: ReturnsUsed | undefined
}

/** Computes the returns of closes, and those between the dates of a calendar. Rows that have returns, without a calendar,
 * stay as they are. Dates whose return would end after the last date of the view are left out: they have none, and are
 * never held as if it were known. */
export function periodReturns(
  data: Dataset,
  view: DateView,
  config: BacktestConfig,
  own: Pick<PeriodRows, 'spacing' | 'returnDays'>,
): PeriodRows {
  const { close } = data
  if (close === undefined) requireCloses(config)
  if (config.rebalance !== undefined) return onCalendar(data, view, config, config.rebalance, own.spacing)
  if (close === undefined) return { data, view, ...own }
  const entryDates = config.entryDates ?? defaultEntryDates
  const length = rebalanceStep(config.returnDays ?? own.returnDays, own.spacing.medianGap)
  const endDate = view.endDate - length - entryDates
  if (endDate - view.firstDate < 1) throw tooShort(view, length, entryDates)
  const periods: ReturnDates[] = []
  for (let date = view.firstDate; date < endDate; date++)
    periods.push({ date, entry: date + entryDates, exit: date + entryDates + length })
  const { closed, counts, knownDays } = computed({ ...data, close }, periods, config)
  // Dates beyond the view have no return, and nothing reads their spans.
  const last = data.days.length - 1
  const spanOf = (lag: number) => data.days.map((_, date) => data.days[Math.min(last, date + lag)])
  return {
    data: {
      ...closed,
      returnSpans: { from: spanOf(entryDates), to: spanOf(entryDates + length) },
      knownDays: knownDays && data.days.map((_, date) => knownDays[date - view.firstDate] ?? never),
    },
    view: { ...view, endDate },
    ...own,
    returns: {
      from: 'close',
      rebalance: null,
      ...closeSettings(config),
      dates: length,
      dates_without_return: view.endDate - endDate,
      ...counts,
    },
  }
}

function computed(
  data: Dataset & { readonly close: Float64Array },
  periods: readonly ReturnDates[],
  { delistingReturn = defaultDelistingReturn }: BacktestConfig,
) {
  const { forwardReturn, knownAtExit, knownFrom, counts } = closeReturns(data, periods, delistingReturn)
  // Whether a name without a close at the exit has ended or trades again becomes known later, and so does its return.
  const isKnown = counts.carried + counts.delisted + counts.pending === 0
  const closed: Dataset = {
    ...data,
    close: undefined,
    forwardReturn,
    ...(isKnown ? {} : { decisionReturn: knownAtExit }),
    ranking: null,
  }
  const { days } = data
  const knownDays = isKnown ? undefined : knownFrom.map(date => days[date] ?? never)
  return { closed, counts: written(counts), knownDays }
}

const closeSettings = ({ entryDates, delistingReturn }: BacktestConfig) => ({
  entryDates: entryDates ?? defaultEntryDates,
  delistingReturn: delistingReturn ?? defaultDelistingReturn,
})

const written = ({ carried, delisted, noEntry, pending }: ReturnCounts) => ({
  rows_carried: carried,
  rows_delisted: delisted,
  rows_without_entry: noEntry,
  rows_pending: pending,
})

const periodsPerYearOf = (rule: Rebalance) => (rule === 'month_end' ? 12 : rule === 'quarter_end' ? 4 : 52)
const returnDaysOf = (rule: Rebalance) => (rule === 'month_end' ? 21 : rule === 'quarter_end' ? 63 : 5)

function onCalendar(
  data: Dataset,
  view: DateView,
  config: BacktestConfig,
  rule: Rebalance,
  { medianGap }: DateSpacing,
): PeriodRows {
  if (config.returnDays !== undefined && config.returnDays !== 1)
    throw new Failure(
      'backtest_impossible',
      `config.returnDays is ${config.returnDays}, but config.rebalance compounds returns from one date to the next. Omit returnDays.`,
      { param: 'config.returnDays' },
    )
  if (medianGap !== 1)
    throw new Failure(
      'backtest_impossible',
      `config.rebalance needs daily rows, but the dates are ${medianGap} business days apart. Omit rebalance to trade on each of them, or send daily rows.`,
      { param: 'config.rebalance' },
    )
  const { close } = data
  const entryDates = close === undefined ? 0 : (config.entryDates ?? defaultEntryDates)
  const found = rebalancingDates(data.days.subarray(view.firstDate, view.endDate), rule)
  const dates = found.map(date => date + view.firstDate)
  const periods: ReturnDates[] = []
  for (let t = 0; t + 1 < dates.length; t++) {
    const exit = dates[t + 1] + entryDates
    if (exit < view.endDate) periods.push({ date: dates[t], entry: dates[t] + entryDates, exit })
  }
  if (periods.length === 0)
    throw new Failure(
      'backtest_impossible',
      `config.rebalance=${rule} finds no period that begins and ends within the ${view.endDate - view.firstDate} dates. Send more dates.`,
      { param: 'config.rebalance' },
    )
  const kept = Int32Array.from(periods, ({ date }) => date)
  const { closed, counts, knownDays } =
    close === undefined ? compounded(data, periods) : computed({ ...data, close }, periods, config)
  const { days } = data
  const returnSpans = {
    from: Int32Array.from(periods, ({ entry }) => days[entry]),
    to: Int32Array.from(periods, ({ exit }) => days[exit]),
    ...(close === undefined ? { dates: Int32Array.from(periods, ({ date, exit }) => exit - date) } : {}),
  }
  return {
    data: { ...takeDates(closed, kept), returnSpans, knownDays },
    view: { firstDate: 0, endDate: kept.length, rowsOverLimit: view.rowsOverLimit },
    // Exactly 52, 12 or 4 periods a year, and one date for each period.
    spacing: { medianGap: returnDaysOf(rule), meanCalendarGap: 365.25 / periodsPerYearOf(rule) },
    returnDays: returnDaysOf(rule),
    returns: {
      from: close === undefined ? 'forward_return' : 'close',
      rebalance: rule,
      ...(close === undefined ? {} : closeSettings(config)),
      dates: null,
      dates_without_return: dates.length - kept.length,
      ...counts,
    },
  }
}

/** Compounds the returns of each name of a date up to the next rebalancing: the product of 1 + r, minus 1. A date on
 * which the name has no row or no return contributes 1 and is counted; without any return there is none. */
function compounded(data: Dataset, periods: readonly ReturnDates[]) {
  const { asset, offsets, forwardReturn } = data
  const grown = new Float64Array(forwardReturn.length).fill(Number.NaN)
  const rowOf = new Int32Array(data.assets.offsets.length - 1)
  let missing = 0
  for (const { date, exit } of periods) {
    rowOf.fill(-1)
    const counts = new Int32Array(offsets[date + 1] - offsets[date])
    for (let row = offsets[date]; row < offsets[date + 1]; row++) rowOf[asset[row]] = row
    const first = offsets[date]
    const growth = new Float64Array(counts.length).fill(1)
    for (let row = first; row < offsets[exit]; row++) {
      const at = rowOf[asset[row]]
      if (at === -1 || Number.isNaN(forwardReturn[row])) continue
      growth[at - first] *= 1 + forwardReturn[row]
      counts[at - first]++
    }
    for (let i = 0; i < counts.length; i++) {
      missing += exit - date - counts[i]
      if (counts[i] > 0) grown[first + i] = growth[i] - 1
    }
  }
  const closed: Dataset = { ...data, forwardReturn: grown, ranking: null }
  return { closed, counts: { returns_missing: missing }, knownDays: undefined }
}

function requireCloses(config: BacktestConfig): void {
  for (const name of ['entryDates', 'delistingReturn', 'horizons'] as const) {
    if (config[name] === undefined) continue
    throw new Failure(
      'backtest_impossible',
      `config.${name} sets how returns are computed from closes, but no row has a close. Send the column close in place of forward_return, or omit ${name}.`,
      { param: `config.${name}` },
    )
  }
}

const tooShort = ({ firstDate, endDate }: DateView, length: number, entryDates: number) =>
  new Failure(
    'backtest_impossible',
    `A return takes ${length + entryDates} dates (${entryDates} to the entry and ${length} to the exit), and the panel has ${endDate - firstDate}. Send more dates, or a smaller config.returnDays.`,
    { param: 'config.returnDays' },
  )

import { dayNumber, isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import type { ArchiveRequest } from '../codec/settings.ts'
import { addBusinessDays } from '../dataset/calendar.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { returnEndDays } from '../dataset/returnEnds.ts'
import { type DateView, viewDates } from '../dataset/subset.ts'
import type { BacktestScore } from '../figureScore.ts'
import { minAbsentTradingDays } from '../forwardReturns.ts'
import { type DateSpacing, dateSpacing } from '../portfolio/dateSpacing.ts'
import { rebalanceDates, rebalanceStep } from '../portfolio/rebalanceDates.ts'
import type { BacktestConfig } from '../request.ts'
import type { OtherChoice } from '../requestCompare.ts'
import type { BacktestPrices } from '../requestPrices.ts'
import type { BacktestSourceUsed, BacktestWarning } from '../result.ts'
import type { BacktestPricesUsed } from '../resultPrices.ts'
import type { ReturnsUsed } from '../resultTrading.ts'
import type { CombinationWeights } from '../scoring/combine.ts'
import { scoreRows } from '../scoring/scoreRows.ts'
import { findOnce } from './keptFindings.ts'
import { periodReturns } from './periodReturns.ts'
import { writeSource } from './resultFields.ts'
import {
  warnOfLateEntry,
  warnOfLookAhead,
  warnOfMissingMarket,
  warnOfOverlap,
  warnOfPercent,
  warnOfSurvivors,
} from './rowWarnings.ts'
import { requireImpactInputs } from './tradingFields.ts'

/** The rows that a backtest runs on, wherever they came from. */
export interface SelectedData {
  readonly data: Dataset
  readonly view: DateView
  readonly spacing: DateSpacing
  /** The default of config.returnDays: the source's horizon, or a panel's median date gap in whole days. */
  readonly returnDays: number
  readonly warnings: readonly BacktestWarning[]
  /** Null for a panel with its own scores. */
  readonly dataVersion: number | null
  /** What selected the rows; undefined for a panel. */
  readonly source?: BacktestSourceUsed | undefined
  /** Describes the score if it is a metric, rather than a forecast or the caller's own. */
  readonly score?: BacktestScore | undefined
  /** The weights of a combination of scores by training ICs. */
  readonly weights?: CombinationWeights | null
  /** How the returns were computed; undefined: they are those of the rows. */
  readonly returns?: ReturnsUsed | undefined
  /** The prices that gave the returns; undefined: the rows came with returns. */
  readonly prices?: BacktestPricesUsed | undefined
}

/** The prices that gave the returns of a dataset's rows. */
export interface RowPrices {
  readonly used: BacktestPricesUsed
  /** The request's prices with all defaults filled in. */
  readonly request: BacktestPrices & { readonly horizon: number }
  /** See `PricedRows`. */
  readonly beforeAssumption: Float64Array | null
}

/** A request for the archive and the dataset that it runs on. */
export interface ArchiveInput {
  readonly data: Dataset
  readonly request: ArchiveRequest
  readonly costs: MarketCosts
  readonly dataVersion: number
  /** Describes the score if it is a metric rather than the forecast. */
  readonly score?: BacktestScore | undefined
  readonly compared?: readonly ComparedRows[] | undefined
  readonly prices?: RowPrices | undefined
}

/** The rows of a request with another choice of vintages as their score. */
export interface ComparedRows {
  readonly vintages: OtherChoice
  readonly data: Dataset
  /** The number of assets that have a value on some date. */
  readonly assets: number
}

/** The dates of the archive that a request selects. */
export function selectArchiveData(input: ArchiveInput): SelectedData {
  const { data: sent, request, dataVersion, score, prices } = input
  const { source } = request
  const selected = viewDates(
    sent,
    source.from ? dayNumber(source.from) : Number.NEGATIVE_INFINITY,
    source.to ? dayNumber(source.to) : Number.POSITIVE_INFINITY,
    source.limit ?? Number.POSITIVE_INFINITY,
  )
  if (selected.endDate === selected.firstDate) throw nothingSelected(sent, selected)
  requireGroups(sent, request.config)
  const horizon = source.horizon ?? '1d'
  if (request.config.rebalance !== undefined && horizon !== '1d') throw rebalanceNeedsDays(horizon)
  const own = {
    spacing: dateSpacing(sent.days.subarray(selected.firstDate, selected.endDate)),
    returnDays: Number.parseInt(horizon, 10),
  }
  const rows = periodReturns(priced(sent, prices), selected, request.config, own)
  const { view, spacing, returnDays, returns } = rows
  requireImpactInputs(rows.data, request.config)
  const length = lengthOf(request.config, returnDays)
  const { data, weights } = scoreRows(rows.data, request.config, timing(view, spacing, length))
  const sentDays = request.config.returnDays
  const howLong =
    sentDays === undefined
      ? `returnDays is that of the horizon ${horizon}.`
      : `config.returnDays is ${sentDays}, and the horizon is ${horizon}.`
  return {
    data,
    view,
    spacing,
    returnDays,
    warnings: findOnce(sent, [source, ...rowSettings(request.config)], () =>
      warnOfRows({ data, view, spacing, returnDays: length, howLong }),
    ),
    dataVersion,
    source: writeSource(source),
    score,
    weights,
    ...(returns === undefined ? {} : { returns }),
    prices: prices?.used,
  }
}

function rebalanceNeedsDays(horizon: string): Failure {
  return new Failure(
    'backtest_impossible',
    `config.rebalance compounds returns from one date to the next, but source.horizon is ${horizon}. Send the horizon 1d.`,
    { param: 'config.rebalance' },
  )
}

/** The length of a return, which a calendar decides itself. */
const lengthOf = ({ rebalance, returnDays }: BacktestConfig, own: number): number =>
  rebalance === undefined ? (returnDays ?? own) : own

function nothingSelected(data: Dataset, view: DateView): Failure {
  if (view.rowsOverLimit > 0) {
    const rows = data.offsets[view.endDate] - data.offsets[view.endDate - 1]
    return new Failure(
      'backtest_impossible',
      `source.limit is too small even for the most recent date, which has ${rows} rows. Send at least that number.`,
      { param: 'source.limit' },
    )
  }
  const first = isoDate(data.days[0])
  const last = isoDate(data.days[data.days.length - 1])
  return new Failure(
    'backtest_impossible',
    `The archive has no rows between source.from and source.to. Its dates run from ${first} to ${last}.`,
    { param: 'source.from' },
  )
}

/** Describes how the rows of a panel were scored, if by a metric. */
export interface PanelScored {
  readonly dataVersion: number
  readonly score: BacktestScore
  readonly compared?: readonly ComparedRows[] | undefined
}

/** All dates of a panel, with warnings about suspicious rows. */
export function selectPanelData(
  panel: Dataset,
  config: BacktestConfig,
  scored: PanelScored | null = null,
  prices: RowPrices | null = null,
): SelectedData {
  requireGroups(panel, config)
  // Where a dataset has groups, legs are formed within them.
  const group = config.neutral === 'group' ? panel.group : undefined
  const grouped = panel.group === undefined ? panel : { ...panel, group, labels: panel.group }
  const whole = { firstDate: 0, endDate: panel.days.length, rowsOverLimit: 0 }
  const rows = periodReturns(priced(grouped, prices ?? undefined), whole, config, panelSpacing(panel))
  const { view, spacing, returnDays, returns } = rows
  requireImpactInputs(rows.data, config)
  const sent = config.returnDays
  const length = lengthOf(config, returnDays)
  const times = timing(view, spacing, length)
  const { data, weights } = scoreRows(rows.data, config, times)
  const howLong =
    sent === undefined
      ? `returnDays was not sent, so it is the spacing of the dates, ${returnDays}.`
      : `config.returnDays is ${sent}.`
  return {
    data,
    view,
    spacing,
    returnDays,
    warnings: findOnce(panel, rowSettings(config), () => [
      ...warnOfPercent(data.forwardReturn),
      ...warnOfRows({ data, view, spacing, returnDays: length, howLong }),
      ...warnOfLateEntry(config, returns, spacing),
      ...(config.neutral === 'market' ? warnOfMissingMarket(data) : []),
    ]),
    dataVersion: scored?.dataVersion ?? prices?.used.data_version ?? null,
    score: scored?.score,
    weights,
    ...(returns === undefined ? {} : { returns }),
    prices: prices?.used,
  }
}

/** Rows with the returns of prices: weights are decided without the assumption that a security has ended, which becomes known
 * after the exit. */
function priced(data: Dataset, prices: RowPrices | undefined): Dataset {
  if (prices === undefined) return data
  if (data.close !== undefined)
    throw new Failure(
      'backtest_impossible',
      'prices and a column close both say how returns are computed. Omit one of them.',
      { param: 'prices' },
    )
  const { beforeAssumption } = prices
  const returnLag = prices.used.entry_lag
  if (beforeAssumption === null) return { ...data, returnLag }
  const decisionReturn = data.forwardReturn.map((value, row) =>
    Number.isNaN(beforeAssumption[row]) ? value : beforeAssumption[row],
  )
  return { ...data, decisionReturn, returnLag, knownDays: pricesKnown(data, prices.request.horizon, prices) }
}

/** When the returns of each date are known. The last close of a security comes before the exit, and its end becomes known
 * `minAbsentTradingDays` trading days after it. */
function pricesKnown(
  { days, offsets }: Dataset,
  horizon: number,
  { used, beforeAssumption }: RowPrices,
): Int32Array {
  const { medianGap } = dateSpacing(days)
  const length = { returnDays: horizon, medianGap }
  const late = returnEndDays({ days, returnLag: used.entry_lag + minAbsentTradingDays - 1 }, length)
  return days.map((day, date) =>
    beforeAssumption?.subarray(offsets[date], offsets[date + 1]).some(value => !Number.isNaN(value))
      ? late[date]
      : addBusinessDays(day, horizon + used.entry_lag),
  )
}

const timing = (view: DateView, { medianGap }: DateSpacing, returnDays: number) => ({
  view,
  step: rebalanceStep(returnDays, medianGap),
  returnDays,
  medianGap,
})

function requireGroups(data: Dataset, { neutral }: BacktestConfig): void {
  if (neutral !== 'group' || data.group !== undefined) return
  throw new Failure(
    'backtest_impossible',
    'config.neutral=group forms the legs within groups, but no row has a group. Send a panel with the column group, or a panel and score.group, for example "ff49", or omit config.neutral.',
    { param: 'config.neutral' },
  )
}

/** The spacing of a panel's dates, and the default length of a return that follows from it. */
export function panelSpacing({ days }: Dataset): Pick<SelectedData, 'spacing' | 'returnDays'> {
  const spacing = dateSpacing(days)
  return { spacing, returnDays: Math.max(1, Math.round(spacing.medianGap)) }
}

interface UsedRows {
  readonly data: Dataset
  readonly view: DateView
  readonly spacing: DateSpacing
  /** Sent by the caller or assumed. */
  readonly returnDays: number
  /** A sentence that says how `returnDays` was determined. */
  readonly howLong: string
}

/** Warns about suspicious rows among those that a backtest with returns of this length uses. */
function warnOfRows({ data, view, spacing, returnDays, howLong }: UsedRows): BacktestWarning[] {
  const step = rebalanceStep(returnDays, spacing.medianGap)
  const periods = rebalanceDates(view.firstDate, view.endDate, step)
  return [
    ...warnOfOverlap(data, periods, howLong),
    ...warnOfLookAhead(data, periods),
    ...warnOfSurvivors(data, view),
  ]
}

/** Everything in a configuration on which its rows, and what is refused about them, depend. */
export function rowSettings(config: BacktestConfig): unknown[] {
  const { returnDays, neutral, neutralise, rankBy } = config
  const { rebalance, entryDates, delistingReturn, trading } = config
  const impact = trading?.impact !== undefined && [trading.capital]
  return [returnDays, neutral, neutralise, rankBy, rebalance, entryDates, delistingReturn, impact]
}

/** `selectPanelData` for many configurations of one panel. Its findings depend on only a few fields, and
 * computing them takes longer than a small backtest, so they are cached. */
export function panelSelector(
  data: Dataset,
  scored: PanelScored | null = null,
  prices: RowPrices | null = null,
): (config: BacktestConfig) => SelectedData {
  const found = new Map<string, SelectedData>()
  return config => {
    const key = JSON.stringify(rowSettings(config))
    const selected = found.get(key) ?? selectPanelData(data, config, scored, prices)
    found.set(key, selected)
    return selected
  }
}

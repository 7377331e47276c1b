import { dayNumber, isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import type { ArchiveRequest } from '../codec/settings.ts'
import { type Dataset, nameAt } from '../dataset/dataset.ts'
import { type DateView, viewDates } from '../dataset/subset.ts'
import type { BacktestScore } from '../figureScore.ts'
import { medianDateGap } from '../portfolio/rebalance.ts'
import type { BacktestConfig } from '../request.ts'
import type { BacktestSourceUsed, BacktestWarning } from '../result.ts'
import { overlapCorrelation } from '../statistics/overlap.ts'
import { writeSource } from './resultFields.ts'

/** What a backtest runs on, wherever the rows came from. */
export interface SelectedData {
  readonly data: Dataset
  readonly view: DateView
  /** Business days; `spacing` in the result. */
  readonly medianDateGap: number
  /** What config.returnDays defaults to: the source's horizon, or a panel's median date gap in whole days. */
  readonly returnDays: number
  readonly warnings: readonly BacktestWarning[]
  /** Null for a panel with scores of its own. */
  readonly dataVersion: number | null
  /** What selected the rows; undefined for a panel. */
  readonly source?: BacktestSourceUsed | undefined
  /** Describes the score if it is a metric: neither a forecast nor the caller's own. */
  readonly score?: BacktestScore | undefined
}

/** A request for the archive and the dataset that it runs on. */
export interface ArchiveInput {
  readonly data: Dataset
  readonly request: ArchiveRequest
  readonly costs: MarketCosts
  readonly dataVersion: number
  /** Describes the score if it is a metric rather than the forecast. */
  readonly score?: BacktestScore | undefined
}

/** The dates of the archive that a request selects. */
export function selectArchiveData({ data, request, dataVersion, score }: ArchiveInput): SelectedData {
  const { source } = request
  const view = viewDates(
    data,
    source.from ? dayNumber(source.from) : Number.NEGATIVE_INFINITY,
    source.to ? dayNumber(source.to) : Number.POSITIVE_INFINITY,
    source.limit ?? Number.POSITIVE_INFINITY,
  )
  if (view.endDate === view.firstDate) throw nothingSelected(data, view)
  return {
    data,
    view,
    medianDateGap: medianDateGap(data.days.subarray(view.firstDate, view.endDate)),
    returnDays: Number.parseInt(source.horizon ?? '1d', 10),
    warnings: [],
    dataVersion,
    source: writeSource(source),
    score,
  }
}

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

/** What scored the rows of a panel, if it is a metric. */
export interface PanelScored {
  readonly dataVersion: number
  readonly score: BacktestScore
}

/** All dates of a panel, with warnings about what looks wrong in its rows. */
export function selectPanelData(
  data: Dataset,
  config: BacktestConfig,
  scored: PanelScored | null = null,
): SelectedData {
  const gap = medianDateGap(data.days)
  return {
    data,
    view: { firstDate: 0, endDate: data.days.length, rowsOverLimit: 0 },
    medianDateGap: gap,
    returnDays: Math.max(1, Math.round(gap)),
    warnings: [
      ...warnOfPercent(data.forwardReturn),
      ...(config.returnDays === undefined ? warnOfOverlap(data, gap) : []),
      ...(config.neutral === 'market' ? warnOfMissingMarket(data) : []),
    ],
    dataVersion: scored?.dataVersion ?? null,
    score: scored?.score,
  }
}

/** `selectPanelData` for many configurations of one panel. What is found in the rows depends on two fields alone, and looking
 * for it takes longer than a small backtest. */
export function panelSelector(data: Dataset): (config: BacktestConfig) => SelectedData {
  const found = new Map<string, SelectedData>()
  return config => {
    const key = `${config.returnDays === undefined} ${config.neutral}`
    const selected = found.get(key) ?? selectPanelData(data, config)
    found.set(key, selected)
    return selected
  }
}

const largeReturn = 0.5
const maxLargeShare = 0.1

/** Percent sent as fractions is a Sharpe ratio that looks right beside returns a hundred times too large. */
function warnOfPercent(forwardReturn: Float64Array): BacktestWarning[] {
  let known = 0
  let large = 0
  for (const r of forwardReturn) {
    if (Number.isNaN(r)) continue
    known++
    if (Math.abs(r) > largeReturn) large++
  }
  if (large === 0 || large < maxLargeShare * known) return []
  return [
    {
      code: 'returns_like_percent',
      message: `${large} of ${known} returns are above .5 or below -.5. Are they percent, sent as fractions? A return of 2.5% is 0.025; divide by 100 if so.`,
    },
  ]
}

const overlapThreshold = 0.3

function warnOfOverlap(data: Dataset, gap: number): BacktestWarning[] {
  const correlation = overlapCorrelation(data, 0, data.days.length)
  if (correlation === null || correlation <= overlapThreshold) return []
  return [
    {
      code: 'overlapping_returns',
      message: `Consecutive returns of a name have a correlation of ${correlation.toFixed(2)}. They probably overlap, and compounding overlapping returns overstates the result. returnDays was assumed to be the spacing of the dates, ${gap}. If a return spans more trading days, send config.returnDays.`,
    },
  ]
}

/** Markets are in the order of their names, so the empty name comes first. */
function warnOfMissingMarket(data: Dataset): BacktestWarning[] {
  if (nameAt(data.markets, 0) !== '' || !data.market.includes(0)) return []
  return [
    {
      code: 'neutral_without_market',
      message:
        'Rows without a market are treated as one market. Send market with each row to make the legs market-neutral.',
    },
  ]
}

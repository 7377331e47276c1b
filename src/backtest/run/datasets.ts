import { dayNumber, isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import type { BacktestSettings } from '../codec/settings.ts'
import { spacing } from '../dataset/calendar.ts'
import { type Dataset, type DateView, nameAt, viewDates } from '../dataset/dataset.ts'
import type { ArchiveInput } from '../pool/tasks.ts'
import type { BacktestConfig } from '../request.ts'
import type { BacktestResult, BacktestScore, BacktestWarning } from '../result.ts'
import { overlapCorrelation } from '../statistics/overlap.ts'
import { resolveConfig } from './config.ts'
import { runConfiguration } from './configuration.ts'

/** A request for the archive, on the shared dataset of its horizon and market. */
export function runArchiveBacktest(input: ArchiveInput): BacktestResult {
  const { config, include } = input.request
  const { data, view, returnDays, spacing, warnings } = archiveBasis(input)
  const resolved = resolveConfig(config, returnDays, spacing)
  const result = runConfiguration(data, view, resolved, include, input.costs, warnings)
  return {
    ...result,
    data_version: input.dataVersion,
    ...(input.score === undefined ? {} : { score: input.score }),
  }
}

/** The part of the archive that a request asks for. */
export function archiveBasis({ data, request, dataVersion, score }: ArchiveInput): Basis {
  const { source } = request
  const view = viewDates(
    data,
    source.from ? dayNumber(source.from) : Number.NEGATIVE_INFINITY,
    source.to ? dayNumber(source.to) : Number.POSITIVE_INFINITY,
    source.limit ?? Number.POSITIVE_INFINITY,
  )
  if (view.endDate === view.firstDate) throw nothingThere(data, view)
  return {
    data,
    view,
    spacing: spacing(data.days.subarray(view.firstDate, view.endDate)),
    returnDays: Number.parseInt(source.horizon ?? '1d', 10),
    warnings: [],
    dataVersion,
    score,
  }
}

function nothingThere(data: Dataset, view: DateView): Failure {
  if (view.rowsOverLimit > 0) {
    const most = data.offsets[view.endDate] - data.offsets[view.endDate - 1]
    return new Failure(
      'backtest_impossible',
      `source.limit holds not even the most recent date: it has ${most} rows.`,
      {
        param: 'source.limit',
      },
    )
  }
  if (data.days.length === 0)
    return new Failure('backtest_impossible', 'The archive has no resolved rows for this source.')
  const first = isoDate(data.days[0])
  const last = isoDate(data.days[data.days.length - 1])
  return new Failure(
    'backtest_impossible',
    `The archive has no rows in these dates: its first is ${first}, its last ${last}.`,
    {
      param: 'source.from',
    },
  )
}

const overlapThreshold = 0.3

/** A request for a panel, sent or stored. */
export function runPanelBacktest(
  panel: Dataset,
  { config, include }: BacktestSettings,
  costs: MarketCosts,
): BacktestResult {
  const { data, view, spacing, returnDays, warnings } = panelBasis(panel, config)
  const resolved = resolveConfig(config, returnDays, spacing)
  return runConfiguration(data, view, resolved, include, costs, warnings)
}

export function panelBasis(data: Dataset, config: BacktestConfig): Basis {
  const gap = spacing(data.days)
  return {
    data,
    view: { firstDate: 0, endDate: data.days.length, rowsOverLimit: 0 },
    spacing: gap,
    returnDays: Math.max(1, Math.round(gap)),
    warnings: [
      ...(config.returnDays === undefined ? findOverlap(data, gap) : []),
      ...(config.neutral === 'market' ? findNameless(data) : []),
    ],
    dataVersion: null,
  }
}

function findOverlap(data: Dataset, gap: number): BacktestWarning[] {
  const correlation = overlapCorrelation(data, 0, data.days.length)
  if (correlation === null || correlation <= overlapThreshold) return []
  return [
    {
      code: 'overlapping_returns',
      message: `Consecutive returns of a name correlate by ${correlation.toFixed(2)}: they look as if they overlap, and compounding them overstates the result. returnDays was taken to be the spacing of the dates, ${gap}; if a return spans more trading days, send config.returnDays.`,
    },
  ]
}

/** Markets are in the order of their names, so the one without is the first. */
function findNameless(data: Dataset): BacktestWarning[] {
  if (nameAt(data.markets, 0) !== '' || !data.market.includes(0)) return []
  return [
    {
      code: 'neutral_without_market',
      message:
        'Rows without a market form a market of their own. Send market with each row to make the legs neutral.',
    },
  ]
}

/** What a backtest runs on, wherever the rows came from. */
export interface Basis {
  readonly data: Dataset
  readonly view: DateView
  readonly spacing: number
  /** The source's horizon, or a panel's spacing in whole days. */
  readonly returnDays: number
  readonly warnings: readonly BacktestWarning[]
  /** Null for a panel. */
  readonly dataVersion: number | null
  /** What the score is, where it is neither a forecast nor the caller's. */
  readonly score?: BacktestScore | undefined
}

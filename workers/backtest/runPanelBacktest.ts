import { Failure } from '../../src/errors.ts'
import type { BacktestResult, BacktestWarning } from '../../src/model/backtestResult.ts'
import type { MarketCosts } from '../../src/model/marketCosts.ts'
import { buildDataset } from '../../src/quant/buildDataset.ts'
import type { Columns } from '../../src/quant/columns.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import { overlapCorrelation } from '../../src/quant/overlapCorrelation.ts'
import { spacing } from '../../src/quant/spacing.ts'
import type { BacktestBody } from '../body/readBody.ts'
import { resolveConfig } from './resolveConfig.ts'
import { runConfiguration } from './runConfiguration.ts'

const overlapThreshold = 0.3

type PanelRequest = Extract<BacktestBody, { readonly panel: Columns }>

/** A request that brings its own rows. */
export function runPanelBacktest(
  { panel, config, include }: PanelRequest,
  costs: MarketCosts,
): BacktestResult {
  const data = toDataset(panel)
  const gap = spacing(data.days)
  const resolved = resolveConfig(config, Math.max(1, Math.round(gap)), gap)
  const warnings = [
    ...(config.returnDays === undefined ? findOverlap(data, gap) : []),
    ...(resolved.book.neutralMarket ? findNameless(panel) : []),
  ]
  const view = { firstDate: 0, endDate: data.days.length, rowsOverLimit: 0 }
  return runConfiguration(data, view, resolved, include, costs, warnings)
}

function toDataset(panel: Columns): Dataset {
  if (panel.count === 0) {
    throw new Failure(
      'backtest_impossible',
      'panel has no rows. Send at least one row {date, asset, score, forward_return}.',
      {
        param: 'panel',
      },
    )
  }
  const { dataset, duplicate } = buildDataset(panel)
  if (dataset) return dataset
  const first = `panel[${duplicate.firstRow}]`
  const second = `panel[${duplicate.secondRow}]`
  const asset = panel.assetNames[panel.asset[duplicate.firstRow]]
  throw new Failure(
    'body_invalid',
    `${first} and ${second} are both the cell of asset ${JSON.stringify(asset)} on the same date. Send one row a cell.`,
    { param: second },
  )
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

function findNameless(panel: Columns): BacktestWarning[] {
  const none = panel.marketNames.indexOf('')
  if (!panel.market.includes(none)) return []
  return [
    {
      code: 'neutral_without_market',
      message:
        'Rows without a market form a market of their own. Send market with each row to make the legs neutral.',
    },
  ]
}

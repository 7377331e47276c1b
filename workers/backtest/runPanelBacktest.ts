import type { BacktestConfig } from '../../src/model/backtest.ts'
import type { BacktestResult, BacktestWarning } from '../../src/model/backtestResult.ts'
import type { MarketCosts } from '../../src/model/marketCosts.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import { nameAt } from '../../src/quant/nameTable.ts'
import { overlapCorrelation } from '../../src/quant/overlapCorrelation.ts'
import { spacing } from '../../src/quant/spacing.ts'
import type { BacktestSettings } from '../body/settings.ts'
import type { Basis } from './basis.ts'
import { resolveConfig } from './resolveConfig.ts'
import { runConfiguration } from './runConfiguration.ts'

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

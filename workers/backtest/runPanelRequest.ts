import type { Outcome } from '../../src/compute/protocol.ts'
import type { MarketCosts } from '../../src/model/marketCosts.ts'
import type { ResultForm } from '../../src/model/resultForm.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import type { BacktestSettings } from '../body/settings.ts'
import { planSweep } from '../sweep/planSweep.ts'
import { panelBasis, runPanelBacktest } from './runPanelBacktest.ts'
import { writeForm } from './writeForm.ts'

/** Runs what is asked of a panel, or plans it where it is a sweep. */
export function runPanelRequest(
  panel: Dataset,
  request: BacktestSettings,
  costs: MarketCosts,
  form: ResultForm,
): Outcome {
  const { config, sweep, include } = request
  if (!sweep) return { kind: 'result', result: writeForm(runPanelBacktest(panel, request, costs), form) }
  return { kind: 'sweep', plan: planSweep(panelBasis(panel, config), config, sweep, include, costs) }
}

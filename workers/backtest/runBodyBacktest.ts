import type { TaskInput, TaskOutput } from '../../src/compute/protocol.ts'
import { readBody } from '../body/readBody.ts'
import { buildPanel } from '../dataset/buildPanel.ts'
import { planSweep } from '../sweep/planSweep.ts'
import { panelBasis, runPanelBacktest } from './runPanelBacktest.ts'

/** Reads a request; runs its panel, or plans the sweep of it, or hands back what it asks of the archive. */
export function runBodyBacktest({
  body,
  format,
  query,
  costs,
}: TaskInput<'backtest_body'>): TaskOutput<'backtest_body'> {
  const request = readBody(body, format, query)
  if (request.panel !== null) {
    const { config, sweep, include } = request
    const panel = buildPanel(request.panel)
    if (sweep) {
      return { kind: 'sweep', plan: planSweep(panelBasis(panel, config), config, sweep, include, costs) }
    }
    const result = runPanelBacktest(panel, request, costs)
    return { kind: 'result', result }
  }
  const { panel: _, ...archive } = request
  return { kind: 'archive', request: archive }
}

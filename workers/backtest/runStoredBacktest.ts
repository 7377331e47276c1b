import type { TaskInput, TaskOutput } from '../../src/compute/protocol.ts'
import { runPanelRequest } from './runPanelRequest.ts'

/** A request for a stored panel, on its shared dataset. */
export function runStoredBacktest({
  data,
  request,
  costs,
  form,
}: TaskInput<'backtest_stored'>): TaskOutput<'backtest_stored'> {
  return runPanelRequest(data, request, costs, form)
}

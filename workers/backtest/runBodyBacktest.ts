import type { TaskInput, TaskOutput } from '../../src/compute/protocol.ts'
import { readBody } from '../body/readBody.ts'
import { runPanelBacktest } from './runPanelBacktest.ts'

/** Reads a request body; runs its panel, or hands back what it asks of the archive. */
export function runBodyBacktest({ body, costs }: TaskInput<'backtest_body'>): TaskOutput<'backtest_body'> {
  const request = readBody(body)
  if (request.panel !== null) return { kind: 'result', result: runPanelBacktest(request, costs) }
  const { config, source, include } = request
  return { kind: 'archive', request: { config, source, include } }
}

import type { TaskInput, TaskOutput } from '../../src/compute/protocol.ts'
import { readBody } from '../body/readBody.ts'
import { buildPanel } from '../dataset/buildPanel.ts'
import { runPanelRequest } from './runPanelRequest.ts'

/** Reads a request; runs its rows, or plans the sweep of them, or hands back what it asks of rows that are not in it. */
export function runBodyBacktest({
  body,
  format,
  query,
  costs,
  form,
}: TaskInput<'backtest_body'>): TaskOutput<'backtest_body'> {
  const request = readBody(body, format, query)
  if (request.panel !== null) return runPanelRequest(buildPanel(request.panel), request, costs, form)
  const { config, include, sweep, panelId } = request
  if (panelId !== null) return { kind: 'stored', request: { config, include, sweep, panelId } }
  return { kind: 'archive', request: { config, include, sweep, source: request.source } }
}

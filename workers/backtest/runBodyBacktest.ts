import { archiveOf, type HeldArchive } from '../../src/compute/heldArchive.ts'
import type { ArchiveRequest, TaskInput, TaskOutput } from '../../src/compute/protocol.ts'
import { readBody } from '../body/readBody.ts'
import { buildPanel } from '../dataset/buildPanel.ts'
import { runArchiveRequest } from './runArchiveRequest.ts'
import { runPanelRequest } from './runPanelRequest.ts'

/** Reads a request; runs it or plans its sweep where the rows are in it or at hand, or hands it back. */
export function runBodyBacktest({
  body,
  format,
  query,
  archives,
  costs,
  form,
}: TaskInput<'backtest_body'>): TaskOutput<'backtest_body'> {
  const request = readBody(body, format, query)
  if (request.panel !== null) return runPanelRequest(buildPanel(request.panel), request, costs, form)
  const { config, include, sweep, panelId } = request
  if (panelId !== null) return { kind: 'stored', request: { config, include, sweep, panelId } }
  const asked = { config, include, sweep, source: request.source }
  const held = findArchive(archives, asked)
  if (held === undefined) return { kind: 'archive', request: asked }
  const { data, dataVersion } = held
  return runArchiveRequest({ data, dataVersion, request: asked, costs }, form)
}

/** None where the rows are ranked by a figure: who may is decided before the figures are read. */
function findArchive(archives: readonly HeldArchive[], { source }: ArchiveRequest): HeldArchive | undefined {
  if (source.score !== undefined) return undefined
  const { horizon, market } = archiveOf(source)
  return archives.find(held => held.horizon === horizon && held.market === market)
}

import type { MarketCosts } from '../../markets/costs.ts'
import { readBody } from '../codec/body.ts'
import type { BacktestSettings } from '../codec/settings.ts'
import type { Dataset } from '../dataset/dataset.ts'
import {
  type ArchiveInput,
  type ArchiveRequest,
  archiveOf,
  type HeldArchive,
  type Outcome,
  type TaskInput,
  type TaskOutput,
} from '../pool/tasks.ts'
import type { ResultForm } from '../request.ts'
import { panelBasis, runArchiveBacktest, runPanelBacktest } from './datasets.ts'
import { writeForm } from './form.ts'
import { buildPanel } from './panel.ts'
import { planArchiveSweep, planSweep } from './sweepPlan.ts'

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

/** Runs what is asked of the archive, or plans it where it is a sweep. */
export function runArchiveRequest(input: ArchiveInput, form: ResultForm): Outcome {
  if (input.request.sweep) return { kind: 'sweep', plan: planArchiveSweep(input) }
  return { kind: 'result', result: writeForm(runArchiveBacktest(input), form) }
}

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

/** A request for a stored panel, on its shared dataset. */
export function runStoredBacktest({
  data,
  request,
  costs,
  form,
}: TaskInput<'backtest_stored'>): TaskOutput<'backtest_stored'> {
  return runPanelRequest(data, request, costs, form)
}

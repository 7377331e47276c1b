import { readBody } from '../../backtest/codec/body.ts'
import type { BacktestSettings } from '../../backtest/panelFile/panelBody.ts'
import type { PanelFile } from '../../backtest/pipeline/readPanelFile.ts'
import { paidKey } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import { Failure } from '../../errors.ts'
import type { SubmitDeps } from '../../jobs/submit.ts'
import type { PerKeyLimit } from '../backtests/perKeyLimit.ts'
import { type RowPriceDeps, requirePrices } from '../backtests/priceRows.ts'
import { submitBacktest } from '../backtests/submitted/kind.ts'
import { fileHorizonOf, type SubmittedForm, settingsOf, sourceOf } from './runForm.ts'

export interface StartDeps extends SubmitDeps, Pick<RowPriceDeps, 'sql' | 'today'> {
  readonly pool: ComputePool
  readonly perKeyLimit: PerKeyLimit
}

/** The settings of a form. A price set that the key may not see is a fault of the form, rather than of a job. */
async function allowedSettings(
  deps: StartDeps,
  keyId: number,
  form: SubmittedForm,
): Promise<BacktestSettings> {
  const settings = settingsOf(form)
  if (settings.prices !== undefined) await requirePrices(deps, keyId, settings.prices)
  return settings
}

/** Reads a form's file in a worker thread and fails with the first fault in its rows or settings. */
export async function checkFile(
  deps: StartDeps,
  keyId: number,
  form: SubmittedForm,
  signal: AbortSignal,
): Promise<PanelFile> {
  const { file, typed } = form
  if (file === null)
    throw new Failure('body_invalid', 'No file was chosen. Choose one, or run on the archive.', {
      param: 'file',
    })
  const input = {
    bytes: new Uint8Array(await file.arrayBuffer()),
    horizon: fileHorizonOf(typed),
    settings: await allowedSettings(deps, keyId, form),
  }
  return deps.perKeyLimit.use(keyId, () =>
    deps.pool.tasks.readPanelFile(input, {
      signal,
      caller: paidKey(keyId),
      transfer: [input.bytes.buffer],
    }),
  )
}

/**
 * Stores the backtest of a form and returns its ID. Settings and rows are checked first, so that the form can
 * show a fault.
 */
export async function startRun(
  deps: StartDeps,
  keyId: number,
  requestId: string,
  form: SubmittedForm,
  signal: AbortSignal,
): Promise<string> {
  const own = { keyId, requestId, idempotencyKey: null }
  if (form.typed.rows === 'file') {
    const { body, format, query } = await checkFile(deps, keyId, form, signal)
    return (await submitBacktest(deps, { ...own, body, format, query })).job.id
  }
  const request = { ...(await allowedSettings(deps, keyId, form)), source: sourceOf(form.typed) }
  const body = new TextEncoder().encode(JSON.stringify(request))
  // The body has a few hundred bytes and no rows; this checks its settings.
  readBody(body, 'json')
  return (await submitBacktest(deps, { ...own, body, format: 'json', query: {} })).job.id
}

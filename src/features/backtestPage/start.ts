import { readBody } from '../../backtest/codec/body.ts'
import type { PanelFile } from '../../backtest/pipeline/readPanelFile.ts'
import { paidKey } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import { Failure } from '../../errors.ts'
import type { SubmitDeps } from '../../jobs/submit.ts'
import type { PerKeyLimit } from '../backtests/perKeyLimit.ts'
import { submitBacktest } from '../backtests/submitted/kind.ts'
import { fileHorizonOf, type SubmittedForm, settingsOf, sourceOf } from './runForm.ts'

export interface StartDeps extends SubmitDeps {
  readonly pool: ComputePool
  readonly perKeyLimit: PerKeyLimit
}

/** Reads a form's file in a worker thread and fails with the first fault in its rows or settings. */
export async function checkFile(
  { pool, perKeyLimit }: StartDeps,
  keyId: number,
  { file, typed, texts }: SubmittedForm,
  signal: AbortSignal,
): Promise<PanelFile> {
  if (file === null)
    throw new Failure('body_invalid', 'No file was chosen. Choose one, or run on the archive.', {
      param: 'file',
    })
  const input = {
    bytes: new Uint8Array(await file.arrayBuffer()),
    horizon: fileHorizonOf(typed),
    settings: settingsOf({ typed, texts }),
  }
  return perKeyLimit.use(keyId, () =>
    pool.tasks.readPanelFile(input, {
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
  const request = { ...settingsOf(form), source: sourceOf(form.typed) }
  const body = new TextEncoder().encode(JSON.stringify(request))
  // The body has a few hundred bytes and no rows; this checks its settings.
  readBody(body, 'json')
  return (await submitBacktest(deps, { ...own, body, format: 'json', query: {} })).job.id
}

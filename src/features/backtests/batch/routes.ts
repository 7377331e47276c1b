import { Elysia } from 'elysia'
import { paidKey } from '../../../backtest/pool/caller.ts'
import { runBatch } from '../../../backtest/pool/runBatch.ts'
import { Failure } from '../../../errors.ts'
import { SpoolBudget, spool } from '../../../formats/spool.ts'
import { contentTypes } from '../../../http/answers.ts'
import { type BodyReader, bodyFormat } from '../../../http/body.ts'
import { type Answer, type RequestContext, requireQuant, withoutIdleTimeout } from '../../../http/context.ts'
import { errorBody } from '../../../http/errors.ts'
import { answerHeaders } from '../../../http/headers.ts'
import { noQuery } from '../../../http/parameters.ts'
import type { HttpPlugin } from '../../../http/plugin.ts'
import type { PerKeyLimit } from '../perKeyLimit.ts'
import type { BacktestDeps } from '../run.ts'
import { batchOperation } from './documentation.ts'
import { batchLines } from './lines.ts'
import { checkBatch } from './openBatch.ts'

interface BatchRouteDeps {
  readonly backtests: BacktestDeps
  readonly bodies: BodyReader
  readonly perKeyLimit: PerKeyLimit
  readonly computeTimeoutMs: number
  readonly settings: { readonly baseUrl: string }
  readonly log: { warn(details: object, message: string): void }
}

/** POST /api/v1/backtests/batch: many backtests in one request, answered line by line as they end. */
export function batchRoutes(http: HttpPlugin, deps: BatchRouteDeps) {
  return new Elysia({ name: 'batch' }).use(http).post(
    '/api/v1/backtests/batch',
    ({ context }) => {
      const keyId = requireQuant(context)
      noQuery(context)
      requireJson(context)
      return answerBatch(deps, context, keyId)
    },
    { ...batchOperation, parse: 'none' },
  )
}

function requireJson({ request }: RequestContext): void {
  if (bodyFormat(request.headers) === 'json') return
  throw new Failure(
    'media_type_unsupported',
    'Send a batch as application/json. To use rows in another format, store them with POST /api/v1/panels and name the panel.',
    { param: 'Content-Type' },
  )
}

/**
 * The response begins once the batch is checked. The body's bytes and the key's slot stay counted until the
 * batch ends, which is later.
 */
function answerBatch(deps: BatchRouteDeps, context: RequestContext, keyId: number): Promise<Answer> {
  const { bodies, perKeyLimit } = deps
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const whole = withoutIdleTimeout(context, () =>
    bodies.use(
      context,
      bytes =>
        perKeyLimit.use(keyId, async () => {
          const { answer, ended } = await openAnswer(deps, context, keyId, bytes)
          resolve(answer)
          await ended
        }),
      { unpacks: true },
    ),
  )
  whole.catch(reject)
  return promise
}

/** A slow reader blocks the threads instead of using the spool memory that database streams share. */
const noBudget = new SpoolBudget(0)

async function openAnswer(
  { backtests, computeTimeoutMs: timeLimitMs, settings, log }: BatchRouteDeps,
  context: RequestContext,
  keyId: number,
  bytes: Uint8Array,
): Promise<{ answer: Answer; ended: Promise<void> }> {
  const { pool, costs } = backtests
  const left = new AbortController()
  const signal = AbortSignal.any([context.request.signal, left.signal])
  const ticket = pool.admit(paidKey(keyId))
  const { size, groups } = await checkBatch(backtests, bytes, keyId, { signal, ticket }).catch(error => {
    pool.leave(ticket)
    throw error
  })
  const errorOf = (failure: Failure) => {
    const { cause } = failure.details
    if (cause !== undefined) log.warn({ requestId: context.id, err: cause }, failure.message)
    return errorBody(settings.baseUrl, context.id, failure).error
  }
  const stop = () => left.abort()
  const parts = runBatch(pool, groups, { costs, signal, ticket, timeLimitMs })
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>()
  const lines = ending(batchLines(parts, { size, errorOf, stop }), onEnd)
  const body = spool(lines, stop, noBudget)
  return { answer: { status: 200, headers: answerHeaders(headers), body }, ended }
}

async function* ending(lines: AsyncGenerator<Uint8Array, void, undefined>, onEnd: () => void) {
  try {
    yield* lines
  } finally {
    onEnd()
  }
}

/** Not compressed: a compressor would hold lines back until a block is full. */
const headers = {
  'Content-Type': contentTypes.ndjson,
  'Cache-Control': 'no-store',
  Vary: 'Authorization',
  // Stops nginx from buffering lines.
  'X-Accel-Buffering': 'no',
}

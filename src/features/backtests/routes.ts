import { Elysia } from 'elysia'
import { paidKey } from '../../backtest/pool/caller.ts'
import { contentPolicy } from '../../backtest/report/tearSheet/policy.ts'
import type { RawRequest, ResultFormat } from '../../backtest/request.ts'
import { dataHeaders, encodedAnswer, jsonType, pageHeaders } from '../../http/answers.ts'
import { type BodyReader, bodyFormat } from '../../http/body.ts'
import { type Answer, type RequestContext, requireQuant, withoutIdleTimeout } from '../../http/context.ts'
import { entityTag } from '../../http/etag.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { idempotencyKey, prefersAsync, prefersHtml } from '../../http/preferences.ts'
import { answerOnce, requestDigest } from '../../jobs/idempotency.ts'
import type { SubmitDeps } from '../../jobs/submit.ts'
import { backtestOperation } from './documentation.ts'
import type { PerKeyLimit } from './perKeyLimit.ts'
import { bodyQuery } from './query.ts'
import { type BacktestDeps, runBacktest } from './run.ts'
import { submitBacktest } from './submitted/kind.ts'
import { acceptedAnswer } from './submitted/routes.ts'

interface BacktestRouteDeps extends SubmitDeps {
  readonly backtests: BacktestDeps
  readonly bodies: BodyReader
  readonly perKeyLimit: PerKeyLimit
  readonly computeTimeoutMs: number
  readonly settings: { readonly baseUrl: string }
}

const Vary = 'Accept, Accept-Encoding, Authorization, Prefer'

/**
 * POST /api/v1/backtest: the body's bytes go unparsed to a worker thread or, with `Prefer: respond-async`,
 * into the database. Parsing a panel here would block all other requests meanwhile.
 */
export function backtestRoutes(http: HttpPlugin, deps: BacktestRouteDeps) {
  return new Elysia({ name: 'backtest' }).use(http).post(
    '/api/v1/backtest',
    ({ context }) => {
      const keyId = requireQuant(context)
      const { headers } = context.request
      const format = bodyFormat(headers)
      const idempotency = idempotencyKey(headers)
      const { query, resultFormat: requested } = bodyQuery(context, format)
      const resultFormat = requested ?? (prefersHtml(headers.get('accept')) ? 'html' : 'json')
      return withBody(deps, context, async bytes => {
        const body: RawRequest = { bytes, format, query }
        if (!prefersAsync(headers.get('prefer')))
          return answerBacktest(deps, context, keyId, body, resultFormat, idempotency)
        const accepted = await submit(deps, context, keyId, body, idempotency)
        accepted.headers.set('Preference-Applied', 'respond-async')
        return accepted
      })
    },
    { ...backtestOperation, parse: 'none' },
  )
}

const withBody = (
  { bodies }: BacktestRouteDeps,
  context: RequestContext,
  work: (bytes: Uint8Array<ArrayBuffer>) => Promise<Answer>,
) => withoutIdleTimeout(context, () => bodies.use(context, work, { unpacks: true }))

async function submit(
  deps: BacktestRouteDeps,
  context: RequestContext,
  keyId: number,
  { bytes, format, query }: RawRequest,
  idempotency: string | null,
): Promise<Answer> {
  const submission = { keyId, requestId: context.id, idempotencyKey: idempotency, body: bytes, format, query }
  return acceptedAnswer(await submitBacktest(deps, submission), deps.settings.baseUrl)
}

async function answerBacktest(
  deps: BacktestRouteDeps,
  context: RequestContext,
  keyId: number,
  { bytes, format, query }: RawRequest,
  resultFormat: ResultFormat,
  idempotency: string | null,
): Promise<Answer> {
  const { sql, processId, backtests, perKeyLimit, computeTimeoutMs: timeLimitMs } = deps
  // Computed before the run, because the bytes of a large body move to the worker thread.
  const request = `backtest ${format} ${resultFormat} ${context.queryText} ${Bun.hash.xxHash64(bytes)}`
  const tag = entityTag(deps.dataVersion(), request)
  const own = resultFormat === 'html' ? pageHeaders(contentPolicy, tag) : dataHeaders(jsonType, tag)
  const run = () =>
    perKeyLimit.use(keyId, async () => {
      const options = { caller: paidKey(keyId), format, query, keyId, resultFormat, timeLimitMs }
      return (await runBacktest(backtests, bytes, context.request.signal, options)).bytes
    })
  if (idempotency === null) return encodedAnswer(context, await run(), { ...own, Vary })
  const digest = await requestDigest([resultFormat, format, query], bytes)
  const claim = { keyId, name: idempotency, digest, processId }
  const { bytes: result, replayed } = await answerOnce(sql, claim, run)
  return encodedAnswer(context, result, {
    ...own,
    Vary,
    ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}),
  })
}

import type { JoinFormat } from '../../backtest/asOf/request.ts'
import { Failure } from '../../errors.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { idempotencyKey } from '../../http/preferences.ts'
import { acceptedHeaders } from '../../jobs/answers.ts'
import { type SubmitDeps, submitJob } from '../../jobs/submit.ts'
import type { RateLimiter } from '../../limits/rateLimiter.ts'
import { isUnpaid } from '../../rights/licences.ts'
import type { SentJoin } from './answer.ts'
import { joinKind } from './jobKind.ts'
import { joinSummary } from './jobSchema.ts'
import { checkJoin, type JoinDeps } from './join.ts'
import { joinSender } from './sender.ts'

export interface SubmitJoinDeps extends JoinDeps, Omit<SubmitDeps, 'sql' | 'dataVersion'> {
  readonly access: { readonly rateLimiter: RateLimiter }
  readonly perKeyLimit: { use<T>(subject: string, work: () => Promise<T>): Promise<T> }
  readonly settings: { readonly baseUrl: string }
}

/** Checks a join, so that faults and refusals are reported at once, and stores it as a queued job. */
export async function submitJoin(
  deps: SubmitJoinDeps,
  context: RequestContext,
  sent: SentJoin,
  format: JoinFormat,
): Promise<Answer> {
  const keyId = requireOwnKey(context)
  const { subject } = context.authenticatedCaller
  const sender = joinSender(deps.access.rateLimiter, context)
  const { signal, headers } = context.request
  const idempotency = idempotencyKey(headers)
  const rows = await deps.perKeyLimit.use(subject, () => checkJoin(deps, sender, sent, signal))
  const { job, replayed } = await submitJob(deps, joinKind, {
    keyId,
    requestId: context.id,
    body: sent.body,
    input: { format: sent.format, query: { format, settings: sent.query } },
    total: rows,
    isUnpaid: isUnpaid(sender.rights),
    idempotencyKey: idempotency,
  })
  const summary = joinSummary(job, deps.settings.baseUrl)
  const answer = acceptedHeaders(summary, replayed)
  answer.set('Preference-Applied', 'respond-async')
  return { status: 202, headers: answer, body: JSON.stringify(summary) }
}

/**
 * The ID of the caller's key. The demo key is excluded, because all its users would share its joins.
 *
 * @param work what was submitted
 * @param otherwise what the demo key can do instead
 */
export function requireOwnKey(
  context: RequestContext,
  work = 'as-of join',
  otherwise = 'omit Prefer',
): number {
  const { keyId } = context.authenticatedCaller.rights
  if (keyId !== null) return keyId
  throw new Failure(
    'licence_required',
    `A submitted ${work} belongs to a key, and all users share the demo key. Use a key of your own, which may be a free one, or ${otherwise}.`,
    { param: 'Authorization' },
  )
}

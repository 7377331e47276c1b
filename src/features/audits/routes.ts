import { Elysia } from 'elysia'
import type { JoinFormat } from '../../backtest/asOf/request.ts'
import { maxSynchronousRows } from '../../backtest/audit/request.ts'
import type { JsonObject } from '../../backtest/codec/jsonReader.ts'
import { ownBuffer } from '../../backtest/pool/computePool.ts'
import { Failure } from '../../errors.ts'
import { bodyMediaTypes } from '../../formats/mediaTypes.ts'
import { SpoolBudget, spool } from '../../formats/spool.ts'
import { streamAnswer } from '../../http/answers.ts'
import { type BodyReader, formatOfBody } from '../../http/body.ts'
import { compressions } from '../../http/compression.ts'
import { type Answer, type RequestContext, withoutIdleTimeout } from '../../http/context.ts'
import { queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { acceptedFormat, idempotencyKey, prefersAsync, prefersHtml } from '../../http/preferences.ts'
import { acceptedHeaders } from '../../jobs/answers.ts'
import type { RateLimiter } from '../../limits/rateLimiter.ts'
import { type JoinSender, joinSender } from '../asOfJoins/sender.ts'
import { auditTag, writeAudit } from './answer.ts'
import { auditOperation } from './documentation.ts'
import type { AuditDeps } from './filedFigures.ts'
import { requireAuditKey } from './ownKey.ts'
import { openAudit, runAudit, type SentAudit } from './runAudit.ts'
import { type AuditFormat, AuditQuery, auditSummary } from './schema.ts'
import { type AuditToSubmit, type SubmitAuditDeps, submitAudit } from './submit.ts'

interface AuditRouteDeps extends AuditDeps {
  readonly access: { readonly rateLimiter: RateLimiter }
  readonly bodies: BodyReader
  readonly perKeyLimit: { use<T>(subject: string, work: () => Promise<T>): Promise<T> }
  /** The same dependencies on the primary database, which stores audits that run as jobs. */
  readonly primary: SubmitAuditDeps & { readonly settings: { readonly baseUrl: string } }
}

const readQuery = queryReader(AuditQuery)

/** POST /api/v1/audits: for rows of date, ticker and values, says of each value whether it was known. */
export function auditRoutes(http: HttpPlugin, deps: AuditRouteDeps) {
  return new Elysia({ name: 'audits' }).use(http).post(
    '/api/v1/audits',
    ({ context }) => {
      const { headers } = context.request
      const bodyFormat = formatOfBody(headers, bodyMediaTypes)
      const { format: asked, ...query } = context.queryText === '' ? {} : readQuery(context.queryText)
      const accept = headers.get('accept')
      const format = asked ?? (prefersHtml(accept) ? 'html' : acceptedFormat(accept))
      const settings = settingsOf(query, bodyFormat)
      return withoutIdleTimeout(context, () =>
        deps.bodies.use(
          context,
          bytes =>
            answerAudit(
              deps,
              context,
              { body: ownBuffer(bytes), format: bodyFormat, query: settings },
              format,
            ),
          { unpacks: true },
        ),
      )
    },
    { ...auditOperation, parse: 'none' },
  )
}

/** A JSON body contains the settings itself; if the query had them as well, they could contradict each other. */
function settingsOf({ columns, with: extras, config, ...query }: AuditQuery, format: JoinFormat): JsonObject {
  const sent: JsonObject = {
    ...query,
    ...(columns === undefined ? {} : { columns: parseSetting('columns', columns) }),
    ...(config === undefined ? {} : { config: parseSetting('config', config) }),
    ...(extras === undefined ? {} : { with: extras.split(',') }),
  }
  const [name] = Object.keys(sent)
  if (format !== 'json' || name === undefined) return sent
  throw new Failure(
    'parameter_invalid',
    `${name} as a query parameter is for bodies that have only rows: CSV, NDJSON, Parquet and Arrow. Send it as a field of the JSON body.`,
    { param: name },
  )
}

function parseSetting(name: string, text: string): JsonObject[string] {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure(
      'parameter_invalid',
      `${name} is no JSON. Send an object such as {"sales":"revenue"}.`,
      {
        param: name,
      },
    )
  }
}

/** The rows that a format contains. */
export const rowFormatsOf = (format: AuditFormat): readonly JoinFormat[] =>
  format === 'html' ? [] : [format]

/** A slow reader pauses the response. Spooling it would only copy bytes that are already in memory. */
const noBudget = new SpoolBudget(0)

async function answerAudit(
  deps: AuditRouteDeps,
  context: RequestContext,
  sent: SentAudit,
  format: AuditFormat,
): Promise<Answer> {
  const { rights, subject } = context.authenticatedCaller
  const sender = joinSender(deps.access.rateLimiter, context)
  const { signal, headers } = context.request
  const isAsync = prefersAsync(headers.get('prefer'))
  if (isAsync) requireAuditKey(context)
  const answer = await deps.perKeyLimit.use(subject, async () => {
    const body = await openAudit(deps, sender, sent, signal)
    if (isAsync || body.rows.count > maxSynchronousRows)
      return answerSubmitted(deps, context, sender, { sent, body, formats: rowFormatsOf(format) }, isAsync)
    const audit = await runAudit(deps, sender, body, rowFormatsOf(format), signal)
    const { headers: own, parts } = writeAudit(deps.markets, audit, format, auditTag(rights, sent))
    return streamAnswer(
      context,
      spool(chunksOf(parts, audit.release), audit.release, noBudget),
      own,
      compressions.marketRows,
    )
  })
  return answer
}

/** Stores an audit as a queued job. */
async function answerSubmitted(
  { primary }: AuditRouteDeps,
  context: RequestContext,
  sender: JoinSender,
  audit: AuditToSubmit,
  isAsync: boolean,
): Promise<Answer> {
  const { headers: asked, signal } = context.request
  const submitter = {
    ...sender,
    keyId: requireAuditKey(context),
    requestId: context.id,
    idempotencyKey: idempotencyKey(asked),
  }
  const { job, replayed } = await submitAudit(primary, submitter, audit, signal)
  const summary = auditSummary(job, primary.settings.baseUrl)
  const headers = acceptedHeaders(summary, replayed)
  if (isAsync) headers.set('Preference-Applied', 'respond-async')
  return { status: 202, headers, body: JSON.stringify(summary) }
}

const chunkBytes = 512 * 1_024

/** Copies, because a body cannot be sent from shared memory. */
export async function* chunksOf(
  parts: readonly Uint8Array[],
  release: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for (const part of parts)
      for (let at = 0; at < part.length; at += chunkBytes)
        yield new Uint8Array(part.subarray(at, at + chunkBytes))
  } finally {
    release()
  }
}

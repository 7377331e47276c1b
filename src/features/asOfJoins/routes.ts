import { Elysia } from 'elysia'
import type { JoinFormat } from '../../backtest/asOf/request.ts'
import type { JsonObject } from '../../backtest/codec/jsonReader.ts'
import { ownBuffer } from '../../backtest/pool/computePool.ts'
import { Failure } from '../../errors.ts'
import { bodyMediaTypes, joinMediaTypes } from '../../formats/mediaTypes.ts'
import { SpoolBudget, spool } from '../../formats/spool.ts'
import { streamAnswer } from '../../http/answers.ts'
import { type BodyReader, formatOfBody } from '../../http/body.ts'
import { compressions } from '../../http/compression.ts'
import { type Answer, type RequestContext, withoutIdleTimeout } from '../../http/context.ts'
import { queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { acceptedFormat, prefersAsync } from '../../http/preferences.ts'
import type { RateLimiter } from '../../limits/rateLimiter.ts'
import { chunksOf, joinHeaders, joinTag, type SentJoin } from './answer.ts'
import { joinOperation } from './documentation.ts'
import { type JoinDeps, runJoin } from './join.ts'
import { JoinQuery } from './schema.ts'
import { joinSender } from './sender.ts'
import { type SubmitJoinDeps, submitJoin } from './submit.ts'

interface JoinRouteDeps extends JoinDeps {
  readonly access: { readonly rateLimiter: RateLimiter }
  readonly bodies: BodyReader
  readonly perKeyLimit: { use<T>(subject: string, work: () => Promise<T>): Promise<T> }
  /** The same dependencies on the primary database, which stores joins sent with `Prefer: respond-async`. */
  readonly primary: SubmitJoinDeps
}

const readQuery = queryReader(JoinQuery)

/** POST /api/v1/as-of: for rows of date and ticker, returns what was known before each date. */
export function asOfJoinRoutes(http: HttpPlugin, deps: JoinRouteDeps) {
  return new Elysia({ name: 'asOfJoins' }).use(http).post(
    '/api/v1/as-of',
    ({ context }) => {
      const bodyFormat = formatOfBody(context.request.headers, bodyMediaTypes)
      const sent: JoinQuery = context.queryText === '' ? {} : readQuery(context.queryText)
      const { format = acceptedFormat(context.request.headers.get('accept'), joinMediaTypes), ...query } =
        sent
      const settings = settingsOf(query, bodyFormat)
      return withoutIdleTimeout(context, () =>
        deps.bodies.use(
          context,
          bytes => {
            const sent = { body: ownBuffer(bytes), format: bodyFormat, query: settings }
            return prefersAsync(context.request.headers.get('prefer'))
              ? submitJoin(deps.primary, context, sent, format)
              : answerJoin(deps, context, sent, format)
          },
          { unpacks: true },
        ),
      )
    },
    { ...joinOperation, parse: 'none' },
  )
}

/**
 * A JSON body contains the settings itself; if the query had them as well, they could contradict each other.
 */
function settingsOf({ metrics, with: extras, ...query }: JoinQuery, format: JoinFormat): JsonObject {
  const sent: JsonObject = {
    ...query,
    ...(metrics === undefined ? {} : { metrics: metrics.split(',') }),
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

/** A slow reader pauses the response. Spooling it would only copy bytes that are already in memory. */
const noBudget = new SpoolBudget(0)

async function answerJoin(
  deps: JoinRouteDeps,
  context: RequestContext,
  sent: SentJoin,
  format: JoinFormat,
): Promise<Answer> {
  const { rights, subject } = context.authenticatedCaller
  const sender = joinSender(deps.access.rateLimiter, context)
  const { signal } = context.request
  // Computed before the join, because the bytes move to the thread.
  const tag = joinTag(rights, sent, format)
  const joined = await deps.perKeyLimit.use(subject, () => runJoin(deps, sender, sent, format, signal))
  const headers = joinHeaders(deps.markets, joined, format, tag)
  const body = spool(chunksOf(joined.bytes, joined.release), joined.release, noBudget)
  return streamAnswer(context, body, headers, compressions.marketRows)
}

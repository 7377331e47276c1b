import { Elysia } from 'elysia'
import { type JoinFormat, joinMediaTypes } from '../../backtest/asOf/request.ts'
import type { JsonObject } from '../../backtest/codec/jsonReader.ts'
import { ownBuffer } from '../../backtest/pool/computePool.ts'
import { Failure } from '../../errors.ts'
import { noticeHeaders } from '../../formats/notices.ts'
import { SpoolBudget, spool } from '../../formats/spool.ts'
import { contentTypes, dataHeaders, streamAnswer } from '../../http/answers.ts'
import { type BodyReader, formatOfBody } from '../../http/body.ts'
import { compressions } from '../../http/compression.ts'
import { type Answer, type RequestContext, withoutIdleTimeout } from '../../http/context.ts'
import { asFile } from '../../http/fileName.ts'
import { entityTag } from '../../http/headers.ts'
import { queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import { termsOf } from '../companies/terms.ts'
import { noteOf } from './description.ts'
import { joinOperation } from './documentation.ts'
import { type JoinDeps, runJoin } from './join.ts'
import { JoinQuery } from './schema.ts'

interface JoinRouteDeps extends JoinDeps {
  readonly bodies: BodyReader
  readonly perKeyLimit: { use<T>(subject: string, work: () => Promise<T>): Promise<T> }
}

const readQuery = queryReader(JoinQuery)

/** POST /api/v1/as-of: for rows of date and ticker what was known before each date. */
export function asOfJoinRoutes(http: HttpPlugin, deps: JoinRouteDeps) {
  return new Elysia({ name: 'asOfJoins' }).use(http).post(
    '/api/v1/as-of',
    ({ context }) => {
      const bodyFormat = formatOfBody(context.request.headers, joinMediaTypes)
      const sent = context.queryText === '' ? {} : readQuery(context.queryText)
      const { format = 'json', ...query } = withAcceptedFormat<JoinQuery>(context, sent)
      const settings = settingsOf(query, bodyFormat)
      return withoutIdleTimeout(context, () =>
        deps.bodies.use(context, bytes => answerJoin(deps, context, bytes, bodyFormat, settings, format)),
      )
    },
    { ...joinOperation, parse: 'none' },
  )
}

/** A JSON body has the settings itself: in two places they could differ. */
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
    `${name} as a query parameter is for bodies that have only rows: CSV, NDJSON and Parquet. Send it as a field of the JSON body.`,
    { param: name },
  )
}

/** A reader who is slower than the answer stops it. It is in memory already, and needs no second copy. */
const noBudget = new SpoolBudget(0)
const chunkBytes = 512 * 1_024

async function answerJoin(
  deps: JoinRouteDeps,
  context: RequestContext,
  bytes: Uint8Array<ArrayBuffer>,
  bodyFormat: JoinFormat,
  query: JsonObject,
  format: JoinFormat,
): Promise<Answer> {
  const { principal, subject } = context.authenticatedCaller
  const { signal } = context.request
  // Hashed before the join: the bytes move to the thread and are gone here.
  const request = `as-of ${principal.licence} ${bodyFormat} ${format} ${JSON.stringify(query)} ${Bun.hash.xxHash64(bytes)}`
  const sent = { body: ownBuffer(bytes), format: bodyFormat, query }
  const joined = await deps.perKeyLimit.use(subject, () => runJoin(deps, principal, sent, format, signal))
  const { about, release } = joined
  const notices = {
    licence: about.licence === undefined ? null : { text: about.licence, address: '' },
    attribution: about.attribution,
    note: noteOf(about),
  }
  const terms = termsOf(deps.markets, about.markets)
  const headers = {
    ...dataHeaders(contentTypes[format], entityTag(joined.dataVersion, request)),
    ...asFile(format, 'as-of', joined.metrics, about.fp),
    ...(format === 'json'
      ? {}
      : noticeHeaders({
          ...notices,
          registerTerms: terms.registerTerms,
          licence: notices.licence && { ...notices.licence, address: terms.licenceAddress },
        })),
  }
  const body = spool(chunksOf(joined.bytes, release), release, noBudget)
  return streamAnswer(context, body, headers, compressions.marketRows)
}

/** Copies, because a body cannot be sent from shared memory. */
async function* chunksOf(bytes: Uint8Array, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (let at = 0; at < bytes.length; at += chunkBytes)
      yield new Uint8Array(bytes.subarray(at, at + chunkBytes))
  } finally {
    release()
  }
}

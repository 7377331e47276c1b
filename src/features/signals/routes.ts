import { Elysia } from 'elysia'
import type { IsoDate } from '../../dates.ts'
import { readOutputFormat } from '../../formats/columns.ts'
import { contentTypes, dataHeaders, notModified, streamAnswer } from '../../http/answers.ts'
import type { CursorSigner } from '../../http/cursor.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { entityTag } from '../../http/etag.ts'
import { asFile } from '../../http/fileName.ts'
import { queryReader } from '../../http/parameters.ts'
import { answerPinned, type Pinnable } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import type { Sql } from '../../postgres/client.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import { planSignals } from './plan.ts'
import { SignalList, SignalsQuery } from './schema.ts'
import { openSignals } from './stream.ts'

interface SignalStore {
  readonly sql: Sql
  readonly readLimiter: ReadLimiter
  readonly dataVersion: () => number
}

interface SignalsDeps extends SignalStore, Pinnable<SignalStore> {
  readonly today: () => IsoDate
  readonly cursors: CursorSigner
}

const readQuery = queryReader(SignalsQuery)

/** GET /api/v1/signals. Streamed, so that memory does not grow with the number of rows. */
export function signalsRoutes(http: HttpPlugin, deps: SignalsDeps) {
  return new Elysia({ name: 'signals' }).use(http).get(
    '/api/v1/signals',
    ({ context }) => {
      const query = withAcceptedFormat(context, readQuery(context.queryText))
      const { rights, subject } = context.authenticatedCaller
      const plan = planSignals(deps, rights, query)
      const output = readOutputFormat(query)
      rights.requireVersion(query.data_version, 'signals', null)
      return answerPinned(deps, context, query.data_version, async deps => {
        const tag = entityTag(deps.dataVersion(), `${output.key} ${plan.cacheKey}`)
        const own = dataHeaders(contentTypes[output.format], tag)
        const same = notModified(context, own)
        if (same !== null) return same
        const { signal } = context.request
        const { next, body, headers } = await deps.readLimiter.openStream(subject, signal, () =>
          openSignals(deps, plan, output.format, signal, output.comments),
        )
        if (next !== null) own['X-Next-Cursor'] = next
        const ends = query.to ?? plan.viewEnds ?? deps.today()
        const of = [query.market, query.horizon].flatMap(part => part ?? [])
        const file = asFile(output.format, 'signals', ...of, ends)
        return streamAnswer(context, body, { ...own, ...headers, ...file })
      })
    },
    { ...signalsOperation },
  )
}

const signalsOperation = operation({
  id: 'getSignals',
  tag: 'Signals',
  summary: 'Forecasts and their outcomes',
  description:
    'One row per name, day and horizon, with the forecast and the realised return, both as fractions (0.025 is +2.5%). Only resolved rows are served. Without the quant plan, the view ends 90 days before today. Newest first; `next` continues after `limit` rows (in other formats the header X-Next-Cursor).',
  access: 'key',
  query: SignalsQuery,
  example: { horizon: '1d', limit: 5 },
  answer: {
    schema: SignalList,
    description: 'The rows, by date (newest first), ticker and horizon.',
    headers: ['X-Next-Cursor'],
    examples: { delayed: { summary: 'The delayed view of the demo key', value: answers.signals } },
    rows: { csv: answers.signals_csv, ndjson: answers.signals_ndjson },
  },
  errors: ['licence_required', 'compute_busy', 'statement_timeout'],
  data: true,
})

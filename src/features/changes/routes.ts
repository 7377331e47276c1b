import { Elysia } from 'elysia'
import type { IsoDate } from '../../dates.ts'
import { readOutputFormat } from '../../formats/columns.ts'
import { renderList } from '../../formats/rows.ts'
import { cacheable, contentTypes, respondFromCache } from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import type { CursorSigner } from '../../http/cursor.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { asFile } from '../../http/fileName.ts'
import { queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import type { Markets } from '../../markets/markets.ts'
import type { Sql } from '../../postgres/client.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import { openMarkets } from '../bulk/openMarkets.ts'
import { listChanges } from './changes.ts'
import { ChangeList, ChangesQuery, changeSheet } from './schema.ts'

interface ChangesDeps {
  readonly sql: Sql
  readonly markets: Markets
  readonly settings: { readonly allowUnverifiedMarkets: readonly string[] }
  readonly responses: ResponseCache
  readonly readLimiter: ReadLimiter
  readonly dataVersion: () => number
  readonly today: () => IsoDate
  readonly cursors: CursorSigner
}

const readQuery = queryReader(ChangesQuery)

/** GET /api/v1/changes: what was added, ended and removed since a data version, for those who keep a copy. */
export function changesRoutes(http: HttpPlugin, deps: ChangesDeps) {
  const manifests = openMarkets(deps.markets.manifests, deps.settings.allowUnverifiedMarkets)
  const registerTerms = manifests.map(({ licence }) => licence.url)
  return new Elysia({ name: 'changes' }).use(http).get(
    '/api/v1/changes',
    ({ context }) => {
      const query = withAcceptedFormat(context, readQuery(context.queryText))
      const { rights, subject } = context.authenticatedCaller
      rights.requireBulk('Changes of the whole data')
      const output = readOutputFormat(query)
      const today = deps.today()
      const { since, since_day, cursor, limit, filings } = query
      const response = cacheable(
        `changes ${output.key} ${JSON.stringify([today, since, since_day, cursor, limit, filings])}`,
        contentTypes[output.format],
        async () => {
          const list = await deps.readLimiter.run(subject, () => listChanges(deps, query, today, manifests))
          const body = await renderList(output, changeSheet, list, { licenceAddress: '', registerTerms })
          const headers = { ...body.headers, ...asFile(output.format, 'changes', String(since), list.as_of) }
          return { ...body, headers, next: list.next }
        },
        compressions.marketRows,
      )
      return respondFromCache(deps.responses, context, deps.dataVersion(), response)
    },
    { ...changesOperation },
  )
}

const changesOperation = operation({
  id: 'listChanges',
  tag: 'Bulk',
  summary: 'What changed since a data version',
  description:
    'What was added, ended and removed since `since`, in order, page by page. A bulk release with these changes applied is an exact copy of the data at `data_version`, on the day `as_of`: store rows that were `added` or `ended` under their key (`entity`, `metric`, `fp`, `period_end`, `filed`, `accession`), delete rows that were `removed`, and change the ID of a company that was `renamed`. All pages lead to one data version, whatever is imported meanwhile. A figure whose filing day is later than its import appears on its filing day. With `filings=true` a filing that becomes known in full, or whose content is replaced, is one row `filing`: read it again with GET /api/v1/reported, /statements or the next bulk release.\n\nRequires the redistribution licence, or an OEM licence whose order form includes it.',
  access: 'key',
  query: ChangesQuery,
  example: { since: 1 },
  answer: {
    schema: ChangeList,
    description: 'The changes, in order.',
    headers: ['X-Next-Cursor'],
    examples: { changes: { summary: 'The first changes', value: answers.changes } },
    rows: { csv: answers.changes_csv, ndjson: answers.changes_ndjson },
  },
  errors: ['licence_required', 'compute_busy', 'statement_timeout'],
  data: true,
})

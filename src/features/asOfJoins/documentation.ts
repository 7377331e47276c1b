import { AsOfJoinRequest } from '../../backtest/asOf/request.ts'
import { bodyMediaTypes, joinMediaTypes } from '../../formats/mediaTypes.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import joinJobs from '../../http/docs/examples/joinJobs.json' with { type: 'json' }
import requests from '../../http/docs/examples/requests.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { AsOfJoinJob } from './jobSchema.ts'
import { AsOfJoin, JoinQuery } from './schema.ts'

const description = `Rows of date and ticker in, one column per metric out, in the order sent: what was known of each company before each date.

The value is that of the latest period of which a figure was filed strictly before the date, at the vintage that was current then. A filing of the date itself may come after the close, so it does not count; \`inclusive\` counts it. An amendment of an old year does not displace the newest year, as it does where filings are joined by their day alone.

\`max_age_days\` leaves out what is too old on the date of the row. \`with\` adds columns \`<metric>_end\` and \`<metric>_filed\` and, for rows with a column \`time\`, \`<metric>_known_by\`. Tickers that name no company are in \`unknown\`, and their rows have null. A ticker means the company that had it on the date of the row, if a source on record says which company that was; \`unmatched\` lists the days on which no company on record had it. If no source says anything about a ticker, it means today's company, former IDs included. \`lineage=follow\` also reads the figures of a company's predecessors and successors.

The body is JSON by columns, CSV, NDJSON, Parquet or an Arrow IPC stream, the answer what \`format\` names. All but JSON have the columns date and ticker, and take the settings as query parameters. Up to 100 columns of other names come back unchanged, in the order sent, before those of the metrics; one that the join itself adds is refused. Up to 5,000,000 rows of 100,000 tickers, and 20 metrics. The demo key (by address, and five times as many by network) and free keys may join 100,000 rows a minute: more are refused before they are joined, with \`rate_limited_minute\` and \`Retry-After\`, or with \`body_too_large\` if one body has more. Parquet and Arrow are the fastest and smallest both ways.

With \`Prefer: respond-async\`, the response is 202 once body, rights and data version are checked, with the stored join (the schema \`AsOfJoinJob\`) and its URL in \`Location\`. It runs even if this connection closes or this server stops. Follow it with \`GET /api/v1/as-of/{id}\`; its \`result_url\` has the bytes of the synchronous answer. An Idempotency-Key counts only then. At most 256 MB compressed are stored of a result, and 2 GB of all results of a key: the oldest are deleted first. Not with the demo key.

Requires a licence that includes \`as_of\`; the demo key and free keys may join the flagship companies. With an evaluation key every company of the rows counts as seen.`

export const arrowMedia = {
  [joinMediaTypes.arrow[0]]: {
    schema: {
      type: 'string',
      format: 'binary',
      description:
        'format=arrow: an IPC stream with a record batch for each 131,072 rows, compressed with zstd inside; days are date32, values float64.',
    },
  },
} as const

export const joinOperation = operation({
  id: 'joinAsOf',
  tag: 'Fundamentals',
  summary: 'What was known before each date, for rows of date and ticker',
  description,
  access: 'key',
  query: JoinQuery,
  body: {
    schema: AsOfJoinRequest,
    types: bodyMediaTypes,
    description: 'The rows, and the metrics to join to them.',
    texts: { 'text/csv': requests.as_of_csv, 'application/x-ndjson': requests.as_of_ndjson },
    examples: {
      apple: {
        summary: 'The fiscal year 2009 of Apple before and after its restatement',
        value: requests.as_of,
      },
    },
  },
  answer: {
    schema: AsOfJoin,
    description: 'The columns of the rows, followed by those of the metrics.',
    headers: ['ETag'],
    examples: { apple: { summary: 'The answer to the example `apple`', value: answers.as_of } },
    rows: { csv: answers.as_of_csv, ndjson: answers.as_of_ndjson },
    media: arrowMedia,
  },
  idempotent: true,
  accepted: {
    schema: AsOfJoinJob,
    description:
      'With `Prefer: respond-async`: the stored join, which will run. Location is its URL; Retry-After is absent once it has ended.',
    example: joinJobs.queued,
  },
  errors: [
    'licence_required',
    'entity_cap_reached',
    'idempotency_in_flight',
    'idempotency_reused',
    'compute_timeout',
    'statement_timeout',
  ],
  data: false,
})

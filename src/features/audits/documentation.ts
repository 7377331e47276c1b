import { AuditRequest, maxFiledCompanies } from '../../backtest/audit/request.ts'
import { bodyMediaTypes } from '../../formats/mediaTypes.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import auditJobs from '../../http/docs/examples/auditJobs.json' with { type: 'json' }
import requests from '../../http/docs/examples/requests.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { Audit, AuditJob, AuditParams, AuditQuery, AuditResultQuery } from './schema.ts'

const description = `Rows of date, ticker and values in; out comes, for each value, whether it could have been known on that date.

Each cell gets the first of these states that applies: \`known\`, \`rounded\`, \`announced\` (filed later, but a Form 8-K with Item 2.02 had made the period public), \`stale\`, \`restated\`, \`early\`, \`other_company\`, \`no_match\`, \`not_covered\`. A value is compared with every vintage on record of the company, of its predecessors and successors, and of other companies that have had the same symbol. What was known follows the same rule as in \`POST /api/v1/as-of\`: figures filed strictly before the date, with \`inclusive\` also on it; a column \`time\` in place of \`date\` asks for instants.

Every column of numbers is audited unless \`columns\` names some. Its metric is found from its name or its values; the kind of period (fiscal years, quarters, trailing twelve months), scale, sign, rounding and adjustment for splits from its values. \`reading\` says what was found and how sure it is, and every part of it can be set in \`columns\`.

A column may also be a tag (\`{"tag": "us-gaap:InventoryNet"}\`, or the tag alone) or a standard line (\`{"line": "inventory"}\`). Its vintages are then read from the whole filings of the companies: what each filing states of the whole company for years (FY), quarters and instants (Q), or under tags that it presents on that line. A later filing that repeats or rounds a value makes no vintage. Such rows have dates, at most ${maxFiledCompanies} companies with their predecessors and successors, and no trailing twelve months. A column called like a tag or a standard line is one, unless its name is also that of a metric.

\`<column>_known\` is the corrected column. \`worst\` lists the cells that look ahead the furthest, with their filings. If the rows have \`forward_return\`, \`premium\` says what the look-ahead would have earned: the Sharpe ratio of the same backtest on the values as sent minus that on the values as known, with a bootstrap interval, with and without announced values.

The body is JSON by columns, CSV, NDJSON, Parquet or an Arrow IPC stream. More than 200,000 rows, or \`Prefer: respond-async\`, make the audit a job: the response is 202 with its URL in \`Location\`. Its result has the report as JSON and HTML, and the rows in the \`format\` of the request. At most 25,000,000 cells. Rows and companies count as those of as-of joins do.`

const html =
  'With format=html, or if Accept prefers HTML: the report as a page without scripts or external resources.'

export const auditOperation = operation({
  id: 'auditRows',
  tag: 'Fundamentals',
  summary: 'Which cells of your own data could not have been known',
  description,
  access: 'key',
  query: AuditQuery,
  body: {
    schema: AuditRequest,
    types: bodyMediaTypes,
    description: 'The rows, and how their columns are to be read.',
    texts: { 'text/csv': requests.audit_csv },
    examples: {
      apple: { summary: 'Revenue of Apple before and after its restatement of 2009', value: requests.audit },
    },
  },
  answer: {
    schema: Audit,
    description: 'The report and the rows.',
    headers: ['ETag'],
    examples: { apple: { summary: 'The answer to the example `apple`', value: answers.audit } },
    rows: { csv: answers.audit_csv, ndjson: answers.audit_ndjson },
    html,
  },
  idempotent: true,
  accepted: {
    schema: AuditJob,
    description:
      'For more than 200,000 rows or with `Prefer: respond-async`: the stored audit, which will run.',
    example: auditJobs.queued,
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

const errors = ['licence_required', 'entity_unknown', 'statement_timeout'] as const

export const auditJobOperation = operation({
  id: 'getAudit',
  tag: 'Fundamentals',
  summary: 'Progress of an audit',
  description:
    'The state of an audit that runs as a job, and at the end the path of its result or its error. A finished audit is deleted with its result after 7 days.',
  access: 'key',
  path: AuditParams,
  answer: {
    schema: AuditJob,
    description: 'The audit.',
    examples: { succeeded: { summary: 'An audit that succeeded', value: auditJobs.succeeded } },
  },
  errors: [...errors],
  data: true,
})

export const auditResultOperation = operation({
  id: 'getAuditResult',
  tag: 'Fundamentals',
  summary: 'Result of an audit',
  description:
    'The report as JSON or HTML, or the rows in the format of the request. 409 until the audit has succeeded.',
  access: 'key',
  path: AuditParams,
  query: AuditResultQuery,
  answer: {
    schema: Audit,
    description: 'The report and the rows.',
    examples: { apple: { summary: 'An audit of Apple', value: answers.audit } },
    rows: { csv: answers.audit_csv, ndjson: answers.audit_ndjson },
    html,
  },
  errors: [...errors, 'conflict'],
  data: true,
})

export const cancelAuditOperation = operation({
  id: 'cancelAudit',
  tag: 'Fundamentals',
  summary: 'Cancel an audit',
  description:
    'Cancels a queued or running audit. One that has already ended does not change; the response states how it ended.',
  access: 'key',
  path: AuditParams,
  answer: {
    schema: AuditJob,
    description: 'The audit, which has ended.',
    examples: { cancelled: { summary: 'Cancelled while it ran', value: auditJobs.cancelled } },
  },
  errors: [...errors],
  data: false,
})

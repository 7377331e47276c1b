import { type Static, Type } from '@sinclair/typebox'
import { carriedValue } from '../../backtest/asOf/request.ts'
import { AuditRequest } from '../../backtest/audit/request.ts'
import { AuditedColumn, ColumnPremium, maxWorstCells, WorstCell } from '../../backtest/audit/result.ts'
import { StateCounts } from '../../backtest/audit/states.ts'
import { jobFacts } from '../../jobs/facts.ts'
import type { Job } from '../../jobs/job.ts'
import { jobError, jobFields, jobParams } from '../../jobs/schema.ts'

const strict = { additionalProperties: false } as const

export const auditFormats = ['json', 'csv', 'ndjson', 'parquet', 'html'] as const
export type AuditFormat = (typeof auditFormats)[number]

const AuditFormatSchema = Type.Optional(
  Type.Union(
    auditFormats.map(format => Type.Literal(format)),
    {
      default: 'json',
      description:
        'json: the report and the rows. csv, ndjson and parquet: the rows as sent, with the columns of the audit. html: the report as a page.',
    },
  ),
)

const text = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, description, examples: [example] }))
const { inclusive, max_age_days, forward_return, data_version } = AuditRequest.properties
const asThere = { description: 'With a body other than JSON: as there.' }

export const AuditQuery = Type.Object(
  {
    format: AuditFormatSchema,
    columns: text('With a body other than JSON: `columns` as JSON.', '{"sales":"revenue"}'),
    inclusive: { ...inclusive, ...asThere, examples: [false] },
    max_age_days: { ...max_age_days, ...asThere },
    with: text('With a body other than JSON: `filing`, `filed` and `end`, comma-separated.', 'filing,filed'),
    forward_return: { ...forward_return, ...asThere },
    config: text('With a body other than JSON: `config` as JSON.', '{"quantile":0.2}'),
    data_version: { ...data_version, ...asThere },
  },
  strict,
)
export type AuditQuery = Static<typeof AuditQuery>

const head = {
  object: Type.Literal('audit', { description: 'Always audit.' }),
  count: Type.Integer({ description: 'Rows, as many as were sent.' }),
  data_version: Type.Integer({ description: 'The data version of every figure.' }),
  known: Type.Union(
    [
      Type.Literal('filed before the date'),
      Type.Literal('filed on or before the date'),
      Type.Literal('public by the time'),
    ],
    { description: 'Which figures counted as known, relative to the date or time of a row.' },
  ),
  max_age_days: Type.Union([Type.Integer(), Type.Null()], { description: 'null: no bound.' }),
  counts: StateCounts,
  columns: Type.Array(AuditedColumn, { description: 'The audited columns, in the order of the rows.' }),
  ignored: Type.Array(Type.String(), {
    description:
      'Columns of numbers that were left out, because neither their names nor their values say what they contain.',
  }),
  worst: Type.Array(WorstCell, {
    maxItems: maxWorstCells,
    description:
      'The cells that look ahead by the most days, at most 100: early, restated, announced and of other companies.',
  }),
  premium: Type.Array(ColumnPremium, {
    description:
      'With forward returns: the difference between a backtest with each column as the score and the same one with what was known. Whatever differs from the known figure is in it, stale values included. Empty without returns. Requires the quant plan, as a backtest does.',
  }),
  unknown: Type.Array(Type.String(), {
    description: 'Tickers that name no company, as they were sent: the first 100.',
  }),
  unknown_count: Type.Integer({ description: 'All tickers that name no company, each once.' }),
  licence: Type.Optional(Type.String({ description: 'With a demo or free key.' })),
  attribution: Type.Array(Type.String(), {
    description: 'Statutory attribution of each market whose companies are in the rows.',
  }),
}

/** An audit without its rows. */
export const AuditHead = Type.Object(head, { ...strict, $id: 'AuditReport' })
export type AuditHead = Static<typeof AuditHead>

export const Audit = Type.Object(
  {
    ...head,
    rows: Type.Optional(
      Type.Object(
        {
          date: Type.Optional(Type.Array(Type.String({ format: 'date' }))),
          ticker: Type.Array(Type.String()),
        },
        {
          additionalProperties: Type.Array(carriedValue),
          $id: 'AuditAnswerRows',
          description:
            'The columns as sent, then for each audited column `<column>_state`, `<column>_known` (the corrected column: what was known, read like the column), `<column>_days` (from the row to the filing of the figure that the cell equals; positive: it was filed later), and those of `with`. Absent from the result of a job that was asked for another format.',
        },
      ),
    ),
  },
  { ...strict, $id: 'Audit' },
)
export type Audit = Static<typeof Audit>

/** An audit that runs as a job. */
export const AuditJob = Type.Object(
  {
    object: Type.Literal('audit_job', { description: 'Always audit_job.' }),
    ...jobFields({
      noun: 'audit',
      progressId: 'AuditProgress',
      done: 'Rows that are audited: all of them at the end.',
      total: 'Rows, as many as were sent.',
      versioned: 'store',
      dataVersion: 'Data version of every figure of the result; null until it has succeeded.',
    }),
    result_url: Type.Union([Type.String(), Type.Null()], {
      description: 'Path of the result, to which format can be added; null unless it succeeded.',
    }),
    error: jobError,
  },
  { ...strict, $id: 'AuditJob' },
)
export type AuditJob = Static<typeof AuditJob>

export const AuditParams = jobParams(
  'the id of an audit',
  'The `id` of an audit that runs as a job.',
  '019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c56',
)

export const AuditResultQuery = Type.Object({ format: AuditFormatSchema }, strict)
export type AuditResultQuery = Static<typeof AuditResultQuery>

/** An audit's job as responses describe it. */
export function auditSummary(job: Job, baseUrl: string): AuditJob {
  const { error, ...facts } = jobFacts(job, baseUrl)
  const url = `/api/v1/audits/${job.id}`
  return {
    object: 'audit_job',
    ...facts,
    url,
    result_url: job.state === 'succeeded' ? `${url}/result` : null,
    error,
  }
}

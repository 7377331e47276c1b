import { type Static, Type } from '@sinclair/typebox'
import { uuid } from '../../jobs/facts.ts'
import { BacktestJobParams } from '../backtests/submitted/schema.ts'
import type { SharedReport } from './queries.ts'

const strict = { additionalProperties: false } as const
const time = (description: string) => Type.String({ format: 'date-time', description })

export const defaultDays = 30
export const maxDays = 90
/** Each of them keeps a backtest with its result. */
export const maxOpenReports = 20

const fields = {
  object: Type.Literal('shared_report', { description: 'Always shared_report.' }),
  id: Type.String({ format: 'uuid', description: 'Id of the address, with which it can be closed.' }),
  backtest: Type.String({ format: 'uuid', description: 'Id of the backtest.' }),
  created_at: time('When the address was made.'),
  expires_at: time('When the address stops working.'),
}

export const SharedReportFacts = Type.Object(fields, { ...strict, $id: 'SharedReportFacts' })

export const SharedReportAddress = Type.Object(
  {
    ...fields,
    url: Type.String({
      description:
        'The public address. Only its digest is stored, so no later response has it: keep it if you need it.',
    }),
  },
  { ...strict, $id: 'SharedReportAddress' },
)

export const SharedReportList = Type.Object(
  {
    object: Type.Literal('shared_report_list', { description: 'Always shared_report_list.' }),
    count: Type.Integer({ minimum: 0, description: 'Addresses in `data`.' }),
    data: Type.Array(SharedReportFacts, { description: 'The addresses that work, newest first.' }),
  },
  { ...strict, $id: 'SharedReportList' },
)

export const ClosedReport = Type.Object(
  {
    object: Type.Literal('shared_report', { description: 'Always shared_report.' }),
    id: fields.id,
    deleted: Type.Literal(true, { description: 'Always true.' }),
  },
  { ...strict, $id: 'ClosedReport' },
)

export const ShareParams = Type.Object(
  {
    id: BacktestJobParams.properties.id,
    share: Type.String({
      pattern: uuid,
      allowed: 'the id of a shared report',
      description: 'The `id` of a shared report.',
      examples: ['7b1f3f0e-6d5c-4a53-9a9d-2f6f6a1f0c11'],
    }),
  },
  strict,
)

export const ShareQuery = Type.Object(
  {
    expires_in_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxDays,
        default: defaultDays,
        description: 'After how many days the address stops working.',
        examples: [defaultDays],
      }),
    ),
  },
  strict,
)

/** A shared report as responses describe it, without its address. */
export function reportFacts({
  id,
  jobId,
  createdAt,
  expiresAt,
}: SharedReport): Static<typeof SharedReportFacts> {
  return {
    object: 'shared_report',
    id,
    backtest: jobId,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  }
}

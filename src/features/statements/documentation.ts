import { Type } from '@sinclair/typebox'
import type { ErrorCode } from '../../errors.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { ReportedList, ReportedQuery } from './reportedSchema.ts'
import { SegmentsAnswer, SegmentsQuery } from './segmentsSchema.ts'
import { StandardStatementAnswer } from './standardSchema.ts'
import { StatementAnswer, StatementQuery } from './statementSchema.ts'

const access =
  'Demo and free keys see the flagship companies only, because a filing cannot be cut to one fiscal year; with an evaluation key the company counts as seen.'

const errors: readonly ErrorCode[] = [
  'licence_required',
  'entity_unknown',
  'entity_cap_reached',
  'compute_busy',
  'statement_timeout',
]

const AnyStatement = Type.Union([StatementAnswer, StandardStatementAnswer], {
  $id: 'AnyStatement',
  description: '`object` says whether it has the lines of the company or standard lines (view=standard).',
})

export const statementOperation = operation({
  id: 'getStatement',
  tag: 'Statements',
  summary: 'A statement as the company presented it, as known on a day',
  description: `The lines of an income statement, balance sheet or another statement in the company's own order and words, with every figure exactly as stated. \`view=as_known\` starts from the latest presentation by \`as_of\` and adds columns from earlier filings; a cell names the filing that states it. An amendment that restates one statement changes that one alone. \`view=as_filed\` shows one filing. \`view=standard\` gives the columns of \`as_known\` under standard line names, each value with the lines that it comes from and a state that says how it was checked; a line with two readings is listed in \`missing\`. In CSV, NDJSON and Parquet there is a row per cell.\n\n${access}`,
  access: 'key',
  query: StatementQuery,
  example: { ticker: 'AAPL', statement: 'income' },
  answer: {
    schema: AnyStatement,
    description: 'The statement.',
    examples: {
      apple: { summary: "Apple's income statement", value: answers.statement },
      standard: {
        summary: 'view=standard: the same under standard line names',
        value: answers.standard_statement,
      },
    },
    rows: { csv: answers.statement_csv, ndjson: answers.statement_ndjson },
  },
  errors,
  data: true,
})

export const reportedOperation = operation({
  id: 'getReported',
  tag: 'Statements',
  summary: 'Every figure of a tag through time, with each filing that states it',
  description: `All figures that a company's filings state under one tag, any of the filing's own: exactly as stated, with unit, accuracy, period and dimensions. A figure that a filing repeats is one row; the same figure in several filings is several rows, its vintages. A page covers 60 filings at most, the latest first, and may have no rows although \`next\` (in other formats the header X-Next-Cursor) continues.\n\n${access}`,
  access: 'key',
  query: ReportedQuery,
  example: { ticker: 'AAPL', tag: 'us-gaap:NetIncomeLoss' },
  answer: {
    schema: ReportedList,
    description: 'One row per figure and filing, in a stable order.',
    headers: ['X-Next-Cursor'],
    examples: { apple: { summary: "Apple's net income", value: answers.reported } },
    rows: { csv: answers.reported_csv, ndjson: answers.reported_ndjson },
  },
  errors,
  data: true,
})

export const segmentsOperation = operation({
  id: 'getSegments',
  tag: 'Statements',
  summary: 'A metric by product, region or segment, beside its total',
  description: `How a filing divides a figure: the members with the company's labels, their exact sum, the total of the same filing and period, and the difference. All figures come from one filing: the latest by \`as_of\`, or with \`fp\` and \`fy\` the latest that divides that period. Only figures that the filing divides along this axis alone are members. A difference need not be an error: a company may leave parts out, or reconcile segments with the whole. In CSV, NDJSON and Parquet there is a row per member.\n\n${access}`,
  access: 'key',
  query: SegmentsQuery,
  example: { ticker: 'AAPL', metric: 'revenue', axis: 'product' },
  answer: {
    schema: SegmentsAnswer,
    description: 'One breakdown per period and presentation.',
    examples: { apple: { summary: "Apple's revenue by product", value: answers.segments } },
    rows: { csv: answers.segments_csv, ndjson: answers.segments_ndjson },
  },
  errors,
  data: true,
})

import type { ErrorCode } from '../../errors.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
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

export const statementOperation = operation({
  id: 'getStatement',
  tag: 'Statements',
  summary: 'A statement as the company presented it, as known on a day',
  description: `The lines of an income statement, balance sheet or another statement in the company's own order and words, with every figure exactly as stated. \`view=as_known\` starts from the latest presentation by \`as_of\` and adds columns from earlier filings; a cell names the filing that states it. An amendment that restates one statement changes that one alone. \`view=as_filed\` shows one filing. In CSV, NDJSON and Parquet there is a row per cell.\n\n${access}`,
  access: 'key',
  query: StatementQuery,
  example: { ticker: 'AAPL', statement: 'income' },
  answer: {
    schema: StatementAnswer,
    description: 'The statement.',
    examples: { apple: { summary: "Apple's income statement", value: answers.statement } },
    rows: { csv: answers.statement_csv, ndjson: answers.statement_ndjson },
  },
  errors,
  data: true,
})

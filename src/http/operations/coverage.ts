import { CoverageCheck, CoverageCheckParams } from '../../model/coverage.ts'
import answers from '../examples/answers.json' with { type: 'json' }
import { operation } from './operation.ts'

export const coverageOperation = operation({
  id: 'getCoverage',
  tag: 'Fundamentals',
  summary: 'What is on file of a company',
  description:
    'Takes any ID that a register uses (an SEC CIK, a Korean corporate code, a company number with or without suffix) and answers with the `ticker` to send, the first and last filing, and the periods of each metric, or why there are none.',
  entry: 'key',
  path: CoverageCheckParams,
  tried: { id: '320193' },
  answer: {
    schema: CoverageCheck,
    description: 'What is on file.',
    examples: {
      cik: { summary: 'A company named by its SEC CIK (list shortened)', value: answers.coverage_check },
    },
  },
  errors: ['parameter_invalid', 'entity_unknown', 'statement_timeout'],
  data: true,
})

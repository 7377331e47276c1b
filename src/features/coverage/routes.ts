import { Elysia } from 'elysia'
import { jsonType, keptAnswer, toKeep } from '../../http/answers.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import type { RouteMaker } from '../../http/handler.ts'
import { noQuery, pathReader } from '../../http/parameters.ts'
import type { BodyCache } from '../../http/responseCache.ts'
import type { Services } from '../../http/services.ts'
import { CoverageCheck, CoverageCheckParams } from './schema.ts'

const prefix = '/api/v1/coverage/'
const readId = pathReader('id', CoverageCheckParams.properties.id)

/** GET /api/v1/coverage/{id}: what is on file of whoever any ID of a register names. */
export function coverage(services: Services, route: RouteMaker, cache: BodyCache) {
  const handle = route('/api/v1/coverage/{id}', 'key', call => {
    noQuery(call)
    const id = readId(call.path.slice(prefix.length).replace(/\/$/, ''))
    const { principal } = call.knownCaller
    const make = async () => JSON.stringify(await services.checkCoverage(principal, id))
    const key = `check ${principal.licence} ${services.today()} ${id}`
    return keptAnswer(cache, call, services.dataVersion(), toKeep(key, jsonType, make))
  })
  return new Elysia().get('/api/v1/coverage/:id', ({ request }) => handle(request), {
    detail: coverageOperation,
  })
}

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

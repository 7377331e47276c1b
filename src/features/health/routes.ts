import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import type { Answer } from '../../http/context.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import type { RouteMaker } from '../../http/handler.ts'
import { answerHeaders } from '../../http/headers.ts'
import { noQuery } from '../../http/parameters.ts'
import type { Services } from '../../http/services.ts'

const headers = answerHeaders({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
const answer = (body: object): Answer => ({ status: 200, headers, body: JSON.stringify(body) })

/** /health: the process lives. /ready: it can answer, so send it requests. Neither is counted. */
export function health(services: Services, route: RouteMaker) {
  const alive = route('/health', 'open', call => {
    noQuery(call)
    return answer({ object: 'health', status: 'ok', version: services.settings.version })
  })
  const ready = route('/ready', 'open', async call => {
    noQuery(call)
    const wrong = await services.readiness()
    if (wrong.length === 0) {
      return answer({ object: 'readiness', status: 'ready', data_version: services.dataVersion() })
    }
    throw new Failure('database_unavailable', `Not ready: ${wrong.join('; ')}.`, { retryAfterSeconds: 2 })
  })
  return new Elysia()
    .get('/health', ({ request }) => alive(request), { detail: healthOperation })
    .get('/ready', ({ request }) => ready(request), { detail: readyOperation })
}

const strict = { additionalProperties: false } as const

export const healthOperation = operation({
  id: 'getHealth',
  tag: 'Operations',
  summary: 'Whether the process lives',
  description: 'Asks nothing of the database. No key, not counted.',
  entry: 'open',
  answer: {
    schema: Type.Object(
      {
        object: Type.Literal('health'),
        status: Type.Literal('ok'),
        version: Type.String({ description: 'Version of the software.' }),
      },
      strict,
    ),
    description: 'It lives.',
    examples: { ok: { summary: 'It lives', value: answers.health } },
  },
  errors: [],
  data: false,
})

export const readyOperation = operation({
  id: 'getReadiness',
  tag: 'Operations',
  summary: 'Whether requests can be answered',
  description: 'Asks the database and the compute pool. 503 while either is away. No key, not counted.',
  entry: 'open',
  answer: {
    schema: Type.Object(
      {
        object: Type.Literal('readiness'),
        status: Type.Literal('ready'),
        data_version: Type.Integer({ description: 'The data version that is being served.' }),
      },
      strict,
    ),
    description: 'It can.',
    examples: { ready: { summary: 'It can', value: answers.readiness } },
  },
  errors: ['database_unavailable'],
  data: false,
})

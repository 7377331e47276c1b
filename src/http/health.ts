import { Elysia } from 'elysia'
import { Failure } from '../errors.ts'
import type { Answer } from './Call.ts'
import { answerHeaders } from './headers.ts'
import { noQuery } from './noQuery.ts'
import { healthOperation, readyOperation } from './operations/health.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'

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

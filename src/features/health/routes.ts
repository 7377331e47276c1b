import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import type { Answer } from '../../http/context.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { answerHeaders } from '../../http/headers.ts'
import { noQuery } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { isReachable, type Sql } from '../../postgres/client.ts'
import type { StorageWatch } from '../../postgres/storage.ts'

export interface HealthDeps {
  readonly sql: Sql
  readonly storage: StorageWatch
  readonly version: string
  readonly dataVersion: () => number
}

const pingTimeoutMs = 2_000
const headers = answerHeaders({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
const answer = (body: object): Answer => ({ status: 200, headers, body: JSON.stringify(body) })

/** /health: the process lives. /ready: it can answer, so send it requests. Neither is counted. */
export function healthRoutes(http: HttpPlugin, { sql, storage, version, dataVersion }: HealthDeps) {
  return new Elysia({ name: 'health' })
    .use(http)
    .get(
      '/health',
      ({ context }) => {
        noQuery(context)
        return answer({ object: 'health', status: 'ok', version })
      },
      { ...healthOperation },
    )
    .get(
      '/ready',
      async ({ context }) => {
        noQuery(context)
        const reachable = await isReachable(sql, pingTimeoutMs)
        if (await storage.isFull())
          throw new Failure('database_unavailable', 'Not ready: the disk of the database is full.', {
            retryAfterSeconds: 30,
          })
        if (reachable) return answer({ object: 'readiness', status: 'ready', data_version: dataVersion() })
        throw new Failure('database_unavailable', 'Not ready: the database does not answer.', {
          retryAfterSeconds: 2,
        })
      },
      { ...readyOperation },
    )
}

const strict = { additionalProperties: false } as const

const healthOperation = operation({
  id: 'getHealth',
  tag: 'Operations',
  summary: 'Whether the process lives',
  description: 'Asks nothing of the database. No key, not counted.',
  access: 'open',
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

const readyOperation = operation({
  id: 'getReadiness',
  tag: 'Operations',
  summary: 'Whether requests can be answered',
  description:
    'Asks the database. 503 while it does not answer, and while its disk is full. No key, not counted.',
  access: 'open',
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

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import type { Answer } from '../../http/context.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import type { Draining } from '../../http/draining.ts'
import { answerHeaders } from '../../http/headers.ts'
import { noQuery } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { isReachable, type Sql } from '../../postgres/client.ts'
import { isDamage } from '../../postgres/errors.ts'
import type { DamageWatch } from '../../postgres/integrity/damageWatch.ts'
import type { StorageWatch } from '../../postgres/storage.ts'
import { type Freshness, RegisterFreshness } from '../syncs/freshness.ts'

export interface HealthDeps {
  readonly sql: Sql
  readonly storage: StorageWatch
  readonly damage: Pick<DamageWatch, 'note' | 'warning'>
  readonly version: string
  readonly dataVersion: () => number
  readonly draining: Draining
  readonly freshness: Freshness
  readonly replicas?: { warnings(): string[] } | null
}

const pingTimeoutMs = 2_000
const headers = answerHeaders({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
const answer = (body: object): Answer => ({ status: 200, headers, body: JSON.stringify(body) })

/** /health: the process is running. /ready: it can serve requests. Neither counts towards a limit. */
export function healthRoutes(http: HttpPlugin, deps: HealthDeps) {
  const { sql, storage, damage, version, dataVersion, draining, freshness, replicas } = deps
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
        if (draining.active)
          throw new Failure('shutting_down', 'Not ready: this server is shutting down.', {
            retryAfterSeconds: 2,
          })
        const reachable = await isReachable(sql, pingTimeoutMs)
        if (await storage.isFull())
          throw new Failure('database_unavailable', 'Not ready: the disk of the database is full.', {
            retryAfterSeconds: 30,
          })
        const syncs = reachable ? await syncsInTime(freshness, damage) : null
        if (syncs !== null) {
          const damaged = await damage.warning()
          return answer({
            object: 'readiness',
            status: 'ready',
            data_version: dataVersion(),
            warnings: [...(damaged === null ? [] : [damaged]), ...(replicas?.warnings() ?? [])],
            syncs,
          })
        }
        throw new Failure('database_unavailable', 'Not ready: the database does not respond.', {
          retryAfterSeconds: 2,
        })
      },
      { ...readyOperation },
    )
}

/** Null if the database does not respond in time: one that is damaged here may serve everything else. */
function syncsInTime(
  freshness: Freshness,
  damage: Pick<DamageWatch, 'note'>,
): Promise<readonly RegisterFreshness[] | null> {
  const late = Bun.sleep(pingTimeoutMs).then(() => null)
  const syncs = freshness.syncs().catch(error => {
    damage.note(error)
    return isDamage(error) ? [] : null
  })
  return Promise.race([syncs, late])
}

const strict = { additionalProperties: false } as const

const healthOperation = operation({
  id: 'getHealth',
  tag: 'Operations',
  summary: 'Whether the process is running',
  description: 'Does not query the database. Requires no key and does not count towards any limit.',
  access: 'open',
  answer: {
    schema: Type.Object(
      {
        object: Type.Literal('health'),
        status: Type.Literal('ok'),
        version: Type.String({ description: 'Version of the software.' }),
      },
      { ...strict, $id: 'Health' },
    ),
    description: 'The process is running.',
    examples: { ok: { summary: 'Running', value: answers.health } },
  },
  errors: [],
  data: false,
})

const readyOperation = operation({
  id: 'getReadiness',
  tag: 'Operations',
  summary: 'Whether the service can handle requests',
  description:
    'Queries the database; 503 while it is unavailable, while its disk is full, and while this server is shutting down. Requires no key and does not count towards any limit.',
  access: 'open',
  answer: {
    schema: Type.Object(
      {
        object: Type.Literal('readiness'),
        status: Type.Literal('ready'),
        data_version: Type.Integer({ description: 'The data version that is being served.' }),
        warnings: Type.Array(Type.String(), {
          description: 'What the operator should change, although the service works.',
        }),
        syncs: Type.Array(RegisterFreshness, {
          description:
            'How current each market is, for markets that were ever fetched or are on the schedule.',
        }),
      },
      { ...strict, $id: 'Readiness' },
    ),
    description: 'The service is ready.',
    examples: { ready: { summary: 'Ready', value: answers.readiness } },
  },
  errors: ['database_unavailable', 'shutting_down'],
  data: false,
})

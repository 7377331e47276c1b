import { type Static, Type } from '@sinclair/typebox'
import type { Caller } from '../../access/authenticate.ts'
import { Failure } from '../../errors.ts'
import type { RequestContext } from '../../http/context.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import type { Sql } from '../../postgres/client.ts'
import { findStanding, type KeyStanding } from './standingQueries.ts'

const strict = { additionalProperties: false } as const
const orNull = <T extends ReturnType<typeof Type.Integer> | ReturnType<typeof Type.String>>(
  schema: T,
  description: string,
) => Type.Union([schema, Type.Null()], { description })

const perPeriod = (id: string, description: string, day: string) =>
  Type.Object(
    {
      minute: Type.Integer({ description: 'In the sliding minute.' }),
      day: orNull(Type.Integer(), day),
    },
    { ...strict, $id: id, description },
  )

const noCap = 'null: no daily cap.'

export const Me = Type.Object(
  {
    object: Type.Literal('me'),
    key: Type.String({ description: 'The beginning of the key, or demo.', examples: ['asf_live_4fT9aB2x'] }),
    licence: Type.String({ description: 'The licence of the key.', examples: ['evaluation'] }),
    quant: Type.Boolean({ description: 'Whether the key has the quant plan.' }),
    limits: perPeriod('MeLimits', 'Requests that the key may send.', noCap),
    used: perPeriod(
      'MeUsed',
      'Requests that counted, of all keys that share the budget.',
      'Since 00:00 UTC.',
    ),
    remaining: perPeriod('MeRemaining', 'Requests that are left.', noCap),
    entities: Type.Union(
      [
        Type.Object(
          { cap: Type.Integer(), used: Type.Integer(), remaining: Type.Integer() },
          { ...strict, $id: 'MeEntities' },
        ),
        Type.Null(),
      ],
      { description: 'Distinct companies that the key may ever see; null: all.' },
    ),
    bulk: Type.Boolean({ description: 'Whether the licence includes bulk files.' }),
    expires: orNull(
      Type.String({ format: 'date' }),
      'Last day of the licence (UTC, inclusive); null: no end.',
    ),
    retires: orNull(
      Type.String({ format: 'date-time' }),
      'When this key ends because it was rotated; null: it was not.',
    ),
  },
  { ...strict, $id: 'Me' },
)
export type Me = Static<typeof Me>

/** What the request's key may do and what remains of its budget. */
export async function describeCaller(sql: Sql, context: RequestContext): Promise<Me> {
  const caller = context.authenticatedCaller
  const { usage } = context
  if (usage === null) throw new Error('This route needs the access policy usage.')
  const key = caller.ownKeyId === null ? demoStanding(caller) : await findStanding(sql, caller.ownKeyId)
  if (key === null)
    throw new Failure('key_unknown', 'This API key does not exist.', { param: 'Authorization' })
  const { verdict, usedToday } = usage
  const { perMinute, perDay } = verdict.limits
  return {
    object: 'me',
    key: key.prefix,
    licence: key.licence,
    quant: key.quant,
    limits: { minute: perMinute, day: perDay },
    used: { minute: perMinute - verdict.minuteRemaining, day: usedToday },
    remaining: { minute: verdict.minuteRemaining, day: verdict.dayRemaining },
    entities:
      key.entityCap === null
        ? null
        : {
            cap: key.entityCap,
            used: key.entitiesUsed,
            remaining: Math.max(0, key.entityCap - key.entitiesUsed),
          },
    bulk: key.bulk,
    expires: key.expires,
    retires: key.retires === null ? null : `${key.retires.replace(' ', 'T')}:00Z`,
  }
}

type ShownKey = Pick<
  KeyStanding,
  'prefix' | 'licence' | 'quant' | 'entityCap' | 'entitiesUsed' | 'bulk' | 'expires' | 'retires'
>

const demoStanding = ({ name, rights }: Caller): ShownKey => ({
  prefix: name,
  licence: rights.licence,
  quant: rights.quant,
  entityCap: rights.entityCap,
  entitiesUsed: 0,
  bulk: rights.bulk,
  expires: null,
  retires: null,
})

export const meOperation = operation({
  id: 'getMe',
  tag: 'Account',
  summary: 'What the key may do, and what is left',
  description:
    'Licence, limits and their usage, the companies seen of the cap, and when the licence ends, as on the account pages. It does not count against the limits of the key and also answers when they are used up; it has its own limit of 60 requests per minute. With the demo key the counts are those of your address.',
  access: 'usage',
  answer: {
    schema: Me,
    description: 'The key.',
    examples: { evaluation: { summary: 'An evaluation key whose companies are used up', value: answers.me } },
  },
  errors: ['statement_timeout'],
  data: false,
})

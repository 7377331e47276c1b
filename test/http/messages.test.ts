import { afterAll, describe, expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { BacktestConfig, BacktestSource, BacktestSweep } from '../../src/backtest/request.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { sellKey } from './callers.ts'
import { realServer } from './realServer.ts'

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const quant = `Bearer ${await sellKey(server.sql, { licence: 'oem', quant: true, perMinute: 100_000 })}`

interface Fault {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param: string | null
  readonly near?: readonly string[]
}

let address = 0
async function ask(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
  const response = await fetch(server.url + path, {
    ...init,
    headers: {
      Authorization: quant,
      'X-Forwarded-For': `10.30.${++address >> 8}.${address & 255}`,
      ...init.headers,
    },
  })
  return { status: response.status, text: await response.text() }
}

async function faultOf(path: string, init?: Parameters<typeof ask>[1]): Promise<Fault> {
  const { status, text } = await ask(path, init)
  expect([path, status]).toEqual([path, expect.any(Number)])
  expect(status).toBeGreaterThanOrEqual(400)
  return { status, ...JSON.parse(text).error }
}

const post = (body: unknown) =>
  faultOf('/api/v1/backtest', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

/** What only a regular expression has: an anchor, a class, a quantifier, an escape. */
const regularExpression = /\^|\$$|\$[.)|]|\[[^\]]*-[^\]]*\]|\{\d+,?\d*\}|\\[dwsb.]|\(\?/

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required: boolean
  readonly schema: {
    readonly type?: string
    readonly enum?: readonly string[]
    readonly examples?: unknown[]
  }
}

const specification = await (await fetch(`${server.url}/openapi.json`)).json()
const target = (reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce((place: unknown, name) => Reflect.get(Object(place), name), specification)
const inPlace = (parameter: Parameter & { $ref?: string }): Parameter =>
  parameter.$ref === undefined ? parameter : (target(parameter.$ref) as Parameter)

/** The name in a request; of a family of parameters that is documented as one object, the name of one of them. */
const sentName = ({ name, schema }: Parameter) =>
  schema.type === 'object' ? Object.keys(Object(schema.examples?.[0]))[0] : name

const parameters = Object.entries<Record<string, { parameters?: Parameter[] }>>(specification.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      (operation.parameters ?? []).map(inPlace).map(parameter => ({ path, method, parameter })),
    ),
)

/** A path with its parameters filled in, `sent` for the one under test. */
const filled = (path: string, sent: string) => path.replaceAll(/\{\w+\}/g, encodeURIComponent(sent))

describe('every parameter of every route says in words what it takes', () => {
  const bad = ['(', '^$', '%%%', '2024-02-30', '-1', 'x'.repeat(5_000)]

  for (const { path, method, parameter } of nonEmpty(
    parameters.filter(one => one.parameter.in !== 'header'),
  )) {
    test(`${method} ${path}: ${parameter.name}`, async () => {
      for (const sent of bad) {
        const target =
          parameter.in === 'path'
            ? filled(path, sent)
            : `${filled(path, '019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55')}?${sentName(parameter)}=${encodeURIComponent(sent)}`
        const { status, text } = await ask(target, { method: method.toUpperCase() })
        // A search takes any text.
        const message = status < 400 ? '' : JSON.parse(text).error.message
        expect(message.replaceAll(sent, '')).not.toMatch(regularExpression)
      }
    })
  }

  for (const { path, method, parameter } of nonEmpty(
    parameters.filter(one => one.parameter.in === 'query'),
  )) {
    const name = sentName(parameter)
    test(`${method} ${path}: ${name} that is empty`, async () => {
      const own = `${filled(path, '019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55')}?${name}=`
      const { status, code, message, param } = await faultOf(own, {
        method: method.toUpperCase(),
        headers: { 'Content-Type': 'application/json' },
      })
      expect([status, code, param]).toEqual([400, 'parameter_invalid', name])
      expect(message).toStartWith(`${name} is empty`)
      // Only what is optional may be omitted.
      expect([name, message.includes('Omit')]).toEqual([name, !parameter.required])
    })
  }

  for (const [name, schema] of Object.entries<TSchema>({
    config: BacktestConfig,
    source: BacktestSource,
    sweep: BacktestSweep,
  })) {
    for (const field of nonEmpty(Object.keys(schema.properties))) {
      test(`POST /api/v1/backtest: ${name}.${field}`, async () => {
        for (const sent of ['(', '2024-02-30', -1, { a: 1 }, [{}], null]) {
          const { message } = await post({ [name]: { [field]: sent } })
          expect(message).not.toMatch(regularExpression)
        }
      })
    }
  }

  test('POST /api/v1/backtest: panel', async () => {
    for (const sent of ['(', -1, 'x', null]) {
      const { message, param } = await post({ panel: sent })
      expect(param).toStartWith('panel')
      expect(message).not.toMatch(regularExpression)
    }
    expect((await post({ panel: 'x' })).message).toContain('the id of a stored panel')
  })
})

test('a required parameter that is empty is not to be left out', async () => {
  expect((await faultOf('/api/search?q=')).message).toBe(
    'q is empty: send a name, a symbol or a registration number, like apple.',
  )
  expect((await faultOf('/api/v1/cross-section?market=US&metric=')).message).toBe(
    'metric is empty: send a string of at most 2000 characters, like roe.',
  )
})

describe('a market is the same in either case', () => {
  for (const path of [
    '/api/v1/signals?limit=5&market=',
    '/api/v1/cross-section?metric=revenue&market=',
    '/api/v1/restatements?metric=revenue&market=',
    '/api/v1/fundamentals?ticker=AAPL&metric=revenue&market=',
    '/api/v1/fundamentals?ticker=AAPL,SNOW&metric=revenue&market=',
    '/api/v1/fundamentals?market=',
  ]) {
    test(path, async () => {
      const upper = await ask(`${path}US`)
      expect(upper.status).toBe(200)
      for (const market of ['us', 'uS']) expect(await ask(path + market)).toEqual(upper)
    })
  }

  test('source.market', async () => {
    const run = (market: string) =>
      ask('/api/v1/backtest', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ source: { market, from: '2016-01-04' } }),
      })
    const upper = await run('US')
    expect(upper.status).toBe(200)
    expect(await run('us')).toEqual(upper)
    const scored = (market: string) => post({ source: { market, score: 'nosuch' } })
    expect((await scored('us')).message).toBe((await scored('US')).message)
  })
})

test('a horizon that the archive lacks is blamed, and the message names those that it has', async () => {
  const known = await server.sql<{ horizon: number }[]>`
    select distinct horizon from signal where actual is not null order by horizon`
  const lacking = ['1d', '3d', '7d'].filter(text => !known.some(({ horizon }) => text === `${horizon}d`))
  expect(lacking.length).toBe(1)
  const { status, code, message, param } = await post({ source: { market: 'US', horizon: lacking[0] } })
  expect([status, code, param]).toEqual([422, 'backtest_impossible', 'source.horizon'])
  expect(message).toBe(
    `The archive has no rows with a horizon of ${lacking[0]}. Send source.horizon as ${known.map(({ horizon }) => `${horizon}d`).join(' or ')}.`,
  )
})

test('an unknown horizon is answered with the horizons of the archive', async () => {
  const known = await server.sql<{ horizon: number }[]>`
    select distinct horizon from signal where actual is not null order by horizon`
  const has = `The archive has ${known.map(({ horizon }) => `${horizon}d`).join(' and ')}.`
  const { status, message, param } = await post({ source: { horizon: '9d' } })
  expect([status, param]).toEqual([400, 'source.horizon'])
  expect(message).toBe(`source.horizon is "9d"; it must be "1d" or "3d" or "7d". ${has}`)
})

test('signals that are not there are explained', async () => {
  const noteOf = async (query: string) => JSON.parse((await ask(`/api/v1/signals?${query}`)).text).note
  expect(await noteOf('market=XX')).toBe(
    'The archive has no resolved forecasts of market XX. Its markets: US.',
  )
  expect(await noteOf('market=US&limit=1')).toBeUndefined()
})

test('a backtest without the quant plan is answered with how to get it', async () => {
  const { status, code, message } = await faultOf('/api/v1/backtests', {
    headers: { Authorization: 'Bearer demo' },
  })
  expect([status, code]).toEqual([403, 'quant_required'])
  expect(message).toContain(
    'The operator creates one with `./asfiled keys create --email <address> --quant`.',
  )
})

test('an empty body is answered with what to send', async () => {
  const { status, code, message } = await faultOf('/api/v1/backtest', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
  })
  expect([status, code]).toEqual([400, 'malformed_json'])
  expect(message).toBe('The body is empty. Send {} to use the archive with defaults.')
})

test('an unknown company is answered with how many there are, and how to add more', async () => {
  const [{ count }] = await server.sql<{ count: number }[]>`select count(*)::int as count from entity`
  const extent = `${count} companies are loaded here. The operator adds more with \`./asfiled sync <market>\` or \`./asfiled import <market> <files>\`.`
  for (const path of [
    '/api/v1/fundamentals?ticker=NOSUCH',
    '/api/v1/fundamentals?ticker=AAPL,NOSUCH',
    '/api/v1/coverage/NOSUCH',
  ]) {
    const { status, message } = await faultOf(path)
    expect([status, message]).toEqual([404, expect.stringContaining(extent)])
  }
})

describe('a key where none is read', () => {
  const path = '/api/v1/fundamentals?ticker=AAPL'
  const withHeaders = async (headers: Record<string, string>) => {
    const response = await fetch(server.url + path, {
      headers: { 'X-Forwarded-For': `10.31.0.${++address & 255}`, ...headers },
    })
    const { error } = await response.json()
    return [response.status, error.code, error.message]
  }

  test('is refused with where it belongs', async () => {
    expect(await withHeaders({ 'X-API-Key': quant })).toEqual([
      401,
      'key_missing',
      'The key was sent as X-API-Key, which is not supported. Send Authorization: Bearer <key>.',
    ])
    expect(await withHeaders({ Authorization: 'Basic ZGVtbzo=' })).toEqual([
      401,
      'key_malformed',
      'The key was sent as Basic authorization, which is not supported. Send Authorization: Bearer <key>.',
    ])
  })

  test('or an empty one is called empty', async () => {
    for (const header of ['Bearer ', 'Bearer $KEY']) {
      const [status, code, message] = await withHeaders({ Authorization: header })
      expect([status, code]).toEqual([401, 'key_malformed'])
      expect(message).toStartWith('The key is empty: ')
    }
  })
})

describe('fp and fy over HTTP', () => {
  const path = '/api/v1/fundamentals?ticker=AAPL&metric=revenue'

  test('wrong forms, repeated periods and reversed ranges are refused with what is allowed', async () => {
    for (const [query, param, hint] of [
      [
        'fp=year',
        'fp',
        'send FY, Q1, Q2, Q3 or Q4, or several of them separated by commas, or TTM alone, like FY',
      ],
      ['fp=fy,FY', 'fp', 'has FY more than once'],
      ['fp=Q5', 'fp', 'send FY, Q1, Q2, Q3 or Q4'],
      ['fp=FY,', 'fp', 'send FY, Q1, Q2, Q3 or Q4'],
      ['fp=H1', 'fp', 'send FY, Q1, Q2, Q3 or Q4'],
      ['fp=latest', 'fp', 'send FY, Q1, Q2, Q3 or Q4'],
      ['fp=FY,Q1,FY', 'fp', 'has FY more than once. Send each of FY, Q1, Q2, Q3, Q4, TTM at most once.'],
      ['fp=FY&fp=Q1', 'fp', 'more than once'],
      ['fy=09', 'fy', 'fy=09 is not allowed: send a fiscal year like 2015, or a range like 2015..2020.'],
      ['fy=2009-2010', 'fy', 'a range like 2015..2020'],
      ['fy=2009..', 'fy', 'a range like 2015..2020'],
      ['fy=FY2009', 'fy', 'a fiscal year like 2015'],
      ['fy=20090', 'fy', 'a fiscal year like 2015'],
      ['fy=2020..2015', 'fy', 'ends before it starts. Send the earlier year first: fy=2015..2020.'],
    ] as const) {
      const fault = await faultOf(`${path}&${query}`)
      expect([query, fault.status, fault.param]).toEqual([query, 400, param])
      expect(fault.message).toContain(hint)
    }
    for (const param of ['fp=FY', 'fy=2009']) {
      const fault = await faultOf(`/api/v1/fundamentals?${param}`)
      expect([fault.status, fault.param]).toEqual([400, param.slice(0, 2)])
      expect(fault.message).toContain('requires ticker')
    }
  })

  test('fp is the same in either case, here and on a cross-section', async () => {
    const crossSection = '/api/v1/cross-section?metric=revenue&market=US&as_of=2020-12-31'
    for (const [route, upper, lower] of [
      [path, 'FY,Q1', 'fy,q1'],
      [crossSection, 'Q1', 'q1'],
      [crossSection, 'latest', 'LATEST'],
    ]) {
      const wanted = await ask(`${route}&fp=${upper}`)
      expect(wanted.status).toBe(200)
      expect(await ask(`${route}&fp=${lower}`)).toEqual(wanted)
    }
  })

  test('every format has the same rows, and an ETag of its own', async () => {
    const own = `${path}&fp=FY&fy=2009&as_of=2010-02-01`
    const json = JSON.parse((await ask(own)).text)
    // 10-K 0001193125-09-214859 and 10-K/A 0001193125-10-012091 of Apple Inc.
    expect(json.data.map((row: { filed: string; v: number }) => [row.filed, row.v])).toEqual([
      ['2009-10-27', 36_537_000_000],
      ['2010-01-25', 42_905_000_000],
    ])
    const ndjson = (await ask(`${own}&format=ndjson`)).text.trimEnd().split('\n')
    expect(ndjson.map(line => JSON.parse(line))).toEqual(json.data)
    expect((await ask(`${own}&format=csv`)).text.trimEnd().split('\r\n').length).toBe(3)
    expect((await ask(`${own}&format=parquet`)).status).toBe(200)
    const tagOf = async (query: string, of = path) =>
      (await fetch(`${server.url}${of}${query}`, { headers: { Authorization: quant } })).headers.get('etag')
    const tags = await Promise.all(
      ['', '&fp=FY', '&fy=2009', '&fp=FY&fy=2009', '&fp=Q1'].map(query => tagOf(query)),
    )
    expect(new Set(tags).size).toBe(5)
    const ofSeveral = path.replace('AAPL', 'AAPL,SNOW')
    expect(await tagOf('', ofSeveral)).not.toBe(await tagOf('&fp=FY', ofSeveral))
  })
})

import { afterAll, describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Value } from '@sinclair/typebox/value'
import { BacktestBatchRequest } from '../../../src/backtest/batchRequest.ts'
import { BacktestRequest } from '../../../src/backtest/request.ts'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { registerFormats } from '../../../src/dates.ts'
import { BacktestJob } from '../../../src/features/backtests/submitted/schema.ts'
import { CoverageCheck, CoverageIndex } from '../../../src/features/coverage/schema.ts'
import { FundamentalsBatch } from '../../../src/features/fundamentals/batchSchema.ts'
import { FundamentalsList } from '../../../src/features/fundamentals/schema.ts'
import { DeletedPanel, Panel, PanelList } from '../../../src/features/panels/schema.ts'
import { SearchResult } from '../../../src/features/search/schema.ts'
import { SignalList } from '../../../src/features/signals/schema.ts'
import { bodyMediaTypes } from '../../../src/formats/mediaTypes.ts'
import answers from '../../../src/http/docs/examples/answers.json' with { type: 'json' }
import errors from '../../../src/http/docs/examples/errors.json' with { type: 'json' }
import panels from '../../../src/http/docs/examples/panels.json' with { type: 'json' }
import requests from '../../../src/http/docs/examples/requests.json' with { type: 'json' }
import { ErrorBody } from '../../../src/http/errors.ts'
import { testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { testServer } from '../testServer.ts'

const database = await testDatabase()
const server = await testServer(database.sql)
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

interface Parameter {
  in: string
  name: string
  description: string
  example?: unknown
  schema: { examples?: unknown[]; enum?: unknown[] }
}
interface Response {
  description: string
  headers: Record<string, unknown>
  content?: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>
}
interface Operation {
  operationId: string
  summary: string
  requestBody?: { content: Record<string, object> }
  parameters: Parameter[]
  responses: Record<string, Response>
}
interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

const text = async (path: string) => (await fetch(server.url + path)).text()
const specification = await text('/openapi.json')
const asServed: Document = JSON.parse(specification)

/** The schema that a reference points to; undefined if there is none. */
const target = (reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce((place: unknown, name) => Reflect.get(Object(place), name), asServed)

/** Puts the parameters, responses and examples that operations share in their places. Schemas stay references. */
function inPlace(_: string, value: unknown): unknown {
  const reference: unknown = Reflect.get(Object(value), '$ref')
  if (typeof reference !== 'string' || reference.startsWith('#/components/schemas/')) return value
  return JSON.parse(JSON.stringify(target(reference)), inPlace)
}

const document: Document = JSON.parse(specification, inPlace)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
)

/** Each object below a value, with the path to it. */
function* objectsIn(value: unknown, path: string): Generator<[string, object]> {
  if (typeof value !== 'object' || value === null) return
  yield [path, value]
  for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, `${path}/${name}`)
}

const isExample = (path: string) => /\/examples?(\/|$)/.test(path)

describe('/openapi.json', () => {
  test('validates as OpenAPI 3', async () => {
    const result = await new Validator().validate(JSON.parse(specification))
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
    expect(document.openapi).toMatch(/^3\./)
  })

  test('has every route of the API', () => {
    const documented = operations.map(({ name }) => name).sort()
    const served = server.app.routes
      .filter(({ path }) => /^\/(api|health|ready)/.test(path))
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`)
    expect(documented).toEqual(served.sort())
  })

  test('describes every parameter, response and error, each with an example', () => {
    for (const { name, operation } of nonEmpty(operations)) {
      expect([name, operation.summary.length > 5]).toEqual([name, true])
      for (const { name: parameter, description, example, schema } of operation.parameters) {
        const hasExample = [example, schema.examples, schema.enum].some(shown => shown !== undefined)
        expect([name, parameter, description.length > 10 && hasExample]).toEqual([name, parameter, true])
      }
      for (const [status, { description, content }] of nonEmpty(Object.entries(operation.responses))) {
        expect([name, status, description.length > 2]).toEqual([name, status, true])
        const main =
          content?.['application/json'] ?? content?.['text/event-stream'] ?? content?.['application/x-ndjson']
        const examples = Object.entries(main?.examples ?? {})
        if (!['206', '302', '304', '416'].includes(status))
          expect([name, status, examples.length > 0]).toEqual([name, status, true])
        for (const [example, { value }] of examples) {
          const shown = Object.keys(Object(value)).length
          expect([name, status, example, shown > 0]).toEqual([name, status, example, true])
        }
      }
    }
  })
})

describe('the schemas of /openapi.json', () => {
  test('have a name each: no object is described in place, and each reference leads somewhere', () => {
    const named = /^\/components\/schemas\/\w+$/
    for (const [path, value] of nonEmpty(objectsIn(asServed, ''))) {
      if (isExample(path)) continue
      if ('properties' in value && Reflect.get(value, 'type') === 'object')
        expect([path, named.test(path)]).toEqual([path, true])
      if ('$ref' in value) expect(target(String(value.$ref))).toBeObject()
    }
  })

  test('name every answer, every row and what is nested in them', () => {
    const names = Object.keys(document.components.schemas)
    for (const name of [
      'FundamentalsList',
      'FundamentalsBatch',
      'FundamentalsRow',
      'CoverageIndex',
      'CoverageCheck',
      'CrossSection',
      'CrossSectionRow',
      'RestatementList',
      'Restatement',
      'SignalList',
      'SignalRow',
      'BacktestRequest',
      'BacktestResult',
      'BacktestMetrics',
      'BacktestFold',
      'BacktestTrial',
      ...[
        'Panel',
        'PanelList',
        'BacktestJob',
        'BacktestJobList',
        'SearchHits',
        'SearchHit',
        'ErrorAnswer',
        'Problem',
      ],
      'Me',
      'MeLimits',
      'MeUsed',
      'MeRemaining',
      'MeEntities',
      'Manifest',
      'MetricDefinition',
      'TradingCosts',
      'CostComponent',
    ])
      expect(names).toContain(name)
  })

  test('have each name that a description gives', () => {
    const names = Object.keys(document.components.schemas)
    const named = [...specification.matchAll(/schema `(\w+)`/g)].map(([, name]) => name)
    expect(named).toContain('BacktestJob')
    expect(named.filter(name => !names.includes(name))).toEqual([])
  })

  // A generated client has a type for the answers of an operation, which generators name after the operation, and local variables in
  // snake_case, which those of the Python one name after the schema and its fields.
  test('have names that generators do not give to something else', () => {
    const ids = operations.map(({ operation }) => operation.operationId.toLowerCase())
    const suffixes = ['', 'Result', 'Response', 'Responses', 'Params', 'Body', 'Data', 'Error', 'Errors']
    const taken = new Set(suffixes.flatMap(suffix => ids.map(id => id + suffix.toLowerCase())))
    for (const [name, schema] of nonEmpty(Object.entries(document.components.schemas))) {
      expect([name, taken.has(name.toLowerCase())]).toEqual([name, false])
      const fields = Object.keys(Object(Reflect.get(Object(schema), 'properties')))
      const snake = name.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase()
      expect([name, fields.includes(snake)]).toEqual([name, false])
    }
  })
})

const rows = ['text/csv', 'application/x-ndjson', 'application/vnd.apache.parquet']

const arrow = 'application/vnd.apache.arrow.stream'

test('every media type of an answer is in its content, JSON first', () => {
  const types = operations.map(({ name, operation }) => [
    name,
    Object.keys(operation.responses[200]?.content ?? {}),
  ])
  const others = types.filter(([, found]) => String(found) !== 'application/json')
  expect(Object.fromEntries(others)).toEqual({
    'post /api/v1/as-of': ['application/json', ...rows, arrow],
    'get /api/v1/as-of/{id}/result': ['application/json', ...rows, arrow],
    'post /api/v1/audits': ['application/json', ...rows, 'text/html'],
    'get /api/v1/audits/{id}/result': ['application/json', ...rows, 'text/html'],
    'get /api/v1/fundamentals': ['application/json', ...rows],
    'get /api/v1/changes': ['application/json', ...rows],
    'get /api/v1/cross-section': ['application/json', ...rows],
    'get /api/v1/statements': ['application/json', ...rows],
    'get /api/v1/reported': ['application/json', ...rows],
    'get /api/v1/segments': ['application/json', ...rows],
    'get /api/v1/frames': ['application/json', ...rows],
    'get /api/v1/restatements': ['application/json', ...rows],
    'get /api/v1/filings': ['application/json', ...rows],
    'get /api/v1/universe': ['application/json', ...rows],
    'get /api/v1/signals': ['application/json', ...rows],
    'get /api/v1/strategies/{name}/values': ['application/json', ...rows],
    'get /api/v1/prices/{set}': ['application/json', ...rows],
    'get /api/v1/prices/{set}/forward-returns': ['application/json', ...rows],
    'post /api/v1/prices/{set}/forward-returns': ['application/json', ...rows],
    'post /api/v1/backtest': ['application/json', 'text/html'],
    'post /api/v1/backtests/batch': ['application/x-ndjson'],
    'get /api/v1/backtests/{id}': ['application/json', 'text/html', 'text/event-stream'],
    'get /api/v1/backtests/{id}/events': ['text/event-stream'],
    'get /api/v1/bulk/{version}/{file}': ['application/json', 'text/plain', 'application/vnd.apache.parquet'],
  })
})

test('every media type of a body is in its content, by the table with which the route reads it', () => {
  const bodies = operations.flatMap(({ name, operation }) =>
    operation.requestBody === undefined ? [] : [[name, Object.keys(operation.requestBody.content)]],
  )
  const firstOf = (table: Readonly<Record<string, readonly string[]>>) =>
    Object.values(table).map(([first]) => first)
  expect(Object.fromEntries(bodies)).toEqual({
    'post /api/v1/as-of': firstOf(bodyMediaTypes),
    'post /api/v1/audits': firstOf(bodyMediaTypes),
    'post /api/v1/backtest': firstOf(bodyMediaTypes),
    'post /api/v1/backtests/batch': ['application/json'],
    'post /api/v1/panels': firstOf(bodyMediaTypes),
    'post /api/v1/prices/{set}/forward-returns': ['application/json'],
  })
})

test('the statuses besides 200 and those of errors are where they can be', () => {
  const usual = ['200', '304']
  const found = operations.map(({ name, operation }) => [
    name,
    Object.keys(operation.responses).filter(
      status => !usual.includes(status) && (status < '400' || status === '416'),
    ),
  ])
  expect(Object.fromEntries(found.filter(([, statuses]) => statuses.length > 0))).toEqual({
    'post /api/v1/as-of': ['202'],
    'post /api/v1/audits': ['202'],
    'post /api/v1/backtest': ['202'],
    'post /api/v1/panels': ['201'],
    'get /api/v1/bulk/{version}/{file}': ['206', '302', '416'],
  })
  for (const { name, operation } of nonEmpty(operations.filter(({ operation }) => operation.requestBody)))
    expect([name, Object.keys(operation.responses)]).toEqual([
      name,
      expect.arrayContaining(['400', '413', '415', '429', '503']),
    ])
})

test('a backtest that is accepted with 202 is described', () => {
  const { description, headers: own, content } = asServed.paths['/api/v1/backtest'].post.responses[202] ?? {}
  expect(description).toContain('Prefer: respond-async')
  expect(Object.keys(own ?? {})).toContain('Location')
  const { schema, examples } = content?.['application/json'] ?? {}
  expect(schema).toEqual({ $ref: '#/components/schemas/BacktestJob' })
  const example = examples?.accepted.value
  registerFormats()
  expect([...Value.Errors(BacktestJob, example)]).toEqual([])
  const headers = document.paths['/api/v1/backtest'].post.parameters.filter(
    ({ in: place }) => place === 'header',
  )
  expect(headers.map(({ name }) => name)).toEqual(['Prefer', 'Idempotency-Key'])
})

test('each error is a problem document, too', () => {
  for (const { name, operation } of nonEmpty(operations)) {
    for (const [status, response] of nonEmpty(Object.entries(operation.responses))) {
      if (!/^[45]/.test(status) || status === '416') continue
      const problem = { schema: { $ref: '#/components/schemas/Problem' } }
      expect([name, status, response.content?.['application/problem+json']]).toEqual([name, status, problem])
      expect(Object.keys(response.content ?? {})).toEqual(['application/json', 'application/problem+json'])
    }
  }
})

test('the examples match the schemas that they illustrate', () => {
  registerFormats()
  const pairs = [
    [FundamentalsList, answers.fundamentals_before],
    [FundamentalsList, answers.fundamentals_after],
    [FundamentalsBatch, answers.fundamentals_several],
    [CoverageIndex, answers.coverage_index],
    [CoverageCheck, answers.coverage_check],
    [SignalList, answers.signals],
    [SearchResult, answers.search],
    [BacktestResult, answers.backtest],
    [BacktestRequest, requests.backtest_panel],
    [BacktestRequest, requests.backtest_source],
    [BacktestRequest, requests.backtest_columns],
    [BacktestRequest, requests.backtest_stored],
    [BacktestBatchRequest, requests.batch_configs],
    [BacktestBatchRequest, requests.batch_stored],
    [BacktestBatchRequest, requests.batch_items],
    [Panel, panels.panel],
    [PanelList, panels.list],
    [DeletedPanel, panels.deleted],
    ...Object.values(errors).map(error => [ErrorBody, error] as const),
  ] as const
  for (const [schema, example] of pairs) {
    expect([...Value.Errors(schema, example)].map(({ path, message }) => `${path}: ${message}`)).toEqual([])
  }
})

test('the examples show the restatement of Apple’s fiscal year 2009 (accessions 0001193125-09-214859, 0001193125-10-012091)', () => {
  const revenue = (list: { data: readonly { fp: string; filed: string; v: number }[] }) =>
    list.data.filter(row => row.fp === 'FY').map(row => [row.filed, row.v])
  expect(revenue(answers.fundamentals_before)).toEqual([['2009-10-27', 36_537_000_000]])
  expect(revenue(answers.fundamentals_after)).toEqual([
    ['2009-10-27', 36_537_000_000],
    ['2010-01-25', 42_905_000_000],
  ])
})

describe('/docs', () => {
  test('loads from this server alone, and says so to the browser', async () => {
    const page = await fetch(`${server.url}/docs`)
    const html = await page.text()
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/)
    for (const [, target] of nonEmpty(html.matchAll(/(?:src|href)="([^"#][^"]*)"/g))) {
      expect([target, target.startsWith('/')]).toEqual([target, true])
      expect([target, (await fetch(server.url + target)).status]).toEqual([target, 200])
    }
    expect(html).not.toContain('<script>')
  })

  test('has one field for a key, which is hidden and means demo while it is empty', async () => {
    const [, main = ''] = (await text('/docs')).split('<main')
    expect(main.match(/<input [^>]*>/g)).toEqual([
      expect.stringContaining('type="password" placeholder="demo" autocomplete="off"'),
    ])
  })

  test('shares its frame with the start page, the guides, the metrics and the errors', async () => {
    for (const [path, section] of [
      ['/start', 'Start'],
      ['/docs', 'API'],
      ['/docs/guides', 'Guides'],
      ['/docs/metrics', 'Metrics'],
      ['/docs/errors', 'Errors'],
    ]) {
      const page = await text(path)
      const [, area = ''] = /<nav aria-label="Documents">(.*?)<\/nav>/.exec(page) ?? []
      const links = [...area.matchAll(/<a href="([^"]+)"( aria-current="page")?>(\w+)</g)]
      expect(links.map(([, target, current, name]) => [target, name, current !== undefined])).toEqual([
        ['/start', 'Start', section === 'Start'],
        ['/docs', 'API', section === 'API'],
        ['/docs/guides', 'Guides', section === 'Guides'],
        ['/docs/metrics', 'Metrics', section === 'Metrics'],
        ['/docs/errors', 'Errors', section === 'Errors'],
      ])
      expect(page).toContain('<script src="/assets/theme.js"></script>')
    }
  })

  test('serves its files compressed, and no others', async () => {
    const bundle = await fetch(`${server.url}/assets/swagger-ui-bundle.js`)
    expect(bundle.headers.get('content-encoding')).toBe('zstd')
    expect((await bundle.text()).length).toBeGreaterThan(1_000_000)
    for (const name of ['package.json', '..%2Fpage.html', 'constructor', '%2e%2e%2fpage.html']) {
      expect((await fetch(`${server.url}/assets/${name}`)).status).toBe(404)
    }
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { testServer } from '../testServer.ts'

/** What a user of TypeScript does: `npx openapi-typescript /openapi.json -o asfiled.ts`, then a client of openapi-fetch. */

const root = resolve(import.meta.dir, '../../..')
const specification = await readSpecification()
const folder = await mkdtemp(join(tmpdir(), 'asfiled-client-'))
afterAll(() => rm(folder, { recursive: true }))

async function readSpecification(): Promise<{ paths: Record<string, Record<string, unknown>> }> {
  const database = await testDatabase()
  const server = await testServer(database.sql)
  const response = await fetch(`${server.url}/openapi.json`)
  const document = await response.json()
  await server.stop()
  await database.close()
  return document
}

async function run(...command: string[]): Promise<{ code: number; output: string }> {
  const process = Bun.spawn(command, { cwd: root, stdout: 'pipe', stderr: 'pipe' })
  const texts = [process.stdout, process.stderr].map(stream => new Response(stream).text())
  const output = (await Promise.all(texts)).join('')
  return { code: await process.exited, output }
}

beforeAll(async () => {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await Bun.write(join(folder, 'openapi.json'), JSON.stringify(specification))
  const preload = join(import.meta.dir, 'typescript5.ts')
  const generator = join(root, 'node_modules/openapi-typescript/bin/cli.js')
  const target = join(folder, 'asfiled.ts')
  const generated = await run(
    'bun',
    '--preload',
    preload,
    generator,
    join(folder, 'openapi.json'),
    '-o',
    target,
  )
  expect(generated).toMatchObject({ code: 0 })
}, 180_000)

/** The faults that tsc finds in a program, one a line; empty: it compiles. */
async function faultsOf(program: string): Promise<string> {
  await Bun.write(join(folder, 'program.ts'), program)
  const options = {
    target: 'ESNext',
    module: 'Preserve',
    lib: ['ESNext', 'DOM'],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: false,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  }
  await Bun.write(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['program.ts'] }),
  )
  const { output } = await run(join(root, 'node_modules/.bin/tsc'), '-p', folder, '--pretty', 'false')
  return output
}

/** The client of the guide: of each answer the JSON. */
const client = `
import createClient from 'openapi-fetch'
import type { components, paths } from './asfiled.ts'

const client = createClient<paths, 'application/json'>({ baseUrl: 'http://localhost:3000', headers: { Authorization: 'Bearer demo' } })
const number = (value: number | null | undefined) => value
const text = (value: string | null | undefined) => value
`

/** Each operation, called as its documentation says, with a field of its data and of its rows. */
const everyOperation = `
{
  const query = { ticker: 'AAPL', metric: 'revenue', as_of: '2010-02-01' }
  const { data, error } = await client.GET('/api/v1/fundamentals', { params: { query } })
  if (error) throw new Error(error.error.message)
  text(data.object)
  if (data.object === 'fundamentals_list') {
    number(data.data[0].v)
    text('companies' in data ? data.companies[0].name : data.name)
    number(data.data[0].split_factor)
  } else if (data.object === 'fundamentals_table') {
    text(data.metrics[0])
    number(data.data[0].fy)
    number(data.data[0].revenue)
  } else {
    text(data.markets[0].code)
    number(data.manifests[0].costs.components[0].bps)
    text(data.metrics[0].unit)
    text(data.tickers.data[0].ticker)
  }
}
{
  const { data } = await client.GET('/api/v1/coverage', { params: { query: { market: 'US' } } })
  number(data?.data[0].checks.proved)
}
{
  const { data } = await client.GET('/api/v1/coverage/{id}', { params: { path: { id: '320193' } } })
  number(data?.data[0].periods)
}
{
  const { data } = await client.GET('/api/v1/companies', { params: { query: { ticker: 'AAPL,0001652044' } } })
  text(data?.data[0].issuer_id)
  text(data?.unknown[0])
}
{
  const { data } = await client.GET('/api/v1/companies/{id}', { params: { path: { id: 'AAPL' } } })
  text(data?.today?.sector?.code)
  number(data?.metrics[0].periods)
}
{
  const { data } = await client.GET('/api/v1/me')
  text(data?.licence)
  number(data?.remaining.day)
  number(data?.entities?.used)
}
{
  const query = { ticker: 'AAPL', form: '10-K', format: 'json' } as const
  const { data } = await client.GET('/api/v1/filings', { params: { query } })
  number(data?.data[0].figures)
}
{
  const query = { market: 'US', as_of: '2010-03-31', format: 'json' } as const
  const { data } = await client.GET('/api/v1/universe', { params: { query } })
  text(data?.data[0].state)
}
{
  const { data } = await client.GET('/api/v1/prices')
  text(data?.data[0].currency)
  const path = { set: 'prices' }
  const query = { ticker: 'AAPL', format: 'json' } as const
  const prices = await client.GET('/api/v1/prices/{set}', { params: { path, query } })
  number(prices.data?.data[0].close_as_traded)
  const range = { from: '2024-01-02', to: '2024-01-03', format: 'json' } as const
  const returns = await client.GET('/api/v1/prices/{set}/forward-returns', { params: { path, query: range } })
  number(returns.data?.data[0].forward_return)
  const body = { rows: { date: ['2024-01-02'], ticker: ['AAPL'] }, horizons: [1, 5] }
  const ofRows = await client.POST('/api/v1/prices/{set}/forward-returns', { params: { path }, body })
  number(ofRows.data?.summary[0].assumed_delistings)
}
{
  const { data } = await client.GET('/api/v1/strategies')
  text(data?.data[0].lines[0].formula)
  const path = { name: 'accruals' }
  const { data: strategy } = await client.GET('/api/v1/strategies/{name}', { params: { path } })
  number(strategy?.coverage[0].lags[0].hidden)
  const query = { market: 'US', format: 'json' } as const
  const values = await client.GET('/api/v1/strategies/{name}/values', { params: { path, query } })
  number(values.data?.data[0].value)
}
{
  const { data } = await client.GET('/api/v1/metrics', { params: { query: { market: 'US' } } })
  text(data?.data[0].markets[0].tags[0][0])
}
{
  const body = { rows: { date: ['2010-01-26'], ticker: ['AAPL'] }, metrics: ['roe'], fp: 'TTM' as const }
  const { data } = await client.POST('/api/v1/as-of', { body })
  if (data?.object !== 'as_of_join') throw new Error(data?.state)
  number(data?.unknown_count)
  text(data?.columns.date?.[0])
  const value = data?.columns.roe[0]
  if (typeof value === 'number') number(value)
}
{
  const params = { path: { id: 'a' } }
  const { data } = await client.GET('/api/v1/as-of/{id}', { params })
  text(data?.result_url ?? '')
  const { data: result } = await client.GET('/api/v1/as-of/{id}/result', { params })
  number(result?.unknown_count)
  const { data: cancelled } = await client.DELETE('/api/v1/as-of/{id}', { params })
  number(cancelled?.progress.done)
}
{
  const rows = { date: ['2010-01-26'], ticker: ['AAPL'], sales: [36537] }
  const body = { rows, columns: { sales: { metric: 'revenue', scale: 1_000_000 as const } } }
  const { data } = await client.POST('/api/v1/audits', { body })
  if (data?.object !== 'audit') throw new Error(data?.state)
  number(data.counts.early)
  text(data.worst[0]?.state ?? '')
  number(data.columns[0].reading.matched_share)
}
{
  const params = { path: { id: 'a' } }
  const { data } = await client.GET('/api/v1/audits/{id}', { params })
  text(data?.result_url ?? '')
  const { data: result } = await client.GET('/api/v1/audits/{id}/result', { params })
  number(result?.unknown_count)
  const { data: cancelled } = await client.DELETE('/api/v1/audits/{id}', { params })
  number(cancelled?.progress.done)
}
{
  const query = { metric: 'roe', market: 'US', format: 'json' } as const
  const { data } = await client.GET('/api/v1/cross-section', { params: { query } })
  if (data?.object === 'cross_section') number(data.data[0].value)
  else number(data?.data[0].roe)
  text(data?.next)
}
{
  const query = { tag: 'us-gaap:Assets', period: 'CY2009Q2I', market: 'US', format: 'json' } as const
  const { data } = await client.GET('/api/v1/frames', { params: { query } })
  number(data?.data[0].value)
  text(data?.data[0].accession)
}
{
  const { data } = await client.GET('/api/v1/restatements', { params: { query: { metric: 'revenue', market: 'US' } } })
  number(data?.data[0].value_before)
}
{
  const query = { ticker: 'AAPL', statement: 'income', view: 'as_known', fp: 'FY' } as const
  const { data } = await client.GET('/api/v1/statements', { params: { query } })
  text(data?.data[0].label)
  text(data?.data[0].cells[0]?.value)
  number(data?.columns[0].period?.quarters)
  text(data?.filings[0].url)
}
{
  const query = { ticker: 'AAPL', tag: 'us-gaap:Assets', dimensions: 'all' }
  const { data } = await client.GET('/api/v1/reported', { params: { query } })
  number(data?.data[0].number)
  text(data?.next)
}
{
  const query = { issuer_id: '0000320193', metric: 'revenue', axis: 'product' }
  const { data } = await client.GET('/api/v1/segments', { params: { query } })
  text(data?.data[0].difference)
  text(data?.data[0].members[0].label)
}
{
  const { data } = await client.GET('/api/v1/signals', { params: { query: { horizon: '1d', limit: 5 } } })
  number(data?.data[0].predicted_pct)
  text(data?.schema.predicted_pct)
}
{
  const body = { source: { market: 'US' }, config: { quantile: 0.1 }, sweep: true, include: ['ic' as const] }
  const { data, error } = await client.POST('/api/v1/backtest', { body })
  if (error) throw new Error(error.error.code)
  if (data.object === 'backtest') throw new Error(data.state)
  number(data.metrics.sharpe)
  number(data.config.quantile)
  number(data.folds[0].train_sharpe)
  number(data.trials?.[0].sharpe)
  number(data.deflated_sharpe?.dsr)
  number(data.best?.metrics.cagr)
  number(data.ic?.mean)
  number(data.monthly?.[0].months[0])
  text(data.costs.markets[0].source)
}
{
  const body = { panel: 'a', configs: [{ quantile: 0.1, weighting: 'rank' as const }] }
  const { data } = await client.POST('/api/v1/backtests/batch', { body, parseAs: 'stream' })
  await data?.getReader().read()
  const line = {} as components['schemas']['BatchLine']
  if (line.object === 'batch_result') number(line.result.metrics.sharpe)
  else if (line.object === 'batch_error') text(line.error.code)
  else if (line.object === 'batch_summary') number(line.best?.deflated_sharpe.dsr)
  else number(line.done)
}
{
  const { data } = await client.GET('/api/v1/backtests', { params: { query: { limit: 5 } } })
  number(data?.data[0].progress.done)
}
{
  const { data } = await client.GET('/api/v1/backtests/{id}', { params: { path: { id: 'a' } } })
  if (data?.error) text(data.error.code)
  number(data?.result?.metrics.sharpe)
}
{
  const { data } = await client.DELETE('/api/v1/backtests/{id}', { params: { path: { id: 'a' } } })
  text(data?.state)
}
{
  const { data } = await client.GET('/api/v1/backtests/{id}/events', { params: { path: { id: 'a' } }, parseAs: 'stream' })
  await data?.getReader().read()
}
{
  const params = { path: { id: 'a' }, query: { expires_in_days: 7 } }
  const { data } = await client.POST('/api/v1/backtests/{id}/shares', { params })
  text(data?.url)
  const { data: shares } = await client.GET('/api/v1/backtests/{id}/shares', { params: { path: { id: 'a' } } })
  text(shares?.data[0].expires_at)
}
{
  const params = { path: { id: 'a', share: 'b' } }
  const { data } = await client.DELETE('/api/v1/backtests/{id}/shares/{share}', { params })
  const deleted: true | undefined = data?.deleted
  text(String(deleted))
}
{
  const body = 'date,asset,score,forward_return\\n2024-01-02,A,1,0.1\\n'
  const { data } = await client.POST('/api/v1/panels', { body, headers: { 'Content-Type': 'text/csv' } })
  number(data?.n_rows)
}
{
  const { data } = await client.GET('/api/v1/panels', {})
  text(data?.data[0].expires_at)
}
{
  const { data } = await client.GET('/api/v1/panels/{id}', { params: { path: { id: 'a' } } })
  number(data?.bytes)
}
{
  const { data } = await client.DELETE('/api/v1/panels/{id}', { params: { path: { id: 'a' } } })
  const deleted: true | undefined = data?.deleted
  text(String(deleted))
}
{
  const { data } = await client.GET('/api/v1/changes', { params: { query: { since: 1, limit: 5 } } })
  const row = data?.data[0]
  if (row?.change === 'added') number(row.value)
  text(data?.next ?? '')
}
{
  const { data } = await client.GET('/api/v1/bulk', {})
  number(data?.releases[0].files)
}
{
  const path = { version: '11', file: 'manifest.json' }
  const { data } = await client.GET('/api/v1/bulk/{version}/{file}', { params: { path } })
  if (data !== undefined && 'files' in data) text(data.files[0].sha256)
}
{
  const { data } = await client.GET('/api/search', { params: { query: { q: 'apple' } } })
  text(data?.results[0].ticker)
}
{
  const { data } = await client.GET('/health', {})
  text(data?.version)
}
{
  const { data } = await client.GET('/ready', {})
  number(data?.data_version)
}
const row: components['schemas']['FundamentalsRow'] | null = null
const metrics: components['schemas']['BacktestMetrics'] | null = null
export { metrics, row }
`

describe('types generated from /openapi.json', () => {
  test('type the data of every operation', async () => {
    for (const [path, methods] of nonEmpty(Object.entries(specification.paths))) {
      for (const method of nonEmpty(Object.keys(methods)))
        expect(everyOperation).toContain(`client.${method.toUpperCase()}('${path}'`)
    }
    expect(await faultsOf(client + everyOperation)).toBe('')
  }, 180_000)

  test('compile the program of the guide for clients', async () => {
    const guide = await Bun.file(join(root, 'docs/clients.md')).text()
    const programs = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, text]) => text)
    const program = programs.find(text => text.includes("from 'openapi-fetch'")) ?? ''
    expect(program).toContain('createClient<paths,')
    expect(await faultsOf(program.replace('./types.ts', './asfiled.ts'))).toBe('')
  }, 180_000)

  test('refuse a field, a parameter or a value that does not exist', async () => {
    const wrong = [
      'number(result.metrics.sharp)',
      "if (answer.object === 'coverage') text(answer.data[0].m)",
      "if (answer.object === 'fundamentals_list') text(answer.companies[0].name)",
      "if (answer.object === 'fundamentals_list') text(answer.data[0].v)",
      "await client.GET('/api/v1/signals', { params: { query: { horizn: '1d' } } })",
      "await client.POST('/api/v1/backtest', { body: { config: { direction: 'short_only' } } })",
    ]
    const right = `
declare const result: components['schemas']['BacktestResult']
declare const answer: components['schemas']['FundamentalsAnswer']
`
    const program = client + right + wrong.join('\n')
    const faults = (await faultsOf(program)).matchAll(/program\.ts\((\d+),\d+\): error/g)
    const lines = program.split('\n')
    expect([...faults].map(([, line]) => lines[Number(line) - 1])).toEqual(wrong)
  }, 180_000)
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { registerFormats } from '../../../../src/dates.ts'
import { BatchLine } from '../../../../src/features/backtests/batch/schema.ts'
import { callers } from '../../../http/callers.ts'
import { type RealServer, realServer } from '../../../http/realServer.ts'
import { asPanel, signals } from '../backtestBench.ts'

registerFormats()
const lineCheck = TypeCompiler.Compile(BatchLine)
let server: RealServer
let quant = ''
let other = ''

beforeAll(async () => {
  server = await realServer()
  quant = (await callers(server.sql)).quant ?? ''
  other = (await callers(server.sql)).quant ?? ''
}, 60_000)
afterAll(() => server.stop(), 60_000)

const post = (path: string, body: unknown, key = quant, signal?: AbortSignal) =>
  fetch(`${server.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { Authorization: key, 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })

test('smoke', async () => {
  const panel = asPanel(signals(80))
  const r = await post('backtests/batch', { panel, configs: [{ quantile: 0.1 }, { quantile: 0.3, holdDays: 5 }] })
  const t = await r.text()
  console.log(r.status, Object.fromEntries(r.headers))
  for (const l of t.trim().split('\n')) {
    console.log(l.slice(0, 500))
    expect(lineCheck.Errors(JSON.parse(l)).First()).toBeUndefined()
  }
})

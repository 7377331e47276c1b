import { afterAll, expect, test } from 'bun:test'
import { decodeResult } from '../../../src/backtest/pipeline/encodeResult.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import { everyFormat } from '../../backtest/codec/encodeRequest.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { asPanel, openBench, signals } from './backtestBench.ts'

const bench = openBench()
afterAll(bench.close, 60_000)

const rows = signals(80)
const panel = asPanel(rows)
const shuffled = panel
  .map((row, i) => ({ row, key: Math.sin(i * 12.9898) }))
  .sort((a, b) => a.key - b.key)
  .map(({ row }) => row)
const configs = [
  {
    config: { quantile: 0.2, weighting: 'score', holdDays: 4, drift: true },
    include: ['ic', 'quantiles', 'positions'],
  },
  { config: { neutral: 'market', direction: 'long_only', costBps: 3 }, include: ['monthly'] },
  { config: { quantile: 0.3 }, sweep: { quantile: [0.1, 0.3], holdDays: [1, 2] } },
]

const ask = ({ bytes, format, query }: ReturnType<typeof everyFormat>[number]) =>
  runBacktest(bench.deps, bytes, undefined, { caller: operator, format, query }).then(decodeResult)

for (const fields of configs) {
  test(`one result, to the bit, in every form and order, and from the archive: ${JSON.stringify(fields)}`, async () => {
    const results = await Promise.all(
      [panel, shuffled, [...panel].reverse()].flatMap(order => everyFormat(order, fields).map(ask)),
    )
    const truth = JSON.stringify(results[0])
    expect(truth).toContain('"n_periods":80')
    for (const result of nonEmpty(results)) expect(JSON.stringify(result)).toBe(truth)
    const { data_version, source, request, ...archive } = await bench.run({ ...fields, source: {} })
    expect(data_version).toBe(7)
    expect(source).toEqual({ market: null, horizon: '1d', from: null, to: null, limit: null })
    expect<object | undefined>(request).toEqual({ data_version: 7, source: { horizon: '1d' }, ...fields })
    const { request: ofRows, ...rows } = results[0]
    expect<object | undefined>(ofRows).toEqual(fields)
    expect(JSON.stringify(archive)).toBe(JSON.stringify(rows))
  })
}

test('a repeated cell is named by its place in the form that was sent', async () => {
  const places = everyFormat([...panel.slice(0, 20), panel[4]]).map(async sent =>
    ask(sent).then(
      () => 'accepted',
      (error: Error) => error.message,
    ),
  )
  const [json, columns, csv, ndjson] = await Promise.all(places)
  expect(json).toStartWith('panel[4] and panel[20] are both rows of asset')
  expect(columns).toStartWith('panel.asset[4] and panel.asset[20] are both')
  expect(csv).toStartWith('line 6 and line 22 are both')
  expect(ndjson).toStartWith('line 5 and line 21 are both')
})

test('a body without rows says so in every form', async () => {
  for (const sent of everyFormat([])) {
    const message = await ask(sent).then(
      () => 'accepted',
      (error: Error) => error.message,
    )
    expect(message).toMatch(/panel has no rows|The body is empty/)
  }
})

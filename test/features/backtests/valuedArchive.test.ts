import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { resultParts } from '../../../src/backtest/report/resultParts.ts'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { appleSplits, generatePrices, importLines } from '../asOfJoins/generatedPrices.ts'

setDefaultTimeout(180_000)

let server: RealServer
let quant: string
beforeAll(async () => {
  server = await realServer()
  quant = await sellKey(server.sql, { quant: true })
  await importLines(server.sql, [
    ...generatePrices('AAPL', '2010-01-04', '2024-12-31', appleSplits),
    ...generatePrices('GOOGL', '2010-01-04', '2024-12-31'),
  ])
})
afterAll(() => server.stop())

async function run(body: object, key = quant) {
  const response = await fetch(`${server.url}/api/v1/backtest`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, answer: await response.json() }
}

/** The rows of the shipped archive, from the file alone. */
const archive = gunzipSync(await Bun.file(new URL('../../../sample/signals.csv.gz', import.meta.url)).bytes())
  .toString()
  .trimEnd()
  .split(/\r?\n/)
  .slice(1)
  .map(line => line.split(','))
  .filter(([, , market, horizon]) => market === 'US' && horizon === '1d')
  .map(([date, asset, market, , , actual]) => ({ date, asset, market, forward_return: Number(actual) }))

const config = { direction: 'long_only', quantile: 0.5, costBps: 3 } as const

test('an archive that is ranked by a valuation equals its rows with the same score', async () => {
  for (const metric of ['price_to_book', 'market_cap', 'dividend_yield']) {
    const { answer } = await run({ source: { market: 'US', horizon: '1d', score: metric }, config })
    const byHand = await run({
      panel: archive,
      score: { asOf: metric },
      config: { ...config, returnDays: 1 },
    })
    expect(answer.score).toMatchObject({
      metric,
      fiscal_period: 'latest',
      price_set: 'made-up',
      unit: metric === 'market_cap' ? 'USD' : 'pure',
      // Of the archive's names, Apple alone has both prices and the count of a cover.
      n_assets: 1,
      max_age_days: 550,
    })
    // So its report cannot be made public.
    expect([resultParts(answer).priceSet, resultParts(byHand.answer).priceSet]).toEqual([
      'made-up',
      'made-up',
    ])
    expect(answer.n_rows).toBe(byHand.answer.n_rows)
    expect(answer.n_rows).toBeGreaterThan(900)
    expect(answer.stats).toEqual(byHand.answer.stats)
  }
})

test('the score follows the join row by row, with prices and figures known before each date', async () => {
  const ofApple = archive.filter(({ asset }) => asset === 'AAPL')
  const joined = await fetch(`${server.url}/api/v1/as-of`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${quant}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      rows: { date: ofApple.map(row => row.date), ticker: ofApple.map(() => 'AAPL') },
      metrics: ['price_to_book'],
      max_age_days: 550,
    }),
  }).then(response => response.json())
  const known = joined.columns.price_to_book.filter((value: number | null) => value !== null).length
  const { answer } = await run({ source: { market: 'US', horizon: '1d', score: 'price_to_book' }, config })
  expect(answer.n_rows).toBe(known)
})

test('what cannot be ranked is refused with a way to mend it', async () => {
  const source = { market: 'US', horizon: '1d', score: 'price_to_book' }
  const cases = [
    [{ source: { ...source, prices: 'nosuch' } }, 'source.prices', 'nosuch is no set of prices'],
    [{ source: { ...source, score: 'roe', prices: 'made-up' } }, 'source.prices', 'source.score is roe'],
    [{ source, compare: ['as_known', 'final'] }, 'compare', 'several figures and a price'],
    [{ source: { ...source, market: 'NZ' } }, 'source.market', 'NZ'],
  ] as const
  for (const [body, param, said] of cases) {
    const { status, answer } = await run(body)
    expect([status < 500, answer.error?.param]).toEqual([true, param])
    expect(answer.error.message).toContain(said)
  }
})

test('each backtest of a batch takes its own set of prices, and repeats which', async () => {
  const lines = generatePrices('AAPL', '2010-01-04', '2024-12-31', appleSplits, 250)
  await importLines(server.sql, lines, { name: 'second' })
  const sets = ['made-up', 'second']
  const items = sets.map(prices => ({
    source: { market: 'US', horizon: '1d', score: 'price_to_book', prices },
    config,
  }))
  const response = await fetch(`${server.url}/api/v1/backtests/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${quant}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ items }),
  })
  const results = (await response.text())
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .filter(({ object }) => object === 'batch_result')
  expect(results).toHaveLength(sets.length)
  for (const { index, result } of results) {
    const { answer } = await run(items[index])
    expect({ ...result, verdict: answer.verdict }).toEqual(answer)
    expect([answer.score.price_set, answer.source.prices]).toEqual([sets[index], sets[index]])
    // What it says of itself gives it again, although the key sees two sets.
    expect((await run(answer.request)).answer).toEqual(answer)
  }
})

test('a key that may not see the set is refused, whatever others have ranked before', async () => {
  const source = { market: 'US', horizon: '1d', score: 'price_to_book' }
  await server.sql`update price_set set access = 'private', licences = '{}'`
  const { status, answer } = await run({ source, config })
  expect(status).toBe(400)
  expect(answer.error.message).toContain('there is no set of prices that your key may see')
})

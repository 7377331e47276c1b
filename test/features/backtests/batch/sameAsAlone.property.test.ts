import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { addDays } from '../../../../src/dates.ts'
import { sellKey } from '../../../http/callers.ts'
import { type RealServer, realServer } from '../../../http/realServer.ts'
import { rounds } from '../../../rounds.ts'

/* Whatever the configurations of a batch and the scores of its items, each result has the bytes of a request of its own, and each
   that fails alone fails in the batch with the same error. */

setDefaultTimeout(180_000)

let server: RealServer
beforeAll(async () => {
  server = await realServer()
})
afterAll(() => server.stop())

const names = ['AAPL', 'MSFT', 'INTC', 'IBM', 'GE', 'PFE', 'ABT', 'CAT', 'AA', 'NOSUCH']
const dates = Array.from({ length: 24 }, (_, at) => addDays('2009-10-14', 7 * at))
const panel = dates.flatMap((date, t) =>
  names.map((asset, i) => ({
    date,
    asset,
    market: i % 3 === 0 ? 'US' : 'TW',
    forward_return: Math.cos(78.233 * i + 2.3 * t) / 40,
    score: (i + t) % 7 === 0 ? null : Math.sin(i * 3.1 + t),
    group: i % 4 === 0 ? 'x' : 'y',
    dollar_volume: 1e6 * (1 + ((i * 7 + t) % 11)),
    mine: Math.cos(i * 1.7 + t),
    size: (i * 5 + t) % 9,
  })),
)

const some = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 })
const config = fc.record(
  {
    quantile: fc.constantFrom(0.2, 0.4, 0.5),
    direction: fc.constantFrom('long_only', 'long_short'),
    weighting: fc.constantFrom('equal', 'rank', 'score'),
    returnDays: some(fc.constantFrom(5, 7, 21)),
    costBps: fc.constantFrom(0, 12),
    drift: fc.boolean(),
    neutral: some(fc.constantFrom('market', 'group')),
    neutralise: some(
      fc.constantFrom<object>(
        { demean: ['group'] },
        { demean: ['market', 'group'] },
        { columns: ['size'] },
        { demean: ['group'], columns: ['size'] },
      ),
    ),
    rankBy: some(
      fc.constantFrom<object>(
        { columns: ['mine'] },
        { columns: ['dollar_volume'] },
        { columns: ['score', 'mine'], combine: 'ic_weighted' },
        { columns: ['mine', 'dollar_volume'], combine: 'rank_average' },
      ),
    ),
  },
  { requiredKeys: [] },
)
const score = some(
  fc.constantFrom<object>(
    { group: 'sicDivision' },
    { group: 'sicDivision:D' },
    { universe: 'reporting' },
    { group: 'ff49', universe: 'reporting' },
    { asOf: 'roe' },
    { asOf: 'net_margin', fp: 'TTM', group: 'sicDivision:D' },
    { asOf: 'roe', at: 'close', universe: 'reporting' },
  ),
)
const include = some(fc.constantFrom(['ic', 'by_group'], ['positions', 'capacity'], ['quantile_returns']))
const factors = some(
  fc.constant({ date: dates, returns: { up: dates.map((_, t) => Math.sin(t * 12.9898) / 50) } }),
)

let asked = 0
let key = ''
let stored = ''

async function post(route: string, body: object): Promise<string> {
  const response = await fetch(`${server.url}/api/v1/${route}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return response.text()
}

/** A key may send a limited number of requests a minute, and sees only panels of its own. */
async function useKey(): Promise<void> {
  if (asked++ % 10 !== 0) return
  key = await sellKey(server.sql, { quant: true })
  stored = JSON.parse(await post('panels?columns=mine,size', { panel })).id
}

/** A result or an error, without what counts the batch and without the request's number. */
function comparable(answer: ReturnType<typeof JSON.parse>): string {
  const { error, ...result } = answer
  if (error !== undefined) return error.code
  const residual = result.factors?.residual
  for (const name of ['trials', 'dsr', 'dsr_serial', 'verdict'])
    if (residual !== undefined) residual[name] = null
  return JSON.stringify({ ...result, verdict: null })
}

/** The panel without columns that no configuration names, which are refused. */
function panelFor(configs: readonly object[]) {
  const named = JSON.stringify(configs)
  return panel.map(({ mine, size, ...row }) => ({
    ...row,
    ...(named.includes('"mine"') ? { mine } : {}),
    ...(named.includes('"size"') ? { size } : {}),
  }))
}

test('every backtest of a batch is as it is alone', async () => {
  let results = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(config, { minLength: 1, maxLength: 5 }),
      score,
      include,
      factors,
      async (configs, ranked, sections, explained) => {
        await useKey()
        const shared = JSON.parse(JSON.stringify({ score: ranked, include: sections, factors: explained }))
        const text = await post('backtests/batch', { ...shared, panel: panelFor(configs), configs })
        const lines = text
          .trim()
          .split('\n')
          .map(line => JSON.parse(line))
        for (const [index, one] of configs.entries()) {
          const alone = JSON.parse(await post('backtest', { ...shared, panel: panelFor([one]), config: one }))
          const line = lines.find(other => other.index === index) ?? lines[0]
          if (line.result !== undefined) results++
          expect(comparable(line.result ?? line)).toBe(comparable(alone))
        }
      },
    ),
    { numRuns: rounds(20, 60) },
  )
  expect(results).toBeGreaterThan(rounds(10, 60))
})

test('every item of a batch is as it is alone, with rows that are stored', async () => {
  let results = 0
  const item = fc.record(
    { config, score, include, factors, benchmark: some(fc.constantFrom('cash', 'universe')) },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 6 }), async sentItems => {
      await useKey()
      const items = JSON.parse(JSON.stringify(sentItems.map(one => ({ panel: stored, ...one }))))
      const text = await post('backtests/batch', { items })
      const lines = text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      for (const [index, one] of items.entries()) {
        const alone = JSON.parse(await post('backtest', one))
        const line = lines.find(other => other.index === index) ?? lines[0]
        if (line.result !== undefined) results++
        expect(comparable(line.result ?? line)).toBe(comparable(alone))
      }
    }),
    { numRuns: rounds(20, 60) },
  )
  expect(results).toBeGreaterThan(rounds(10, 60))
})

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { addDays } from '../../../src/dates.ts'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'

setDefaultTimeout(60_000)

let server: RealServer
let quant: string
beforeAll(async () => {
  server = await realServer()
  quant = await sellKey(server.sql, { quant: true })
})
afterAll(() => server.stop())

/** Companies of the shipped sample, of which Apple restated its fiscal 2009 on 2010-01-25, every third day. */
const tickers = ['AAPL', 'MSFT', 'INTC', 'IBM', 'GE', 'PFE', 'ABT', 'CAT']
const dates = Array.from({ length: 120 }, (_, i) => addDays('2009-08-03', 3 * i))
const rows = dates.flatMap((date, t) =>
  tickers.map((asset, i) => ({ date, asset, forward_return: Math.cos(78.233 * i + 2.3 * t) / 40 })),
)
const config = { quantile: 0.3, costBps: 10 }
const score = { asOf: 'roe', max_age_days: 400 }
const compare = ['as_known', 'first_filed', 'final']

interface Sent {
  readonly query?: string
  readonly type?: string
  readonly key?: string
}

const post = (
  body: unknown,
  { query = '', type = 'application/json', key = quant }: Sent = {},
  route = 'backtest',
) =>
  fetch(`${server.url}/api/v1/${route}${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

async function ok(body: unknown, sent?: Sent, route?: string) {
  const response = await post(body, sent, route)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

async function refusal(body: unknown, sent?: Sent, route?: string) {
  const response = await post(body, sent, route)
  const { error } = await response.json()
  return [response.status, error.code, error.param, error.message]
}

interface Figure {
  readonly end: string
  readonly filed: string
  readonly v: number
}

/** The figures that the fundamentals route shows of a company. */
async function figuresOf(ticker: string, vintage: string): Promise<Figure[]> {
  const query = new URLSearchParams({ ticker, metric: 'roe', fp: 'FY', vintage })
  const response = await fetch(`${server.url}/api/v1/fundamentals?${query}`, {
    headers: { Authorization: `Bearer ${quant}` },
  })
  return (await response.json()).data
}

/** The rows with the figure of the latest period that counts on each date.
 *
 * @param dayOf the day after which a figure counts */
async function scoredByHand(vintage: string, dayOf: (figure: Figure) => string) {
  const figures = new Map<string, Figure[]>()
  for (const ticker of tickers) figures.set(ticker, await figuresOf(ticker, vintage))
  return rows.map(row => {
    const latest = (figures.get(row.asset) ?? [])
      .filter(figure => dayOf(figure) < row.date)
      .toSorted((a, b) => (a.end < b.end ? 1 : -1))[0]
    const counts = latest !== undefined && addDays(latest.end, score.max_age_days) >= row.date
    return { ...row, score: counts ? latest.v : null }
  })
}

const variantOf = (answer: Answer, name: string) =>
  answer.compare.variants.find(({ vintages }) => vintages === name)

interface Answer {
  readonly compare: NonNullable<BacktestResult['compare']>
}

/** A result without what the comparison adds, as text. */
const plain = ({ compare: _, request, ...result }: Record<string, unknown>) => {
  const { compare: __, ...own } = request as Record<string, unknown>
  return JSON.stringify({ ...result, request: own })
}

const headlines = ['sharpe', 'judged_sharpe', 'cagr', 'volatility', 'max_drawdown', 'avg_turnover'] as const

describe('a comparison of vintages on the rows of a caller', () => {
  test('gives each variant what the rows with its figures give', async () => {
    const answer = await ok({ panel: rows, score, config, compare })
    expect([...Value.Errors(BacktestResult, answer)]).toEqual([])
    expect(answer.compare.variants.map(({ vintages }: { vintages: string }) => vintages)).toEqual(compare)
    const byHand = {
      first_filed: await scoredByHand('first', ({ filed }) => filed),
      final: await scoredByHand('latest', ({ end }) => end),
    }
    for (const [name, panel] of Object.entries(byHand)) {
      const expected = await ok({ panel, config })
      const variant = variantOf(answer, name)
      for (const metric of headlines) expect(variant?.[metric]).toBe(expected.metrics[metric])
      expect(variant?.n_periods).toBe(expected.n_periods)
      expect(variant?.n_empty_periods).toBe(expected.n_empty_periods)
      expect(variant?.names_per_period).toBe(expected.n_rows / expected.n_periods)
      const scored = new Set(panel.filter(row => row.score !== null).map(({ asset }) => asset))
      expect(variant?.n_assets).toBe(scored.size)
    }
    // The three differ, or the test would prove nothing.
    const sharpes = answer.compare.variants.map(({ sharpe }: { sharpe: number }) => sharpe)
    expect(new Set(sharpes).size).toBe(3)
  })

  test('ranks each variant by its own residuals, and explains the figures as known by factors', async () => {
    const groups = ['Tech', 'Other']
    const grouped = rows.map((row, i) => ({ ...row, group: groups[i % 2], size: Math.cos(i * 3.7) }))
    const neutral = { ...config, neutralise: { demean: ['group'], columns: ['size'] } }
    const factors = { date: dates, returns: { up: dates.map((_, t) => Math.sin(t * 12.9898) / 50) } }
    const request = { panel: grouped, score, config: neutral, factors }
    const answer = await ok({ ...request, compare })
    const first = (await scoredByHand('first', ({ filed }) => filed)).map((row, i) => ({
      ...grouped[i],
      ...row,
    }))
    const expected = await ok({ panel: first, config: neutral })
    for (const metric of headlines)
      expect(variantOf(answer, 'first_filed')?.[metric]).toBe(expected.metrics[metric])
    const alone = await ok(request)
    expect([answer.factors, answer.neutralised]).toEqual([alone.factors, alone.neutralised])
    expect(alone.factors.betas).toHaveLength(1)
  })

  test('leaves the result as it is without the comparison, to the byte', async () => {
    const request = { panel: rows, score, config, include: ['positions', 'ic', 'curves'] }
    const without = await (await post(request)).text()
    const answer = await ok({ ...request, compare })
    expect(plain(answer)).toBe(without)
    expect(answer.request.compare).toEqual(compare)
    const [known] = answer.compare.variants
    expect(known.verdict).toEqual(answer.verdict)
    for (const metric of headlines) expect(known[metric]).toBe(answer.metrics[metric])
  })

  test('withholds the verdict of final figures and says why, and counts two trials for the first ones', async () => {
    const answer = await ok({ panel: rows, score, config, compare, include: ['positions'] })
    expect(variantOf(answer, 'final')).toMatchObject({
      verdict: null,
      withheld: true,
      why: expect.stringContaining('Nobody could have traded'),
    })
    const first = variantOf(answer, 'first_filed')
    expect([first?.withheld, first?.verdict?.trials, answer.verdict.trials]).toEqual([false, 2, 1])
    // Alone, the same rows are one trial, whose tests are easier to pass.
    const panel = await scoredByHand('first', ({ filed }) => filed)
    const alone = await ok({ panel, config })
    expect(first?.verdict?.judged_sharpe).toBe(alone.verdict.judged_sharpe)
    expect(first?.verdict?.dsr).toBeLessThan(alone.verdict.dsr)
    expect(first?.verdict?.spa_level).toBe(alone.verdict.spa_level / 2)
    // Nothing but the result has positions.
    expect(JSON.stringify(answer.compare)).not.toContain('"asset"')
    expect(answer.positions.length).toBeGreaterThan(0)
  })

  test('gives the differences of the Sharpe ratios with bounds that contain them', async () => {
    const answer = await ok({ panel: rows, score, config, compare, evidence: { seed: 7, bootstraps: 500 } })
    const known = variantOf(answer, 'as_known')
    expect(
      answer.compare.differences.map((one: Record<string, unknown>) => [one.vintages, one.minus]),
    ).toEqual([
      ['first_filed', 'as_known'],
      ['final', 'as_known'],
    ])
    for (const difference of answer.compare.differences) {
      const variant = variantOf(answer, difference.vintages)
      expect(difference.sharpe).toBeCloseTo((variant?.sharpe ?? 0) - (known?.sharpe ?? 0), 10)
      expect(difference.sharpe_per_period).toBeCloseTo(
        (variant?.sharpe_per_period ?? 0) - (known?.sharpe_per_period ?? 0),
        12,
      )
      expect(difference.level).toBe(0.95)
    }
    const [, final] = answer.compare.differences
    expect(final.low).toBeLessThan(final.sharpe)
    expect(final.high).toBeGreaterThan(final.sharpe)
    expect([answer.compare.seed, answer.compare.bootstraps]).toEqual([7, 500])
    const block = await ok({ panel: rows, score, config, compare, evidence: { meanBlock: 3 } })
    expect([block.compare.mean_block, block.compare.mean_block_chosen]).toEqual([3, false])
    // It is paired: a variant that equals the record differs by exactly nothing.
    const same = rows.filter(({ asset }) => asset !== 'AAPL')
    const equal = await ok({ panel: same, score, config, compare: ['as_known', 'first_filed'] })
    expect(equal.compare.differences).toMatchObject([{ sharpe: 0, low: 0, high: 0 }])
  })

  test('lists the choices that were named, and compares them with the figures as known', async () => {
    const all = await ok({ panel: rows, score, config, compare })
    const two = await ok({ panel: rows, score, config, compare: ['final', 'first_filed'] })
    expect(two.compare.variants).toEqual(all.compare.variants.slice(1))
    expect(two.compare.differences).toEqual(all.compare.differences)
    expect(two.metrics).toEqual(all.metrics)
  })

  test('is the same as CSV, NDJSON and stored rows, and gives itself again', async () => {
    const answer = await ok({ panel: rows, score, config, compare })
    const lines = rows.map(row => `${row.date},${row.asset},${row.forward_return}`)
    const query = `?${new URLSearchParams({
      score: JSON.stringify(score),
      config: JSON.stringify(config),
      compare: compare.join(),
    })}`
    const csv = `date,asset,forward_return\n${lines.join('\n')}\n`
    expect(await ok(csv, { query, type: 'text/csv' })).toEqual(answer)
    const ndjson = [{ score, config, compare }, ...rows].map(line => JSON.stringify(line)).join('\n')
    expect(await ok(ndjson, { type: 'application/x-ndjson' })).toEqual(answer)
    const stored = await ok({ panel: rows.map(row => ({ ...row, score: 1 })) }, {}, 'panels')
    const ofStored = await ok({ panel: stored.id, score, config, compare })
    expect(ofStored.compare).toEqual(answer.compare)
    expect(await ok(ofStored.request)).toEqual(ofStored)
  })

  test('is a section of the report', async () => {
    const response = await post({ panel: rows, score, config, compare }, { query: '?format=html' })
    const page = await response.text()
    expect(page).toContain(
      '<h2 id="compare-name">What restatements and early dating would have been worth</h2>',
    )
    expect(page).toContain('Nobody could have traded on them')
    const without = await (await post({ panel: rows, score, config }, { query: '?format=html' })).text()
    expect(without).not.toContain('early dating')
  })
})

describe('a comparison of vintages on the archive', () => {
  const source = { market: 'US', score: 'roe', maxAgeDays: 800 }

  test('leaves the result as it is, and reproduces itself at its data version', async () => {
    const without = await (await post({ source, config: { quantile: 0.5 }, include: ['positions'] })).text()
    const answer = await ok({ source, config: { quantile: 0.5 }, include: ['positions'], compare })
    expect([...Value.Errors(BacktestResult, answer)]).toEqual([])
    expect(plain(answer)).toBe(without)
    expect(await ok(answer.request)).toEqual(answer)
    // Alphabet's fiscal 2015 ended on 2015-12-31 and was first filed on 2016-02-11: the final figure counts six weeks earlier.
    const [known, , final] = answer.compare.variants
    expect(final.names_per_period).toBeGreaterThan(known.names_per_period)
  })

  test('is that of an earlier data version once data were imported', async () => {
    const request = { source: { ...source, score: 'roa' }, config: { quantile: 0.5 }, compare }
    const before = await ok(request)
    await server.sql`update fact set value = value * 2
      where metric_id = (select metric_id from metric where name = 'roa') and period_end > '2015-01-01'`
    await server.sql`update data_version set version = version + 1`
    await server.sql`select pg_notify('asfiled_data', (select version::text from data_version))`
    for (let tries = 0; tries < 100 && server.resources.dataVersion() === before.data_version; tries++)
      await Bun.sleep(50)
    expect(await ok(before.request)).toEqual(before)
  })
})

describe('a comparison is refused', () => {
  const panel = rows.map((row, i) => ({ ...row, score: i }))
  const refused: [string, object, number, string, string][] = [
    [
      'without a metric, of rows',
      { panel, compare },
      400,
      'compare',
      'the score of this request is not a metric',
    ],
    ['without a metric, of the archive', { compare }, 400, 'compare', 'Send source.score or'],
    ['with a sweep', { panel: rows, score, sweep: true, compare }, 400, 'compare', 'compare and sweep'],
    [
      'at a point of a session',
      { panel: rows, score: { ...score, at: 'close' }, compare },
      400,
      'compare',
      'Omit score.at or compare',
    ],
    [
      'by a column that has no vintages',
      {
        panel: rows.map((row, i) => ({ ...row, mine: i })),
        score,
        config: { rankBy: { columns: ['mine'] } },
        compare,
      },
      400,
      'compare',
      'config.rankBy ranks by mine, which has none',
    ],
    [
      'with several scores',
      { panel: rows.map((row, i) => ({ ...row, mine: i })), score, scores: ['score', 'mine'], compare },
      400,
      'compare',
      'Send one of them as config.rankBy',
    ],
    ['of one choice', { panel: rows, score, compare: ['final'] }, 400, 'compare', '2 to 3 different items'],
    ['of one twice', { panel: rows, score, compare: ['final', 'final'] }, 400, 'compare', 'different'],
    ['of another', { panel: rows, score, compare: ['final', 'last'] }, 400, 'compare[1]', '"first_filed"'],
    [
      'with too many resamples',
      { panel: rows, score, compare, evidence: { bootstraps: 20_000 } },
      400,
      'evidence.bootstraps',
      'from 100 to 10000',
    ],
  ]
  test.each(refused)('%s', async (_, body, status, param, hint) => {
    const [code, , name, message] = await refusal(body)
    expect([code, name]).toEqual([status, param])
    expect(message).toContain(hint)
  })

  test('in a batch, with a hint', async () => {
    const batches: [object, string][] = [
      [{ panel, configs: [{}], compare }, 'compare'],
      [{ items: [{ source: { market: 'US', score: 'roe' }, compare }] }, 'items[0].compare'],
    ]
    for (const [body, param] of batches) {
      const [status, code, name, message] = await refusal(body, {}, 'backtests/batch')
      expect([status, code, name]).toEqual([400, 'parameter_unknown', param])
      expect(message).toContain('POST /api/v1/backtest by itself')
    }
  })

  test('with a JSON body, as a query parameter', async () => {
    const [, code] = await refusal({ panel: rows, score }, { query: '?compare=as_known,final' })
    expect(code).toBe('parameter_unknown')
  })
})

describe('who may compare', () => {
  test('who may rank by the metric', async () => {
    const free = await sellKey(server.sql, { licence: 'free', quant: true })
    const source = { market: 'US', score: 'roe' }
    const bodies = [
      { panel: rows, score, compare },
      { source, compare },
    ]
    for (const body of bodies)
      expect((await refusal(body, { key: free })).slice(0, 2)).toEqual([403, 'licence_required'])
    const personal = await sellKey(server.sql, { licence: 'personal', quant: true })
    for (const body of bodies) expect((await post(body, { key: personal })).status).toBe(200)
  })

  test('with an evaluation key the companies count once, and a cap that is too small refuses before a figure is read', async () => {
    const key = await sellKey(server.sql, { licence: 'evaluation', quant: false, expires: '2099-01-01' })
    const prefix = key.slice(0, 17)
    const raiseCap = (cap: number) =>
      server.sql`update key_grant set entity_cap = ${cap}, quant = true
        where key_id = (select key_id from api_key where prefix = ${prefix})`
    const seen = async () => {
      const [{ count }] = await server.sql<{ count: number }[]>`
        select count(*)::int as count from key_entity join api_key using (key_id) where prefix = ${prefix}`
      return count
    }
    const body = { panel: rows, score, config, compare }
    await raiseCap(tickers.length - 1)
    expect((await refusal(body, { key })).slice(0, 2)).toEqual([403, 'entity_cap_reached'])
    expect(await seen()).toBe(0)
    await raiseCap(tickers.length)
    expect((await post(body, { key })).status).toBe(200)
    expect(await seen()).toBe(tickers.length)
  })
})

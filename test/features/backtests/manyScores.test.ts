import { afterAll, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import fc from 'fast-check'
import * as simple from 'simple-statistics'
import { readBody } from '../../../src/backtest/codec/body.ts'
import { addBusinessDays } from '../../../src/backtest/dataset/calendar.ts'
import { openBatch, runBatchItems } from '../../../src/backtest/pipeline/batch.ts'
import { buildPanelDataset } from '../../../src/backtest/pipeline/panelDataset.ts'
import { selectPanelData } from '../../../src/backtest/pipeline/selectData.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../src/backtest/pool/computePool.ts'
import type { BacktestConfig } from '../../../src/backtest/request.ts'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { dayNumber, registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import { randomPanel, uniform } from '../../backtest/scoring/randomPanel.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { costs, openBench } from './backtestBench.ts'

registerFormats()
const resultCheck = TypeCompiler.Compile(BacktestResult)
const bench = openBench()
afterAll(bench.close, 60_000)

interface ScoreRow {
  readonly date: string
  readonly asset: string
  readonly forward_return: number | null
  readonly value: number | null
  readonly quality: number | null
}

const scores = ['value', 'quality'] as const

function scoredPanel(seed: number, dates = 60, names = 30): ScoreRow[] {
  const next = uniform(seed + 1)
  return randomPanel(seed, dates, names).map(({ date, asset, score, forward_return }) => ({
    date,
    asset,
    forward_return,
    value: score,
    quality: next() < 0.05 ? null : Math.round(1e4 * ((forward_return ?? 0) + next() / 5)) / 1e4,
  }))
}

const panel = scoredPanel(21)

async function run(body: unknown): Promise<BacktestResult> {
  const result = await bench.run(body)
  expect(resultCheck.Errors(result).First()?.path).toBeUndefined()
  return result
}

/** Mean ranks 1 .. n, written without sorting. */
const ranksOf = (values: readonly number[]) =>
  values.map(
    value =>
      values.filter(other => other < value).length + (values.filter(other => other === value).length + 1) / 2,
  )

function plainIc(rows: readonly ScoreRow[], name: (typeof scores)[number]): number | null {
  const both = rows.filter(row => row[name] !== null && row.forward_return !== null)
  const [a, b] = [ranksOf(both.map(row => row[name] ?? 0)), ranksOf(both.map(row => row.forward_return ?? 0))]
  return both.length < 2 ? null : simple.sampleCorrelation(a, b)
}

/** The combined score of every row, from loops over the rows. */
function plainCombination(rows: readonly ScoreRow[], combine: 'rank_average' | 'ic_weighted') {
  const dates = [...new Set(rows.map(({ date }) => date))].sort()
  const ofDate = new Map(dates.map(date => [date, rows.filter(row => row.date === date)]))
  const ics = dates.map(date => scores.map(name => plainIc(ofDate.get(date) ?? [], name)))
  const combined = new Map<string, number>()
  const weights = dates.map(date => {
    const ended = dates.flatMap((other, t) =>
      t + 1 < dates.indexOf(date) &&
      addBusinessDays(dayNumber(other), 1) < dayNumber(date) &&
      ics[t].every(ic => ic !== null)
        ? [ics[t]]
        : [],
    )
    const means = scores.map((_, c) => (ended.length === 0 ? 0 : simple.mean(ended.map(own => own[c] ?? 0))))
    const total = simple.sum(means.map(Math.abs))
    const isKnown = combine === 'ic_weighted' && ended.length >= 12 && total > 0
    return { date, training: ended.length, weights: means.map(mean => (isKnown ? mean / total : 0.5)) }
  })
  dates.forEach((date, t) => {
    const both = (ofDate.get(date) ?? []).filter(row => row.value !== null && row.quality !== null)
    const ranks = scores.map(name => ranksOf(both.map(row => row[name] ?? 0)))
    both.forEach((row, i) => {
      const parts = scores.map((_, c) => weights[t].weights[c] * ((ranks[c][i] - 0.5) / both.length))
      combined.set(`${date} ${row.asset}`, simple.sum(parts))
    })
  })
  return { combined, weights }
}

function scoresOf(rows: readonly ScoreRow[], config: BacktestConfig): Map<string, number> {
  const parsed = readBody(new TextEncoder().encode(JSON.stringify({ config, panel: rows })))
  if (parsed.panel === null) throw new Error('the body has rows')
  const { data } = selectPanelData(buildPanelDataset(parsed.panel), config)
  const names = [...new Set(rows.map(({ asset }) => asset))].sort()
  const dates = [...new Set(rows.map(({ date }) => date))].sort()
  const found = new Map<string, number>()
  dates.forEach((date, t) => {
    for (let row = data.offsets[t]; row < data.offsets[t + 1]; row++)
      if (!Number.isNaN(data.score[row])) found.set(`${date} ${names[data.asset[row]]}`, data.score[row])
  })
  return found
}

for (const combine of ['rank_average', 'ic_weighted'] as const) {
  test(`${combine} is that of plain loops`, () => {
    const config = { rankBy: { columns: [...scores], combine } }
    const found = scoresOf(panel, config)
    const { combined } = plainCombination(panel, combine)
    expect(found.size).toBe(combined.size)
    for (const [key, value] of combined)
      expect(Math.abs((found.get(key) ?? Number.NaN) - value)).toBeLessThan(1e-12)
  })
}

test('scores tries each column and both combinations, and says what each is worth', async () => {
  const result = await run({ panel, scores, include: ['spa', 'cpcv', 'ic'] })
  const { trials = [], scores: found, deflated_sharpe: deflated, best } = result
  const names = ['value', 'quality', 'rank_average', 'ic_weighted']
  expect(trials.map(({ label }) => label)).toEqual(names.map(name => `long_short q0.1 equal h1 ${name}`))
  expect([deflated?.trials, result.verdict.trials, found?.variants.length]).toEqual([4, 4, 4])
  expect(found?.variants.map(({ name }) => name)).toEqual(names)
  expect(deflated?.pbo).not.toBeNull()
  expect(result.evidence?.cpcv).not.toBeNull()
  const dates = [...new Set(panel.map(({ date }) => date))].sort()
  const ofDate = (date: string) => panel.filter(row => row.date === date)
  for (const [i, name] of scores.entries()) {
    const ics = dates.flatMap(date => plainIc(ofDate(date), name) ?? [])
    expect(found?.variants[i].ic.mean).toBeCloseTo(simple.mean(ics), 12)
    expect(found?.variants[i].ic.sd).toBeCloseTo(simple.sampleStandardDeviation(ics), 12)
  }
  const pairs = dates.map(date => {
    const both = ofDate(date).filter(row => row.value !== null && row.quality !== null)
    return simple.sampleCorrelation(
      ranksOf(both.map(row => row.value ?? 0)),
      ranksOf(both.map(row => row.quality ?? 0)),
    )
  })
  expect(found?.correlation.mean[0][1]).toBeCloseTo(simple.mean(pairs.filter(Number.isFinite)), 12)
  expect(found?.correlation.mean[1][1]).toBeCloseTo(1, 12)
  const { weights } = plainCombination(panel, 'ic_weighted')
  nonEmpty(found?.weights).forEach((own, t) => {
    expect([own.date, own.training_periods]).toEqual([weights[t].date, weights[t].training])
    own.weights.forEach((weight, c) => {
      expect(weight).toBeCloseTo(weights[t].weights[c], 12)
    })
  })
  // The winner, and each trial, is its single backtest to the bit.
  const single = await run({
    panel: onlyNamed(best?.config.rankBy?.columns ?? []),
    config: { rankBy: best?.config.rankBy },
    include: ['ic'],
  })
  expect(single.metrics).toEqual(best?.metrics ?? single.metrics)
  expect(single.equity_curve).toEqual(result.equity_curve)
  expect(single.ic).toEqual(result.ic)
  expect(single.config).toEqual(result.config)
})

/** The rows with only these columns of scores. */
const onlyNamed = (names: readonly string[]) =>
  panel.map(row =>
    Object.fromEntries(
      Object.entries(row).filter(([name]) => !scores.some(score => score === name) || names.includes(name)),
    ),
  )

test('a grid is tried for each score, and a column by itself is what it is as `score`', async () => {
  const sweep = { quantile: [0.1, 0.3], holdDays: [1, 2] }
  const result = await run({ panel, scores, sweep })
  expect(result.trials?.length).toBe(16)
  const asScore = panel.map(({ date, asset, forward_return, quality }) => ({
    date,
    asset,
    forward_return,
    score: quality,
  }))
  const alone = await run({ panel: asScore, sweep })
  const own = result.trials?.filter(({ label }) => label.endsWith(' quality'))
  expect(own?.map(({ label: _, ...trial }) => trial)).toEqual(
    alone.trials?.map(({ label: _, ...trial }) => trial) ?? [],
  )
})

test('no weight and no combined score depends on returns that end on its date or later', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 1, max: 33 }), (seed, cut) => {
      const weekdays = scoredPanel(seed, 40, 8).map(row => ({
        ...row,
        quality: Math.sin(seed * Number(row.asset.slice(1))),
      }))
      // Every ninth weekday is a holiday, over which a return of one trading day takes two weekdays.
      const days = [...new Set(weekdays.map(({ date }) => date))].sort()
      const rows = weekdays.filter(({ date }) => days.indexOf(date) % 9 !== seed % 9)
      const dates = [...new Set(rows.map(({ date }) => date))].sort()
      // A return of the date before ends on the cut itself.
      const changed = rows.map(row =>
        row.date >= dates[cut - 1] ? { ...row, forward_return: (row.forward_return ?? 0.1) * -3 } : row,
      )
      for (const combine of ['rank_average', 'ic_weighted'] as const) {
        const config = { rankBy: { columns: [...scores], combine } }
        const [before, after] = [scoresOf(rows, config), scoresOf(changed, config)]
        for (const [key, value] of before)
          if (key.slice(0, 10) <= dates[cut]) expect(after.get(key)).toBe(value)
      }
    }),
    { numRuns: 40 },
  )
})

test('scores, neutralised and swept, are the same to the bit with one thread and with three, as page and as JSON', async () => {
  const rows = randomPanel(4, 50, 30).map(({ twin: _, score: value, ...row }) => ({ ...row, value }))
  const body = {
    panel: rows,
    scores: ['value', 'size'],
    config: { neutralise: { demean: ['group'], columns: ['beta'] } },
    sweep: { quantile: [0.1, 0.2, 0.3], weighting: ['equal', 'rank', 'score'] },
    include: ['spa', 'by_group', 'ic'],
    trials_already_tried: 7,
  }
  const results: string[] = []
  for (const threads of [1, 3]) {
    const pool = new ComputePool({ threads, queue: 50, timeLimitMs: 60_000 })
    try {
      const { deps } = openBench({ pool })
      for (const resultFormat of ['json', 'html'] as const) {
        const sent = new TextEncoder().encode(JSON.stringify(body))
        const { bytes } = await runBacktest(deps, sent, undefined, { caller: operator, resultFormat })
        results.push(new TextDecoder().decode(bytes))
      }
    } finally {
      await pool.close()
    }
  }
  expect(results[2]).toBe(results[0])
  expect(results[3]).toBe(results[1])
  const result: BacktestResult = JSON.parse(results[0])
  expect(resultCheck.Errors(result).First()?.path).toBeUndefined()
  expect([result.trials?.length, result.verdict.trials]).toEqual([36, 43])
  for (const text of [
    'Each score alone and combined',
    'Correlation of the scores',
    'By group',
    'on beta and a constant for each group',
    '7 of them before this request',
    'They are assumed to scatter as those of this request do',
  ])
    expect(results[1]).toContain(text)
})

test('a batch ranks each of its configurations by columns of its own', async () => {
  const configs: BacktestConfig[] = [
    { rankBy: { columns: ['value'] } },
    { rankBy: { columns: ['value', 'quality'], combine: 'ic_weighted' } },
    { rankBy: { columns: ['quality'] }, neutralise: { columns: ['value'] } },
  ]
  const opened = openBatch(
    new TextEncoder().encode(JSON.stringify({ panel, configs, trials_already_tried: 9 })),
  )
  const { panel: data, trialsAlreadyTried } = opened
  if (data === null) throw new Error('the batch has rows')
  const { lines, failures } = runBatchItems({
    data,
    dataVersion: null,
    entries: opened.items.map(({ config, include }, index) => ({
      index,
      config,
      include,
      source: null,
      trialsAlreadyTried,
    })),
    size: 3,
    costs,
    stop: new Int32Array(new SharedArrayBuffer(4)),
  })
  expect(failures).toEqual([])
  const found = new TextDecoder()
    .decode(lines)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  for (const [index, { result, verdict, deflated_sharpe }] of found.entries()) {
    expect([verdict.trials, deflated_sharpe.trials, verdict.already_tried.trials_of_request]).toEqual([
      12, 12, 3,
    ])
    const config = configs[index]
    const named = [...(config.rankBy?.columns ?? []), ...(config.neutralise?.columns ?? [])]
    const { verdict: _, request: __, ...alone } = await run({ panel: onlyNamed(named), config })
    const { verdict: ___, request: ____, ...own } = result
    expect(own).toEqual(JSON.parse(JSON.stringify(alone)))
  }
})

test('what cannot be combined is refused by name', async () => {
  const cases: [object, string][] = [
    [
      { panel, scores, config: { rankBy: { columns: ['value'] } } },
      'scores and config.rankBy are both given',
    ],
    [{ scores }, 'The request names the column value, but only rows of your own have such columns'],
    [
      { panel: onlyNamed(['value']), scores },
      'The request names the column quality, but panel has the columns value of your own',
    ],
    [{ panel, config: { rankBy: { columns: ['value', 'quality'] } } }, 'but not how to combine them'],
    [
      { panel: onlyNamed(['value']), config: { rankBy: { columns: ['value'], combine: 'rank_average' } } },
      'needs several columns',
    ],
    [{ panel, scores: ['value'] }, 'scores is an array of 1; it must be an array of 2 to 10 different items'],
  ]
  for (const [body, message] of cases) {
    const error = await bench.run(body).catch((reason: unknown) => reason)
    expect(error instanceof Failure ? error.message : String(error)).toContain(message)
  }
})

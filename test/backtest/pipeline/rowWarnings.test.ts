import { describe, expect, test } from 'bun:test'
import { makePanel, type PanelSpec } from '../../../bench/verdict/panels.ts'
import type { Dataset } from '../../../src/backtest/dataset/dataset.ts'
import { rankDataset } from '../../../src/backtest/dataset/rank.ts'
import { runArchiveBacktest, runPanelBacktest } from '../../../src/backtest/pipeline/runRequest.ts'
import { selectPanelData } from '../../../src/backtest/pipeline/selectData.ts'
import { planSweep } from '../../../src/backtest/pipeline/sweepPlan.ts'
import type { BacktestConfig } from '../../../src/backtest/request.ts'

/**
 * Problems that the rows themselves reveal: overlapping returns, scores that know the returns, names that
 * never leave.
 */

const costs = { markets: {}, standard: { roundTripBps: 0, source: 'a test', date: '2000-01-01' } }
const noise: PanelSpec = {
  names: 30,
  dates: 300,
  drift: 0,
  scorePersistence: 0.9,
  returnPersistence: 0,
  span: 1,
  calendar: 'daily',
  skill: 0,
}

type Scored = (row: { name: number; date: number; own: number; next: number; made: number }) => number

/** The panel with another score; `next` is the name's return on the next date. */
function scored(spec: PanelSpec, score: Scored, seed = 1): Dataset {
  const panel = makePanel(spec, seed)
  const { names, dates } = spec
  const made = panel.score.slice()
  for (let row = 0; row < names * dates; row++)
    panel.score[row] = score({
      name: row % names,
      date: Math.floor(row / names),
      own: panel.forwardReturn[row],
      next: panel.forwardReturn[Math.min(row + names, names * dates - names + (row % names))],
      made: made[row],
    })
  return rankDataset({ ...panel, ranking: null })
}

function look(panel: Dataset, config: BacktestConfig = {}) {
  const { warnings, verdict, metrics } = runPanelBacktest(panel, { config, include: [] }, costs)
  return { codes: warnings.map(({ code }) => code), warnings, level: verdict.level, metrics }
}
const messageOf = (found: ReturnType<typeof look>, code: string) =>
  found.warnings.find(warning => warning.code === code)?.message ?? ''

describe('overlapping returns', () => {
  const span = { ...noise, span: 21, dates: 900 }

  test('are found whether returnDays was left out or denies them, and no verdict is given', () => {
    const panel = makePanel(span, 3)
    for (const config of [{}, { returnDays: 1 }, { returnDays: 5, holdDays: 5 }]) {
      const found = look(panel, config)
      expect([found.codes.includes('overlapping_returns'), found.level]).toEqual([true, 'withheld'])
    }
    expect(messageOf(look(panel), 'overlapping_returns')).toContain('returnDays was not sent')
    const denied = messageOf(look(panel, { returnDays: 1 }), 'overlapping_returns')
    expect(denied).toContain('config.returnDays is 1.')
    expect(denied).not.toContain('assumed')
  })

  test('are no fault where every 21st date is used', () => {
    const found = look(makePanel(span, 3), { returnDays: 21 })
    expect(found.codes).not.toContain('overlapping_returns')
    expect(found.level).not.toBe('withheld')
  })

  test('are found in a sweep and in the archive', () => {
    const panel = makePanel(span, 3)
    const plan = planSweep(
      selectPanelData(panel, { returnDays: 1 }),
      { config: { returnDays: 1 }, include: [], sweep: true },
      costs,
    )
    expect(plan.warnings.map(({ code }) => code)).toContain('overlapping_returns')
    const request = { source: { horizon: '1d' as const }, config: {}, include: [] }
    const result = runArchiveBacktest({ data: panel, request, costs, dataVersion: 1 })
    expect(result.warnings.map(({ code }) => code)).toContain('overlapping_returns')
    expect(result.verdict.level).toBe('withheld')
  })
})

describe('a score that knows its return', () => {
  test('is found if it is the return, a function of it, its opposite, or the return of the next date', () => {
    const copies: Record<string, Scored> = {
      same: ({ own }) => own,
      affine: ({ own, date }) => 3 * own + date,
      monotone: ({ own }) => Math.exp(5 * own),
      opposite: ({ own }) => -own,
      rounded: ({ own }) => Math.round(own * 1e4) / 1e4,
    }
    for (const [name, score] of Object.entries(copies)) {
      const found = look(scored(noise, score))
      expect([name, found.codes.includes('score_is_return'), found.level]).toEqual([name, true, 'withheld'])
    }
    const next = look(scored(noise, ({ next }) => next))
    expect([next.codes.includes('score_is_return'), next.level]).toEqual([true, 'withheld'])
    expect(messageOf(next, 'score_is_return')).toContain('on the next date')
  })

  test('has a rank correlation without variance: t_stat is null, and a note says why', () => {
    const panel = scored(noise, ({ own }) => own)
    const { ic } = runPanelBacktest(panel, { config: {}, include: ['ic'] }, costs)
    expect([ic?.t_stat, ic?.sd]).toEqual([null, null])
    expect(ic?.note).toBe(
      't_stat is null: the correlation is 1.000 in all 300 periods, so it has no variance to be compared with.',
    )
    const usual = runPanelBacktest(makePanel(noise, 1), { config: {}, include: ['ic'] }, costs)
    expect(usual.ic?.t_stat).toBeNumber()
    expect(usual.ic).not.toHaveProperty('note')
  })

  test('is found if it never changes and has the order of the mean returns of the whole record', () => {
    const { names, dates } = noise
    const panel = makePanel(noise, 4)
    const means = Float64Array.from({ length: names }, (_, name) => {
      let sum = 0
      for (let date = 0; date < dates; date++) sum += panel.forwardReturn[date * names + name]
      return sum / dates
    })
    const found = look(
      scored(noise, ({ name }) => means[name], 4),
      { direction: 'long_short', quantile: 0.1 },
    )
    expect(found.codes).toContain('score_is_return')
    expect(messageOf(found, 'score_is_return')).toContain('hardly changes')
    expect(found.level).toBe('withheld')
    // A fixed order that has nothing to do with the returns is a legitimate score, and so is one that trails them.
    expect(look(scored(noise, ({ name }) => (name * 7) % names, 4)).codes).not.toContain('score_is_return')
  })

  test('is found if it has the order of the mean returns of the whole record and is rounded, ranked or disturbed on each date', () => {
    const { names, dates } = noise
    const panel = makePanel(noise, 4)
    const means = Float64Array.from({ length: names }, (_, name) => {
      let sum = 0
      for (let date = 0; date < dates; date++) sum += panel.forwardReturn[date * names + name]
      return sum / dates
    })
    const spread = 0.02 / Math.sqrt(dates)
    const copies: Record<string, Scored> = {
      // Before, a score that changed on more than a hundredth of the rows was not looked at, however little it changed.
      disturbed: ({ name, made }) => means[name] + 0.2 * spread * made,
      hardly: ({ name, made }) => means[name] + 1e-12 * made,
      scaled: ({ name, date }) => (1 + (date % 7)) * means[name],
    }
    for (const [name, score] of Object.entries(copies)) {
      const found = look(scored(noise, score, 4))
      expect([name, found.codes.includes('score_is_return'), found.level]).toEqual([name, true, 'withheld'])
    }
  })

  test('is not found in a score that trails the mean of the returns so far', () => {
    const { names, dates } = noise
    const drifting = { ...noise, scorePersistence: 1 }
    for (let seed = 1; seed <= 5; seed++) {
      const panel = makePanel(drifting, seed)
      const sums = new Float64Array(names)
      const trailing = new Float64Array(names * dates)
      for (let row = 0; row < trailing.length; row++) {
        const name = row % names
        trailing[row] = sums[name] / Math.max(1, Math.floor(row / names))
        sums[name] += panel.forwardReturn[row]
      }
      const { codes } = look(scored(drifting, ({ name, date }) => trailing[date * names + name], seed))
      expect(codes).not.toContain('score_is_return')
    }
  })

  test('is found in panels of two names, and not where chance ordered a few dates', () => {
    const two = { ...noise, names: 2 }
    expect(look(scored(two, ({ own }) => own)).codes).toContain('score_is_return')
    expect(look(scored({ ...two, dates: 5 }, ({ own }) => own)).codes).not.toContain('score_is_return')
    expect(look(makePanel(two, 5)).codes).not.toContain('score_is_return')
  })

  test('noise is neither a copy nor too good', () => {
    for (let seed = 1; seed <= 8; seed++) {
      const { codes } = look(makePanel(noise, seed))
      expect(codes).not.toContain('score_is_return')
      expect(codes).not.toContain('too_good')
    }
  })
})

describe('too good to be true', () => {
  test('is a mean rank correlation above .2 over at least 20 names', () => {
    const mixed = (share: number) => scored(noise, ({ own, made }) => share * (own / 0.024) + made)
    const good = look(mixed(0.5))
    expect([good.codes.includes('too_good'), good.level]).toEqual([true, 'withheld'])
    expect(messageOf(good, 'too_good')).toContain('mean rank correlation')
    expect(look(mixed(0.02), { quantile: 0.5 }).codes).not.toContain('too_good')
  })

  test('is an annual Sharpe ratio above 5, whatever the number of names', () => {
    const few = { ...noise, names: 12 }
    const good = look(scored(few, ({ own, made }) => 0.6 * (own / 0.024) + made))
    expect(good.metrics.sharpe ?? 0).toBeGreaterThan(5)
    expect([good.codes.includes('too_good'), good.level]).toEqual([true, 'withheld'])
    expect(messageOf(good, 'too_good')).toContain('Sharpe ratio is')
    expect(good.codes.filter(code => code === 'too_good')).toHaveLength(1)
  })
})

// 4% of the names leave in a year: of 30, five are gone after 4.47 years, of 150 after .83.
describe('a panel that no name ever leaves', () => {
  const years = (count: number, names: number) => ({ ...noise, names, dates: Math.round(count * 261) })

  test('is warned of once more than five names should have left', () => {
    expect(look(makePanel(years(4.6, 30), 1)).codes).toContain('no_name_ever_leaves')
    expect(look(makePanel(years(4.3, 30), 1)).codes).not.toContain('no_name_ever_leaves')
    expect(look(makePanel(years(0.9, 150), 1)).codes).toContain('no_name_ever_leaves')
    expect(look(makePanel(years(0.75, 150), 1)).codes).not.toContain('no_name_ever_leaves')
  })

  test('is not warned of if one name left, and does not withhold the verdict', () => {
    const spec = years(5, 30)
    const whole = makePanel(spec, 1)
    expect(look(whole).level).not.toBe('withheld')
    const last = whole.offsets.length - 1
    const offsets = whole.offsets.slice()
    offsets[last]--
    const rows = offsets[last]
    const left = rankDataset({
      ...whole,
      ranking: null,
      offsets,
      asset: whole.asset.subarray(0, rows),
      market: whole.market.subarray(0, rows),
      score: whole.score.subarray(0, rows),
      forwardReturn: whole.forwardReturn.subarray(0, rows),
    })
    expect(look(left).codes).not.toContain('no_name_ever_leaves')
  })
})

import { expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../src/backtest/pool/computePool.ts'
import { alignScores } from '../../../src/backtest/premium/alignScores.ts'
import {
  type ByVariant,
  lookAheadPremium,
  type PremiumInput,
  variants,
} from '../../../src/backtest/premium/lookAheadPremium.ts'
import { LookAheadPremium } from '../../../src/backtest/premium/schema.ts'
import { writePremium } from '../../../src/backtest/premium/writePremium.ts'
import { loopReference, type Row } from '../loopReference.ts'
import { columnsOf } from '../rows.ts'

type ScoredRow = Omit<Row, 'score'> & { scores: ByVariant<number | null> }

/** A panel with a date every week. Scores are missing at random in each variant, and names have no row on some dates. */
function panel(seed: number, dates: number): ScoredRow[] {
  let state = 1 + seed * 7_919
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const rows: ScoredRow[] = []
  for (let t = 0; t < dates; t++) {
    for (let name = 0; name < 9; name++) {
      const sent = uniform() < 0.1 ? null : uniform()
      const known = uniform() < 0.2 ? null : sent === null || uniform() < 0.5 ? uniform() : sent
      const knownOrAnnounced = uniform() < 0.5 ? sent : known
      const forwardReturn = uniform() < 0.1 ? null : 0.1 * (uniform() - 0.5) + 0.02 * (sent ?? 0)
      if (uniform() < 0.1) continue
      const scores = { sent, known, knownOrAnnounced }
      rows.push({ day: 7 * t, asset: `A${name}`, market: name < 4 ? 'M0' : 'M1', forwardReturn, scores })
    }
  }
  return rows
}

const scoreColumn = (rows: readonly ScoredRow[], variant: (typeof variants)[number]) =>
  Float64Array.from(rows, row => row.scores[variant] ?? Number.NaN)

const costs: PremiumInput['costs'] = {
  markets: {
    M0: { roundTripBps: 40, source: 'a test', date: '1969-01-01' },
    M1: { roundTripBps: 15, source: 'a test', date: '1969-01-01' },
  },
  standard: { roundTripBps: 0, source: 'a test', date: '1969-01-01' },
}

function inputOf(rows: readonly ScoredRow[], config: PremiumInput['config'] = {}): PremiumInput {
  const columns = columnsOf(rows.map(row => ({ ...row, score: null })))
  const built = alignScores(columns, {
    sent: scoreColumn(rows, 'sent'),
    known: scoreColumn(rows, 'known'),
    knownOrAnnounced: scoreColumn(rows, 'knownOrAnnounced'),
  })
  if (built.dataset === null) throw new Error('a cell is repeated')
  return { data: built.dataset, scores: built.scores, config, costs, evidence: { bootstraps: 200 } }
}

const without = (rows: readonly ScoredRow[], isHidden: (row: ScoredRow) => boolean): ScoredRow[] =>
  rows.map(row =>
    isHidden(row) ? { ...row, scores: { ...row.scores, known: null, knownOrAnnounced: null } } : row,
  )

test('each record is that of plain loops on its scores, over the periods in which all portfolios hold names', () => {
  const weeksPerYear = 52
  for (const [seed, tranches] of [
    [1, 1],
    [2, 2],
    [3, 1],
    [4, 3],
  ]) {
    // Nothing is known on the first four dates, and on three in the middle.
    const hidden = new Set([0, 7, 14, 21, 98, 105, 112])
    const rows = without(panel(seed, 40), ({ day }) => hidden.has(day))
    const config = { quantile: 0.3, holdDays: 5 * tranches, borrowBps: 80 } as const
    const own = lookAheadPremium(inputOf(rows, config))
    const settings = {
      longShort: true,
      quantile: 0.3,
      weighting: 'equal',
      tranches,
      gross: 1,
      neutralMarket: false,
      drift: false,
    } as const
    const traded = rows.filter(({ day }) => day >= 28)
    const days = [...new Set(traded.map(({ day }) => day))]
    const records = variants.map(variant =>
      loopReference(
        traded.map(row => ({ ...row, score: row.scores.sent === null ? null : row.scores[variant] })),
        settings,
        1,
        { M0: 40, M1: 15 },
        0.008 / weeksPerYear,
      ),
    )
    const common = days.map((_, t) => t).filter(t => records.every(record => record[t].weights.size > 0))
    expect([...own.days]).toEqual(common.map(t => days[t]))
    // A portfolio of h tranches is empty from the h-th date without a leg on.
    expect(common.length).toBe(36 - (4 - tranches))
    variants.forEach((variant, v) => {
      const record = common.map(t => records[v][t])
      const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
      const center = mean(record.map(({ net }) => net))
      const squares = record.map(({ net }) => (net - center) ** 2)
      const ratio = center / Math.sqrt((mean(squares) * record.length) / (record.length - 1))
      const found = own.variants[variant]
      expect(found.sharpePerPeriod).toBeCloseTo(ratio, 10)
      expect(found.sharpeAnnualised).toBeCloseTo(ratio * Math.sqrt(weeksPerYear), 10)
      expect(found.meanTurnover).toBeCloseTo(mean(record.map(({ turnover }) => turnover)), 10)
      const drag = mean(record.map(({ cost, borrow }) => cost + borrow)) * weeksPerYear
      expect(found.costDragAnnual).toBeCloseTo(drag, 10)
      const scored = rows.filter(row => row.scores.sent !== null && row.scores[variant] !== null)
      expect(found.rowsScored).toBe(scored.length)
      const commonDays = new Set(own.days)
      const ranked = scored.filter(({ day }) => commonDays.has(day)).length
      expect(found.meanNames).toBeCloseTo(ranked / own.days.length, 10)
    })
    const { sent, known, knownOrAnnounced } = own.variants
    const ratios = [sent, known, knownOrAnnounced].map(({ sharpePerPeriod }) => sharpePerPeriod ?? Number.NaN)
    expect(own.premium?.differencePerPeriod).toBeCloseTo(ratios[0] - ratios[1], 12)
    expect(own.premiumWithoutAnnounced?.differencePerPeriod).toBeCloseTo(ratios[0] - ratios[2], 12)
  }
})

test('scores that were all known have a premium of exactly 0', () => {
  const rows = panel(5, 60).map(row => {
    const { sent } = row.scores
    return { ...row, scores: { sent, known: sent, knownOrAnnounced: sent } }
  })
  const written = writePremium(lookAheadPremium(inputOf(rows)))
  const none = { sharpe: 0, low: 0, high: 0, sharpe_per_period: 0, low_per_period: 0, high_per_period: 0 }
  expect(written.premium).toEqual({ ...none, level: 0.95 })
  expect(written.premium_without_announced).toEqual({ ...none, level: 0.95 })
  expect(written.n_rows_without_known).toBe(0)
  expect(written.notes.map(({ code }) => code)).toEqual(['no_difference', 'no_difference'])
})

test('a known value for a row without one as sent changes nothing', () => {
  const rows = panel(6, 60)
  const filled = rows.map(row =>
    row.scores.sent === null ? { ...row, scores: { sent: null, known: 9, knownOrAnnounced: -9 } } : row,
  )
  expect(filled).not.toEqual(rows)
  expect(lookAheadPremium(inputOf(filled))).toEqual(lookAheadPremium(inputOf(rows)))
})

test('the result does not depend on the order in which rows arrive', () => {
  const rows = panel(7, 60)
  const shuffled = rows.map((_, i) => rows[(i * 7) % rows.length])
  expect(new Set(shuffled).size).toBe(rows.length)
  expect(writePremium(lookAheadPremium(inputOf(shuffled)))).toEqual(
    writePremium(lookAheadPremium(inputOf(rows))),
  )
})

test('a cell that comes twice is reported with both of its rows', () => {
  const rows = panel(8, 5)
  const columns = columnsOf([...rows, rows[2]].map(row => ({ ...row, score: null })))
  const score = new Float64Array(columns.count)
  const { duplicate } = alignScores(columns, { sent: score, known: score, knownOrAnnounced: score })
  expect(duplicate).toEqual({ firstRow: 2, secondRow: rows.length })
})

test('where nothing was known there is no premium, and a note says so', () => {
  const written = writePremium(lookAheadPremium(inputOf(without(panel(9, 60), () => true))))
  expect(written).toMatchObject({ premium: null, n_periods: 0, n_periods_left_out: 60, first_date: null })
  expect(written.sent).toMatchObject({ sharpe: null, n_empty_periods: 0 })
  expect(written.known).toMatchObject({ sharpe: null, n_rows: 0, n_empty_periods: 60 })
  expect(written.notes.map(({ code }) => code)).toEqual(['no_common_periods'])
  expect([...check.Errors(written)]).toEqual([])
})

test('portfolios that differ on one date have a premium without bounds', () => {
  const rows = panel(10, 60).map(row => {
    const { sent } = row.scores
    const known = sent !== null && row.day === 210 ? -sent : sent
    return { ...row, scores: { sent, known, knownOrAnnounced: sent } }
  })
  const written = writePremium(lookAheadPremium(inputOf(rows)))
  expect(written.premium).toMatchObject({ low: null, high: null, level: 0.95 })
  expect(written.premium?.sharpe).toBeCloseTo((written.sent.sharpe ?? 0) - (written.known.sharpe ?? 0), 12)
  expect(written.notes.map(({ code }) => code)).toEqual(['unbounded', 'no_difference'])
  expect([...check.Errors(written)]).toEqual([])
})

test('an answer has the fields of its schema, and says when names rather than values make the premium', () => {
  const written = writePremium(lookAheadPremium(inputOf(panel(11, 30), { quantile: 0.3 })))
  expect([...check.Errors(written)]).toEqual([])
  expect(written.n_rows_without_known).toBe(written.sent.n_rows - written.known.n_rows)
  expect(written.notes.map(({ code }) => code)).toContain('names_left_out')
  expect(written.notes.map(({ code }) => code)).toContain('few_periods')
  expect(written).toMatchObject({ seed: 1, bootstraps: 200, mean_block_chosen: true })
  expect(written.config).toMatchObject({ quantile: 0.3, returnDays: 5, holdDays: 5 })
})

test('a thread answers with the same numbers', async () => {
  const pool = new ComputePool({ threads: 1, queue: 1, timeLimitMs: 60_000 })
  try {
    const input = inputOf(panel(12, 60))
    const answered = await pool.tasks.lookAheadPremium(input, { caller: operator })
    expect(answered).toEqual(writePremium(lookAheadPremium(input)))
  } finally {
    await pool.close()
  }
}, 60_000)

const check = TypeCompiler.Compile(LookAheadPremium)

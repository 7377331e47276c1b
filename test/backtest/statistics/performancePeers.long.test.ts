import { afterAll, expect, test } from 'bun:test'
import type { BacktestResult } from '../../../src/backtest/result.ts'
import { closingRows } from '../../features/backtests/closingRows.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { findPython } from '../../python.ts'
import { openEngine } from '../report/realResults.ts'

const isLong = process.env.LONG !== undefined
if (!isLong) console.log('skipped: empyrical and quantstats run with LONG=1')
const python = isLong ? findPython('empyrical', 'quantstats') : null
const engine = openEngine()
afterAll(engine.close, 60_000)

const closes = closingRows().map(({ beta: _, ...row }) => row)
const limits = {
  ...{ maxTurnover: 0.5, maxWeight: 0.2, targetVolatility: 0.15, volatilityPeriods: 10 },
  ...{ impact: 0.5, capital: 1e6, impactPeriods: 10 },
}
const requests: Readonly<Record<string, object>> = {
  'the shipped archive': {},
  'the shipped archive, long only, weekly returns': {
    source: { horizon: '7d' },
    config: { direction: 'long_only' },
  },
  'the shipped archive by the week': { config: { rebalance: 'weekly:FRI' } },
  'daily closes': { panel: closes, config: { quantile: 0.3 } },
  'closes under limits': { panel: closes, config: { trading: limits } },
  'closes by the week under limits, with drift': {
    panel: closes,
    config: { rebalance: 'weekly:FRI', drift: true, trading: limits },
  },
  'closes over five dates': { panel: closes, config: { returnDays: 5, holdDays: 10, entryDates: 2 } },
}

/** Net returns from the equity curve. */
function netOf({ equity_curve: curve }: BacktestResult): number[] {
  return curve.slice(1).map((value, t) => (value ?? Number.NaN) / (curve[t] ?? Number.NaN) - 1)
}

function own({ metrics, performance }: BacktestResult): Readonly<Record<string, number | null>> {
  const net = performance?.compared.find(({ series }) => series === 'net')
  const { sharpe, sortino, max_drawdown, calmar, volatility, cagr } = metrics
  return {
    ...{ sharpe, sortino, max_drawdown, calmar, volatility, cagr },
    value_at_risk: net?.value_at_risk ?? null,
    expected_shortfall: net?.expected_shortfall ?? null,
  }
}

test.skipIf(python === null)(
  'every ratio of a record equals that of empyrical-reloaded and of quantstats to 1e-12 (LONG=1)',
  async () => {
    const results: [string, BacktestResult][] = []
    for (const [name, request] of Object.entries(requests))
      results.push([name, await engine.data({ include: ['performance'], ...request })])
    const records = results.map(([, result]) => ({
      returns: netOf(result),
      periods_per_year: result.periods_per_year,
    }))
    const file = new URL('fixtures/performance_reference.py', import.meta.url).pathname
    const run = Bun.spawnSync([python ?? '', file], { stdin: Buffer.from(JSON.stringify({ records })) })
    if (run.exitCode !== 0) throw new Error(run.stderr.toString())
    const peers: Record<string, Record<string, number>>[] = JSON.parse(run.stdout.toString())
    let largest = 0
    let compared = 0
    nonEmpty(results).forEach(([name, result], i) => {
      for (const [peer, ratios] of Object.entries(peers[i])) {
        for (const [ratio, value] of Object.entries(ratios)) {
          const difference =
            Math.abs((own(result)[ratio] ?? Number.NaN) - value) / Math.max(1, Math.abs(value))
          expect([name, peer, ratio, difference < 1e-12]).toEqual([name, peer, ratio, true])
          largest = Math.max(largest, difference)
          compared++
        }
      }
    })
    console.info(
      `largest of ${compared} differences from empyrical and quantstats: ${largest.toExponential(2)}`,
    )
    expect(compared).toBe(14 * results.length)
  },
  180_000,
)

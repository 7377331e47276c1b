import { runBodyBacktest } from './backtest/runBodyBacktest.ts'

/** Runs the whole way, body to result, on a small panel until the runtime has compiled it, so that a caller's first
 * backtest is as fast as the next: measured cold, the kernel alone took twice as long. */
export function warmUp(): void {
  const rows: object[] = []
  for (let date = 0; date < 40; date++) {
    const day = new Date(Date.UTC(2024, 0, 1 + date)).toISOString().slice(0, 10)
    for (let i = 0; i < 120; i++) {
      const score = Math.sin(i * 12.9898 + date * 4.1414)
      const forwardReturn = Math.cos(i * 78.233 + date) / 50
      rows.push({ date: day, asset: `A${i}`, market: 'US', score, forward_return: forwardReturn })
    }
  }
  const body = new TextEncoder().encode(JSON.stringify({ config: { holdDays: 3 }, panel: rows }))
  const costs = { markets: {}, standard: { roundTripBps: 10, source: 'warm-up', date: '2024-01-01' } }
  for (let run = 0; run < 12; run++) runBodyBacktest({ body, costs })
}

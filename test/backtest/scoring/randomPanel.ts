import { isoDate } from '../../../src/dates.ts'

/** A row of a panel with columns of its own. */
export interface FactorRow {
  readonly date: string
  readonly asset: string
  readonly market: string | null
  readonly group: string | null
  readonly score: number | null
  readonly forward_return: number | null
  readonly beta: number | null
  readonly size: number | null
  /** Always 2 beta - size. */
  readonly twin: number | null
}

/** Uniform numbers from 0 to 1 (mulberry32). */
export function uniform(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A panel with gaps: missing scores, returns, markets, groups and exposures, and one date of three names. */
export function randomPanel(seed: number, dates = 30, names = 40): FactorRow[] {
  const next = uniform(seed)
  const maybe = <T>(value: T, share: number): T | null => (next() < share ? null : value)
  const round = (value: number) => Math.round(value * 1e6) / 1e6
  const rows: FactorRow[] = []
  for (let t = 0; t < dates; t++) {
    // Weekdays only: five of seven days.
    const day = 19_723 + 7 * Math.floor(t / 5) + (t % 5)
    for (let i = 0; i < (t === 7 ? 3 : names); i++) {
      const beta = round(0.5 + next())
      const size = round(20 + 4 * next())
      const score = round(next() + 0.3 * beta - 0.1 * size + (i % 4) * 0.2)
      const known = next() < 0.05 ? null : beta
      rows.push({
        date: isoDate(day),
        asset: `N${String(i).padStart(3, '0')}`,
        market: maybe(i % 3 === 0 ? 'TW' : 'US', 0.02),
        group: maybe(`G${i % 4}`, 0.03),
        score: maybe(score, 0.04),
        forward_return: maybe(round((next() - 0.5) / 10 + score / 200), 0.03),
        beta: known,
        size,
        twin: known === null ? null : 2 * known - size,
      })
    }
  }
  return rows
}

import { dayNumber, isoDate } from '../../../src/dates.ts'
import { uniform } from '../../backtest/scoring/randomPanel.ts'

export interface ClosingRow {
  readonly date: string
  readonly asset: string
  readonly market: string | null
  readonly group: string | null
  readonly score: number | null
  readonly close: number | null
  readonly borrow_bps: number | null
  readonly dollar_volume: number | null
  readonly beta: number | null
}

/** Daily rows with holidays, holes in every column, and a name whose closes end. */
export function closingRows(): ClosingRow[] {
  const next = uniform(8)
  const price = Array.from({ length: 20 }, () => 50)
  const rows: ClosingRow[] = []
  for (let day = dayNumber('2023-01-02'); day < dayNumber('2023-12-29'); day++) {
    if ((day + 3) % 7 > 4 || next() < 0.08) continue
    price.forEach((_, name) => {
      price[name] *= 1 + (next() - 0.5) / 20
      const isHole = () => next() < 0.05
      if (name === 3 && day > dayNumber('2023-08-01')) return
      rows.push({
        date: isoDate(day),
        asset: `A${String(name).padStart(2, '0')}`,
        market: isHole() ? null : name % 2 === 0 ? 'US' : 'TW',
        group: isHole() ? null : `G${name % 3}`,
        score: isHole() ? null : Math.round(1e4 * next()) / 1e4,
        close: isHole() ? null : Math.round(1e6 * price[name]) / 1e6,
        borrow_bps: name % 4 === 0 ? Math.round(500 * next()) : null,
        dollar_volume: isHole() ? null : Math.round(1e7 * next()),
        beta: isHole() ? null : Math.round(1e3 * next()) / 1e3,
      })
    })
  }
  return rows
}

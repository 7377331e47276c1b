import type { EventBlock } from '../../backtest/asOf/figureEvents.ts'
import { dayNumber, isoDate } from '../../dates.ts'
import { findPricedStrategy } from '../../markets/strategies/pricedStrategies.ts'
import { type Strategy, strategyMetric } from '../../markets/strategies/strategies.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { EventStore } from '../asOfJoins/eventStore.ts'
import { blockNames } from '../asOfJoins/figures.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { companiesOf } from './queries.ts'
import type { CoverageYear, LagStudy } from './schema.ts'

export interface CoverageDeps extends Pick<CompanyDeps, 'sql' | 'markets'> {
  readonly events: EventStore
}

/** The strategy whose values are counted: of one that takes prices, whether filings state all of its other inputs. */
const countedOf = (strategy: Strategy): Strategy => findPricedStrategy(strategy.name)?.stated ?? strategy

/** How many companies have a value, and what fixed lags would have hidden or shown too early, by market and year. */
export function readCoverage(
  { sql, markets, events }: CoverageDeps,
  strategy: Strategy,
): Promise<{ readonly dataVersion: number; readonly coverage: readonly CoverageYear[] }> {
  return withSnapshot(sql, async snapshot => {
    const dataVersion = await readDataVersion(snapshot)
    const coverage: CoverageYear[] = []
    for (const market of strategyMetric(markets.metrics, strategy).markets) {
      const companies = await companiesOf(snapshot, market)
      const lease = events.lease()
      try {
        const blocks = await lease.open(
          snapshot,
          dataVersion,
          blockNames(companies, [countedOf(strategy).name], { fp: 'FY' }),
        )
        coverage.push(...coverageOf(market, companies, blocks))
      } finally {
        lease.release()
      }
    }
    return { dataVersion, coverage }
  })
}

/** A value: the period's last day, and the day from which it was known. */
interface FirstKnown {
  readonly company: number
  readonly end: number
  readonly day: number
}

function coverageOf(market: string, companies: Int32Array, blocks: readonly EventBlock[]): CoverageYear[] {
  const wanted = new Set(companies)
  const years = new Map<number, FirstKnown[]>()
  for (const { firstEntity, starts, days, ends, values } of blocks)
    for (let slot = 0; slot < starts.length - 1; slot++) {
      const company = firstEntity + slot
      if (!wanted.has(company)) continue
      const counted = new Set<number>()
      for (let at = starts[slot]; at < starts[slot + 1]; at++) {
        if (Number.isNaN(values[at]) || counted.has(ends[at])) continue
        counted.add(ends[at])
        const year = Number(isoDate(ends[at]).slice(0, 4))
        const known = { company, end: ends[at], day: days[at] }
        const others = years.get(year)
        if (others === undefined) years.set(year, [known])
        else others.push(known)
      }
    }
  return [...years]
    .sort(([a], [b]) => a - b)
    .map(([year, known]) => ({
      market,
      year,
      companies: new Set(known.map(({ company }) => company)).size,
      values: known.length,
      lags: [lagOf(known, 4), lagOf(known, 6)],
    }))
}

function lagOf(known: readonly FirstKnown[], months: 4 | 6): LagStudy {
  const early = known.map(({ end, day }) => monthsAfter(end, months) - day)
  const hidden = early.filter(days => days > 0)
  const ahead = early.filter(days => days < 0)
  return {
    months,
    hidden: hidden.length / known.length,
    hidden_days: meanOf(hidden),
    look_ahead: ahead.length / known.length,
    look_ahead_days: meanOf(ahead.map(days => -days)),
  }
}

const meanOf = (days: readonly number[]) =>
  days.length === 0 ? null : days.reduce((sum, one) => sum + one, 0) / days.length

/** The same day some months later, or the last day of that month if it is shorter. */
export function monthsAfter(day: number, months: number): number {
  const [year, month, dayOfMonth] = isoDate(day).split('-').map(Number)
  const target = year * 12 + month - 1 + months
  const iso = (at: number, date: number) =>
    `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}-${String(date).padStart(2, '0')}`
  const last = dayNumber(iso(target + 1, 1)) - 1
  return Math.min(dayNumber(iso(target, 1)) + dayOfMonth - 1, last)
}

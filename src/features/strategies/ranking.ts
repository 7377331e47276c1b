import { findPositions, none } from '../../backtest/asOf/positions.ts'
import { dayNumber, type IsoDate } from '../../dates.ts'
import type { Strategy } from '../../markets/strategies/strategies.ts'
import { maxFigureAgeDays } from '../../markets/valuations.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import { blockNames } from '../asOfJoins/figures.ts'
import type { CoverageDeps } from './coverage.ts'
import type { ValueCompanies } from './priced.ts'
import { companiesOf } from './queries.ts'

/** The companies of a market by their score on a day, the best first. */
export interface Ranking {
  readonly companies: readonly RankedCompany[]
  /** From the weakest to the best; empty with fewer than ten companies. */
  readonly deciles: readonly Decile[]
  /** The currency of the scores; `pure` if they are no amounts. Null if there are none. */
  readonly unit: string | null
  /** How many companies are left out because their score is in another currency. */
  readonly inOtherCurrency: number
}

export interface RankedCompany {
  readonly entityId: number
  readonly score: number
  /** From 1, the best. */
  readonly rank: number
  /** From 1, the weakest, to 10; null with fewer than ten companies. */
  readonly decile: number | null
}

interface Decile {
  readonly decile: number
  readonly companies: number
  readonly lowest: number
  readonly median: number
  readonly highest: number
}

export const decileCount = 10

/** A score whose period ended earlier is not ranked: it is that of a company which no longer reports. */
export const maxScoreAgeDays = maxFigureAgeDays

export interface RankingDeps extends CoverageDeps {
  /** Only used for strategies that take prices. */
  readonly valueCompanies: ValueCompanies
}

interface RankedMarket {
  readonly market: string
  readonly day: IsoDate
  /** The companies that may be ranked; null: all of the market. */
  readonly only: readonly number[] | null
  /** The prices that the strategy takes; null: it takes none. */
  readonly set: PriceSet | null
}

/**
 * Ranks a market as a join with `inclusive` sees it on a day. Scores in another currency than most are left out.
 */
export function rankMarket(
  { sql, events, valueCompanies }: RankingDeps,
  strategy: Strategy,
  { market, day, only, set }: RankedMarket,
): Promise<Ranking> {
  return withSnapshot(sql, async snapshot => {
    const dataVersion = await readDataVersion(snapshot)
    const ofMarket = await companiesOf(snapshot, market)
    const allowed = only === null ? null : new Set(only)
    const companies = allowed === null ? ofMarket : ofMarket.filter(company => allowed.has(company))
    if (set !== null) {
      const request = { metrics: [strategy.name], set, market, entities: [...companies] }
      const rule = { day: dayNumber(day), maxAgeDays: maxScoreAgeDays, checks: null }
      const valued = await valueCompanies(snapshot, { ...request, ...rule })
      const scores = valued.map(({ entityId, value }) => ({ entityId, score: value, unit: 0 }))
      return rankScores(scores, () => strategy.unit)
    }
    const lease = events.lease()
    try {
      const names = blockNames(companies, [strategy.name], { fp: 'FY' })
      const blocks = await lease.open(snapshot, dataVersion, names)
      const wanted = new Set(companies)
      const scores: UnrankedScore[] = []
      for (const block of blocks) {
        const { firstEntity, starts } = block
        const slots = Int32Array.from(starts.subarray(1), (_, slot) => slot)
        const count = slots.length
        const rows = { count, day: new Int32Array(count).fill(dayNumber(day)), name: slots }
        const rule = { inclusive: true, maxAgeDays: maxScoreAgeDays }
        findPositions(rows, slots, block, rule).forEach((at, slot) => {
          const entityId = firstEntity + slot
          if (at !== none && wanted.has(entityId))
            scores.push({ entityId, score: block.values[at], unit: block.units[at] })
        })
      }
      return rankScores(scores, unit => events.units.get(unit) ?? '')
    } finally {
      lease.release()
    }
  })
}

interface UnrankedScore {
  readonly entityId: number
  readonly score: number
  readonly unit: number
}

/**
 * Ranks scores and cuts them into deciles, as backtests do: in ascending order, number j of n, from 0, is in decile
 * floor(10 j / n) + 1. Equal scores are in the order of import.
 */
export function rankScores(scores: readonly UnrankedScore[], nameOfUnit: (unit: number) => string): Ranking {
  const counts = new Map<number, number>()
  for (const { unit } of scores) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  const [most] = [...counts].sort(([a, m], [b, n]) => n - m || a - b)
  if (most === undefined) return { companies: [], deciles: [], unit: null, inOtherCurrency: 0 }
  const [unit, n] = most
  const ascending = scores
    .filter(score => score.unit === unit)
    .sort((a, b) => a.score - b.score || a.entityId - b.entityId)
  const hasDeciles = n >= decileCount
  const companies = ascending.map(({ entityId, score }, j) => ({
    entityId,
    score,
    rank: n - j,
    decile: hasDeciles ? Math.floor((decileCount * j) / n) + 1 : null,
  }))
  const deciles = Array.from({ length: hasDeciles ? decileCount : 0 }, (_, index) => {
    const members = companies.filter(({ decile }) => decile === index + 1).map(({ score }) => score)
    const half = members.length >> 1
    return {
      decile: index + 1,
      companies: members.length,
      lowest: members[0],
      median: members.length % 2 === 1 ? members[half] : (members[half - 1] + members[half]) / 2,
      highest: members[members.length - 1],
    }
  })
  return {
    companies: companies.reverse(),
    deciles,
    unit: nameOfUnit(unit),
    inOtherCurrency: scores.length - n,
  }
}

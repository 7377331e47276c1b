import { alignScores } from '../../../src/backtest/premium/alignScores.ts'
import {
  type ByVariant,
  type PremiumInput,
  variants,
} from '../../../src/backtest/premium/lookAheadPremium.ts'
import type { BacktestConfig } from '../../../src/backtest/request.ts'

/** Panels whose true premium is known without the engine: see `rotatingNames` and `quarterlyReports`. */

/** One date of a panel; element i is name i. */
export interface PanelDate {
  readonly forwardReturn: Float64Array
  readonly scores: ByVariant<Float64Array>
}

/** Dates without an end, the same for the same seed. */
export type PanelSource = (seed: number) => Generator<PanelDate, never>

/** Sharpe ratios of the population, per period. */
export type TrueSharpe = ByVariant<number>

/** Uniform numbers from mulberry32, and standard normals from them by Box and Muller's transform. */
function randomNumbers(seed: number) {
  let state = Math.imul(seed, 0x9e37_79b9) | 0
  const uniform = () => {
    state = (state + 0x6d2b_79f5) | 0
    let z = Math.imul(state ^ (state >>> 15), state | 1)
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61)
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32
  }
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  /** Student's t with 5 degrees of freedom, scaled to a variance of 1. */
  const heavy = () => {
    let squares = 0
    for (let i = 0; i < 5; i++) squares += normal() ** 2
    return normal() / Math.sqrt(squares / 3)
  }
  return { uniform, normal, heavy }
}

export interface RotatingNames {
  readonly names: number
  /** The mean return of a good name, and minus that of a bad one; 0 for panels without any skill. */
  readonly drift: number
  readonly noise: number
  readonly heavyTails: boolean
  /** Standard deviation of the drift over time, an AR(1) process with coefficient 0.6. */
  readonly driftNoise: number
  /** How many periods each variant is late; negative: early. */
  readonly late: ByVariant<number>
}

/** Names on a circle, of which a half is good. The half moves on by one name in each period, so a score that is l periods
 * late is wrong about exactly 2 l names, for ever. With all names in two legs of equal weights 1 / n, the net return of
 * a variant is then normal with known moments:
 *
 *   mean = f drift - turnover * roundTrip - borrow / 2, f = 1 - 4 l / n, turnover = 2 / n
 *   variance = f^2 driftNoise^2 + noise^2 / n
 *
 * With two tranches, two names of n are held on both sides, and cancel: f is the mean of those of l and l + 1, and
 * the variance of the noise falls to noise^2 (n - 2) / n^2. The turnover is the same: half of a portfolio that has moved
 * on by two names. */
export function rotatingNames(settings: RotatingNames): PanelSource {
  const { names, drift, noise, heavyTails, driftNoise, late } = settings
  return function* (seed) {
    const random = randomNumbers(seed)
    const draw = heavyTails ? random.heavy : random.normal
    let wave = random.normal()
    const sideOf = (name: number, t: number) => ((((name - t) % names) + names) % names < names / 2 ? 1 : -1)
    for (let t = 0; ; t++) {
      const market = 0.02 * random.normal()
      wave = 0.6 * wave + 0.8 * random.normal()
      const now = drift + driftNoise * wave
      const forwardReturn = Float64Array.from(
        { length: names },
        (_, name) => market + sideOf(name, t) * now + noise * draw(),
      )
      const scores = mapVariants(variant =>
        Float64Array.from(
          { length: names },
          (_, name) => sideOf(name, t - late[variant]) * (1 + random.uniform()),
        ),
      )
      yield { forwardReturn, scores }
    }
  }
}

export interface PortfolioCosts {
  readonly roundTrip: number
  readonly borrowPerPeriod: number
}

export function sharpeOfRotatingNames(
  { names, drift, noise, driftNoise, late }: RotatingNames,
  tranches: 1 | 2,
  { roundTrip, borrowPerPeriod }: PortfolioCosts,
): TrueSharpe {
  const share = (lateness: number) => 1 - (4 * Math.abs(lateness)) / names
  return mapVariants(variant => {
    const lateness = late[variant]
    const f = tranches === 1 ? share(lateness) : (share(lateness) + share(lateness + 1)) / 2
    const held = tranches === 1 ? names : names - 2
    // Names that cancel are not held short either.
    const short = held / names / 2
    const mean = f * drift - (2 / names) * roundTrip - short * borrowPerPeriod
    return mean / Math.sqrt((f * driftNoise) ** 2 + (noise ** 2 * held) / names ** 2)
  })
}

export interface QuarterlyReports {
  readonly names: number
  /** What a name earns per unit of its filed value, and of what its filing has yet to say. */
  readonly valueReturn: number
  readonly newsReturn: number
  readonly noise: number
  /** Standard deviation of later corrections; the values themselves have 1. */
  readonly correction: number
  /** The share of quarters of a name without any filing. */
  readonly missing: number
}

/** Companies that report every third period, in turn. The caller's values are dated with the end of the quarter and
 * include later corrections. An earnings release announces them one period later and a filing, still without its
 * correction, two periods later. Returns follow the filed values, and until then the news. */
export function quarterlyReports(settings: QuarterlyReports): PanelSource {
  const { names, valueReturn, newsReturn, noise, correction, missing } = settings
  return function* (seed) {
    const random = randomNumbers(seed)
    const each = (make: (name: number) => number) => Float64Array.from({ length: names }, (_, i) => make(i))
    const value = each(random.normal)
    const filed = each(name => value[name])
    const sent = each(name => value[name])
    const isMissing = each(() => 0)
    for (let t = 0; ; t++) {
      const market = 0.02 * random.normal()
      for (let name = 0; name < names; name++) {
        const age = (t + name) % 3
        if (age === 0) {
          value[name] = 0.8 * value[name] + 0.6 * random.normal()
          sent[name] = value[name] + correction * random.normal()
        }
        if (age === 2) {
          filed[name] = value[name]
          isMissing[name] = random.uniform() < missing ? 1 : 0
        }
      }
      const known = each(name => (isMissing[name] === 1 ? Number.NaN : filed[name]))
      const isAnnounced = (name: number) => (t + name) % 3 === 1
      yield {
        forwardReturn: each(
          name =>
            market +
            valueReturn * filed[name] +
            newsReturn * (sent[name] - filed[name]) +
            noise * random.heavy(),
        ),
        scores: {
          sent: sent.slice(),
          known,
          knownOrAnnounced: each(name => (isAnnounced(name) ? sent[name] : known[name])),
        },
      }
    }
  }
}

class LongRecord {
  before: ArrayLike<number> = []
  sum = 0
  squares = 0
}

/** The Sharpe ratios of a very long record, from plain loops over the definition of a portfolio. */
export function sharpeOfLongRecord(
  source: PanelSource,
  periods: number,
  quantile: number,
  costs: PortfolioCosts,
): TrueSharpe {
  const dates = source(1_000_003)
  const records = mapVariants(() => new LongRecord())
  for (let t = 0; t < periods; t++) {
    const { forwardReturn, scores } = dates.next().value
    for (const variant of variants) {
      const record = records[variant]
      const weights = legWeights(scores[variant], quantile)
      let net = 0
      weights.forEach((weight, name) => {
        const traded = Math.abs(weight - (record.before[name] ?? 0)) / 2
        net += weight * forwardReturn[name] - traded * costs.roundTrip
        if (weight < 0) net += weight * costs.borrowPerPeriod
      })
      record.before = weights
      record.sum += net
      record.squares += net * net
    }
  }
  return mapVariants(variant => {
    const { sum, squares } = records[variant]
    const mean = sum / periods
    return mean / Math.sqrt(squares / periods - mean * mean)
  })
}

function legWeights(score: Float64Array, quantile: number): Float64Array {
  const order = Array.from(score.keys()).filter(name => !Number.isNaN(score[name]))
  order.sort((a, b) => score[a] - score[b])
  const size = Math.floor(quantile * order.length + 1e-9)
  const weights = new Float64Array(score.length)
  for (const name of order.slice(0, size)) weights[name] = -0.5 / size
  for (const name of order.slice(-size)) weights[name] = 0.5 / size
  return weights
}

const mapVariants = <T>(make: (variant: (typeof variants)[number]) => T): ByVariant<T> => ({
  sent: make('sent'),
  known: make('known'),
  knownOrAnnounced: make('knownOrAnnounced'),
})

/** The first dates of a panel, a week apart, as the input of the premium. */
export function premiumInput(
  source: PanelSource,
  seed: number,
  periods: number,
  { config, evidence }: Pick<PremiumInput, 'evidence'> & { readonly config: BacktestConfig },
): PremiumInput {
  const dates = source(seed)
  const drawn = Array.from({ length: periods }, () => dates.next().value)
  const names = drawn[0].forwardReturn.length
  const count = periods * names
  const joined = (column: (date: PanelDate) => Float64Array) =>
    Float64Array.from({ length: count }, (_, row) => column(drawn[Math.floor(row / names)])[row % names])
  const columns = {
    count,
    day: Int32Array.from({ length: count }, (_, row) => 7 * Math.floor(row / names)),
    asset: Int32Array.from({ length: count }, (_, row) => row % names),
    market: new Uint16Array(count),
    forwardReturn: joined(date => date.forwardReturn),
    assetNames: Array.from({ length: names }, (_, name) => `N${String(name).padStart(3, '0')}`),
    marketNames: [''],
  }
  const built = alignScores(
    columns,
    mapVariants(variant => joined(date => date.scores[variant])),
  )
  if (built.dataset === null) throw new Error('a cell is repeated')
  return { data: built.dataset, scores: built.scores, config, costs: noCosts, evidence }
}

const free = { roundTripBps: 0, source: 'a test', date: '2026-01-01' }
const noCosts: PremiumInput['costs'] = { markets: {}, standard: free }

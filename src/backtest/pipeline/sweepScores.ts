import { isoDate } from '../../dates.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { type Combination, combinations, type RankBy } from '../requestColumns.ts'
import type { BacktestWarning } from '../result.ts'
import type { BacktestScores } from '../resultScores.ts'
import { type CombinationWeights, rankCorrelations } from '../scoring/combine.ts'
import { mean } from '../statistics/moments.ts'
import { writeIcs } from './byGroup.ts'
import { finiteOrNull } from './resultFields.ts'

/** One of the scores that a sweep tries: a column alone, or a combination of all of them. */
export interface ScoreVariant {
  readonly name: string
  readonly combine: Combination | null
  /** The rows with this score. */
  readonly data: Dataset
  readonly warnings: readonly BacktestWarning[]
  /** Of `ic_weighted`. */
  readonly weights: CombinationWeights | null
}

/** The record of a configuration. */
interface ScoredTrial {
  readonly label: string
  readonly sharpe: number | null
  readonly judgedSharpe: number | null
}

/** The scores that a sweep tries. */
export interface SweepScores {
  readonly columns: readonly string[]
  readonly variants: readonly ScoreVariant[]
  /** For each configuration the index of its score. */
  readonly variantOf: readonly number[]
}

/** Each column alone, then the combinations of all. */
export const rankingsOf = (columns: readonly string[]): RankBy[] => [
  ...columns.map(name => ({ columns: [name] })),
  ...combinations.map(combine => ({ columns: [...columns], combine })),
]

/** The field `scores` of a result.
 *
 * @param trials of all configurations */
export function writeScores(
  { columns, variants, variantOf }: SweepScores,
  trials: readonly ScoredTrial[],
  periods: Int32Array,
): BacktestScores {
  return {
    columns: [...columns],
    variants: variants.map(({ name, combine, data }, variant) => {
      const own = trials.filter((_, config) => variantOf[config] === variant)
      const best = own.reduce((a, b) => (judged(b) > judged(a) ? b : a))
      return {
        name,
        combine,
        ic: writeIcs(known(rankCorrelations(data, periods, data.score, data.forwardReturn))),
        best_label: best.label,
        sharpe: finiteOrNull(best.sharpe),
        judged_sharpe: finiteOrNull(best.judgedSharpe),
      }
    }),
    correlation: writeCorrelation(
      variants.slice(0, columns.length).map(({ data }) => data),
      periods,
    ),
    weights: variants.flatMap(({ weights, data }) =>
      weights === null ? [] : writeWeights(weights, columns.length, data, periods),
    ),
  }
}

const judged = ({ judgedSharpe }: ScoredTrial): number => judgedSharpe ?? Number.NEGATIVE_INFINITY

const known = (values: Float64Array): Float64Array => values.filter(value => !Number.isNaN(value))

/** The mean over periods of the rank correlation of each pair of columns. */
function writeCorrelation(datasets: readonly Dataset[], periods: Int32Array): BacktestScores['correlation'] {
  const pairs = datasets.map((a, i) =>
    datasets.slice(0, i + 1).map(b => known(rankCorrelations(a, periods, a.score, b.score))),
  )
  const at = (i: number, j: number) => pairs[Math.max(i, j)][Math.min(i, j)]
  const table = <T>(write: (values: Float64Array) => T) =>
    datasets.map((_, i) => datasets.map((__, j) => write(at(i, j))))
  return {
    mean: table(values => (values.length === 0 ? null : finiteOrNull(mean(values)))),
    n_periods: table(values => values.length),
  }
}

/** The weights on the dates of the periods. */
function writeWeights(
  { dates, weights, trainingPeriods }: CombinationWeights,
  columns: number,
  { days }: Dataset,
  periods: Int32Array,
): BacktestScores['weights'] {
  return Array.from(periods, date => {
    const i = date - dates[0]
    return {
      date: isoDate(days[date]),
      weights: [...weights.subarray(i * columns, (i + 1) * columns)],
      training_periods: trainingPeriods[i],
    }
  })
}

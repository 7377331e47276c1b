import { Failure } from '../../errors.ts'
import { type Dataset, nameAt } from '../dataset/dataset.ts'
import type { BacktestByGroup } from '../resultScores.ts'
import { groupScores } from '../statistics/groupScores.ts'
import { mean, sampleMoments } from '../statistics/moments.ts'
import { finiteOrNull } from './resultFields.ts'

const buckets = 10
const maxGroups = 200

/** The section `by_group` of a result. */
export function writeByGroup(data: Dataset, periods: Int32Array): BacktestByGroup {
  const { labels, group = labels } = data
  if (group === undefined)
    throw new Failure(
      'backtest_impossible',
      'by_group shows each group of the rows, but no row has a group. Send a panel with the column group, or a panel and score.group, or omit by_group.',
      { param: 'include' },
    )
  const found = groupScores(data, group, periods, buckets)
  if (found.length > maxGroups)
    throw new Failure(
      'backtest_impossible',
      `by_group shows at most ${maxGroups} groups, and the rows have ${found.length}. Send wider groups, or omit by_group.`,
      { param: 'include' },
    )
  return found.map(({ group: index, rows, ics, buckets: returns }) => ({
    group: index === 0 || group.names === undefined ? null : nameAt(group.names, index),
    n_rows: rows,
    ic: writeIcs(ics),
    quantiles: returns.map((known, b) => ({
      bucket: b + 1,
      mean_return: known.length === 0 ? null : finiteOrNull(mean(known)),
      n_periods: known.length,
    })),
  }))
}

/** The mean of some rank ICs and what it rests on. */
export function writeIcs(ics: Float64Array) {
  const { mean: average, standardDeviation } = sampleMoments(ics)
  const ratio = standardDeviation === null ? null : average / standardDeviation
  return {
    mean: ics.length === 0 ? null : finiteOrNull(average),
    sd: finiteOrNull(standardDeviation),
    ir: finiteOrNull(ratio),
    t_stat: finiteOrNull(ratio === null ? null : ratio * Math.sqrt(ics.length)),
    n_periods: ics.length,
  }
}

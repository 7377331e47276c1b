import { Failure } from '../../errors.ts'
import { type Dataset, nameAt, nameCount } from '../dataset/dataset.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { ReturnLength } from '../dataset/returnEnds.ts'
import type { DateView } from '../dataset/subset.ts'
import { rebalanceDates } from '../portfolio/rebalanceDates.ts'
import type { BacktestConfig } from '../request.ts'
import type { Neutralise, RankBy } from '../requestColumns.ts'
import { type CombinationWeights, combineRanks, trainingWeights } from './combine.ts'
import { type Exposures, neutralise } from './neutralise.ts'

/** The rows of a backtest with the scores that its configuration asks for. */
export interface ScoredRows {
  readonly data: Dataset
  /** Of a combination by training ICs. */
  readonly weights: CombinationWeights | null
}

interface Timing extends ReturnLength {
  readonly view: Pick<DateView, 'firstDate' | 'endDate'>
  readonly step: number
}

/** Replaces the scores of a dataset by the columns that `config.rankBy` names, neutralised and then combined as the
 * configuration says. Returns the dataset itself if the configuration has neither. */
export function scoreRows(data: Dataset, config: BacktestConfig, timing: Timing): ScoredRows {
  const { rankBy = { columns: ['score'] }, neutralise: sent } = config
  if (config.rankBy === undefined && sent === undefined) return { data, weights: null }
  const exposures = sent === undefined ? null : exposuresOf(data, sent)
  const each = rankBy.columns.map((name): Dataset => {
    const named = { ...data, score: scoreColumn(data, name), ranking: null }
    return exposures === null ? named : neutralise(named, timing.view, exposures)
  })
  const { score, weights } = combine(data, rankBy, each, timing)
  const [{ neutralised }] = each
  const scored = { ...data, score, ranking: null, ...(neutralised === undefined ? {} : { neutralised }) }
  // A ranked dataset serves many backtests, and so does this one.
  return { data: data.ranking === null ? scored : rankDataset(scored), weights }
}

function combine(
  data: Dataset,
  { combine: how }: RankBy,
  each: readonly Dataset[],
  { view, step, returnDays, medianGap }: Timing,
): { score: Float64Array; weights: CombinationWeights | null } {
  const scores = each.map(({ score }) => score)
  if (how === undefined) return { score: scores[0], weights: null }
  if (how === 'rank_average') {
    const equal = scores.map(() => 1 / scores.length)
    return { score: combineRanks(data, view, scores, () => equal), weights: null }
  }
  const periods = rebalanceDates(view.firstDate, view.endDate, step)
  const weights = trainingWeights(data, view, scores, periods, { returnDays, medianGap })
  const ofDate = (date: number) => {
    const at = (date - view.firstDate) * scores.length
    return weights.weights.subarray(at, at + scores.length)
  }
  return { score: combineRanks(data, view, scores, ofDate), weights }
}

/** The scores in a column of a dataset. */
function scoreColumn({ score, dollarVolume, extras = [] }: Dataset, name: string): Float64Array {
  if (name === 'score') return score
  const found = extras.find(column => column.name === name)
  if (found === undefined && name === 'dollar_volume' && dollarVolume !== undefined) return dollarVolume
  if (found === undefined) throw columnMissing(name, extras)
  return found.values
}

function exposuresOf(data: Dataset, { demean = [], columns = [] }: Neutralise): Exposures {
  return {
    categories: demean.map(name => (name === 'market' ? marketsOf(data) : groupsOf(data))),
    columns: columns.map(name => scoreColumn(data, name)),
  }
}

/** Markets as categories: 0 for a row without one. */
function marketsOf({ market, markets }: Dataset): Uint16Array {
  const category = new Uint16Array(nameCount(markets))
  for (let index = 0; index < category.length; index++)
    category[index] = nameAt(markets, index) === '' ? 0 : index + 1
  if (!market.some(index => category[index] !== 0))
    throw new Failure(
      'backtest_impossible',
      'config.neutralise.demean has market, but no row has a market. Send the column market, or omit it.',
      { param: 'config.neutralise.demean' },
    )
  return market.map(index => category[index])
}

function groupsOf({ labels, group = labels }: Dataset): Uint16Array {
  if (group !== undefined) return group.of
  throw new Failure(
    'backtest_impossible',
    'config.neutralise.demean has group, but no row has a group. Send a panel with the column group, or a panel and score.group, for example "ff49", or omit it.',
    { param: 'config.neutralise.demean' },
  )
}

function columnMissing(name: string, extras: readonly { readonly name: string }[]): Failure {
  const own = extras.map(column => column.name)
  const found = own.length === 0 ? 'no columns of your own' : `the columns ${own.join(', ')} of your own`
  return new Failure(
    'backtest_impossible',
    `The request names the column ${name}, but panel has ${found}. Send ${name} as a column of numbers; for a stored panel, name it in columns when you store the rows.`,
    { param: 'panel' },
  )
}

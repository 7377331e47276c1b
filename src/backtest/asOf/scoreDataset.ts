import { type Dataset, nameCount } from '../dataset/dataset.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { EventBlock, Events } from './events.ts'
import { gatherEvents } from './gather.ts'
import { findPositions, none } from './positions.ts'

/** A dataset whose scores are to be replaced by what was known of a metric before each date. */
export interface ScoreInput {
  readonly data: Dataset
  /** The company of each asset; -1: none. */
  readonly entities: Int32Array
  /** The id of the unit to use for each asset; -1: none. */
  readonly units: Int16Array
  readonly blocks: readonly EventBlock[]
  readonly maxAgeDays: number
  /** True for a dataset that serves many backtests. */
  readonly ranked: boolean
}

export interface ScoredRows {
  readonly data: Dataset
  /** The number of assets with a value on some date. */
  readonly assets: number
  /** The ids of the units of their values. */
  readonly units: readonly number[]
}

/** The rows of a dataset with a metric of each company as the score. Each date gets the figure that was known
 * strictly before it, found by the join that also serves `POST /api/v1/as-of`. Only the scores and the
 * ranking take additional memory. */
export function scoreDataset(input: ScoreInput): ScoredRows {
  const { data, entities, units, blocks, maxAgeDays, ranked } = input
  const { asset, offsets, days } = data
  const events = gatherEvents(blocks, entities)
  const day = new Int32Array(asset.length)
  for (let date = 0; date < days.length; date++) day.fill(days[date], offsets[date], offsets[date + 1])
  const rows = { count: asset.length, day, name: asset }
  const companyOfName = Int32Array.from(entities, (entity, place) => (entity === -1 ? -1 : place))
  const positions = findPositions(rows, companyOfName, events, { inclusive: false, maxAgeDays })
  const score = new Float64Array(new SharedArrayBuffer(8 * asset.length))
  for (let row = 0; row < asset.length; row++) {
    const position = positions[row]
    const counts = position !== none && events.units[position] === units[asset[row]]
    score[row] = counts ? events.values[position] : Number.NaN
  }
  const scored = { ...data, score, ranking: null }
  return { data: ranked ? rankDataset(scored) : scored, ...countScored(input, events) }
}

/** Counts the assets with a value that was known before the last date and not too old on the first one. */
function countScored({ data, units, maxAgeDays }: ScoreInput, events: Events) {
  const firstDay = data.days[0]
  const lastDay = data.days[data.days.length - 1]
  const shown = new Set<number>()
  let assets = 0
  for (let place = 0; place < nameCount(data.assets); place++) {
    let has = false
    for (let event = events.starts[place]; event < events.starts[place + 1]; event++) {
      if (events.days[event] >= lastDay || Number.isNaN(events.values[event])) continue
      if (events.units[event] !== units[place] || events.ends[event] + maxAgeDays < firstDay) continue
      has = true
      shown.add(events.units[event])
    }
    if (has) assets++
  }
  return { assets, units: [...shown] }
}

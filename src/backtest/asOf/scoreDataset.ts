import { type Dataset, nameCount } from '../dataset/dataset.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { EventBlock, Events } from './events.ts'
import { gatherEvents } from './gather.ts'
import { findPositions, none } from './positions.ts'

/** A dataset whose scores are to be what was known of a metric before each date. */
export interface ScoreInput {
  readonly data: Dataset
  /** The company of each asset; -1: none. */
  readonly entities: Int32Array
  /** The number of the unit that counts, for each asset; -1: none does. */
  readonly units: Int16Array
  readonly blocks: readonly EventBlock[]
  readonly maxAgeDays: number
  /** For a dataset of many backtests. */
  readonly ranked: boolean
}

export interface ScoredRows {
  readonly data: Dataset
  /** Assets with a value on some date. */
  readonly assets: number
  /** The numbers of the units of their values. */
  readonly units: readonly number[]
}

/** The rows of a dataset with a metric of each company as its score. Each date has the figure that was known strictly before it, by the
 * join that also answers `POST /api/v1/as-of`. Only the scores and the ranking take additional memory. */
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

/** The assets that have a value that was known before the last date, and was not too old on the first. */
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

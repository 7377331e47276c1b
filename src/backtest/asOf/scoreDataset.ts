import type { SessionPoint } from '../../markets/sessions.ts'
import { figuresOf, findPriced } from '../../markets/strategies/pricedMetrics.ts'
import { type Dataset, type GroupColumn, nameCount, packNames } from '../dataset/dataset.ts'
import { rankDataset } from '../dataset/rank.ts'
import { type CompanySpells, labelsOfRows } from './companySpells.ts'
import { type DatedName, findSlots } from './datedNames.ts'
import type { EventBlock } from './figureEvents.ts'
import { gatherEvents } from './gather.ts'
import { findKnownDays, placeInterims, type RowClocks, rangesOf } from './knownDays.ts'
import { findPositions, type JoinRows, none } from './positions.ts'
import { timesOfDates } from './rowTimes.ts'
import { type FigureOfRows, type ValuationPrices, valueRows } from './valuations.ts'

/** A dataset whose scores are to be replaced by what was known of a metric before each date. */
export interface ScoreInput {
  readonly data: Dataset
  /** The company of each asset, followed by that of each slot of `dated`; -1: none. */
  readonly entities: Int32Array
  /** The id of the unit that each of them may have; -1: none. */
  readonly units: Int16Array
  /** Assets whose company depends on the date. */
  readonly dated: readonly DatedName[]
  /** Null: the rows keep their own scores. */
  readonly blocks: readonly EventBlock[] | null
  /** For a valuation, which replaces `blocks`. */
  readonly valuation?: ScoredValuation | null
  readonly maxAgeDays: number
  /** The groups of the assets, and those whose names are scored; null: all. */
  readonly groups?: { readonly spells: CompanySpells; readonly wanted: readonly string[] | null } | null
  /** The states of the assets, and those in which a name is scored. */
  readonly states?: { readonly spells: CompanySpells; readonly wanted: readonly string[] } | null
  /** For figures at the open or close of each date's session; null: those filed before the date. */
  readonly clocks?: ScoreClocks | null
  /** True for a dataset that serves many backtests. */
  readonly ranked: boolean
}

/** A valuation with the blocks of its figures, in the order of `figuresOf`. */
export interface ScoredValuation {
  readonly metric: string
  readonly prices: ValuationPrices
  readonly blocks: readonly (readonly EventBlock[])[]
  /** The blocks of interim states of each figure; empty without clocks. */
  readonly interims: readonly (readonly EventBlock[])[]
}

export interface ScoreClocks extends Omit<RowClocks, 'times'> {
  readonly point: SessionPoint
  /** The blocks of interim states of the metric. */
  readonly interims: readonly EventBlock[]
}

export interface ScoredRows {
  readonly data: Dataset
  /** The number of assets with a value on some date. */
  readonly assets: number
  /** The ids of the units of their values. */
  readonly units: readonly number[]
}

/** The rows of a dataset with a metric of each company as the score. Each date gets the figure that was known
 * strictly before it, or at a point of its session, found by the join that also serves `POST /api/v1/as-of`. Only
 * the scores and the ranking take additional memory. */
export function scoreDataset(input: ScoreInput): ScoredRows {
  const { data, entities, units, dated, blocks, ranked } = input
  const { groups = null, states = null, clocks = null, valuation = null } = input
  const { asset, offsets, days } = data
  const day = new Int32Array(asset.length)
  for (let date = 0; date < days.length; date++) day.fill(days[date], offsets[date], offsets[date + 1])
  const sent = { count: asset.length, day, name: asset }
  const isDated = dated.length > 0
  const name = isDated ? findSlots({ rows: sent, slots: entities.length, dated }).slot : asset
  const rows = { ...sent, name }
  const companyOfName = Int32Array.from(entities, (entity, slot) => (entity === -1 ? -1 : slot))
  if (blocks === null) return chooseRows(input, { rows, companyOfName })
  const { events, positions } =
    valuation === null
      ? findFigures(input, rows, companyOfName, blocks, clocks)
      : valueDataset(input, rows, companyOfName, valuation)
  const score = new Float64Array(new SharedArrayBuffer(8 * asset.length))
  for (let row = 0; row < asset.length; row++) {
    const position = positions[row]
    const counts = position !== none && events.units[position] === units[name[row]]
    score[row] = counts ? events.values[position] : Number.NaN
  }
  const rule = { rows, companyOfName }
  if (states !== null) keepScores(score, labelsOf(rule, states.spells), states.spells, states.wanted)
  const groupOfRow = groups === null ? null : labelsOf(rule, groups.spells)
  if (groups !== null && groupOfRow !== null && groups.wanted !== null)
    keepScores(score, groupOfRow, groups.spells, groups.wanted)
  const grouped =
    groups === null || groupOfRow === null ? {} : { group: groupColumn(groupOfRow, groups.spells) }
  const scored = { ...data, ...grouped, score, ranking: null }
  return { data: ranked ? rankDataset(scored) : scored, ...countScored(asset, name, score, input) }
}

/** The rows of a dataset with their own scores. Rows outside the wanted groups and states lose their score and the
 * values of every column that may rank them. */
function chooseRows({ data, groups = null, states = null, ranked }: ScoreInput, rule: Rows): ScoredRows {
  const { asset, score, dollarVolume, extras = [] } = data
  const stateOfRow = states === null ? null : labelsOf(rule, states.spells)
  const groupOfRow = groups === null ? null : labelsOf(rule, groups.spells)
  const chosen = new Float64Array(asset.length)
  if (states !== null && stateOfRow !== null) keepScores(chosen, stateOfRow, states.spells, states.wanted)
  if (groups !== null && groupOfRow !== null && groups.wanted !== null)
    keepScores(chosen, groupOfRow, groups.spells, groups.wanted)
  const isChosen = (row: number) => !Number.isNaN(chosen[row])
  const ofChosen = (values: Float64Array) => {
    const kept = new Float64Array(new SharedArrayBuffer(8 * values.length))
    for (let row = 0; row < kept.length; row++) kept[row] = isChosen(row) ? values[row] : Number.NaN
    return kept
  }
  // A trade outside of the wanted groups still has its cost, so the volumes themselves stay.
  const ranking =
    dollarVolume === undefined ? extras : [...extras, { name: 'dollar_volume', values: dollarVolume }]
  const filtered =
    states === null && (groups?.wanted ?? null) === null
      ? {}
      : {
          score: ofChosen(score),
          extras: ranking.map(column => ({ ...column, values: ofChosen(column.values) })),
          ranking: null,
        }
  const grouped =
    groups === null || groupOfRow === null ? {} : { group: groupColumn(groupOfRow, groups.spells) }
  const made = { ...data, ...grouped, ...filtered }
  const isCounted = new Uint8Array(nameCount(data.assets))
  for (let row = 0; row < asset.length; row++)
    if (isChosen(row) && rule.companyOfName[rule.rows.name[row]] !== -1) isCounted[asset[row]] = 1
  const assets = isCounted.reduce((sum, one) => sum + one, 0)
  return { data: ranked && made.ranking === null ? rankDataset(made) : made, assets, units: [] }
}

/** The figure of each row: known before its date, or at a point of its session. */
function findFigures(
  input: ScoreInput,
  rows: JoinRows,
  companyOfName: Int32Array,
  blocks: readonly EventBlock[],
  clocks: ScoreClocks | null,
): FigureOfRows {
  const { entities, maxAgeDays } = input
  if (clocks !== null) return findAtSessions(input, rows, companyOfName, blocks, clocks)
  const events = gatherEvents(blocks, entities)
  return { events, positions: findPositions(rows, companyOfName, events, { inclusive: false, maxAgeDays }) }
}

/** The valuation of each row, with prices of days that had ended before its date or its point of the session. */
function valueDataset(
  input: ScoreInput,
  rows: JoinRows,
  companyOfName: Int32Array,
  { metric: name, prices, blocks, interims }: ScoredValuation,
): FigureOfRows {
  const metric = findPriced(name)
  if (metric === undefined) throw new Error(`${name} takes no prices.`)
  const { data, entities, clocks = null } = input
  const figures = new Map(
    figuresOf([name]).map((figure, i) => {
      const ofFigure = clocks === null ? null : { ...clocks, interims: interims[i] }
      return [figure.metric, findFigures(input, rows, companyOfName, blocks[i], ofFigure)]
    }),
  )
  const days =
    clocks === null
      ? rows.day
      : findKnownDays(rows, companyOfName, entities, {
          ...clocks,
          times: timesOfDates(data.days, data.offsets, clocks.point),
        }).ownDay
  const companyOfRow = (row: number) => companyOfName[rows.name[row]]
  const valued = { count: rows.count, companyOfRow, lastDays: days.map(day => day - 1) }
  return valueRows(metric, valued, figures, prices)
}

/** The figures at the open or close of each date's session. Their age still counts to the date. */
function findAtSessions(
  { data: { days, offsets }, entities, maxAgeDays }: ScoreInput,
  rows: JoinRows,
  companyOfName: Int32Array,
  blocks: readonly EventBlock[],
  { point, interims, ...clocks }: ScoreClocks,
): FigureOfRows {
  const times = timesOfDates(days, offsets, point)
  const known = { ...findKnownDays(rows, companyOfName, entities, { ...clocks, times }), ownDay: rows.day }
  const events = gatherEvents(blocks, entities, rangesOf(known.interims, interims))
  const rule = { inclusive: true, maxAgeDays }
  const positions = findPositions(known.rows, companyOfName, events, rule, undefined, rows.day)
  placeInterims(known, events, entities.length, maxAgeDays, positions)
  return { events, positions }
}

interface Rows {
  readonly rows: JoinRows
  readonly companyOfName: Int32Array
}

/** The group or state of each row's company before the row's date. */
const labelsOf = ({ rows, companyOfName }: Rows, spells: CompanySpells): Int32Array =>
  labelsOfRows(rows, companyOfName, spells, false)

/** Rows with another label, or none, get no score. */
function keepScores(
  score: Float64Array,
  labelOfRow: Int32Array,
  { labels }: CompanySpells,
  wanted: readonly string[],
): void {
  const isWanted = labels.map(label => wanted.includes(label))
  for (let row = 0; row < score.length; row++)
    if (labelOfRow[row] === none || !isWanted[labelOfRow[row]]) score[row] = Number.NaN
}

function groupColumn(labelOfRow: Int32Array, { labels }: CompanySpells): GroupColumn {
  const of = new Uint16Array(new SharedArrayBuffer(2 * labelOfRow.length))
  for (let row = 0; row < of.length; row++) of[row] = labelOfRow[row] + 1
  return { of, count: labels.length + 1, names: packNames(['', ...labels]) }
}

/** The assets that have a score on some date, and the units of the scores. */
function countScored(
  asset: Dataset['asset'],
  slot: ArrayLike<number>,
  score: Float64Array,
  { data, entities, units }: ScoreInput,
) {
  // Faster than a set: there are millions of rows.
  const isScored = new Uint8Array(nameCount(data.assets))
  const isShown = new Uint8Array(entities.length)
  for (let row = 0; row < score.length; row++) {
    if (Number.isNaN(score[row])) continue
    isScored[asset[row]] = 1
    isShown[slot[row]] = 1
  }
  let assets = 0
  for (const one of isScored) assets += one
  return { assets, units: [...new Set(units.filter((_, at) => isShown[at] === 1))] }
}

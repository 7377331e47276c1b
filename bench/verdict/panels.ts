import { addBusinessDays } from '../../src/backtest/dataset/calendar.ts'
import { type Dataset, packNames } from '../../src/backtest/dataset/dataset.ts'
import { rankDataset } from '../../src/backtest/dataset/rank.ts'
import { dayNumber } from '../../src/dates.ts'
import { Normals } from './random.ts'

/** The parameters of a randomly generated market. */
export interface PanelSpec {
  readonly names: number
  readonly dates: number
  /** Mean return of the market per date. */
  readonly drift: number
  /** The fraction of a score that carries over to the next date; 0 for new scores on each date. */
  readonly scorePersistence: number
  /** Share of a name's own return that carries over to the next date. */
  readonly returnPersistence: number
  /** The number of trading days that a return spans. Rows stay daily, so returns of neighbouring dates overlap. */
  readonly span: number
  readonly calendar: 'daily' | 'monthEnds'
  /** The expected own return per date of a name whose score is one deviation above the mean, in deviations of the own
   * return. With 0, scores are noise. */
  readonly skill: number
}

/** Deviations of a date's market return and of a name's own return. Over a month both are larger by the root of 21. */
const marketDeviation = 0.01
const ownDeviation = 0.02

/** Generates a panel in which every name has a row on every date. A return is the name's beta times the market's return,
 * plus the name's own return. Scores are standard normal. */
export function makePanel(spec: PanelSpec, seed: number): Dataset {
  const { names, dates, span } = spec
  const normals = new Normals(seed)
  const scale = spec.calendar === 'monthEnds' ? Math.sqrt(21) : 1
  const betas = Float64Array.from({ length: names }, () => 0.5 + normals.uniform())
  const rows = names * dates
  const score = sharedDoubles(rows)
  const returns = new Float64Array(names * (dates + span - 1))
  const current = Float64Array.from({ length: names }, () => normals.next())
  const own = Float64Array.from({ length: names }, () => normals.next())
  const scoreNews = Math.sqrt(1 - spec.scorePersistence ** 2)
  const returnNews = Math.sqrt(1 - spec.returnPersistence ** 2)
  for (let date = 0; date < dates + span - 1; date++) {
    const market = spec.drift * scale * scale + scale * marketDeviation * normals.next()
    for (let name = 0; name < names; name++) {
      current[name] = spec.scorePersistence * current[name] + scoreNews * normals.next()
      own[name] = spec.returnPersistence * own[name] + returnNews * normals.next()
      if (date < dates) score[date * names + name] = current[name]
      const skilled = own[name] + spec.skill * current[name]
      returns[date * names + name] = Math.max(-0.99, betas[name] * market + scale * ownDeviation * skilled)
    }
  }
  return rankDataset(columnsOf(spec, score, spanReturns(returns, names, dates, span)))
}

/** Computes each row's return over `span` dates, beginning with its own. */
function spanReturns(returns: Float64Array, names: number, dates: number, span: number): Float64Array {
  const spanned = sharedDoubles(names * dates)
  for (let row = 0; row < spanned.length; row++) {
    let growth = 1
    for (let ahead = 0; ahead < span; ahead++) growth *= 1 + returns[row + ahead * names]
    spanned[row] = growth - 1
  }
  return spanned
}

function columnsOf(
  { names, dates, calendar }: PanelSpec,
  score: Float64Array,
  forwardReturn: Float64Array,
): Dataset {
  const rows = names * dates
  const asset = new Int32Array(shared(4 * rows))
  const offsets = new Int32Array(shared(4 * (dates + 1)))
  const days = new Int32Array(shared(4 * dates))
  for (let row = 0; row < rows; row++) asset[row] = row % names
  for (let date = 0; date <= dates; date++) offsets[date] = date * names
  for (let date = 0; date < dates; date++) days[date] = calendar === 'daily' ? weekday(date) : monthEnd(date)
  return {
    days,
    offsets,
    asset,
    market: new Uint16Array(shared(2 * rows)),
    score,
    forwardReturn,
    assets: packNames(Array.from({ length: names }, (_, i) => `A${String(i).padStart(4, '0')}`)),
    markets: packNames(['']),
    marketOfAsset: new Uint16Array(shared(2 * names)),
    ranking: null,
  }
}

const firstDay = dayNumber('2010-01-01')

const weekday = (date: number) => (date === 0 ? firstDay : addBusinessDays(firstDay, date))

/** The last weekday of a month. */
function monthEnd(month: number): number {
  const last = Date.UTC(2010, month + 1, 0) / 86_400_000
  const weekday = new Date(last * 86_400_000).getUTCDay()
  return last - (weekday === 0 ? 2 : weekday === 6 ? 1 : 0)
}

const shared = (bytes: number) => new SharedArrayBuffer(bytes)
const sharedDoubles = (count: number) => new Float64Array(shared(8 * count))

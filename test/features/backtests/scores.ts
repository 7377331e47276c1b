import { buildEvents } from '../../../src/backtest/asOf/figureEvents.ts'
import { scoreDataset } from '../../../src/backtest/asOf/scoreDataset.ts'
import { buildVintages } from '../../../src/backtest/audit/vintages.ts'
import { type Columns, type Dataset, nameAt } from '../../../src/backtest/dataset/dataset.ts'
import { buildRankedDataset, listAssetNames } from '../../../src/backtest/pipeline/archiveDataset.ts'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { EventStore } from '../../../src/features/asOfJoins/eventStore.ts'
import {
  type AssetFigures,
  type FigureRequest,
  openListedFigures,
} from '../../../src/features/asOfJoins/scoreFigures.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { markets } from '../companies/fixtures.ts'

/** An archive of one market: a row for each of these days and names, whose forecast is of no interest. */
export function archiveOfNames(days: readonly number[], names: readonly string[]): Dataset {
  const count = days.length * names.length
  const columns: Columns = {
    count,
    day: new Int32Array(count),
    asset: new Int32Array(count),
    market: new Uint16Array(count),
    score: new Float64Array(count).fill(7),
    forwardReturn: new Float64Array(count).fill(0.01),
    assetNames: names,
    marketNames: ['US'],
  }
  days.forEach((day, t) => {
    names.forEach((_, i) => {
      columns.day[t * names.length + i] = day
      columns.asset[t * names.length + i] = i
    })
  })
  return buildRankedDataset(columns)
}

export interface Scored {
  readonly date: string
  readonly asset: string
  /** null: none. */
  readonly score: number | null
}

export type Wanted = Pick<FigureRequest, 'market' | 'metric' | 'unit' | 'vintages'> & {
  readonly maxAgeDays: number
}

/** The score of every row, by the statement and the worker's code that serve.
 *
 * @param change of what the database said, for a test of the tests */
export async function scoresOf(
  sql: Sql,
  data: Dataset,
  { maxAgeDays, ...wanted }: Wanted,
  change: (figures: AssetFigures) => AssetFigures = figures => figures,
): Promise<Scored[]> {
  const events = new EventStore(
    { events: async vintages => buildEvents(vintages), vintages: async filings => buildVintages(filings) },
    2 ** 30,
    markets,
  )
  const request = { ...wanted, fp: 'FY', names: listAssetNames(data) } as const
  const { release: _, ...figures } = await openListedFigures(events, sql, request)
  const { data: scored } = scoreDataset({ data, ...change(figures), maxAgeDays, ranked: true })
  const rows: Scored[] = []
  for (let date = 0; date < scored.days.length; date++) {
    for (let row = scored.offsets[date]; row < scored.offsets[date + 1]; row++) {
      const score = scored.score[row]
      rows.push({
        date: isoDate(scored.days[date]),
        asset: nameAt(scored.assets, scored.asset[row]),
        score: Number.isNaN(score) ? null : score,
      })
    }
  }
  return rows
}

/** The scores if figures were known on the very day of their filing. */
export function aDayTooEarly(figures: AssetFigures): AssetFigures {
  return {
    ...figures,
    blocks: figures.blocks.map(block => ({ ...block, days: block.days.map(day => day - 1) })),
  }
}

/** Every day from one to another. */
export function everyDay(from: string, to: string): number[] {
  const first = dayNumber(from)
  return Array.from({ length: dayNumber(to) - first + 1 }, (_, i) => first + i)
}

import { type Columns, type Dataset, nameAt } from '../../../src/backtest/dataset/dataset.ts'
import { buildRankedDataset, listAssetNames } from '../../../src/backtest/pipeline/archiveDataset.ts'
import { scoreArchive } from '../../../src/backtest/pipeline/scoredArchive.ts'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { type FoundSpans, readSpans, type SpanRequest } from '../../../src/features/backtests/scoreQueries.ts'
import type { Sql } from '../../../src/postgres/client.ts'

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

export type Wanted = Pick<SpanRequest, 'market' | 'metric' | 'unit' | 'maxAgeDays'>

/** The score of every row, by the statement and the worker's code that serve.
 *
 * @param change of what the database said, for a test of the tests */
export async function scoresOf(
  sql: Sql,
  data: Dataset,
  wanted: Wanted,
  change: (spans: FoundSpans) => FoundSpans = spans => spans,
): Promise<Scored[]> {
  const [firstDate, lastDate] = [data.days[0], data.days[data.days.length - 1]].map(isoDate)
  const spans = await readSpans(sql, { ...wanted, names: listAssetNames(data), firstDate, lastDate })
  const scored = scoreArchive(data, change(spans))
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
export function aDayTooEarly(spans: FoundSpans): FoundSpans {
  const firstDays = Buffer.from(spans.firstDays)
  for (let at = 0; at < firstDays.length; at += 4) firstDays.writeInt32BE(firstDays.readInt32BE(at) - 1, at)
  return { ...spans, firstDays }
}

/** Every day from one to another. */
export function everyDay(from: string, to: string): number[] {
  const first = dayNumber(from)
  return Array.from({ length: dayNumber(to) - first + 1 }, (_, i) => first + i)
}

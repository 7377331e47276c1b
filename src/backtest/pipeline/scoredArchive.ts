import { type Dataset, nameCount } from '../dataset/dataset.ts'
import { rankDataset } from '../dataset/rank.ts'

/** The metric values that rank a dataset's assets, as the database packs them. Some assets have spans of dates; in each span,
 * one value is the score. Numbers are big-endian. */
export interface ScoreSpans {
  /** Places in the dataset's assets, ascending, 4 bytes each. */
  readonly places: Uint8Array
  /** Spans of each of them, 4 bytes each; the spans themselves follow one another in this order. */
  readonly counts: Uint8Array
  /** The first date on which the span's value may be used: the day after it became known. Days since 1970-01-01, 4
   * bytes each, ascending within an asset; a span ends where the next of its asset begins. */
  readonly firstDays: Uint8Array
  /** The last date on which the value is not too old, in the same form. */
  readonly lastDays: Uint8Array
  /** 8 bytes each; NaN: no value. */
  readonly values: Uint8Array
}

/** The archive's rows with a metric of each company as its score, ranked. A row outside its asset's spans has no score. Only
 * the scores and the ranking take additional memory; the other columns are shared with `data`. */
export function scoreArchive(data: Dataset, spans: ScoreSpans): Dataset {
  const { days, offsets, asset } = data
  const table = readSpans(spans, nameCount(data.assets))
  const score = new Float64Array(new SharedArrayBuffer(8 * asset.length)).fill(Number.NaN)
  const { next, end, firstDays, lastDays, values } = table
  for (let date = 0; date < days.length; date++) {
    const day = days[date]
    for (let row = offsets[date]; row < offsets[date + 1]; row++) {
      const name = asset[row]
      // Dates ascend, so each asset walks through its spans once.
      while (next[name] < end[name] && firstDays[next[name]] <= day) next[name]++
      const span = next[name] - 1
      if (span < table.start[name] || day > lastDays[span]) continue
      // Turns -0 into 0: the two would rank apart.
      score[row] = values[span] + 0
    }
  }
  return rankDataset({ ...data, score, ranking: null })
}

interface SpanTable {
  /** Of each asset: its first span, the one after its last, and the first that has not begun. */
  readonly start: Int32Array
  readonly end: Int32Array
  readonly next: Int32Array
  readonly firstDays: Int32Array
  readonly lastDays: Int32Array
  readonly values: Float64Array
}

function readSpans(spans: ScoreSpans, assets: number): SpanTable {
  const places = integers(spans.places)
  const counts = integers(spans.counts)
  const start = new Int32Array(assets)
  const end = new Int32Array(assets)
  let at = 0
  for (let i = 0; i < places.length; i++) {
    start[places[i]] = at
    at += counts[i]
    end[places[i]] = at
  }
  return {
    start,
    end,
    next: start.slice(),
    firstDays: integers(spans.firstDays),
    lastDays: integers(spans.lastDays),
    values: doubles(spans.values),
  }
}

function integers({ buffer, byteOffset, byteLength }: Uint8Array): Int32Array {
  const view = new DataView(buffer, byteOffset, byteLength)
  return Int32Array.from({ length: byteLength / 4 }, (_, i) => view.getInt32(4 * i))
}

function doubles({ buffer, byteOffset, byteLength }: Uint8Array): Float64Array {
  const view = new DataView(buffer, byteOffset, byteLength)
  return Float64Array.from({ length: byteLength / 8 }, (_, i) => view.getFloat64(8 * i))
}

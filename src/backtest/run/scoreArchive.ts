import { type Dataset, nameCount } from '../dataset/dataset.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { ScoreSpans, TaskInput } from '../pool/tasks.ts'

/** The archive's rows with a figure of each company as its score, ranked. A row outside its asset's spans has none. */
export function scoreArchive({ data, spans }: TaskInput<'archive_score'>): Dataset {
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
      // A negative zero is 0: they would rank apart.
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

import { companiesPerBlock, type EventBlock, type Events, sharedColumn } from '../asOf/figureEvents.ts'
import { type PackedVintages, unpackVintages } from '../asOf/packedVintages.ts'

/**
 * Every vintage of one metric of some companies, laid out like the events of a join: the vintages of company c are
 * `starts[c] .. starts[c + 1]`, sorted by value, filing day and last day. `days` are the days on which they were filed,
 * `filed` the days on which any vintage of the same period was first filed, `ends` the last days of their periods, and
 * the texts are the accessions of their filings.
 */
export type Vintages = Events

export interface PackedFilings extends Omit<PackedVintages, 'choice'> {
  /** The accession of each vintage in the order of the rows, separated by line feeds. */
  readonly accessions: string
}

/** Lays out the vintages of a block of companies. */
export function buildVintages({
  firstEntity,
  companies = companiesPerBlock,
  rows,
  accessions,
}: PackedFilings): EventBlock {
  const { count, entity, filed, until, end, rank, unit, value } = unpackVintages(rows)
  const starts = new Int32Array(companies + 1)
  for (const company of entity) starts[company - firstEntity + 1]++
  for (let company = 0; company < companies; company++) starts[company + 1] += starts[company]
  const order = new Int32Array(count)
  const next = starts.slice(0, -1)
  for (let i = 0; i < count; i++) order[next[entity[i] - firstEntity]++] = i
  const firstFiled = new Int32Array(count)
  // A company has few vintages, so sorting company by company is several times as fast as sorting all at once.
  for (let company = 0; company < companies; company++) {
    const own = order.subarray(starts[company], starts[company + 1])
    setFirstFiled(own, firstFiled)
    // Of two periods with one last day, the one that counts as the latest comes first.
    // Of equal ones the last is what an event shows: one that outlived its day, of the kind of period that is preferred.
    own.sort(
      (a, b) =>
        value[a] - value[b] ||
        filed[a] - filed[b] ||
        end[a] - end[b] ||
        Number(until[a] > filed[a]) - Number(until[b] > filed[b]) ||
        rank[a] - rank[b] ||
        until[a] - until[b],
    )
  }
  const filings = textsOf(accessions, count)
  const textStarts = new Int32Array(count + 1)
  for (let i = 0; i < count; i++)
    textStarts[i + 1] = textStarts[i] + filings.starts[order[i] + 1] - 1 - filings.starts[order[i]]
  const text = new Uint8Array(textStarts[count])
  for (let i = 0; i < count; i++) {
    const from = filings.starts[order[i]]
    text.set(filings.bytes.subarray(from, from + textStarts[i + 1] - textStarts[i]), textStarts[i])
  }
  const integers = (of: (i: number) => number) =>
    sharedColumn<Int32Array>(Int32Array.from(order, of), buffer => new Int32Array(buffer))
  return {
    firstEntity,
    starts: sharedColumn<Int32Array>(starts, buffer => new Int32Array(buffer)),
    days: integers(i => filed[i]),
    // Turns -0 into 0, as in events.
    values: sharedColumn<Float64Array>(
      Float64Array.from(order, i => value[i] + 0),
      buffer => new Float64Array(buffer),
    ),
    ends: integers(i => end[i]),
    filed: integers(i => firstFiled[i]),
    units: sharedColumn<Int16Array>(
      Int16Array.from(order, i => unit[i]),
      buffer => new Int16Array(buffer),
    ),
    text: sharedColumn<Uint8Array>(text, buffer => new Uint8Array(buffer)),
    textStarts: sharedColumn<Int32Array>(textStarts, buffer => new Int32Array(buffer)),
  }

  /** For each vintage of a company, the day on which any vintage of its period was first filed. */
  function setFirstFiled(own: Int32Array, found: Int32Array): void {
    const byPeriod = new Map<number, number>()
    const periodOf = (i: number) => end[i] * ranks + rank[i]
    for (const i of own) byPeriod.set(periodOf(i), Math.min(byPeriod.get(periodOf(i)) ?? filed[i], filed[i]))
    for (const i of own) found[i] = byPeriod.get(periodOf(i)) ?? filed[i]
  }
}

/** More than the ranks that a period may have. */
const ranks = 64

/** Texts separated by line feeds: text i begins at `starts[i]` and ends before `starts[i + 1] - 1`. */
function textsOf(joined: string, count: number) {
  const bytes = new TextEncoder().encode(joined)
  const starts = new Int32Array(count + 1)
  let at = 0
  for (let i = 0; i < count; i++) {
    const end = bytes.indexOf(0x0a, at)
    at = (end === -1 ? bytes.length : end) + 1
    starts[i + 1] = at
  }
  return { bytes, starts }
}

/** The index of the first vintage in `from .. to` whose value is at least `value`; `to` if there is none. */
export function firstAtLeast(
  { values }: Pick<Vintages, 'values'>,
  from: number,
  to: number,
  value: number,
): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}

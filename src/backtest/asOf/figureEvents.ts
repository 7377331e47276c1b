import { chooseVintages } from './chooseVintages.ts'
import { neverEnds, type PackedVintages, unpackVintages, type Vintages } from './packedVintages.ts'

/** Companies whose events are stored together. A block begins at a company number that is a multiple of this,
 * and one statement reads a block. */
export const companiesPerBlock = 2_048

/** Everything known about one metric of some companies, as events: from `days[i]` on, including that day, the figure is
 * `values[i]`. The events of company c are `starts[c] .. starts[c + 1]`, sorted by day. Events that change nothing are
 * omitted, so an amendment of an old year has no event. Everything is in shared memory and immutable once it is built. */
export interface Events {
  readonly starts: Int32Array
  readonly days: Int32Array
  /** NaN: nothing is known from this day on. */
  readonly values: Float64Array
  readonly ends: Int32Array
  readonly filed: Int32Array
  /** Unit ids of the database. */
  readonly units: Int16Array
  /** The values as JSON, concatenated. Each is written once, however many rows show it. */
  readonly text: Uint8Array
  readonly textStarts: Int32Array
}

export interface EventBlock extends Events {
  readonly firstEntity: number
}

/** The memory that the events occupy. */
export function eventBytes({ starts, days, values, ends, filed, units, text, textStarts }: Events): number {
  let bytes = 0
  for (const column of [starts, days, values, ends, filed, units, text, textStarts])
    bytes += column.byteLength
  return bytes
}

/** Builds the events of a block of companies. On each day on which a vintage is filed or ends, the figure is
 * that of the latest period among the vintages current on that day. This is the rule of `fact_as_of`, from which the
 * rows come; another `choice` of vintages replaces them before it applies. */
export function buildEvents({
  firstEntity,
  companies = companiesPerBlock,
  rows,
  choice = 'as_known',
}: PackedVintages): EventBlock {
  const vintages = chooseVintages(unpackVintages(rows), choice)
  const events = new EventBuilder(2 * vintages.count)
  const order = vintagesByCompany(vintages, firstEntity, companies)
  const starts = new Int32Array(new SharedArrayBuffer(4 * (companies + 1)))
  let at = 0
  for (let company = 0; company < companies; company++) {
    starts[company] = events.count
    const from = at
    while (at < order.length && vintages.entity[order[at]] === firstEntity + company) at++
    if (at > from) addCompany(vintages, order.subarray(from, at), events)
  }
  starts[companies] = events.count
  return { firstEntity, starts, ...events.finish() }
}

/** Ordered by company, then by filing day. */
function vintagesByCompany(
  { count, entity, filed }: Vintages,
  firstEntity: number,
  companies: number,
): Int32Array {
  let [first, last] = [neverEnds, -neverEnds]
  for (const day of filed) {
    first = Math.min(first, day)
    last = Math.max(last, day)
  }
  // Sorts one number per vintage, which a double holds exactly: eleven bits of company, the day (15 bits
  // cover 90 years) and the vintage's index.
  const span = last - first + 1
  const keys = new Float64Array(count)
  for (let i = 0; i < count; i++) keys[i] = ((entity[i] - firstEntity) * span + filed[i] - first) * count + i
  if (companies * span * count > Number.MAX_SAFE_INTEGER)
    throw new Error('A block has too many vintages to be ordered.')
  keys.sort()
  return Int32Array.from(keys, key => key % count)
}

/** @param order the vintages of one company in the order of their filing days */
function addCompany(vintages: Vintages, order: Int32Array, events: EventBuilder): void {
  const { filed, until, end, unit, value } = vintages
  const days = changeDays(vintages, order)
  const active: number[] = []
  let next = 0
  let last = -1
  for (const day of days) {
    let left = 0
    for (const vintage of active) if (until[vintage] > day) active[left++] = vintage
    active.length = left
    for (; next < order.length && filed[order[next]] <= day; next++) {
      // Of two vintages filed on the same day, the earlier one ended that day and was never current.
      if (until[order[next]] > day) active.push(order[next])
    }
    const best = latestOf(vintages, active)
    if (isSame(vintages, best, last)) continue
    last = best
    if (best === -1 || unit[best] < 0) events.add(day, Number.NaN, 0, 0, 0)
    else events.add(day, value[best], end[best], filed[best], unit[best])
  }
}

/** The days on which the known figure may change, because a vintage is filed or ends. */
function changeDays({ filed, until }: Vintages, order: Int32Array): Int32Array {
  const days = new Int32Array(2 * order.length)
  let count = 0
  for (const vintage of order) {
    days[count++] = filed[vintage]
    if (until[vintage] !== neverEnds) days[count++] = until[vintage]
  }
  const sorted = days.subarray(0, count).sort()
  let distinct = 0
  for (let i = 0; i < count; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[distinct++] = sorted[i]
  return sorted.subarray(0, distinct)
}

/** Finds the vintage of the latest period, or -1. If two periods end on the same day, the one with the better rank is
 * preferred, just as `view=latest` prefers a year. */
function latestOf({ filed, end, rank, value }: Vintages, active: readonly number[]): number {
  let best = -1
  for (const vintage of active) {
    if (best === -1) {
      best = vintage
      continue
    }
    const order =
      end[vintage] - end[best] ||
      rank[vintage] - rank[best] ||
      filed[vintage] - filed[best] ||
      value[vintage] - value[best]
    if (order > 0) best = vintage
  }
  return best
}

function isSame({ filed, end, unit, value }: Vintages, a: number, b: number): boolean {
  if (a === -1 || b === -1) return a === b
  return value[a] === value[b] && end[a] === end[b] && filed[a] === filed[b] && unit[a] === unit[b]
}

/** A limit that no number comes near. */
const maxNumberBytes = 32

export class EventBuilder {
  count = 0
  readonly #days: Int32Array
  readonly #values: Float64Array
  readonly #ends: Int32Array
  readonly #filed: Int32Array
  readonly #units: Int16Array
  readonly #textStarts: Int32Array
  #text = new Uint8Array(4_096)
  #textEnd = 0

  /** @param capacity the largest possible number of events */
  constructor(capacity: number) {
    this.#days = new Int32Array(capacity)
    this.#values = new Float64Array(capacity)
    this.#ends = new Int32Array(capacity)
    this.#filed = new Int32Array(capacity)
    this.#units = new Int16Array(capacity)
    this.#textStarts = new Int32Array(capacity + 1)
  }

  add(day: number, value: number, end: number, filed: number, unit: number): void {
    const i = this.count++
    this.#days[i] = day
    // Turns -0 into 0, which would otherwise rank differently.
    this.#values[i] = value + 0
    this.#ends[i] = end
    this.#filed[i] = filed
    this.#units[i] = unit
    this.#addText(Number.isNaN(value) ? 'null' : String(value + 0))
    this.#textStarts[i + 1] = this.#textEnd
  }

  #addText(text: string): void {
    if (this.#textEnd + maxNumberBytes > this.#text.length) {
      const grown = new Uint8Array(2 * this.#text.length)
      grown.set(this.#text)
      this.#text = grown
    }
    for (let i = 0; i < text.length; i++) this.#text[this.#textEnd++] = text.charCodeAt(i)
  }

  finish(): Omit<Events, 'starts'> {
    const { count } = this
    return {
      days: sharedColumn(this.#days.subarray(0, count), buffer => new Int32Array(buffer)),
      values: sharedColumn(this.#values.subarray(0, count), buffer => new Float64Array(buffer)),
      ends: sharedColumn(this.#ends.subarray(0, count), buffer => new Int32Array(buffer)),
      filed: sharedColumn(this.#filed.subarray(0, count), buffer => new Int32Array(buffer)),
      units: sharedColumn(this.#units.subarray(0, count), buffer => new Int16Array(buffer)),
      text: sharedColumn<Uint8Array>(this.#text.subarray(0, this.#textEnd), buffer => new Uint8Array(buffer)),
      textStarts: sharedColumn(this.#textStarts.subarray(0, count + 1), buffer => new Int32Array(buffer)),
    }
  }
}

type Column = Int32Array | Float64Array | Int16Array | Uint8Array

/** Copies a column to shared memory. */
export function sharedColumn<C extends Column>(column: C, make: (buffer: SharedArrayBuffer) => C): C {
  const copy = make(new SharedArrayBuffer(column.byteLength))
  copy.set(column)
  return copy
}

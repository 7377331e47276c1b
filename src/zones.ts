const hourMs = 3_600_000
const dayMs = 86_400_000

/** The table covers changes between these instants. Earlier, the first offset applies; later, the last one. */
const firstMs = Date.UTC(1980, 0, 1)
const lastMs = Date.UTC(2050, 0, 1)
/** No market's zone changes its offset twice within this period. */
const stepMs = 28 * dayMs

/**
 * The clock of a time zone as a table of its offset changes, because formatting a million times with Intl would take
 * seconds.
 */
export class Zone {
  readonly name: string
  /** From `#from[i]` on, the zone is `#offsets[i]` ahead of UTC. */
  readonly #from: number[] = []
  readonly #offsets: number[] = []

  /** @throws RangeError if there is no such zone */
  constructor(name: string) {
    this.name = name
    const parts = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
    const read = (ms: number) => offsetIn(parts.format(ms))
    let offset = read(firstMs)
    this.#add(Number.NEGATIVE_INFINITY, offset)
    for (let ms = firstMs; ms < lastMs; ms += stepMs) {
      const next = read(ms + stepMs)
      if (next === offset) continue
      this.#add(firstWith(read, ms, ms + stepMs, offset), next)
      offset = next
    }
  }

  /** The zone's offset from UTC at an instant, in milliseconds. */
  offsetAt(ms: number): number {
    let low = 1
    let high = this.#from.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#from[middle] <= ms) low = middle + 1
      else high = middle
    }
    return this.#offsets[low - 1]
  }

  /** The day on the zone's calendar, as days since 1970-01-01. */
  dayAt(ms: number): number {
    return Math.floor((ms + this.offsetAt(ms)) / dayMs)
  }

  /** The instant at which a day has ended in the zone. */
  endOfDay(day: number): number {
    const local = (day + 1) * dayMs
    const [first] = this.instantsOf(local)
    if (first !== undefined) return first
    // The clocks went forward at midnight and skipped it.
    return local - this.offsetAt(local - dayMs)
  }

  /**
   * The instants at which the zone's clocks show a time: none if they skip it, two if they show it twice.
   *
   * @param local the time as if it were UTC
   */
  instantsOf(local: number): readonly number[] {
    const offsets = new Set([this.offsetAt(local - dayMs), this.offsetAt(local + dayMs)])
    return [...offsets]
      .map(offset => local - offset)
      .filter(ms => ms + this.offsetAt(ms) === local)
      .sort((a, b) => a - b)
  }

  #add(from: number, offset: number): void {
    this.#from.push(from)
    this.#offsets.push(offset)
  }
}

/** `1/1/2010, GMT-05:00` */
function offsetIn(text: string): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text) ?? []
  const ahead = Number(hours) * hourMs + Number(minutes) * 60_000 + Number(seconds) * 1_000
  return sign === '-' ? -ahead : ahead
}

/** The first instant after `from`, up to `to`, at which the offset is no longer `offset`, to the second. */
function firstWith(read: (ms: number) => number, from: number, to: number, offset: number): number {
  let [low, high] = [from, to]
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000
    if (middle === low) break
    if (read(middle) === offset) low = middle
    else high = middle
  }
  return high
}

const zones = new Map<string, Zone>()

/** The zone of this name. Each zone's table is computed once. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name)
  if (known !== undefined) return known
  const zone = new Zone(name)
  zones.set(name, zone)
  return zone
}

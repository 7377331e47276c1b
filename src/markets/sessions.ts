import { type Static, Type } from '@sinclair/typebox'
import { addDays, dayNumber, type IsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { zoneOf } from '../zones.ts'

const day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const time = Type.String({ pattern: '^\\d{2}:\\d{2}$' })

/** The sessions of an exchange: manifests/sessions/<exchange>.json, which `make.py` beside it writes. */
export const SessionFile = Type.Object(
  {
    exchange: Type.String({ pattern: '^[A-Z]{4}$' }),
    name: Type.String({ minLength: 1 }),
    timezone: Type.String({ minLength: 1 }),
    source: Type.String({ minLength: 1 }),
    /** The range of days that the file covers. Sessions outside this range are unknown. */
    first: day,
    last: day,
    /** The usual hours, each with the first day on which they apply. */
    hours: Type.Array(Type.Tuple([day, time, time]), { minItems: 1 }),
    /** Saturdays and Sundays with a session. */
    weekend: Type.Array(day),
    /** Sessions with other hours, such as half days. */
    special: Type.Array(Type.Tuple([day, time, time])),
    /** Mondays to Fridays without a session. */
    closed: Type.Array(day),
  },
  { additionalProperties: false },
)
export type SessionFile = Static<typeof SessionFile>

export type SessionPoint = 'open' | 'close'

/** The days and hours during which an exchange trades. */
export class Sessions {
  readonly file: SessionFile
  readonly name: string
  readonly first: IsoDate
  readonly last: IsoDate
  readonly #zone: string
  readonly #hours: SessionFile['hours']
  readonly #weekend: ReadonlySet<IsoDate>
  readonly #closed: ReadonlySet<IsoDate>
  readonly #special: ReadonlyMap<IsoDate, readonly [open: string, close: string]>

  constructor(file: SessionFile) {
    this.file = file
    this.name = file.name
    this.first = file.first
    this.last = file.last
    this.#zone = file.timezone
    this.#hours = file.hours
    this.#weekend = new Set(file.weekend)
    this.#closed = new Set(file.closed)
    this.#special = new Map(file.special.map(([date, open, close]) => [date, [open, close]]))
  }

  covers(date: IsoDate): boolean {
    return date >= this.first && date <= this.last
  }

  isSession(date: IsoDate): boolean {
    if (!this.covers(date) || this.#closed.has(date)) return false
    const weekday = new Date(`${date}T00:00:00Z`).getUTCDay()
    return (weekday !== 0 && weekday !== 6) || this.#weekend.has(date)
  }

  /** The instant at which the session of a day opens or closes; null if the day has none. */
  instantOf(date: IsoDate, point: SessionPoint): number | null {
    if (!this.isSession(date)) return null
    const usual = this.#hours.findLast(([from]) => from <= date)
    const hours = this.#special.get(date) ?? usual?.slice(1)
    if (hours === undefined) return null
    const [hour, minute] = hours[point === 'open' ? 0 : 1].split(':').map(Number)
    const local = dayNumber(date) * 86_400_000 + (hour * 60 + minute) * 60_000
    return zoneOf(this.#zone).instantsOf(local)[0] ?? null
  }

  /**
   * The instant at which the session of a day opens or closes or, if the day has none, at which the last one before it
   * closed; null if that is not known.
   */
  lastInstant(date: IsoDate, point: SessionPoint): number | null {
    if (!this.covers(date)) return null
    const own = this.instantOf(date, point)
    const before = own === null ? this.#next(date, -1) : null
    return before === null ? own : this.instantOf(before, 'close')
  }

  /** Like `instantOf`, but fails if the day has no session or is outside the known range. */
  requireInstant(date: IsoDate, point: SessionPoint, param: string): number {
    if (!this.covers(date)) {
      throw new Failure(
        'parameter_invalid',
        `${param}=${date}@${point}: the sessions of ${this.name} are known from ${this.first} to ${this.last}. Send a time instead, like ${date}T16:00.`,
        { param },
      )
    }
    const instant = this.instantOf(date, point)
    if (instant !== null) return instant
    const near = [this.#next(date, -1), this.#next(date, 1)].filter(found => found !== null)
    throw new Failure(
      'parameter_invalid',
      `${param}=${date}@${point}: ${this.name} had no session on ${date}. The nearest were on ${near.join(' and ')}.`,
      { param },
    )
  }

  #next(date: IsoDate, step: 1 | -1): IsoDate | null {
    for (let other = addDays(date, step); this.covers(other); other = addDays(other, step))
      if (this.isSession(other)) return other
    return null
  }
}

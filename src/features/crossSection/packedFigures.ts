import { type IsoDate, isoDate } from '../../dates.ts'

/** One of a company's figures, which the database returns packed into a single value. */
export interface PackedFigure {
  readonly metricId: number
  readonly value: number
  readonly end: IsoDate
  readonly filed: IsoDate
  readonly fy: number
  readonly fp: number
  readonly unitId: number
  /** True if it is of an earlier generation. */
  readonly earlier: boolean
  /** Only as of an instant: whether the figure counts by the time of its filing rather than from the end of its day. */
  readonly byTime: boolean
  /** Whether it is in a state that the request leaves out. */
  readonly leftOut: boolean
}

const bytesPerFigure = 24

/** Interned: thousands of rows share a few dates. */
const days = new Map<number, IsoDate>()
const maxDays = 50_000

function dayOf(number: number): IsoDate {
  const known = days.get(number)
  if (known !== undefined) return known
  if (days.size >= maxDays) days.clear()
  const day = isoDate(number)
  days.set(number, day)
  return day
}

/**
 * Metric (2 bytes), value (8), period end and filing as days since 1970 (4, 4), fiscal year (2), period (2, plus 16 if
 * of an earlier generation, 32 if it counts by its time and 64 if its state is left out) and unit (2); big-endian, as the database sends numbers.
 */
export function* unpackFigures(packed: Uint8Array | null): Generator<PackedFigure, void, undefined> {
  if (packed === null) return
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  for (let at = 0; at < packed.length; at += bytesPerFigure) {
    yield {
      metricId: view.getInt16(at),
      value: view.getFloat64(at + 2),
      end: dayOf(view.getInt32(at + 10)),
      filed: dayOf(view.getInt32(at + 14)),
      fy: view.getInt16(at + 18),
      fp: view.getInt16(at + 20) & 15,
      unitId: view.getInt16(at + 22),
      earlier: (view.getInt16(at + 20) & 16) !== 0,
      byTime: (view.getInt16(at + 20) & 32) !== 0,
      leftOut: (view.getInt16(at + 20) & 64) !== 0,
    }
  }
}

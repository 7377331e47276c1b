import { type IsoDate, isoDate } from '../../dates.ts'

/** One figure of a company, among all of them in one value of the database. */
export interface PackedFigure {
  readonly metricId: number
  readonly value: number
  readonly end: IsoDate
  readonly filed: IsoDate
  readonly fy: number
  readonly fp: number
  readonly unitId: number
  /** Of an earlier generation. */
  readonly earlier: boolean
}

const bytesPerFigure = 24

/** Days come again for thousands of companies, and each is a string to make. */
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

/** Metric (2 bytes), value (8), end and filing in days since 1970 (4, 4), fiscal year, period (with 16 if it is of an earlier generation) and unit (2, 2, 2); big-endian, as
 * the database sends numbers. */
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
    }
  }
}

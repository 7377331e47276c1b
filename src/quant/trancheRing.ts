import type { BookSettings } from './bookSettings.ts'
import type { Dataset } from './dataset.ts'
import { nameCount } from './nameTable.ts'

/** The last h targets and the one being written, in one circular buffer. Period t's names lie at
 * `from[t] .. from[t] + size[t]`; a weight is the name's share of the whole book (target / h). */
export interface TrancheRing {
  readonly asset: Int32Array
  readonly weight: Float64Array
  readonly from: Int32Array
  readonly size: Int32Array
}

/** Places every period's slot in advance. A slot never wraps: the room that is left at the end of the buffer is
 * smaller than the slot that did not fit, so the largest window of h + 1 slots plus one slot is always enough. */
export function allocateRing(data: Dataset, periods: Int32Array, settings: BookSettings): TrancheRing {
  const count = periods.length
  const from = new Int32Array(count)
  const room = new Int32Array(count)
  let window = 0
  let widest = 0
  let largest = 0
  for (let t = 0; t < count; t++) {
    room[t] = slotRoom(data, periods[t], settings)
    window += room[t]
    if (t > settings.tranches) window -= room[t - settings.tranches - 1]
    widest = Math.max(widest, window)
    largest = Math.max(largest, room[t])
  }
  const capacity = widest + largest
  let next = 0
  for (let t = 0; t < count; t++) {
    if (next + room[t] > capacity) next = 0
    from[t] = next
    next += room[t]
  }
  return {
    asset: new Int32Array(capacity),
    weight: new Float64Array(capacity),
    from,
    size: new Int32Array(count),
  }
}

/** Most names the legs of a date can hold, from its number of rows alone. */
function slotRoom(data: Dataset, date: number, settings: BookSettings): number {
  const rows = data.offsets[date + 1] - data.offsets[date]
  const groups = settings.neutralMarket ? nameCount(data.markets) : 1
  const leg = Math.floor(settings.quantile * rows + 1e-9) + groups
  return Math.min(rows, settings.longShort ? 2 * leg : leg)
}

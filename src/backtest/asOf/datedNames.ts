import type { JoinRows } from './positions.ts'

/** A name that means different companies on different days. Each stretch of days with one company is joined like a name
 * of its own. Its index is called its slot, and slots are numbered after the names. */
export interface DatedName {
  /** Index into the names of the rows. */
  readonly name: number
  /** The first days of its stretches, in order. The first stretch begins before all rows. */
  readonly starts: Int32Array
  /** The slot of each stretch. */
  readonly slots: Int32Array
}

/** A day before all rows. */
export const beforeAllDays = -(2 ** 31)

export interface DatedRows {
  readonly rows: JoinRows
  /** The number of names and slots. */
  readonly slots: number
  readonly dated: readonly DatedName[]
}

export interface RowSlots {
  /** For each row, its name or, if the company depends on the day, its slot. */
  readonly slot: Int32Array
  /** The number of rows of each name or slot. */
  readonly counts: Int32Array
}

/** Replaces each name whose company depends on the day with the slot that applies on the row's date. */
export function findSlots({ rows: { count, day, name }, slots, dated }: DatedRows): RowSlots {
  const slot = new Int32Array(new SharedArrayBuffer(4 * count))
  const counts = new Int32Array(slots)
  const datedOf = new Map(dated.map(one => [one.name, one]))
  // A lookup per row in a map would take longer than the join.
  const isDated = new Uint8Array(slots)
  for (const one of dated) isDated[one.name] = 1
  let last: DatedName | undefined
  for (let row = 0; row < count; row++) {
    let at = name[row]
    if (isDated[at] === 1) {
      if (last?.name !== at) last = datedOf.get(at)
      if (last !== undefined) at = slotOn(last, day[row])
    }
    slot[row] = at
    counts[at]++
  }
  return { slot, counts }
}

/** The slot of a name on a day. */
function slotOn({ starts, slots }: DatedName, day: number): number {
  let stretch = starts.length - 1
  while (stretch > 0 && starts[stretch] > day) stretch--
  return slots[stretch]
}

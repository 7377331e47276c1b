import type { EventBlock, Events } from './events.ts'
import { gatherEvents } from './gather.ts'
import { findPositions } from './positions.ts'
import type { ParsedRows } from './rows.ts'
import type { JoinPlan } from './settings.ts'

/** A join whose companies have been found and may be shown to the caller. */
export interface JoinInput {
  readonly rows: ParsedRows
  readonly plan: JoinPlan
  /** For each name, its index in `entities`; -1: unknown. */
  readonly companyOfName: Int32Array
  /** The distinct companies of the join. */
  readonly entities: Int32Array
  /** For each metric, the blocks that contain its companies. */
  readonly blocks: readonly (readonly EventBlock[])[]
}

/** One metric of a join: the events of its companies, and the event that each row shows. */
export interface JoinedColumn {
  readonly name: string
  readonly events: Events
  readonly positions: Int32Array
}

/** Finds the figure of every row and metric. */
export function joinRows({ rows, plan, companyOfName, entities, blocks }: JoinInput): JoinedColumn[] {
  return plan.metrics.map((name, metric) => {
    const events = gatherEvents(blocks[metric], entities)
    return { name, events, positions: findPositions(rows, companyOfName, events, plan) }
  })
}

/** The ids of the units that a column shows. */
export function unitsOf({ events, positions }: JoinedColumn): number[] {
  const seen = new Set<number>()
  const { units } = events
  let last = -1
  // An iterator would allocate an object per row.
  for (let row = 0; row < positions.length; row++) {
    const position = positions[row]
    if (position < 0 || units[position] === last) continue
    last = units[position]
    seen.add(last)
  }
  return [...seen]
}

import { slack } from './carried/texts.ts'
import { companiesPerBlock, type EventBlock, type Events } from './figureEvents.ts'

/** The events of one company of a block. */
export interface EventRange {
  readonly block: EventBlock | undefined
  /** Its index in the block. */
  readonly index: number
}

/** Gathers the events of some companies, in the order of `entities`, from the blocks that contain them. The
 * copies are contiguous, so the join reads little memory.
 *
 * @param entities company numbers; one whose block is missing has no events
 * @param more event ranges to append after those of the companies */
export function gatherEvents(
  blocks: readonly EventBlock[],
  entities: Int32Array,
  more: readonly EventRange[] = [],
): Events {
  const byFirst = new Map(blocks.map(block => [block.firstEntity, block]))
  const ranges = [
    ...Array.from(entities, entity => ({
      block: byFirst.get(firstOfBlock(entity)),
      index: entity - firstOfBlock(entity),
    })),
    ...more,
  ]
  const { events, bytes } = sizeOf(ranges)
  const gathered = {
    starts: new Int32Array(ranges.length + 1),
    days: new Int32Array(events),
    values: new Float64Array(events),
    ends: new Int32Array(events),
    filed: new Int32Array(events),
    units: new Int16Array(events),
    // The copy loop reads slightly past the last text.
    text: new Uint8Array(bytes + slack),
    textStarts: new Int32Array(events + 1),
  }
  let at = 0
  let textAt = 0
  for (let company = 0; company < ranges.length; ) {
    gathered.starts[company] = at
    const { block, index } = ranges[company]
    if (block === undefined) {
      company++
      continue
    }
    // Companies that are also neighbours in a block are copied together.
    const first = company
    const isNext = (next: EventRange) => next.block === block && next.index === index + company - first
    const from = block.starts[index]
    for (company++; company < ranges.length && isNext(ranges[company]); company++)
      gathered.starts[company] = at + block.starts[index + company - first] - from
    const to = block.starts[index + company - first]
    gathered.days.set(block.days.subarray(from, to), at)
    gathered.values.set(block.values.subarray(from, to), at)
    gathered.ends.set(block.ends.subarray(from, to), at)
    gathered.filed.set(block.filed.subarray(from, to), at)
    gathered.units.set(block.units.subarray(from, to), at)
    const textFrom = block.textStarts[from]
    gathered.text.set(block.text.subarray(textFrom, block.textStarts[to]), textAt)
    for (let event = from; event < to; event++) {
      gathered.textStarts[at++] = block.textStarts[event] - textFrom + textAt
    }
    textAt += block.textStarts[to] - textFrom
  }
  gathered.starts[ranges.length] = at
  gathered.textStarts[at] = textAt
  return gathered
}

/** The first company of the block that contains a company. */
export const firstOfBlock = (entity: number): number =>
  Math.floor(entity / companiesPerBlock) * companiesPerBlock

function sizeOf(ranges: readonly EventRange[]) {
  let events = 0
  let bytes = 0
  for (const { block, index } of ranges) {
    if (block === undefined) continue
    const from = block.starts[index]
    const to = block.starts[index + 1]
    events += to - from
    bytes += block.textStarts[to] - block.textStarts[from]
  }
  return { events, bytes }
}

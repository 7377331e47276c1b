import { companiesPerBlock, type EventBlock, type Events } from './events.ts'
import { slack } from './texts.ts'

/** Gathers the events of some companies, in the order of `entities`, from the blocks that contain them. The
 * copies are contiguous, so the join reads little memory.
 *
 * @param entities company numbers; one whose block is missing has no events */
export function gatherEvents(blocks: readonly EventBlock[], entities: Int32Array): Events {
  const byFirst = new Map(blocks.map(block => [block.firstEntity, block]))
  const blockOf = (entity: number) => byFirst.get(firstOfBlock(entity))
  const { events, bytes } = sizeOf(blockOf, entities)
  const gathered = {
    starts: new Int32Array(entities.length + 1),
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
  for (let company = 0; company < entities.length; company++) {
    gathered.starts[company] = at
    const block = blockOf(entities[company])
    if (block === undefined) continue
    const from = block.starts[entities[company] - block.firstEntity]
    const to = block.starts[entities[company] - block.firstEntity + 1]
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
  gathered.starts[entities.length] = at
  gathered.textStarts[at] = textAt
  return gathered
}

/** The first company of the block that contains a company. */
export const firstOfBlock = (entity: number): number =>
  Math.floor(entity / companiesPerBlock) * companiesPerBlock

function sizeOf(blockOf: (entity: number) => EventBlock | undefined, entities: Int32Array) {
  let events = 0
  let bytes = 0
  for (const entity of entities) {
    const block = blockOf(entity)
    if (block === undefined) continue
    const from = block.starts[entity - block.firstEntity]
    const to = block.starts[entity - block.firstEntity + 1]
    events += to - from
    bytes += block.textStarts[to] - block.textStarts[from]
  }
  return { events, bytes }
}

import { companiesPerBlock, type EventBlock } from '../../backtest/asOf/figureEvents.ts'
import { untilNext } from '../../backtest/asOf/knownDays.ts'
import type { StoredMoment } from './queries.ts'

/** Lays out the moments of a block's companies as the events from which `findKnownDays` decides what a row shows. */
export function buildMoments(firstEntity: number, moments: readonly StoredMoment[]): EventBlock {
  const starts = new Int32Array(new SharedArrayBuffer(4 * (companiesPerBlock + 1)))
  const points: { readonly at: number; readonly day: number; readonly interim: number }[] = []
  let interim = 0
  let next = 0
  for (let company = 0; company < companiesPerBlock; company++) {
    starts[company] = points.length
    while (next < moments.length && moments[next].entity === firstEntity + company) {
      const { from, until, day, isInterim } = moments[next++]
      const number = isInterim ? ++interim : 0
      // An empty range shifts no figures: it only records that filings counted by their times.
      if (from === until) continue
      const last = points.length > starts[company] ? points[points.length - 1] : undefined
      if (last?.day === untilNext && last.at === from) points.pop()
      points.push({ at: from, day, interim: number }, { at: until, day: untilNext, interim: 0 })
    }
  }
  starts[companiesPerBlock] = points.length
  const block = emptyBlock(firstEntity, starts)
  for (const [index, { at, day, interim }] of points.entries()) {
    block.values[index] = at
    block.days[index] = day
    block.ends[index] = interim
  }
  return block
}

/** Lays out the days of a block's companies as events without values. */
export function buildTimedDays(
  firstEntity: number,
  read: readonly { readonly entity: number; readonly day: number }[],
): EventBlock {
  const block = emptyBlock(firstEntity, startsOf(firstEntity, read))
  for (const [index, { day }] of read.entries()) block.days[index] = day
  return block
}

/** Where each company's events start.
 *
 * @param read the events, ordered by company */
export function startsOf(firstEntity: number, read: readonly { readonly entity: number }[]): Int32Array {
  const starts = new Int32Array(new SharedArrayBuffer(4 * (companiesPerBlock + 1)))
  for (const { entity } of read) starts[entity - firstEntity + 1]++
  for (let company = 0; company < companiesPerBlock; company++) starts[company + 1] += starts[company]
  return starts
}

/** A block whose columns are still zero. */
export function emptyBlock(firstEntity: number, starts: Int32Array, textBytes = 0): EventBlock {
  const count = starts[companiesPerBlock]
  const integers = () => new Int32Array(new SharedArrayBuffer(4 * count))
  return {
    firstEntity,
    starts,
    days: integers(),
    values: new Float64Array(new SharedArrayBuffer(8 * count)),
    ends: integers(),
    filed: integers(),
    units: new Int16Array(new SharedArrayBuffer(2 * count)),
    text: new Uint8Array(new SharedArrayBuffer(textBytes)),
    textStarts: new Int32Array(new SharedArrayBuffer(4 * (count + 1))),
  }
}

import type { Dataset, GroupColumn } from './dataset.ts'

/** The rows of a dataset that are marked, in shared memory and without a ranking. Dates without rows disappear. */
export function keepRows(data: Dataset, isKept: Uint8Array): Dataset {
  const { days, offsets, asset, market, score, forwardReturn, dollarVolume, group, labels, extras } = data
  const { close, borrowBps, decisionReturn } = data
  let count = 0
  const keptDays: number[] = []
  const keptOffsets: number[] = []
  for (let date = 0; date < days.length; date++) {
    const before = count
    for (let row = offsets[date]; row < offsets[date + 1]; row++) count += isKept[row]
    if (count === before) continue
    keptDays.push(days[date])
    keptOffsets.push(before)
  }
  keptOffsets.push(count)
  const fill = <C extends Int32Array | Uint16Array | Float64Array>(from: C, to: C): C => {
    let at = 0
    for (let row = 0; row < asset.length; row++) if (isKept[row] === 1) to[at++] = from[row]
    return to
  }
  const numbers = (from: Float64Array) => fill(from, new Float64Array(new SharedArrayBuffer(8 * count)))
  const narrow = (from: Uint16Array) => fill(from, new Uint16Array(new SharedArrayBuffer(2 * count)))
  const grouped = (column: GroupColumn): GroupColumn => ({ ...column, of: narrow(column.of) })
  return {
    ...data,
    days: shared(keptDays),
    offsets: shared(keptOffsets),
    asset: fill(asset, new Int32Array(new SharedArrayBuffer(4 * count))),
    market: narrow(market),
    score: numbers(score),
    forwardReturn: numbers(forwardReturn),
    dollarVolume: dollarVolume && numbers(dollarVolume),
    close: close && numbers(close),
    borrowBps: borrowBps && numbers(borrowBps),
    decisionReturn: decisionReturn && numbers(decisionReturn),
    group: group && grouped(group),
    labels: labels && grouped(labels),
    extras: extras?.map(({ name, values }) => ({ name, values: numbers(values) })),
    neutralised: undefined,
    ranking: null,
  }
}

function shared(values: readonly number[]): Int32Array {
  const column = new Int32Array(new SharedArrayBuffer(4 * values.length))
  column.set(values)
  return column
}

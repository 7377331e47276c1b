import type { Dataset, GroupColumn } from './dataset.ts'

/** A dataset with some of the dates, in shared memory and without a ranking.
 *
 * @param dates date indices, ascending */
export function takeDates(data: Dataset, dates: Int32Array): Dataset {
  const { days, offsets, group, labels, extras, decisionReturn, dollarVolume, borrowBps } = data
  const rows = dates.reduce((sum, date) => sum + offsets[date + 1] - offsets[date], 0)
  const taken = {
    days: new Int32Array(new SharedArrayBuffer(4 * dates.length)),
    offsets: new Int32Array(new SharedArrayBuffer(4 * (dates.length + 1))),
  }
  dates.forEach((date, t) => {
    taken.days[t] = days[date]
    taken.offsets[t + 1] = taken.offsets[t] + offsets[date + 1] - offsets[date]
  })
  const take = <C extends Int32Array | Uint16Array | Float64Array>(column: C, into: C): C => {
    dates.forEach((date, t) => {
      into.set(column.subarray(offsets[date], offsets[date + 1]), taken.offsets[t])
    })
    return into
  }
  const doubles = () => new Float64Array(new SharedArrayBuffer(8 * rows))
  const shorts = () => new Uint16Array(new SharedArrayBuffer(2 * rows))
  const groups = (column: GroupColumn): GroupColumn => ({ ...column, of: take(column.of, shorts()) })
  const { close: _, returnSpans: __, ...kept } = data
  return {
    ...kept,
    ...taken,
    asset: take(data.asset, new Int32Array(new SharedArrayBuffer(4 * rows))),
    market: take(data.market, shorts()),
    score: take(data.score, doubles()),
    forwardReturn: take(data.forwardReturn, doubles()),
    ...(decisionReturn ? { decisionReturn: take(decisionReturn, doubles()) } : {}),
    ...(dollarVolume ? { dollarVolume: take(dollarVolume, doubles()) } : {}),
    ...(borrowBps ? { borrowBps: take(borrowBps, doubles()) } : {}),
    ...(group ? { group: groups(group) } : {}),
    ...(labels ? { labels: groups(labels) } : {}),
    ...(extras
      ? { extras: extras.map(({ name, values }) => ({ name, values: take(values, doubles()) })) }
      : {}),
    ranking: null,
  }
}

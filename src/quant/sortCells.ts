import type { Columns } from './columns.ts'

/** The rows in (date, asset rank) order: `order[i]` is the row that belongs at place i. Rows of one cell keep
 * their given order, so a repeated cell shows its first and second row. Two stable counting sorts, O(rows +
 * assets + days between first and last). */
export function sortCells(columns: Columns, assetRank: Int32Array): Int32Array {
  const { count, day, asset } = columns
  const order = new Int32Array(count)
  if (isSorted(columns, assetRank)) {
    for (let i = 0; i < count; i++) order[i] = i
    return order
  }
  const byAsset = new Int32Array(count)
  const assetStart = new Int32Array(assetRank.length + 1)
  for (let i = 0; i < count; i++) assetStart[assetRank[asset[i]] + 1]++
  for (let a = 0; a < assetRank.length; a++) assetStart[a + 1] += assetStart[a]
  for (let i = 0; i < count; i++) byAsset[assetStart[assetRank[asset[i]]]++] = i

  let first = day[0]
  let last = day[0]
  for (let i = 1; i < count; i++) {
    if (day[i] < first) first = day[i]
    if (day[i] > last) last = day[i]
  }
  const dayStart = new Int32Array(last - first + 2)
  for (let i = 0; i < count; i++) dayStart[day[i] - first + 1]++
  for (let d = 0; d <= last - first; d++) dayStart[d + 1] += dayStart[d]
  for (let i = 0; i < count; i++) {
    const row = byAsset[i]
    order[dayStart[day[row] - first]++] = row
  }
  return order
}

function isSorted({ count, day, asset }: Columns, assetRank: Int32Array): boolean {
  for (let i = 1; i < count; i++) {
    if (day[i] < day[i - 1]) return false
    if (day[i] === day[i - 1] && assetRank[asset[i]] < assetRank[asset[i - 1]]) return false
  }
  return true
}

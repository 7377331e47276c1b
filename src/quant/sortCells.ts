import type { Columns } from './columns.ts'

/** The rows in (date, asset rank) order: `order[i]` is the row that belongs at place i; null where the rows are in
 * that order already. Rows of one cell keep their given order, so a repeated cell shows its first and second row. Two
 * stable counting sorts, O(rows + assets + days between first and last). */
export function sortCells(columns: Columns, assetRank: Int32Array): Int32Array | null {
  if (isSorted(columns, assetRank)) return null
  const { count, day, asset } = columns
  const byAsset = new Int32Array(count)
  const assetStart = new Int32Array(assetRank.length + 1)
  for (let i = 0; i < count; i++) {
    const place = assetRank[asset[i]] + 1
    assetStart[place] = (assetStart[place] + 1) | 0
  }
  for (let a = 0; a < assetRank.length; a++) assetStart[a + 1] += assetStart[a]
  for (let i = 0; i < count; i++) {
    const rank = assetRank[asset[i]]
    const place = assetStart[rank]
    assetStart[rank] = (place + 1) | 0
    byAsset[place] = i
  }

  let first = day[0]
  let last = day[0]
  for (let i = 1; i < count; i++) {
    if (day[i] < first) first = day[i]
    if (day[i] > last) last = day[i]
  }
  const dayStart = new Int32Array(last - first + 2)
  for (let i = 0; i < count; i++) {
    const place = day[i] - first + 1
    dayStart[place] = (dayStart[place] + 1) | 0
  }
  for (let d = 0; d <= last - first; d++) dayStart[d + 1] += dayStart[d]
  const order = new Int32Array(count)
  for (let i = 0; i < count; i++) {
    const row = byAsset[i]
    const place = dayStart[day[row] - first]
    dayStart[day[row] - first] = (place + 1) | 0
    order[place] = row
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

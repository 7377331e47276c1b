import { type Columns, type Dataset, nameAt, nameCount } from './dataset.ts'

/** Dates firstDate .. endDate - 1 of a dataset, as a view: nothing is copied. */
export interface DateView {
  readonly firstDate: number
  readonly endDate: number
  /** Rows between the requested days that `maxRows` excluded. */
  readonly rowsOverLimit: number
}

/** The dates from `fromDay` to `toDay`, both included. With `maxRows`, only the most recent whole dates that
 * fit; none if the most recent date alone has more rows. */
export function viewDates(data: Dataset, fromDay: number, toDay: number, maxRows: number): DateView {
  const { days, offsets } = data
  let firstDate = 0
  let endDate = days.length
  while (firstDate < endDate && days[firstDate] < fromDay) firstDate++
  while (endDate > firstDate && days[endDate - 1] > toDay) endDate--
  const firstRow = offsets[firstDate]
  while (firstDate < endDate && offsets[endDate] - offsets[firstDate] > maxRows) firstDate++
  return { firstDate, endDate, rowsOverLimit: offsets[firstDate] - firstRow }
}

/** The rows of one market as columns, from which `buildDataset` makes a dataset with the assets in the same
 * order. Null if no market has that name. */
export function filterMarket(data: Dataset, market: string): Columns | null {
  const markets = Array.from({ length: nameCount(data.markets) }, (_, i) => nameAt(data.markets, i))
  const wanted = markets.indexOf(market)
  if (wanted === -1) return null
  let count = 0
  for (let row = 0; row < data.market.length; row++) if (data.market[row] === wanted) count++
  const columns = {
    count,
    day: new Int32Array(count),
    asset: new Int32Array(count),
    market: new Uint16Array(count),
    score: new Float64Array(count),
    forwardReturn: new Float64Array(count),
    assetNames: [] as string[],
    assetKeys: [] as string[],
    marketNames: [market],
  }
  const newIndex = new Int32Array(nameCount(data.assets)).fill(-1)
  let next = 0
  for (let date = 0; date < data.days.length; date++) {
    for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++) {
      if (data.market[row] !== wanted) continue
      const asset = data.asset[row]
      if (newIndex[asset] === -1) {
        newIndex[asset] = columns.assetNames.length
        columns.assetNames.push(nameAt(data.assets, asset))
        // Padded, because keys are compared as strings.
        columns.assetKeys.push(String(asset).padStart(10, '0'))
      }
      columns.day[next] = data.days[date]
      columns.asset[next] = newIndex[asset]
      columns.score[next] = data.score[row]
      columns.forwardReturn[next] = data.forwardReturn[row]
      next++
    }
  }
  return columns
}

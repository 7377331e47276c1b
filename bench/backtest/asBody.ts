import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import { isoDate } from '../../src/dates.ts'

/** The first rows of columns as the JSON body of a request. */
export function asBody(columns: Columns, rows: number): Uint8Array<ArrayBuffer> {
  const dates = new Map<number, string>()
  const parts: string[] = []
  for (let i = 0; i < rows; i++) {
    const day = columns.day[i]
    const date = dates.get(day) ?? isoDate(day)
    dates.set(day, date)
    const asset = columns.assetNames[columns.asset[i]]
    const market = columns.marketNames[columns.market[i]]
    parts.push(
      `{"date":"${date}","asset":"${asset}","market":"${market}","score":${columns.score[i]},"forward_return":${columns.forwardReturn[i]}}`,
    )
  }
  return new TextEncoder().encode(`{"config":{"holdDays":5},"panel":[${parts.join(',')}]}`)
}

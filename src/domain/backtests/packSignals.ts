import type { ResolvedSignal } from '../../model/signal.ts'
import type { Columns } from '../../quant/columns.ts'

/** Resolved signals as columns: the forecast is the score, the outcome the forward return. A ticker that two markets
 * share is two names, TICKER:MARKET; every other asset id is the ticker. */
export async function packSignals(batches: AsyncIterable<readonly ResolvedSignal[]>): Promise<Columns> {
  const assets = new Map<string, number>()
  const assetKeys: { ticker: string; market: string }[] = []
  const markets = new Map<string, number>()
  let count = 0
  let room = 65_536
  let columns = allocate(room)
  for await (const batch of batches) {
    if (count + batch.length > room) {
      room = 2 * (count + batch.length)
      columns = enlarge(columns, room)
    }
    for (const { day, ticker, market, predicted, actual } of batch) {
      const key = `${ticker} ${market}`
      let asset = assets.get(key)
      if (asset === undefined) {
        asset = assetKeys.length
        assets.set(key, asset)
        assetKeys.push({ ticker, market })
      }
      const marketIndex = markets.get(market) ?? markets.size
      markets.set(market, marketIndex)
      columns.day[count] = day
      columns.asset[count] = asset
      columns.market[count] = marketIndex
      columns.score[count] = predicted
      columns.forwardReturn[count] = actual
      count++
    }
  }
  return { ...columns, count, assetNames: assetIds(assetKeys), marketNames: [...markets.keys()] }
}

type NumberColumns = Pick<Columns, 'day' | 'asset' | 'market' | 'score' | 'forwardReturn'>

function allocate(room: number): NumberColumns {
  const shared = (bytesEach: number) => new SharedArrayBuffer(bytesEach * room)
  return {
    day: new Int32Array(shared(4)),
    asset: new Int32Array(shared(4)),
    market: new Uint16Array(shared(2)),
    score: new Float64Array(shared(8)),
    forwardReturn: new Float64Array(shared(8)),
  }
}

function enlarge(from: NumberColumns, room: number): NumberColumns {
  const to = allocate(room)
  to.day.set(from.day)
  to.asset.set(from.asset)
  to.market.set(from.market)
  to.score.set(from.score)
  to.forwardReturn.set(from.forwardReturn)
  return to
}

function assetIds(keys: readonly { ticker: string; market: string }[]): string[] {
  const uses = new Map<string, number>()
  for (const { ticker } of keys) uses.set(ticker, (uses.get(ticker) ?? 0) + 1)
  return keys.map(({ ticker, market }) => (uses.get(ticker) === 1 ? ticker : `${ticker}:${market}`))
}

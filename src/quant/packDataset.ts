import type { Dataset } from './dataset.ts'
import { nameCount } from './nameTable.ts'
import { openDataset } from './openDataset.ts'
import { packedSize, writeHeader } from './packedLayout.ts'

/** A dataset without its ranking in one piece of shared memory. Equal rows are equal bytes, in whatever order they came. */
export function packDataset(data: Dataset): Uint8Array {
  const shape = {
    rows: data.asset.length,
    dates: data.days.length,
    assets: nameCount(data.assets),
    markets: nameCount(data.markets),
    assetBytes: data.assets.bytes.length,
    marketBytes: data.markets.bytes.length,
    fixedMarkets: data.marketOfAsset === null ? 0 : 1,
  }
  const packed = new Uint8Array(new SharedArrayBuffer(packedSize(shape)))
  writeHeader(packed, shape)
  const copy = openDataset(packed)
  if (copy === null) throw new Error('The dataset does not fit its own layout.')
  copy.score.set(data.score)
  copy.forwardReturn.set(data.forwardReturn)
  copy.asset.set(data.asset)
  copy.days.set(data.days)
  copy.offsets.set(data.offsets)
  copy.assets.offsets.set(data.assets.offsets)
  copy.markets.offsets.set(data.markets.offsets)
  copy.market.set(data.market)
  if (data.marketOfAsset) copy.marketOfAsset?.set(data.marketOfAsset)
  copy.assets.bytes.set(data.assets.bytes)
  copy.markets.bytes.set(data.markets.bytes)
  return packed
}

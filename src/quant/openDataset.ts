import type { Dataset } from './dataset.ts'
import { headerBytes, readHeader } from './packedLayout.ts'

/** The dataset that packed bytes hold, without a copy and without a ranking: its columns are views of the bytes, which
 * begin their buffer. null where the bytes are damaged or of another layout. */
export function openDataset(packed: Uint8Array): Dataset | null {
  const shape = readHeader(packed)
  if (shape === null) return null
  const { rows, dates, assets, markets, assetBytes, marketBytes, fixedMarkets } = shape
  let at = packed.byteOffset + headerBytes
  const place = (bytes: number) => {
    const from = at
    at += bytes
    return from
  }
  const doubles = (count: number) => new Float64Array(packed.buffer, place(8 * count), count)
  const integers = (count: number) => new Int32Array(packed.buffer, place(4 * count), count)
  const shorts = (count: number) => new Uint16Array(packed.buffer, place(2 * count), count)
  const octets = (count: number) => new Uint8Array(packed.buffer, place(count), count)
  const score = doubles(rows)
  const forwardReturn = doubles(rows)
  const asset = integers(rows)
  const days = integers(dates)
  const offsets = integers(dates + 1)
  const assetOffsets = integers(assets + 1)
  const marketOffsets = integers(markets + 1)
  const market = shorts(rows)
  const marketOfAsset = fixedMarkets === 1 ? shorts(assets) : null
  return {
    days,
    offsets,
    asset,
    market,
    score,
    forwardReturn,
    assets: { offsets: assetOffsets, bytes: octets(assetBytes) },
    markets: { offsets: marketOffsets, bytes: octets(marketBytes) },
    marketOfAsset,
    ranking: null,
  }
}

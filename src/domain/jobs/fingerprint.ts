import type { Dataset } from '../../quant/dataset.ts'

const pieceBytes = 8 * 1_024 * 1_024
const known = new WeakMap<Dataset, Promise<string>>()

/** A number that differs where two datasets differ: two processes that may have read the archive at different times see
 * by it whether their slices fit together. The data version would not do: it also grows where other data changed. */
export function fingerprint(data: Dataset): Promise<string> {
  const found = known.get(data)
  if (found) return found
  const made = hashColumns(data)
  known.set(data, made)
  return made
}

/** In pieces, between which others get their turn. */
async function hashColumns(data: Dataset): Promise<string> {
  const { days, offsets, asset, market, score, forwardReturn, assets, markets } = data
  const columns = [days, offsets, asset, market, score, forwardReturn]
  const names = [assets.offsets, assets.bytes, markets.offsets, markets.bytes]
  let hash = 0n
  for (const { buffer, byteOffset, byteLength } of [...columns, ...names]) {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength)
    for (let at = 0; at < byteLength; at += pieceBytes) {
      hash = Bun.hash.xxHash64(bytes.subarray(at, at + pieceBytes), hash)
      await new Promise(setImmediate)
    }
  }
  return hash.toString(16)
}

/** How a dataset lies in one piece of memory: a header of 32-bit numbers, then the columns, widest elements first so
 * that each is aligned. Little-endian, as every machine that Bun runs on is. */
export interface PackedShape {
  readonly rows: number
  readonly dates: number
  readonly assets: number
  readonly markets: number
  readonly assetBytes: number
  readonly marketBytes: number
  /** 1 where each asset has one market only. */
  readonly fixedMarkets: number
}

/** 'asfp' and the version of the layout. */
const magic = 0x70667361
const version = 1
export const headerBytes = 64

export function writeHeader(packed: Uint8Array, shape: PackedShape): void {
  const { rows, dates, assets, markets, assetBytes, marketBytes, fixedMarkets } = shape
  new Int32Array(packed.buffer, packed.byteOffset, headerBytes / 4).set([
    ...[magic, version, rows, dates, assets, markets, assetBytes, marketBytes, fixedMarkets],
  ])
}

/** null where the bytes are no packed dataset of this layout. */
export function readHeader(packed: Uint8Array): PackedShape | null {
  if (packed.length < headerBytes) return null
  const header = new Int32Array(packed.buffer, packed.byteOffset, headerBytes / 4)
  const [mark, layout, rows, dates, assets, markets, assetBytes, marketBytes, fixedMarkets] = header
  const shape = { rows, dates, assets, markets, assetBytes, marketBytes, fixedMarkets }
  return mark === magic && layout === version && packedSize(shape) === packed.length ? shape : null
}

export function packedSize(shape: PackedShape): number {
  const doubles = 2 * shape.rows
  const integers = shape.rows + shape.dates + (shape.dates + 1) + (shape.assets + 1) + (shape.markets + 1)
  const shorts = shape.rows + shape.fixedMarkets * shape.assets
  return headerBytes + 8 * doubles + 4 * integers + 2 * shorts + shape.assetBytes + shape.marketBytes
}

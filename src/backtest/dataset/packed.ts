import { type Dataset, nameAt, nameCount, packNames } from './dataset.ts'

/** A dataset without its ranking as one block of shared memory. Equal rows give equal bytes, whatever order
 * they arrived in. */
export function packDataset(data: Dataset): Uint8Array {
  const packed = new Uint8Array(new SharedArrayBuffer(packedSize(shapeOf(data))))
  let at = 0
  for (const column of packedColumns(data)) {
    packed.set(column, at)
    at += column.length
  }
  return packed
}

/** The packed dataset in parts of at most this length, so that a large one is stored without a second copy in
 * memory. */
export function* packedParts(data: Dataset, partBytes: number): Generator<Uint8Array<ArrayBuffer>> {
  let part = new Uint8Array(partBytes)
  let filled = 0
  for (const column of packedColumns(data)) {
    for (let at = 0; at < column.length; ) {
      const length = Math.min(column.length - at, partBytes - filled)
      part.set(column.subarray(at, at + length), filled)
      at += length
      filled += length
      if (filled < partBytes) continue
      yield part
      part = new Uint8Array(partBytes)
      filled = 0
    }
  }
  if (filled > 0) yield part.subarray(0, filled)
}

/** The size of a packed dataset. */
export const packedBytesOf = (data: Dataset): number => packedSize(shapeOf(data))

/** The bytes of a packed dataset in order: its header, then its columns, which are not copied. */
export function packedColumns(data: Dataset): Uint8Array[] {
  const { score, forwardReturn, dollarVolume, close, borrowBps } = data
  const { asset, days, offsets, assets, markets, market } = data
  const { group, extras = [] } = data
  const extraNames = extras.length === 0 ? null : packNames(extras.map(({ name }) => name))
  const columns = [
    score,
    forwardReturn,
    ...(dollarVolume ? [dollarVolume] : []),
    ...extras.map(({ values }) => values),
    ...(close ? [close] : []),
    ...(borrowBps ? [borrowBps] : []),
    asset,
    days,
    offsets,
    assets.offsets,
    markets.offsets,
    ...(extraNames ? [extraNames.offsets] : []),
    ...(group?.names ? [group.names.offsets] : []),
    market,
    ...(data.marketOfAsset ? [data.marketOfAsset] : []),
    ...(group?.names ? [group.of] : []),
    assets.bytes,
    markets.bytes,
    ...(extraNames ? [extraNames.bytes] : []),
    ...(group?.names ? [group.names.bytes] : []),
  ]
  return [
    headerOf(shapeOf(data)),
    ...columns.map(column => new Uint8Array(column.buffer, column.byteOffset, column.byteLength)),
  ]
}

const shapeOf = (data: Dataset): PackedShape => ({
  rows: data.asset.length,
  dates: data.days.length,
  assets: nameCount(data.assets),
  markets: nameCount(data.markets),
  assetBytes: data.assets.bytes.length,
  marketBytes: data.markets.bytes.length,
  fixedMarkets: data.marketOfAsset === null ? 0 : 1,
  dollarVolumes: data.dollarVolume === undefined ? 0 : 1,
  extras: data.extras?.length ?? 0,
  extraNameBytes: (data.extras ?? []).reduce((sum, { name }) => sum + Buffer.byteLength(name), 0),
  groups: data.group?.names === undefined ? 0 : nameCount(data.group.names),
  groupBytes: data.group?.names?.bytes.length ?? 0,
  closes: data.close === undefined ? 0 : 1,
  borrowCosts: data.borrowBps === undefined ? 0 : 1,
})

/** Opens packed bytes as a dataset without a ranking and without a copy: its columns are views of the bytes,
 * which must start at the beginning of their buffer. Returns null if the bytes are damaged or have another
 * layout. */
export function openDataset(packed: Uint8Array): Dataset | null {
  const shape = readHeader(packed)
  if (shape === null) return null
  const { rows, dates, assets, markets, assetBytes, marketBytes, fixedMarkets, dollarVolumes } = shape
  const { extras, extraNameBytes, groups, groupBytes, closes, borrowCosts } = shape
  let at = packed.byteOffset + headerBytes
  const allocate = (bytes: number) => {
    const from = at
    at += bytes
    return from
  }
  const doubles = (count: number) => new Float64Array(packed.buffer, allocate(8 * count), count)
  const integers = (count: number) => new Int32Array(packed.buffer, allocate(4 * count), count)
  const shorts = (count: number) => new Uint16Array(packed.buffer, allocate(2 * count), count)
  const octets = (count: number) => new Uint8Array(packed.buffer, allocate(count), count)
  const score = doubles(rows)
  const forwardReturn = doubles(rows)
  const dollarVolume = dollarVolumes === 1 ? doubles(rows) : undefined
  const extraValues = Array.from({ length: extras }, () => doubles(rows))
  const close = closes === 1 ? doubles(rows) : undefined
  const borrowBps = borrowCosts === 1 ? doubles(rows) : undefined
  const asset = integers(rows)
  const days = integers(dates)
  const offsets = integers(dates + 1)
  const assetOffsets = integers(assets + 1)
  const marketOffsets = integers(markets + 1)
  const extraOffsets = extras > 0 ? integers(extras + 1) : null
  const groupOffsets = groups > 0 ? integers(groups + 1) : null
  const market = shorts(rows)
  const marketOfAsset = fixedMarkets === 1 ? shorts(assets) : null
  const groupOf = groups > 0 ? shorts(rows) : null
  const assetNames = { offsets: assetOffsets, bytes: octets(assetBytes) }
  const marketNames = { offsets: marketOffsets, bytes: octets(marketBytes) }
  const extraNames = extraOffsets && { offsets: extraOffsets, bytes: octets(extraNameBytes) }
  const groupNames = groupOffsets && { offsets: groupOffsets, bytes: octets(groupBytes) }
  return {
    days,
    offsets,
    asset,
    market,
    score,
    forwardReturn,
    ...(dollarVolume ? { dollarVolume } : {}),
    ...(extraNames
      ? { extras: extraValues.map((values, i) => ({ name: nameAt(extraNames, i), values })) }
      : {}),
    ...(groupOf && groupNames ? { group: { of: groupOf, count: groups, names: groupNames } } : {}),
    ...(close ? { close } : {}),
    ...(borrowBps ? { borrowBps } : {}),
    assets: assetNames,
    markets: marketNames,
    marketOfAsset,
    ranking: null,
  }
}

/** The layout of a packed dataset: a header of 32-bit numbers, then the columns, widest elements first so
 * that each is aligned. Little-endian, like every machine that Bun runs on. */
interface PackedShape {
  readonly rows: number
  readonly dates: number
  readonly assets: number
  readonly markets: number
  readonly assetBytes: number
  readonly marketBytes: number
  /** 1 if every asset has only one market, else 0. */
  readonly fixedMarkets: number
  /** 1 if the dataset has volumes, else 0. Older panels always have 0 here. */
  readonly dollarVolumes: number
  /** Columns of the caller's own and groups. Panels without them, and older ones, have 0 here. */
  readonly extras: number
  readonly extraNameBytes: number
  readonly groups: number
  readonly groupBytes: number
  /** 1 if the dataset has closes or borrow costs, else 0. They follow those fields, so that panels stored before them have 0
   * here. */
  readonly closes: number
  readonly borrowCosts: number
}

/** 'asfp' as a little-endian integer, followed by the version of the layout. */
const magic = 0x70667361
const version = 1
const headerBytes = 64

function headerOf(shape: PackedShape): Uint8Array {
  const { rows, dates, assets, markets, assetBytes, marketBytes, fixedMarkets, dollarVolumes } = shape
  const header = new Int32Array(headerBytes / 4)
  header.set([
    magic,
    version,
    rows,
    dates,
    assets,
    markets,
    assetBytes,
    marketBytes,
    fixedMarkets,
    dollarVolumes,
    shape.extras,
    shape.extraNameBytes,
    shape.groups,
    shape.groupBytes,
    shape.closes,
    shape.borrowCosts,
  ])
  return new Uint8Array(header.buffer)
}

/** Null if the bytes are not a packed dataset of this layout. */
function readHeader(packed: Uint8Array): PackedShape | null {
  if (packed.length < headerBytes) return null
  const header = new Int32Array(packed.buffer, packed.byteOffset, headerBytes / 4)
  const [mark, layout, rows, dates, assets, markets, assetBytes, marketBytes, fixedMarkets, ...more] = header
  const [dollarVolumes, extras, extraNameBytes, groups, groupBytes, closes, borrowCosts] = more
  const own = { dollarVolumes, extras, extraNameBytes, groups, groupBytes, closes, borrowCosts }
  const shape = { rows, dates, assets, markets, assetBytes, marketBytes, fixedMarkets, ...own }
  return mark === magic && layout === version && packedSize(shape) === packed.length ? shape : null
}

function packedSize(shape: PackedShape): number {
  const { extras, groups } = shape
  const doubles = (2 + shape.dollarVolumes + shape.closes + shape.borrowCosts + extras) * shape.rows
  const ownNames = (extras > 0 ? extras + 1 : 0) + (groups > 0 ? groups + 1 : 0)
  const integers =
    shape.rows + shape.dates + (shape.dates + 1) + (shape.assets + 1) + (shape.markets + 1) + ownNames
  const shorts = shape.rows + shape.fixedMarkets * shape.assets + (groups > 0 ? shape.rows : 0)
  const names = shape.assetBytes + shape.marketBytes + shape.extraNameBytes + shape.groupBytes
  return headerBytes + 8 * doubles + 4 * integers + 2 * shorts + names
}

/** The same dataset with every column in shared memory, where all threads can read it. Columns that are
 * already in shared memory are not copied. */
export function shareDataset(data: Dataset): Dataset {
  return {
    ...data,
    days: shared(data.days, buffer => new Int32Array(buffer)),
    offsets: shared(data.offsets, buffer => new Int32Array(buffer)),
    asset: shared(data.asset, buffer => new Int32Array(buffer)),
    market: shared(data.market, buffer => new Uint16Array(buffer)),
    score: shared(data.score, buffer => new Float64Array(buffer)),
    forwardReturn: shared(data.forwardReturn, buffer => new Float64Array(buffer)),
    ...(data.dollarVolume
      ? { dollarVolume: shared(data.dollarVolume, buffer => new Float64Array(buffer)) }
      : {}),
    ...(data.close ? { close: shared(data.close, buffer => new Float64Array(buffer)) } : {}),
    ...(data.borrowBps ? { borrowBps: shared(data.borrowBps, buffer => new Float64Array(buffer)) } : {}),
    ...(data.group
      ? { group: { ...data.group, of: shared(data.group.of, buffer => new Uint16Array(buffer)) } }
      : {}),
    ...(data.extras
      ? {
          extras: data.extras.map(({ name, values }) => ({
            name,
            values: shared(values, buffer => new Float64Array(buffer)),
          })),
        }
      : {}),
  }
}

function shared<C extends Int32Array | Uint16Array | Float64Array>(
  column: C,
  make: (buffer: SharedArrayBuffer) => C,
): C {
  if (column.buffer instanceof SharedArrayBuffer) return column
  const copy = make(new SharedArrayBuffer(column.byteLength))
  copy.set(column)
  return copy
}

import type { VintageChoice } from '../requestCompare.ts'

/** The vintages of one metric for a block of companies, as the database packs them: 28 bytes each,
 * big-endian, in any order. */
export interface PackedVintages {
  /** The number of the block's first company. */
  readonly firstEntity: number
  /** The number of companies in the block; `companiesPerBlock` by default. */
  readonly companies?: number
  /**
   * entity, filed, until (`neverEnds`: still current), end, rank and unit, value. Days since 1970-01-01. The unit of a
   * vintage that the request leaves out is its bitwise complement: it keeps its place, but has no value.
   */
  readonly rows: Uint8Array
  /** Which of them count, and from when; `as_known` by default. */
  readonly choice?: VintageChoice
  /** Present if these are the vintages of a strategy's inputs, from which its scores follow. */
  readonly strategy?: StrategyInputs | undefined
}

/** Which vintages in `rows` belong to which input of a strategy. */
export interface StrategyInputs {
  readonly name: string
  /** The length of the packed vintages of each input, which follow one another. */
  readonly inputBytes: readonly number[]
  /** The unit of values without a unit, as the database numbers it. */
  readonly pureUnit: number
}

export const vintageBytes = 28
/** The `until` of a vintage that is still current. */
export const neverEnds = 0x7fff_ffff

/** The same by column. */
export interface Vintages {
  readonly count: number
  readonly entity: Int32Array
  readonly filed: Int32Array
  readonly until: Int32Array
  readonly end: Int32Array
  readonly rank: Int16Array
  readonly unit: Int16Array
  readonly value: Float64Array
}

export function unpackVintages({ buffer, byteOffset, byteLength }: Uint8Array): Vintages {
  const view = new DataView(buffer, byteOffset, byteLength)
  const vintages = allocateVintages(byteLength / vintageBytes)
  const { count, entity, filed, until, end, rank, unit, value } = vintages
  for (let i = 0, at = 0; i < count; i++, at += vintageBytes) {
    entity[i] = view.getInt32(at)
    filed[i] = view.getInt32(at + 4)
    until[i] = view.getInt32(at + 8)
    end[i] = view.getInt32(at + 12)
    rank[i] = view.getInt16(at + 16)
    unit[i] = view.getInt16(at + 18)
    value[i] = view.getFloat64(at + 20)
  }
  return vintages
}

/** Packs vintages as the database does. */
export function packVintages({
  count,
  entity,
  filed,
  until,
  end,
  rank,
  unit,
  value,
}: Vintages): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count * vintageBytes)
  const view = new DataView(bytes.buffer)
  for (let i = 0, at = 0; i < count; i++, at += vintageBytes) {
    view.setInt32(at, entity[i])
    view.setInt32(at + 4, filed[i])
    view.setInt32(at + 8, until[i])
    view.setInt32(at + 12, end[i])
    view.setInt16(at + 16, rank[i])
    view.setInt16(at + 18, unit[i])
    view.setFloat64(at + 20, value[i])
  }
  return bytes
}

export function allocateVintages(count: number): Vintages {
  const integers = () => new Int32Array(count)
  return {
    count,
    entity: integers(),
    filed: integers(),
    until: integers(),
    end: integers(),
    rank: new Int16Array(count),
    unit: new Int16Array(count),
    value: new Float64Array(count),
  }
}

/** Writes Parquet files that no writer writes: each size and count is as the test states it. */

const encoder = new TextEncoder()

type Value = number | bigint | boolean | string | Uint8Array | Struct | List
/** The fields of a Thrift struct by number. A number is of 32 bits, a bigint of 64. */
export interface Struct {
  readonly [field: number]: Value | undefined
}
interface List {
  readonly list: readonly Value[]
}

export const list = (...values: Value[]): List => ({ list: values })

function varint(value: bigint): number[] {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80)
  return [...bytes, Number(left)]
}

const zigzag = (value: bigint) => varint(value >= 0n ? value * 2n : -value * 2n - 1n)

function typeOf(value: Value): number {
  if (typeof value === 'boolean') return value ? 1 : 2
  if (typeof value === 'number') return 5
  if (typeof value === 'bigint') return 6
  if (typeof value === 'string' || value instanceof Uint8Array) return 8
  return isList(value) ? 9 : 12
}

const isList = (value: Struct | List): value is List => 'list' in value

function bytesOf(value: Value): Uint8Array {
  if (typeof value === 'boolean') return new Uint8Array(0)
  if (typeof value === 'number' || typeof value === 'bigint') return Uint8Array.from(zigzag(BigInt(value)))
  if (typeof value === 'string') return bytesOf(encoder.encode(value))
  if (value instanceof Uint8Array) return join(Uint8Array.from(varint(BigInt(value.length))), value)
  if (!isList(value)) return thrift(value)
  const { length } = value.list
  const type = length === 0 ? 12 : typeOf(value.list[0])
  const head = length < 15 ? [(length << 4) | type] : [0xf0 | type, ...varint(BigInt(length))]
  return join(Uint8Array.from(head), ...value.list.map(bytesOf))
}

export function thrift(struct: Struct): Uint8Array {
  const parts: Uint8Array[] = []
  let last = 0
  for (const [key, value] of Object.entries(struct)) {
    if (value === undefined) continue
    const field = Number(key)
    parts.push(Uint8Array.of(((field - last) << 4) | typeOf(value)), bytesOf(value))
    last = field
  }
  return join(...parts, Uint8Array.of(0))
}

export const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))

export const types = { INT32: 1, INT64: 2, BYTE_ARRAY: 6 } as const
export const codecs = { UNCOMPRESSED: 0, SNAPPY: 1, GZIP: 2, BROTLI: 4, ZSTD: 6 } as const
export const encodings = {
  PLAIN: 0,
  DELTA_BINARY_PACKED: 5,
  DELTA_LENGTH_BYTE_ARRAY: 6,
  DELTA_BYTE_ARRAY: 7,
  RLE_DICTIONARY: 8,
} as const

export interface PageSpec {
  readonly kind?: 'data' | 'dictionary'
  readonly values: number
  readonly encoding?: keyof typeof encodings
  /** As it is in the file. */
  readonly packed: Uint8Array
  /** The unpacked size that the header states. */
  readonly unpackedBytes: number
}

export interface ColumnSpec {
  readonly name: string
  readonly type: keyof typeof types
  readonly codec?: keyof typeof codecs
  readonly pages: readonly PageSpec[]
  /** The unpacked size that the footer states; by default the one that the pages state. */
  readonly statedBytes?: number
}

function pageBytes({ kind = 'data', values, encoding = 'PLAIN', packed, unpackedBytes }: PageSpec) {
  const code = encodings[encoding]
  const header =
    kind === 'dictionary'
      ? { 1: 2, 2: unpackedBytes, 3: packed.length, 7: { 1: values, 2: 0 } }
      : { 1: 0, 2: unpackedBytes, 3: packed.length, 5: { 1: values, 2: code, 3: 3, 4: 3 } }
  return join(thrift(header), packed)
}

/** A file of one row group of required columns.
 *
 * @param more further fields of the footer
 * @param groups row groups that all refer to the same bytes */
export function parquetFile(
  rows: number,
  columns: readonly ColumnSpec[],
  more: Struct = {},
  groups = 1,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [encoder.encode('PAR1')]
  let at = 4
  const chunks = columns.map(({ name, type, codec = 'UNCOMPRESSED', pages, statedBytes }) => {
    const bytes = join(...pages.map(pageBytes))
    const stated = statedBytes ?? pages.reduce((sum, page) => sum + page.unpackedBytes + 30, 0)
    const metadata = {
      1: types[type],
      2: list(0),
      3: list(name),
      4: codecs[codec],
      5: BigInt(rows),
      6: BigInt(stated),
      7: BigInt(bytes.length),
      9: BigInt(at),
    }
    parts.push(bytes)
    at += bytes.length
    return { 2: BigInt(at), 3: metadata }
  })
  const schema = columns.map(({ name, type }) => ({
    1: types[type],
    3: 0,
    4: name,
    6: type === 'BYTE_ARRAY' ? 0 : type === 'INT32' ? 6 : undefined,
  }))
  const group = { 1: list(...chunks), 2: 1n, 3: BigInt(rows) }
  const table = { 4: 'schema', 5: columns.length }
  return withFooter(
    join(...parts),
    thrift({
      1: 1,
      2: list(table, ...schema),
      3: BigInt(groups * rows),
      4: list(...new Array<Struct>(groups).fill(group)),
      ...more,
    }),
  )
}

export function withFooter(body: Uint8Array, footer: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = new Uint8Array(Uint32Array.of(footer.length).buffer)
  return join(body, footer, length, encoder.encode('PAR1'))
}

/** Texts as a plain page has them. */
export const plainTexts = (...texts: Uint8Array[]): Uint8Array =>
  join(...texts.flatMap(text => [new Uint8Array(Uint32Array.of(text.length).buffer), text]))

/** Differences that are all the same: their block takes no bytes for them. */
export function evenSteps(first: number, step: number, count: number): Uint8Array {
  const blocks = Math.ceil((count - 1) / 128)
  const block = [...zigzag(BigInt(step)), 0, 0, 0, 0]
  const head = [...varint(128n), 4, ...varint(BigInt(count)), ...zigzag(BigInt(first))]
  return Uint8Array.from([...head, ...Array.from({ length: blocks }, () => block).flat()])
}

/** Snappy of bytes that are all the same, as small as it can be: 64 bytes in 3. */
export function snappyOf(byte: number, length: number, head: Uint8Array = new Uint8Array(0)): Uint8Array {
  const literal = join(head, Uint8Array.of(byte))
  const copies = Math.floor((length - literal.length) / 64)
  const rest = length - literal.length - 64 * copies
  const copied = new Uint8Array(3 * copies)
  for (let i = 0; i < copies; i++) copied.set([(63 << 2) | 2, 1, 0], 3 * i)
  const last = rest === 0 ? [] : [((rest - 1) << 2) | 2, 1, 0]
  const preamble = Uint8Array.from(varint(BigInt(length)))
  return join(preamble, Uint8Array.of((literal.length - 1) << 2), literal, copied, Uint8Array.from(last))
}

/** A value of Thrift's compact protocol, as far as the metadata of Parquet needs it. */
export type Thrift =
  | { readonly type: 'i32' | 'i64'; readonly value: number }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'list'; readonly items: readonly Thrift[] }
  | { readonly type: 'struct'; readonly fields: readonly (readonly [number, Thrift])[] }

export const i32 = (value: number): Thrift => ({ type: 'i32', value })
export const i64 = (value: number): Thrift => ({ type: 'i64', value })
export const text = (value: string): Thrift => ({ type: 'text', value })
export const list = (items: readonly Thrift[]): Thrift => ({ type: 'list', items })
/** @param fields by id, ascending */
export const struct = (...fields: readonly (readonly [number, Thrift])[]): Thrift => ({
  type: 'struct',
  fields,
})

const codes: Record<Thrift['type'], number> = { i32: 5, i64: 6, text: 8, list: 9, struct: 12 }
const encoder = new TextEncoder()

export function encodeThrift(value: Thrift): Uint8Array {
  const bytes: number[] = []
  write(bytes, value)
  return Uint8Array.from(bytes)
}

function write(bytes: number[], value: Thrift): void {
  switch (value.type) {
    case 'i32':
    case 'i64':
      // Zigzag; twice a number of bytes is still exact in a double.
      varint(bytes, value.value >= 0 ? 2 * value.value : -2 * value.value - 1)
      return
    case 'text': {
      const encoded = encoder.encode(value.value)
      varint(bytes, encoded.length)
      for (const byte of encoded) bytes.push(byte)
      return
    }
    case 'list': {
      const { items } = value
      const code = codes[items[0]?.type ?? 'i32']
      if (items.length < 15) bytes.push((items.length << 4) | code)
      else {
        bytes.push(0xf0 | code)
        varint(bytes, items.length)
      }
      for (const item of items) write(bytes, item)
      return
    }
    case 'struct': {
      let last = 0
      for (const [id, field] of value.fields) {
        bytes.push(((id - last) << 4) | codes[field.type])
        write(bytes, field)
        last = id
      }
      bytes.push(0)
      return
    }
    default:
      value satisfies never
  }
}

function varint(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
}

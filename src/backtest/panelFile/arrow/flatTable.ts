import { arrowDamage } from './faults.ts'

/**
 * A table of a FlatBuffer, which is how Arrow describes a schema and its batches. The format has no length that could be
 * trusted, so every read goes through a view of the message, which fails beyond its end.
 *
 * https://flatbuffers.dev/internals
 */
export class FlatTable {
  readonly #view: DataView
  readonly #at: number
  readonly #fields: number
  readonly #fieldsEnd: number

  constructor(view: DataView, at: number) {
    this.#view = view
    this.#at = at
    this.#fields = at - view.getInt32(at, true)
    this.#fieldsEnd = this.#fields + view.getUint16(this.#fields, true)
  }

  /** The table that a message begins with. */
  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return new FlatTable(view, view.getUint32(0, true))
  }

  byte(field: number, absent = 0): number {
    const at = this.#offset(field)
    return at === 0 ? absent : this.#view.getUint8(at)
  }

  short(field: number, absent = 0): number {
    const at = this.#offset(field)
    return at === 0 ? absent : this.#view.getInt16(at, true)
  }

  int(field: number, absent = 0): number {
    const at = this.#offset(field)
    return at === 0 ? absent : this.#view.getInt32(at, true)
  }

  /** A length or an offset. */
  size(field: number): number {
    const at = this.#offset(field)
    return at === 0 ? 0 : sizeAt(this.#view, at)
  }

  /** The identity of a dictionary, which may be any 64 bits. */
  id(field: number): bigint {
    const at = this.#offset(field)
    return at === 0 ? 0n : this.#view.getBigInt64(at, true)
  }

  table(field: number): FlatTable | null {
    const at = this.#offset(field)
    return at === 0 ? null : new FlatTable(this.#view, at + this.#view.getUint32(at, true))
  }

  text(field: number): string {
    const { at, length } = this.#vector(field, 1)
    return utf8.decode(new Uint8Array(this.#view.buffer, this.#view.byteOffset + at, length))
  }

  /** The length of a text in bytes. Many tables may refer to the same text, so a message of a few bytes can have far more
   * text than its size. */
  textBytes(field: number): number {
    return this.#vector(field, 1).length
  }

  /** The number of elements of a vector of tables. */
  count(field: number): number {
    return this.#vector(field, 4).length
  }

  tableOf(field: number, index: number): FlatTable {
    const at = this.#vector(field, 4).at + 4 * index
    return new FlatTable(this.#view, at + this.#view.getUint32(at, true))
  }

  /** A vector of structures of `width` lengths or offsets each, one after the other. */
  sizes(field: number, width: number): number[] {
    const { at, length } = this.#vector(field, 8 * width)
    return Array.from({ length: length * width }, (_, i) => sizeAt(this.#view, at + 8 * i))
  }

  /** 0: absent. */
  #offset(field: number): number {
    const at = this.#fields + 4 + 2 * field
    const offset = at < this.#fieldsEnd ? this.#view.getUint16(at, true) : 0
    return offset === 0 ? 0 : this.#at + offset
  }

  #vector(field: number, elementBytes: number): { readonly at: number; readonly length: number } {
    const offset = this.#offset(field)
    if (offset === 0) return { at: 0, length: 0 }
    const start = offset + this.#view.getUint32(offset, true)
    const length = this.#view.getUint32(start, true)
    if (length * elementBytes > this.#view.byteLength - start - 4) throw arrowDamage('a list ends early')
    return { at: start + 4, length }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function sizeAt(view: DataView, at: number): number {
  const size = Number(view.getBigInt64(at, true))
  if (size >= 0 && Number.isSafeInteger(size)) return size
  throw arrowDamage('a length is negative or far too large')
}

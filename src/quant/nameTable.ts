/** A list of names as UTF-8 in shared memory, so that a dataset can cross to any thread without a copy. */
export interface NameTable {
  readonly bytes: Uint8Array
  /** Name i is bytes[offsets[i] .. offsets[i + 1]). */
  readonly offsets: Int32Array
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function packNames(names: readonly string[]): NameTable {
  const encoded = names.map(name => encoder.encode(name))
  const offsets = new Int32Array(new SharedArrayBuffer(4 * (names.length + 1)))
  for (let i = 0; i < names.length; i++) offsets[i + 1] = offsets[i] + encoded[i].length
  const bytes = new Uint8Array(new SharedArrayBuffer(offsets[names.length]))
  for (let i = 0; i < names.length; i++) bytes.set(encoded[i], offsets[i])
  return { bytes, offsets }
}

export function nameCount(table: NameTable): number {
  return table.offsets.length - 1
}

/** The copy is needed: a TextDecoder refuses shared memory. */
export function nameAt(table: NameTable, index: number): string {
  return decoder.decode(table.bytes.slice(table.offsets[index], table.offsets[index + 1]))
}

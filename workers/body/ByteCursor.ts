/** A place in a body that is being read. */
export interface ByteCursor {
  readonly bytes: Uint8Array
  /** The same bytes. */
  readonly text: Buffer
  readonly view: DataView
  at: number
}

/** The line that a byte stands in, from 1. */
export function lineAt(bytes: Uint8Array, at: number): number {
  let line = 1
  for (let i = bytes.indexOf(0x0a); i !== -1 && i < at; i = bytes.indexOf(0x0a, i + 1)) line++
  return line
}

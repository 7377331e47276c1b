/** A place in a body that is being read. */
export interface ByteCursor {
  readonly bytes: Uint8Array
  /** The same bytes. */
  readonly text: Buffer
  readonly view: DataView
  at: number
}

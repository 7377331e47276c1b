/** `to`, a longer array, with the content of `from`. */
export function extended<A extends Uint8Array | Uint16Array | Int32Array | Float64Array>(from: A, to: A): A {
  to.set(from)
  return to
}

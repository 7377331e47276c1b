/** Only a whole ArrayBuffer can move to another thread; a part of one, or shared memory, is copied first. */
export function ownBuffer(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body
  if (buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength) return new Uint8Array(buffer)
  return new Uint8Array(body)
}

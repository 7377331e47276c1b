const pieceBytes = 2 * 1_024 * 1_024

/** The SHA-256 of a request: of what is said beside the body, and of the body. Between pieces others get their turn. */
export async function requestDigest(beside: readonly unknown[], body: Uint8Array): Promise<Uint8Array> {
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(beside))
  for (let at = 0; at < body.length; at += pieceBytes) {
    hash.update(body.subarray(at, at + pieceBytes))
    await new Promise(setImmediate)
  }
  return hash.digest()
}

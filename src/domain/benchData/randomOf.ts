/** Numbers in [0, 1) that follow from a text alone (mulberry32), so that each entity can be made by itself. */
export function randomOf(text: string): () => number {
  let state = Number(Bun.hash.xxHash32(text))
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Cuts 0 .. count into `blocks` equal parts: part i is bounds[i] .. bounds[i + 1], bounds[i] = floor(i count /
 * blocks). */
export function blockBounds(count: number, blocks: number): number[] {
  return Array.from({ length: blocks + 1 }, (_, i) => Math.floor((i * count) / blocks))
}

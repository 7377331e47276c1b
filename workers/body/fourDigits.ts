/** The number that four ASCII digits at `at` write, in a dozen operations without a branch for each; -1 where the four
 * bytes are not all digits. */
export function fourDigits(view: DataView, at: number): number {
  if (at + 4 > view.byteLength) return -1
  const four = view.getInt32(at, true)
  // A digit is 0x30 to 0x39: its high half is 3, and still 3 after adding 6.
  if (((four & 0xf0f0f0f0) | (((four + 0x06060606) & 0xf0f0f0f0) >>> 4)) !== 0x33333333) return -1
  const pairs = (Math.imul(four & 0x0f0f0f0f, 10 * 256 + 1) >>> 8) & 0x00ff00ff
  return Math.imul(pairs, 100 * 65_536 + 1) >>> 16
}

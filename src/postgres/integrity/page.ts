const lanes = 32
const prime = 16_777_619
/** Initial value of each lane: PostgreSQL's `checksumBaseOffsets`. */
const offsets = new Int32Array([
  0x5b1f36e9, 0xb8525960, 0x02ab50aa, 0x1de66d2a, 0x79ff467a, 0x9bb9f8a3, 0x217e7cd2, 0x83e13d2c, 0xf8d4474f,
  0xe39eb970, 0x42c6ae16, 0x993216fa, 0x7b093b5d, 0x98daff3c, 0xf718902a, 0x0b1c9cdb, 0xe58f764b, 0x187636bc,
  0x5d7b3bb1, 0xe73de7de, 0x92bec979, 0xcca6c0b2, 0x304a0979, 0x85aa43d4, 0x783125bb, 0x6ca8eaa2, 0xe407eac6,
  0x4b5cfc3e, 0x9fbf8c76, 0x15ca20be, 0xf2ca9fd3, 0x959bd756,
])

/**
 * The checksum that PostgreSQL stores in a page (`pg_checksum_page` in storage/checksum_impl.h): FNV-1a in 32
 * lanes, including the block's number, so that a misplaced page has a wrong checksum.
 *
 * @param words the page as native-endian words
 */
export function pageChecksum(words: Int32Array, block: number): number {
  const rows = words.length / lanes
  let result = 0
  for (let lane = 0; lane < lanes; lane++) {
    let sum = offsets[lane]
    for (let row = 0; row < rows; row++) {
      const index = row * lanes + lane
      // The low half of the third word is the stored checksum, which counts as 0.
      const word = index === 2 ? words[2] & 0xffff0000 : words[index]
      const mixed = sum ^ word
      sum = Math.imul(mixed, prime) ^ (mixed >>> 17)
    }
    for (let round = 0; round < 2; round++) sum = Math.imul(sum, prime) ^ (sum >>> 17)
    result ^= sum
  }
  return (((result ^ block) >>> 0) % 65_535) + 1
}

/** The flags that a page may have. */
const knownFlags = 0x0007

/**
 * Whether PostgreSQL would accept the page (`PageIsVerified`): its checksum is right, if the database has
 * checksums, and its header is valid. An all-zero page was allocated and not yet written.
 */
export function isIntactPage(words: Int32Array, block: number, hasChecksums: boolean): boolean {
  const upper = words[3] >>> 16
  if (upper === 0) return words.every(word => word === 0)
  if (hasChecksums && (words[2] & 0xffff) !== pageChecksum(words, block)) return false
  const [flags, lower, special] = [words[2] >>> 16, words[3] & 0xffff, words[4] & 0xffff]
  const bytes = words.length * 4
  return (
    (flags & ~knownFlags) === 0 && lower <= upper && upper <= special && special <= bytes && special % 8 === 0
  )
}

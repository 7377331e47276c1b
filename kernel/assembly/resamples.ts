/** Random words of each resample that are drawn at once. */
const wordsPerChunk: i32 = 128
/** Bits that say which of a resample's words start a block, a set one after the last, and room to read 64 at any of them. */
const bitBytes: usize = 24
/** The memory of a resample: these bits, and five i32. */
const stateAt: usize = bitBytes
const laneBytes: usize = bitBytes + 24

/** Draws the blocks of four resamples of the stationary bootstrap at once, each from its own stream of random words: see
 * src/backtest/evidence/bootstrap.ts, which defines them. Words are drawn for every period, but looked at only where a block starts.
 *
 * @param stream of the first resample
 * @param lastStart the largest word that starts a block
 * @param scratch memory for 2,240 bytes
 * @param starts of the blocks, `periods` i32 for each resample; `ends` likewise
 * @param counts 4 i32: the number of blocks of each resample */
export function drawBlocks(
  seed: i32,
  stream: i32,
  periods: i32,
  lastStart: u32,
  scratch: usize,
  starts: usize,
  ends: usize,
  counts: usize,
): void {
  const golden: i32 = 0x9e3779b9
  const step = i32x4.splat(golden)
  let x = i32x4.add(i32x4.splat(seed + stream * golden), i32x4(0, golden, 2 * golden, 3 * golden))
  x = i32x4.add(x, step)
  let a = mixed(x)
  x = i32x4.add(x, step)
  let b = mixed(x)
  x = i32x4.add(x, step)
  let c = mixed(x)
  x = i32x4.add(x, step)
  let d = mixed(x)
  const bound = i32x4.splat(lastStart)
  const top = i32x4.splat(0x80000000)
  // Word w of lane l is at 16 w + 4 l.
  const lanes = scratch + 16 * <usize>wordsPerChunk
  for (let lane: usize = 0; lane < 4; lane++) openLane(lanes + lane * laneBytes)

  for (;;) {
    for (let group: usize = 0; group < <usize>wordsPerChunk; group += 32) {
      let bits = i32x4.splat(0)
      const words = scratch + (group << 4)
      for (let at: usize = 0; at < 512; at += 16) {
        // A step of xoshiro128** in each lane.
        const scaled = i32x4.add(b, i32x4.shl(b, 2))
        const turned = v128.or(i32x4.shl(scaled, 7), i32x4.shr_u(scaled, 25))
        const word = i32x4.add(turned, i32x4.shl(turned, 3))
        v128.store(words + at, word)
        bits = v128.or(i32x4.shr_u(bits, 1), v128.and(i32x4.le_u(word, bound), top))
        const shifted = i32x4.shl(b, 9)
        c = v128.xor(c, a)
        d = v128.xor(d, b)
        b = v128.xor(b, c)
        a = v128.xor(a, d)
        c = v128.xor(c, shifted)
        d = v128.or(i32x4.shl(d, 11), i32x4.shr_u(d, 21))
      }
      const to = lanes + (group >> 3)
      store<i32>(to, i32x4.extract_lane(bits, 0))
      store<i32>(to + laneBytes, i32x4.extract_lane(bits, 1))
      store<i32>(to + 2 * laneBytes, i32x4.extract_lane(bits, 2))
      store<i32>(to + 3 * laneBytes, i32x4.extract_lane(bits, 3))
    }
    let done = 0
    for (let lane: usize = 0; lane < 4; lane++) {
      const rows = lane * ((<usize>periods) << 2)
      const words = scratch + (lane << 2)
      const own = lanes + lane * laneBytes
      done += readLane(words, own, periods, lastStart, starts + rows, ends + rows, counts + (lane << 2))
    }
    if (done === 4) return
  }
}

/** One word of splitmix32 in each lane. */
function mixed(state: v128): v128 {
  let z = v128.xor(state, i32x4.shr_u(state, 16))
  z = i32x4.mul(z, i32x4.splat(0x21f0aaad))
  z = v128.xor(z, i32x4.shr_u(z, 15))
  z = i32x4.mul(z, i32x4.splat(0x735a2d97))
  return v128.xor(z, i32x4.shr_u(z, 15))
}

function openLane(lane: usize): void {
  memory.fill(lane, 0, laneBytes)
  store<u8>(lane + (<usize>wordsPerChunk >> 3), 1)
  store<i32>(lane + stateAt, 1, 12)
}

/** Cuts the words of a chunk into blocks, and keeps the unfinished block for the next chunk. Returns 1 once all periods are drawn. */
function readLane(
  words: usize,
  lane: usize,
  periods: i32,
  lastStart: u32,
  starts: usize,
  ends: usize,
  counts: usize,
): i32 {
  // Where most blocks have one period, to guess so is faster than to look for the end.
  const isShort = lastStart > 0xc0000000
  const state = lane + stateAt
  let drawn = load<i32>(state)
  let start = load<i32>(state, 4)
  let end = load<i32>(state, 8)
  // The next word is the first period of a block.
  let isStart = load<i32>(state, 12)
  let count: usize = <usize>load<i32>(state, 16)
  let word = 0
  while (drawn < periods) {
    if (isStart) {
      if (word === wordsPerChunk) break
      const drawnWord = load<u32>(words + ((<usize>word) << 4))
      start = <i32>((<f64>drawnWord / 4294967296) * <f64>periods)
      end = start + 1
      drawn++
      word++
      isStart = 0
      if (
        isShort &&
        drawn < periods &&
        word < wordsPerChunk &&
        load<u32>(words + ((<usize>word) << 4)) <= lastStart
      ) {
        store<i32>(starts + (count << 2), start)
        store<i32>(ends + (count << 2), end)
        count++
        isStart = 1
        word++
        continue
      }
    }
    const next = nextStart(lane, word)
    const more = min(next - word, periods - drawn)
    word += more
    drawn += more
    end += more
    if (end > periods) {
      store<i32>(starts + (count << 2), start)
      store<i32>(ends + (count << 2), periods)
      count++
      start = 0
      end -= periods
    }
    if (drawn === periods || word === wordsPerChunk) break
    store<i32>(starts + (count << 2), start)
    store<i32>(ends + (count << 2), end)
    count++
    isStart = 1
    word++
  }
  store<i32>(state, drawn)
  store<i32>(state, start, 4)
  store<i32>(state, end, 8)
  store<i32>(state, isStart, 12)
  store<i32>(state, <i32>count, 16)
  if (drawn < periods) return 0
  store<i32>(starts + (count << 2), start)
  store<i32>(ends + (count << 2), end)
  store<i32>(counts, <i32>count + 1)
  return 1
}

/** The first word from `word` on that starts a block, or the number of words. */
function nextStart(bits: usize, word: i32): i32 {
  let at = word
  let rest = bitsFrom(bits, at)
  while (rest === 0) {
    at = (at & ~7) + 64
    rest = bitsFrom(bits, at)
  }
  return at + <i32>ctz(rest)
}

/** At least 57 bits. */
function bitsFrom(bits: usize, word: i32): u64 {
  return load<u64>(bits + (<usize>word >> 3)) >> <u64>(word & 7)
}

/** Sums of a resample: for each column of a table of running sums, that over every block of `sums[end] - sums[start]`.
 *
 * @param sums rows of `columns` f64
 * @param columns 1, or an even number
 * @param out one f64 for each column */
export function addBlocks(
  sums: usize,
  columns: i32,
  starts: usize,
  ends: usize,
  blocks: i32,
  out: usize,
): void {
  const row = (<usize>columns) << 3
  const last = (<usize>blocks) << 2
  if (columns === 1) {
    let total: f64 = 0
    for (let i: usize = 0; i < last; i += 4) {
      const start = sums + ((<usize>load<i32>(starts + i)) << 3)
      const end = sums + ((<usize>load<i32>(ends + i)) << 3)
      total += load<f64>(end) - load<f64>(start)
    }
    store<f64>(out, total)
    return
  }
  let at: usize = 0
  for (; at + 128 <= row; at += 128) {
    let t0 = f64x2.splat(0)
    let t1 = t0
    let t2 = t0
    let t3 = t0
    let t4 = t0
    let t5 = t0
    let t6 = t0
    let t7 = t0
    for (let i: usize = 0; i < last; i += 4) {
      const start = sums + at + <usize>load<i32>(starts + i) * row
      const end = sums + at + <usize>load<i32>(ends + i) * row
      t0 = f64x2.add(t0, f64x2.sub(v128.load(end), v128.load(start)))
      t1 = f64x2.add(t1, f64x2.sub(v128.load(end, 16), v128.load(start, 16)))
      t2 = f64x2.add(t2, f64x2.sub(v128.load(end, 32), v128.load(start, 32)))
      t3 = f64x2.add(t3, f64x2.sub(v128.load(end, 48), v128.load(start, 48)))
      t4 = f64x2.add(t4, f64x2.sub(v128.load(end, 64), v128.load(start, 64)))
      t5 = f64x2.add(t5, f64x2.sub(v128.load(end, 80), v128.load(start, 80)))
      t6 = f64x2.add(t6, f64x2.sub(v128.load(end, 96), v128.load(start, 96)))
      t7 = f64x2.add(t7, f64x2.sub(v128.load(end, 112), v128.load(start, 112)))
    }
    v128.store(out + at, t0)
    v128.store(out + at, t1, 16)
    v128.store(out + at, t2, 32)
    v128.store(out + at, t3, 48)
    v128.store(out + at, t4, 64)
    v128.store(out + at, t5, 80)
    v128.store(out + at, t6, 96)
    v128.store(out + at, t7, 112)
  }
  for (; at < row; at += 16) {
    let total = f64x2.splat(0)
    for (let i: usize = 0; i < last; i += 4) {
      const start = sums + at + <usize>load<i32>(starts + i) * row
      const end = sums + at + <usize>load<i32>(ends + i) * row
      total = f64x2.add(total, f64x2.sub(v128.load(end), v128.load(start)))
    }
    v128.store(out + at, total)
  }
}

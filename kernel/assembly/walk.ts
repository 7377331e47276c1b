/** Moves one portfolio of h tranches over `count` periods, for a tile of assets. Weights are h times those of
 * the portfolio, so that a name that leaves one tranche and enters another changes by exactly 0.
 *
 * @param targets a ring of `slots` dense targets: period t's is at t modulo `slots`, and the one before the
 *   first period is 0
 * @param t first period
 * @param weights one per asset, as they were after period t - 1
 * @param returns of each period, 0 if missing
 * @param costs round trip per asset; those of the next period are `costStride` bytes further
 * @param out per period, sum |dw|, sum |dw| cost, sum w r and sum min(w, 0) are added to the existing values
 */
export function walk(
  targets: usize,
  slots: i32,
  h: i32,
  t: i32,
  count: i32,
  width: i32,
  weights: usize,
  returns: usize,
  costs: usize,
  costStride: usize,
  out: usize,
): void {
  const bytes = (<usize>width) << 3
  let entering = t % slots
  let leaving = (t + slots - h) % slots
  for (let i = 0; i < count; i++) {
    movePeriod(
      targets + <usize>entering * bytes,
      targets + <usize>leaving * bytes,
      weights,
      returns,
      costs,
      bytes,
      out,
    )
    if (++entering === slots) entering = 0
    if (++leaving === slots) leaving = 0
    returns += bytes
    costs += costStride
    out += 32
  }
}

// Two vectors at a time, each with its own sums, because a single sum would wait for every addition.
function movePeriod(
  entering: usize,
  leaving: usize,
  weights: usize,
  returns: usize,
  costs: usize,
  bytes: usize,
  out: usize,
): void {
  const zero = f64x2.splat(0)
  let movedA = zero
  let movedB = zero
  let costA = zero
  let costB = zero
  let grossA = zero
  let grossB = zero
  let shortA = zero
  let shortB = zero
  for (let i: usize = 0; i < bytes; i += 32) {
    const changeA = f64x2.sub(v128.load(entering + i), v128.load(leaving + i))
    const changeB = f64x2.sub(v128.load(entering + i, 16), v128.load(leaving + i, 16))
    const weightA = f64x2.add(v128.load(weights + i), changeA)
    const weightB = f64x2.add(v128.load(weights + i, 16), changeB)
    v128.store(weights + i, weightA)
    v128.store(weights + i, weightB, 16)
    const sizeA = f64x2.abs(changeA)
    const sizeB = f64x2.abs(changeB)
    movedA = f64x2.add(movedA, sizeA)
    movedB = f64x2.add(movedB, sizeB)
    costA = f64x2.add(costA, f64x2.mul(sizeA, v128.load(costs + i)))
    costB = f64x2.add(costB, f64x2.mul(sizeB, v128.load(costs + i, 16)))
    grossA = f64x2.add(grossA, f64x2.mul(weightA, v128.load(returns + i)))
    grossB = f64x2.add(grossB, f64x2.mul(weightB, v128.load(returns + i, 16)))
    shortA = f64x2.add(shortA, f64x2.pmin(weightA, zero))
    shortB = f64x2.add(shortB, f64x2.pmin(weightB, zero))
  }
  addTo(out, movedA, movedB)
  addTo(out + 8, costA, costB)
  addTo(out + 16, grossA, grossB)
  addTo(out + 24, shortA, shortB)
}

/** Counts, per period, the names that a tranche holds while their return is missing (NaN), and adds the
 * number to the period's f64 at `out`. Updates `trancheCounts`, one f64 per asset: how many tranches hold
 * the name. */
export function countUnpaid(
  targets: usize,
  slots: i32,
  h: i32,
  t: i32,
  count: i32,
  width: i32,
  trancheCounts: usize,
  returns: usize,
  out: usize,
): void {
  const bytes = (<usize>width) << 3
  const zero = f64x2.splat(0)
  const one = f64x2.splat(1)
  for (let p = 0; p < count; p++) {
    const entering = targets + <usize>((t + p) % slots) * bytes
    const leaving = targets + <usize>((t + p + slots - h) % slots) * bytes
    let heldMissing = zero
    for (let i: usize = 0; i < bytes; i += 16) {
      const entered = v128.and(f64x2.ne(v128.load(entering + i), zero), one)
      const left = v128.and(f64x2.ne(v128.load(leaving + i), zero), one)
      const now = f64x2.add(v128.load(trancheCounts + i), f64x2.sub(entered, left))
      v128.store(trancheCounts + i, now)
      const earned = v128.load(returns + i)
      const missing = v128.and(f64x2.gt(now, zero), f64x2.ne(earned, earned))
      heldMissing = f64x2.add(heldMissing, v128.and(missing, one))
    }
    addTo(out, heldMissing, zero)
    returns += bytes
    out += 8
  }
}

/** One period of `walk` for a drifting portfolio: a trade is the difference between the old weight after
 * growth, w (1 + r) / (1 + R), and the new weight. Sums of returns and of short weights are bit-identical to
 * those of `walk`.
 *
 * @param grown one f64 per asset: its weight times 1 + its return in the previous period; updated for this
 *   period
 * @param growth 1 + R of the previous period; Infinity if that period left nothing, which makes every old
 *   weight 0 */
export function driftPeriod(
  entering: usize,
  leaving: usize,
  width: i32,
  weights: usize,
  grown: usize,
  growth: f64,
  returns: usize,
  costs: usize,
  out: usize,
): void {
  const bytes = (<usize>width) << 3
  const whole = f64x2.splat(growth)
  const zero = f64x2.splat(0)
  let movedA = zero
  let movedB = zero
  let costA = zero
  let costB = zero
  let grossA = zero
  let grossB = zero
  let shortA = zero
  let shortB = zero
  for (let i: usize = 0; i < bytes; i += 32) {
    const changeA = f64x2.sub(v128.load(entering + i), v128.load(leaving + i))
    const changeB = f64x2.sub(v128.load(entering + i, 16), v128.load(leaving + i, 16))
    const weightA = f64x2.add(v128.load(weights + i), changeA)
    const weightB = f64x2.add(v128.load(weights + i, 16), changeB)
    v128.store(weights + i, weightA)
    v128.store(weights + i, weightB, 16)
    const sizeA = f64x2.abs(f64x2.sub(weightA, f64x2.div(v128.load(grown + i), whole)))
    const sizeB = f64x2.abs(f64x2.sub(weightB, f64x2.div(v128.load(grown + i, 16), whole)))
    const earnedA = f64x2.mul(weightA, v128.load(returns + i))
    const earnedB = f64x2.mul(weightB, v128.load(returns + i, 16))
    v128.store(grown + i, f64x2.add(weightA, earnedA))
    v128.store(grown + i, f64x2.add(weightB, earnedB), 16)
    movedA = f64x2.add(movedA, sizeA)
    movedB = f64x2.add(movedB, sizeB)
    costA = f64x2.add(costA, f64x2.mul(sizeA, v128.load(costs + i)))
    costB = f64x2.add(costB, f64x2.mul(sizeB, v128.load(costs + i, 16)))
    grossA = f64x2.add(grossA, earnedA)
    grossB = f64x2.add(grossB, earnedB)
    shortA = f64x2.add(shortA, f64x2.pmin(weightA, zero))
    shortB = f64x2.add(shortB, f64x2.pmin(weightB, zero))
  }
  addTo(out, movedA, movedB)
  addTo(out + 8, costA, costB)
  addTo(out + 16, grossA, grossB)
  addTo(out + 24, shortA, shortB)
}

function addTo(place: usize, a: v128, b: v128): void {
  const sum = f64x2.add(a, b)
  f64.store(place, f64.load(place) + (f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)))
}

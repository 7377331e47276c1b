/** The share of a period's traded weight that must be within the limit. */
const withinLimit = 0.95
/** In doubles, one of twenty equal trades may be more than a twentieth of their sum. */
const tolerance = 1e-9

/** The capacity of one period's trades, in the unit of volume. */
export interface PeriodCapacity {
  /** The largest capital at which at least 95% of the traded weight is within the limit. */
  readonly capital: number
  /** The largest capital at which every trade is within the limit. */
  readonly strict: number
  /** Sum of |dw|. */
  readonly traded: number
  /** Sum of |dw| over trades whose volume is unknown or 0. */
  readonly tradedWithoutVolume: number
}

/** The capacity of one period. Trade i moves a fraction size_i of the capital K, so its order size_i K meets a
 * market that trades volume_i. With a limit p on the share of volume, the trade is within the limit up to
 *
 *   C_i = p volume_i / size_i
 *
 * Capacity is the largest K with sum of size_i over C_i >= K at least 95% of the sum of all size_i: the
 * weighted .05 quantile of C, without interpolation. The strict capacity is the minimum of C. A volume of NaN
 * counts as 0, and so does its C. Null without a trade. O(n log n).
 *
 * @param size |dw|, shares of capital above 0
 * @param volume of each trade, in money
 * @param participation p, a fraction */
export function periodCapacity(
  size: Float64Array,
  volume: Float64Array,
  participation: number,
): PeriodCapacity | null {
  if (size.length === 0) return null
  let traded = 0
  let tradedWithoutVolume = 0
  const capital = new Float64Array(size.length)
  const order = new Int32Array(size.length)
  for (let i = 0; i < size.length; i++) {
    order[i] = i
    traded += size[i]
    if (volume[i] > 0) capital[i] = (participation * volume[i]) / size[i]
    else tradedWithoutVolume += size[i]
  }
  order.sort((a, b) => capital[a] - capital[b])
  const maxOver = (1 - withinLimit + tolerance) * traded
  let over = 0
  let index = 0
  while (index + 1 < order.length && over + size[order[index]] <= maxOver) over += size[order[index++]]
  return { capital: capital[order[index]], strict: capital[order[0]], traded, tradedWithoutVolume }
}

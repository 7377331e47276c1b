import { type Benchmark, type BenchmarkKind, kindFor } from './benchmark.ts'

/** A record, and what it takes to judge it. One element per period. */
interface Judgeable {
  readonly net: Float64Array
  /** 1 where the portfolio holds names, 0 where it is empty. */
  readonly held: Uint8Array
  /** Equal-weight return of the universe. */
  readonly universe: Float64Array
}

export interface JudgedReturns {
  readonly benchmark: BenchmarkKind
  /** Per period, fractions. Against cash it is the array of net returns itself. */
  readonly judged: Float64Array
}

/** The series that a record is judged by: net less the return of its benchmark, period by period.
 *
 * A period in which nothing is held is compared with cash, whose return is 0: an empty portfolio takes no side
 * against its benchmark, so a universe that falls in the meantime is no skill. What it paid to sell its last names
 * still counts. Where names are held in every period, the Sharpe ratio against the universe is the information ratio,
 * number for number. */
export function judgedReturns(
  { net, held, universe }: Judgeable,
  benchmark: Benchmark,
  longShort: boolean,
): JudgedReturns {
  const kind = kindFor(benchmark, longShort)
  if (kind === 'cash') return { benchmark: kind, judged: net }
  const rival = benchmark.kind === 'series' ? benchmark.returns : universe
  return { benchmark: kind, judged: net.map((value, t) => (held[t] === 1 ? value - rival[t] : value)) }
}

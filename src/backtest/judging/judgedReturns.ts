import { type Benchmark, type BenchmarkKind, kindFor } from './benchmark.ts'

/** A record and what is needed to judge it. One element per period. */
interface Judgeable {
  readonly net: Float64Array
  /** 1 where the portfolio holds names, 0 where it is empty. */
  readonly held: Uint8Array
  /** The equal-weight return of the universe. */
  readonly universe: Float64Array
}

export interface JudgedReturns {
  readonly benchmark: BenchmarkKind
  /** Per period, as fractions. Against cash it is the array of net returns itself. */
  readonly judged: Float64Array
}

/** The series by which a record is judged: net return minus the return of its benchmark, period by period.
 *
 * A period in which nothing is held is compared with cash, whose return is 0. An empty portfolio takes no
 * position against its benchmark, so a fall of the universe in the meantime is not skill. What it paid to
 * sell its last names still counts. If names are held in every period, the Sharpe ratio against the universe
 * equals the information ratio exactly. */
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

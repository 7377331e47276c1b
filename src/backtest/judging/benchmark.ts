import { dayNumber, isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { BacktestBenchmark } from '../requestBenchmark.ts'
import type { BacktestEvidence } from '../requestEvidence.ts'

/** The benchmark of a single record. `series` is supplied by the caller. */
export type BenchmarkKind = 'cash' | 'universe' | 'series'

/** The benchmark of all records of a request. `direction`: a long-short portfolio finances itself, so its
 * benchmark is cash. A long-only portfolio could have held the whole universe instead, so that is its
 * benchmark. */
export type Benchmark =
  | { readonly kind: 'direction' | 'cash' | 'universe' }
  /** One return per period. */
  | { readonly kind: 'series'; readonly returns: Float64Array }

export const byDirection: Benchmark = { kind: 'direction' }

export function kindFor({ kind }: Benchmark, longShort: boolean): BenchmarkKind {
  if (kind !== 'direction') return kind
  return longShort ? 'cash' : 'universe'
}

/** The benchmark that a request names. `evidence.benchmark` is how earlier versions spelled it.
 *
 * @param days first day of each period */
export function resolveBenchmark(
  sent: BacktestBenchmark | undefined,
  evidence: BacktestEvidence | undefined,
  days: Int32Array,
): Benchmark {
  const older = evidence?.benchmark
  if (sent !== undefined && older !== undefined && sent !== older) throw contradiction(older)
  const named = sent ?? older
  if (named === undefined) return byDirection
  if (typeof named === 'string') return { kind: named }
  return { kind: 'series', returns: align(returnsByDay(named), days) }
}

function contradiction(older: string): Failure {
  return new Failure(
    'parameter_invalid',
    `benchmark and evidence.benchmark (${JSON.stringify(older)}) differ. Both name what the record is judged against; send only benchmark.`,
    { param: 'evidence.benchmark' },
  )
}

function returnsByDay(sent: Exclude<BacktestBenchmark, string>): Map<number, number> {
  const isRows = Array.isArray(sent)
  const dates = isRows ? sent.map(({ date }) => date) : sent.date
  const returns = isRows ? sent.map(row => row.return) : sent.return
  if (dates.length !== returns.length) {
    throw new Failure(
      'parameter_invalid',
      `benchmark.date has ${dates.length} elements and benchmark.return ${returns.length}. Send one return for each date.`,
      { param: 'benchmark' },
    )
  }
  const byDay = new Map<number, number>()
  dates.forEach((date, i) => {
    const day = dayNumber(date)
    if (byDay.has(day)) throw repeatedDate(date, i, isRows)
    byDay.set(day, returns[i])
  })
  return byDay
}

function repeatedDate(date: string, i: number, isRows: boolean): Failure {
  const param = isRows ? `benchmark[${i}].date` : `benchmark.date[${i}]`
  return new Failure('parameter_invalid', `${param} is ${date}, which already appeared. Send it once.`, {
    param,
  })
}

const maxShownDates = 5

/** Rejects a benchmark with a missing return: leaving the period out would change the record, and 0 would be
 * made up. */
function align(byDay: ReadonlyMap<number, number>, days: Int32Array): Float64Array {
  const missing = days.filter(day => !byDay.has(day))
  if (missing.length === 0) return Float64Array.from(days, day => byDay.get(day) ?? 0)
  const shown = Array.from(missing.subarray(0, maxShownDates), isoDate)
  const rest = missing.length - shown.length
  throw new Failure(
    'backtest_impossible',
    `benchmark has no return for ${missing.length} of the ${days.length} dates on which a period starts: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}. Send one for each of them.`,
    { param: 'benchmark' },
  )
}

import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../dates.ts'

const strict = { additionalProperties: false } as const

/** The maximum number of benchmark returns in one request: 80 years of trading days. */
export const maxBenchmarkReturns = 20_000

const cell = {
  date: IsoDateSchema('Date of the first day of the return, as in the rows.', '2024-01-02'),
  return: Type.Number({
    minimum: -1,
    maximum: 1e6,
    allowed: 'a fraction: 0.025 is +2.5%, and -1 loses everything',
    description:
      'Return of the benchmark after the date, over as many days as forward_return, as a fraction.',
  }),
}
const onePerDate = { minItems: 1, maxItems: maxBenchmarkReturns } as const

const BenchmarkRow = Type.Object(cell, { ...strict, $id: 'BenchmarkReturn' })
const BenchmarkColumns = Type.Object(
  { date: Type.Array(cell.date, onePerDate), return: Type.Array(cell.return, onePerDate) },
  { ...strict, $id: 'BenchmarkColumns', description: 'Columns of equal length.' },
)

export const BacktestBenchmark = Type.Union(
  [Type.Literal('cash'), Type.Literal('universe'), Type.Array(BenchmarkRow, onePerDate), BenchmarkColumns],
  {
    description:
      'What the record is judged against: its trials, winner, Deflated Sharpe ratio, folds, evidence and verdict are about the net return minus that of the benchmark. `cash` earns 0. `universe` is the equal-weight return that information_ratio is about. Or send returns of your own, as rows or as columns; every date that starts a period needs one, and other dates are ignored. Default: cash for long_short, the universe for long_only. A period in which the portfolio holds nothing is compared with cash.',
    examples: ['universe'],
  },
)
export type BacktestBenchmark = Static<typeof BacktestBenchmark>

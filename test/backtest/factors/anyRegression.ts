import { readFactorFile } from '../../../src/backtest/factors/factorFile.ts'
import { requireIndependent } from '../../../src/backtest/factors/leastSquares.ts'
import { type Regression, regress, rollingCoefficients } from '../../../src/backtest/factors/regression.ts'

export const frenchFile = new URL('fixtures/F-F_Research_Data_Factors.csv', import.meta.url).pathname
export const frenchText = await Bun.file(frenchFile).text()

export interface Given {
  readonly y: number[]
  readonly factors: number[][]
  readonly lags: number
  readonly window: number
}

export interface Reference {
  readonly coefficients: number[]
  readonly standard_errors: number[]
  readonly t?: number[]
  readonly p?: number[]
  readonly r_squared: number
  readonly adjusted_r_squared: number
  readonly residual_error: number
  readonly rolling: number[][]
}

/** Deterministic numbers between -1 and 1. */
export function noise(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
}

/** Returns that load on the published factors, and longer records with correlated factors and errors. */
export function regressions(): Given[] {
  const french = readFactorFile(frenchText, 'file').columns.map(({ values }) =>
    values.map(value => (value ?? 0) / 100),
  )
  const random = noise(7)
  const loading = (factors: number[][]) => {
    let error = 0
    return factors[0].map((_, t) => {
      error = 0.4 * error + 0.01 * random()
      return 0.002 + factors.reduce((sum, factor, k) => sum + (0.9 - 0.5 * k) * factor[t], 0) + error
    })
  }
  const long = (rows: number, width: number) => {
    const common = Array.from({ length: rows }, () => 0.01 * random())
    return Array.from({ length: width }, (_, k) => common.map(value => (k % 3) * value + 0.008 * random()))
  }
  return [french, long(600, 1), long(1_500, 5), long(240, 12)].flatMap((factors, i) =>
    [0, 4, 17].map(lags => ({ y: loading(factors), factors, lags, window: [20, 60, 252, 36][i] })),
  )
}

export interface Own extends Regression {
  readonly rolling: (number | null)[][]
}

export function ownRegression({ y, factors, lags, window }: Given): Own {
  const columns = factors.map(values => Float64Array.from(values))
  const design = requireIndependent(
    columns,
    columns.map((_, k) => `f${k}`),
  )
  const values = Float64Array.from(y)
  return { ...regress(design, columns, values, lags), rolling: rollingCoefficients(columns, values, window) }
}

export function referenceOf(python: string, script: string, given: Given): Reference {
  const file = new URL(`fixtures/${script}`, import.meta.url).pathname
  const run = Bun.spawnSync([python, file], { stdin: Buffer.from(JSON.stringify(given)) })
  if (run.exitCode !== 0) throw new Error(run.stderr.toString())
  return JSON.parse(run.stdout.toString())
}

/** The largest difference of two lists, relative to the larger of 1 and the reference's largest value in it. */
export function distance(own: ArrayLike<number | null>, reference: readonly number[]): number {
  let largest = 0
  reference.forEach((value, i) => {
    largest = Math.max(largest, Math.abs((own[i] ?? Number.NaN) - value))
  })
  return own.length === reference.length ? largest : Number.NaN
}

/** The largest difference of all estimates. */
export function distanceOf(own: Own, reference: Reference, given: Given): number {
  const rolled = reference.rolling.map((row, i) =>
    distance(
      own.rolling.map(values => values[given.window - 1 + i]),
      row,
    ),
  )
  const width = own.coefficients.length
  return Math.max(
    distance(own.coefficients, reference.coefficients),
    distance(own.standardErrors, reference.standard_errors),
    distance(
      [own.rSquared, own.adjustedRSquared, Math.sqrt(own.squares / (given.y.length - width))],
      [reference.r_squared, reference.adjusted_r_squared, reference.residual_error],
    ),
    ...rolled,
  )
}

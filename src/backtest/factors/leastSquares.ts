import { Failure } from '../../errors.ts'

/** The QR decomposition of a matrix with a leading column of ones: its columns are a constant and the factors. */
export interface Design {
  readonly rows: number
  /** K + 1. */
  readonly width: number
  /** The columns of Q, orthonormal. */
  readonly q: readonly Float64Array[]
  /** Upper triangle of R, by row. */
  readonly r: readonly Float64Array[]
}

/** A factor with less of its own variation than this share, after the others are taken out, is a combination of
 * them. */
const tolerance = 1e-9

/** Decomposes [1, f_1 .. f_K] by the modified Gram-Schmidt process with reorthogonalisation, which is as stable as
 * Householder's reflections and gives Q itself. O(T K^2).
 *
 * Returns the index of the first factor that is constant or a combination of those before it, if there is one.
 *
 * @param factors one array of T returns per factor
 * @param from the first row to use, and `rows` how many
 * @see Giraud, Langou, Rozloznik and van den Eshof (2005), Rounding error analysis of the classical Gram-Schmidt
 *   orthogonalization process, Numerische Mathematik 101 */
export function decompose(factors: readonly Float64Array[], from: number, rows: number): Design | number {
  const width = factors.length + 1
  const q: Float64Array[] = []
  const r = Array.from({ length: width }, () => new Float64Array(width))
  for (let j = 0; j < width; j++) {
    const column = j === 0 ? new Float64Array(rows).fill(1) : factors[j - 1].slice(from, from + rows)
    const whole = norm(column)
    let varying = whole
    for (let pass = 0; pass < 2; pass++) {
      for (let i = 0; i < j; i++) {
        const share = dot(q[i], column)
        r[i][j] += share
        for (let t = 0; t < rows; t++) column[t] -= share * q[i][t]
        if (pass === 0 && i === 0) varying = norm(column)
      }
    }
    const own = norm(column)
    if (j > 0 && !(own > tolerance * varying && varying > tolerance * whole)) return j - 1
    r[j][j] = own
    for (let t = 0; t < rows; t++) column[t] /= own
    q.push(column)
  }
  return { rows, width, q, r }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let t = 0; t < a.length; t++) sum += a[t] * b[t]
  return sum
}

const norm = (values: Float64Array) => Math.sqrt(dot(values, values))

/** The coefficients of least squares, the constant first: R b = Q'y. */
export function solve({ q, r, width }: Design, y: Float64Array): Float64Array {
  const b = new Float64Array(width)
  for (let j = width - 1; j >= 0; j--) {
    let sum = dot(q[j], y)
    for (let k = j + 1; k < width; k++) sum -= r[j][k] * b[k]
    b[j] = sum / r[j][j]
  }
  return b
}

/** The rows of X R^-1 R^-T, by coefficient: (X'X)^-1 x_t. The influence of each period's residual on each
 * coefficient. */
export function influences({ q, r, width, rows }: Design): Float64Array[] {
  const result = Array.from({ length: width }, () => new Float64Array(rows))
  for (let j = width - 1; j >= 0; j--) {
    const own = result[j]
    for (let t = 0; t < rows; t++) {
      let sum = q[j][t]
      for (let k = j + 1; k < width; k++) sum -= r[j][k] * result[k][t]
      own[t] = sum / r[j][j]
    }
  }
  return result
}

/** Decomposes a matrix of factors, or names the ones that depend on each other. */
export function requireIndependent(factors: readonly Float64Array[], names: readonly string[]): Design {
  const rows = factors[0].length
  const design = decompose(factors, 0, rows)
  if (typeof design !== 'number') return design
  const dependent = names[design]
  const others = combination(factors, design).map(i => names[i])
  throw new Failure(
    'backtest_impossible',
    others.length === 0
      ? `The factor ${dependent} is the same in all ${rows} periods, so it cannot be told from alpha. Omit it.`
      : `The factors ${[...others, dependent].join(', ')} are collinear: ${dependent} is a combination of ${others.join(' and ')} in all ${rows} periods, so no beta of theirs is defined. Omit one of them.`,
    { param: 'factors' },
  )
}

/** The factors before `index` that a dependent one is a combination of. */
function combination(factors: readonly Float64Array[], index: number): number[] {
  const rows = factors[0].length
  const before = decompose(factors.slice(0, index), 0, rows)
  if (typeof before === 'number') return []
  const weights = solve(before, factors[index])
  const size = deviation(factors[index])
  if (size <= tolerance * norm(factors[index])) return []
  return Array.from({ length: index }, (_, i) => i).filter(
    i => Math.abs(weights[i + 1]) * deviation(factors[i]) > 1e-6 * size,
  )
}

function deviation(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return norm(values.map(value => value - mean))
}

import fc from 'fast-check'

export const anyTrialCount = fc.integer({ min: 2, max: 8 })

export function noise(
  trials: number,
  periods: number,
  seed: number,
  drift: (trial: number) => number,
): Float64Array[] {
  let state = seed
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647 - 0.5
  }
  return Array.from({ length: trials }, (_, c) =>
    Float64Array.from({ length: periods }, () => (next() + next() + next()) / 50 + drift(c)),
  )
}

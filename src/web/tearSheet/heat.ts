const steps = 5

/** The class of a cell on a scale of two colours from -`most` through 0 to `most`: n5 ... n1, z, p1 ... p5. */
export function heat(value: number | null, most: number): string {
  if (value === null || !Number.isFinite(value)) return 'none'
  const step = most > 0 ? Math.min(steps, Math.ceil((Math.abs(value) / most) * steps - 1e-9)) : 0
  if (step === 0) return 'z'
  return `${value < 0 ? 'n' : 'p'}${step}`
}

export function largest(values: Iterable<number | null>): number {
  let most = 0
  for (const value of values) if (value !== null && Math.abs(value) > most) most = Math.abs(value)
  return most
}

import { expect } from 'bun:test'

/** Both null, or equal within a tolerance relative to 1 + |b|. */
export function near(a: number | null, b: number | null, tolerance = 1e-9): void {
  if (a === null || b === null) expect(a).toBe(b)
  else expect(Math.abs(a - b)).toBeLessThanOrEqual(tolerance * (1 + Math.abs(b)))
}

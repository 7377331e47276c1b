/** Dates from one period to the next: step = max(1, round(returnDays / spacing)), halves up. */
export function stepFor(returnDays: number, spacing: number): number {
  return Math.max(1, Math.round(returnDays / spacing))
}

/** A loss of nothing (0 / -5) is -0 in the database. JSON and CSV write it as 0, so it is 0 in every form. */
export function plainZero(value: number): number {
  return value === 0 ? 0 : value
}

import type { Dataset } from './dataset.ts'

export function maxRowsPerDate({ offsets }: Dataset): number {
  let most = 0
  for (let date = 0; date + 1 < offsets.length; date++) {
    most = Math.max(most, offsets[date + 1] - offsets[date])
  }
  return most
}

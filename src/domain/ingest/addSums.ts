import { type SumReport, sumNames } from './checkSums.ts'

/** What one import found, beside what those before it did; of each sum the first examples are kept. */
export function addSums(into: SumReport, more: SumReport): void {
  for (const sum of sumNames) {
    const { checked, broken, open } = more.counts[sum]
    const count = into.counts[sum]
    count.checked += checked
    count.broken += broken
    count.open += open
    if (into.examples.some(example => example.sum === sum)) continue
    into.examples.push(...more.examples.filter(example => example.sum === sum))
  }
}

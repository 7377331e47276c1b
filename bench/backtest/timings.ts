export interface Timing {
  readonly medianMs: number
  readonly minMs: number
  readonly maxMs: number
}

/** Median and spread of `runs` calls, after `warm` that do not count. */
export function time(work: () => void, runs: number, warm = 3): Timing {
  for (let i = 0; i < warm; i++) work()
  const taken = Array.from({ length: runs }, () => {
    const started = performance.now()
    work()
    return performance.now() - started
  })
  return summary(taken)
}

/** The same for work that ends later. */
export async function timeAsync(work: () => Promise<unknown>, runs: number, warm = 2): Promise<Timing> {
  for (let i = 0; i < warm; i++) await work()
  const taken: number[] = []
  for (let i = 0; i < runs; i++) {
    const started = performance.now()
    await work()
    taken.push(performance.now() - started)
  }
  return summary(taken)
}

function summary(taken: number[]): Timing {
  const sorted = taken.toSorted((a, b) => a - b)
  return { medianMs: sorted[sorted.length >> 1], minMs: sorted[0], maxMs: sorted[sorted.length - 1] }
}

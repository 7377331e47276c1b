export interface Timing {
  readonly medianMs: number
  readonly minMs: number
  readonly maxMs: number
}

/** Median, minimum and maximum of `runs` calls, after `warm` calls to warm up. */
export function time(work: () => void, runs: number, warm = 3): Timing {
  for (let i = 0; i < warm; i++) work()
  const timesMs = Array.from({ length: runs }, () => {
    const started = performance.now()
    work()
    return performance.now() - started
  })
  return summary(timesMs)
}

/** The same for asynchronous work. */
export async function timeAsync(work: () => Promise<unknown>, runs: number, warm = 2): Promise<Timing> {
  for (let i = 0; i < warm; i++) await work()
  const timesMs: number[] = []
  for (let i = 0; i < runs; i++) {
    const started = performance.now()
    await work()
    timesMs.push(performance.now() - started)
  }
  return summary(timesMs)
}

/** The timing with the lower median. */
export function faster(a: Timing, b: Timing): Timing {
  return a.medianMs <= b.medianMs ? a : b
}

function summary(timesMs: number[]): Timing {
  const sorted = timesMs.toSorted((a, b) => a - b)
  return { medianMs: sorted[sorted.length >> 1], minMs: sorted[0], maxMs: sorted[sorted.length - 1] }
}

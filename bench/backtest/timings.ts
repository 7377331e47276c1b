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
  }).sort((a, b) => a - b)
  return { medianMs: taken[runs >> 1], minMs: taken[0], maxMs: taken[runs - 1] }
}

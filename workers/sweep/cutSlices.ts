import type { ResolvedConfig } from '../../src/compute/resolvedConfig.ts'
import type { SweepSlice } from '../../src/compute/sweepPlan.ts'

/** A slice of this much work ends with the target it is at; nothing but a single book may take more than the most. So
 * others' requests get their turn, and progress is seen. */
const enoughMs = 10
const mostMs = 45
/** Roughly, for one period and asset: to form a target, and to move one book that holds it. */
const targetMs = 1e-6
const bookMs = 0.6e-6
/** What a period costs a book whatever it holds, in names: without it a thousand books of five names were one slice. */
const namesOfAPeriod = 100

/** Cuts the configurations into slices of 10 to 45 ms of work. Those that differ in holding alone come one after the
 * other: they hold the same targets, which are then formed once. */
export function cutSlices(configs: readonly ResolvedConfig[], periods: number, names: number): SweepSlice[] {
  const cells = periods * (names + namesOfAPeriod)
  const keys = configs.map(({ book }) => targetKey(book))
  const order = configs.map((_, i) => i)
  order.sort((a, b) => (keys[a] === keys[b] ? a - b : keys[a] < keys[b] ? -1 : 1))
  const slices: number[][] = []
  let spent = Number.POSITIVE_INFINITY
  order.forEach((config, i) => {
    const newTarget = i === 0 || keys[config] !== keys[order[i - 1]]
    const cost = cells * (newTarget ? targetMs + bookMs : bookMs)
    if ((newTarget && spent >= enoughMs) || spent + cost > mostMs) {
      slices.push([])
      spent = cells * (targetMs + bookMs)
    } else spent += cost
    slices[slices.length - 1].push(config)
  })
  return slices
}

function targetKey({ longShort, quantile, weighting }: ResolvedConfig['book']): string {
  return `${longShort} ${quantile} ${weighting}`
}

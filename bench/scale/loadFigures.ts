import type { LoadOutcome } from '../httpLoad.ts'
import type { ScaleFigure } from './bars.ts'

/** The figures of a load, of which every request was answered as it should be. */
export function loadFigures(
  name: string,
  outcome: LoadOutcome,
  bars: { readonly p50Ms?: number; readonly p99Ms?: number; readonly maxMs?: number },
): ScaleFigure[] {
  if (outcome.failures > 0)
    throw new Error(
      `${name}: ${outcome.failures} of ${outcome.requests} requests failed: ${outcome.failed.join('; ')}`,
    )
  const spread = `${outcome.requests.toLocaleString('en')} requests, ${Math.round(outcome.perSecond).toLocaleString('en')}/s`
  const judged = (value: number, most: number | undefined, more: object = {}) => ({
    ...{ value, unit: 'ms' as const, ...more },
    ...(most === undefined ? {} : { most }),
  })
  return [
    { name: `${name}_p50`, ...judged(outcome.p50Ms, bars.p50Ms, { spread }) },
    { name: `${name}_p99`, ...judged(outcome.p99Ms, bars.p99Ms) },
    { name: `${name}_max`, ...judged(outcome.maxMs, bars.maxMs) },
  ]
}

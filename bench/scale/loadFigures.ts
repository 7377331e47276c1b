import type { LoadOutcome } from '../httpLoad.ts'
import type { ScaleFigure } from './bounds.ts'

/** The figures of a load. Throws if a request failed. */
export function loadFigures(
  name: string,
  outcome: LoadOutcome,
  bounds: { readonly p50Ms?: number; readonly p99Ms?: number; readonly maxMs?: number },
): ScaleFigure[] {
  if (outcome.failures > 0)
    throw new Error(
      `${name}: ${outcome.failures} of ${outcome.requests} requests failed: ${outcome.failed.join('; ')}`,
    )
  const spread = `${outcome.requests.toLocaleString('en')} requests, ${Math.round(outcome.perSecond).toLocaleString('en')}/s`
  const bounded = (value: number, max: number | undefined, more: object = {}) => ({
    value,
    unit: 'ms' as const,
    ...more,
    ...(max === undefined ? {} : { max }),
  })
  return [
    { name: `${name}_p50`, ...bounded(outcome.p50Ms, bounds.p50Ms, { spread }) },
    { name: `${name}_p99`, ...bounded(outcome.p99Ms, bounds.p99Ms) },
    { name: `${name}_max`, ...bounded(outcome.maxMs, bounds.maxMs) },
  ]
}

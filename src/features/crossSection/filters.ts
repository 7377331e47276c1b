import { Failure } from '../../errors.ts'
import { nearNames } from '../../spelling.ts'

/** Bounds that a company's figure must satisfy; null means unbounded. */
export interface Filter {
  readonly metric: string
  readonly min: number | null
  readonly max: number | null
}

/** The parameters `min_<metric>` and `max_<metric>`, ordered by metric. */
export function readFilters(
  known: ReadonlyMap<string, unknown>,
  sent: ReadonlyMap<string, number>,
): Filter[] {
  const filters = new Map<string, Filter>()
  for (const [parameter, bound] of sent) {
    const metric = parameter.slice(4)
    if (!known.has(metric)) throw unknownMetric(parameter, metric, known)
    const other = filters.get(metric) ?? { metric, min: null, max: null }
    filters.set(metric, parameter.startsWith('min_') ? { ...other, min: bound } : { ...other, max: bound })
  }
  for (const { metric, min, max } of filters.values()) {
    if (min === null || max === null || min <= max) continue
    throw new Failure(
      'parameter_invalid',
      `min_${metric}=${min} is more than max_${metric}=${max}, so no company fits. Swap them, or omit one.`,
      { param: `min_${metric}` },
    )
  }
  return [...filters.values()].sort((a, b) => (a.metric < b.metric ? -1 : 1))
}

function unknownMetric(parameter: string, metric: string, known: ReadonlyMap<string, unknown>): Failure {
  const near = nearNames(metric.slice(0, 64), known.keys(), 3)
  const hint = near.length > 0 ? `Did you mean ${parameter.slice(0, 4)}${near[0]}? ` : ''
  return new Failure(
    'parameter_invalid',
    `${parameter.slice(0, 68)} names no metric. ${hint}GET /api/v1/fundamentals without ticker lists all metrics.`,
    { param: parameter.slice(0, 68), near },
  )
}

/** ` with roe of at least 0.1 and debt_to_equity of at most 2`, for a note. */
export function describeFilters(filters: readonly Filter[]): string {
  if (filters.length === 0) return ''
  const bounds = filters.flatMap(({ metric, min, max }) => [
    ...(min === null ? [] : [`${metric} of at least ${min}`]),
    ...(max === null ? [] : [`${metric} of at most ${max}`]),
  ])
  return ` with ${bounds.join(' and ')}`
}

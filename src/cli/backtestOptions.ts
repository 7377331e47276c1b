import { Failure } from '../errors.ts'
import type { BodyQuery } from '../model/bodyFormat.ts'

/** As commander hands them over; lists are still text. */
export interface BacktestOptions {
  readonly quantile?: string
  readonly weighting?: string
  readonly holdDays?: string
  readonly direction?: string
  readonly returnDays?: number
  readonly costBps?: number
  readonly borrowBps?: number
  readonly gross?: number
  readonly neutral?: string
  readonly drift?: true
  readonly folds?: number
  readonly sweep?: true
  readonly include?: string
  readonly title?: string
  readonly json?: string
  readonly html?: string
}

const everything = 'ic,quantiles,monthly,positions'

type Value = string | number

/** The fields of a request, as a query writes them; the worker checks their values by the schema. An option with several
 * values makes a grid. */
export function toQuery(options: BacktestOptions): BodyQuery {
  const { returnDays, costBps, borrowBps, gross, neutral, drift, folds } = options
  const axes: Record<string, Value[]> = {
    ...axis('quantile', options.quantile, numberOf('--quantile')),
    ...axis('weighting', options.weighting, text => text),
    ...axis('holdDays', options.holdDays, numberOf('--hold-days')),
    ...axis('direction', options.direction, text => text),
  }
  const single = Object.entries(axes).filter(([, values]) => values.length === 1)
  const grid = Object.fromEntries(Object.entries(axes).filter(([, values]) => values.length > 1))
  const isGrid = Object.keys(grid).length > 0
  if (options.sweep && (isGrid || single.some(([name]) => name !== 'direction'))) throw sweepAndValues()
  const config = JSON.stringify({
    ...{ returnDays, costBps, borrowBps, gross, neutral, drift, folds },
    ...Object.fromEntries(single.map(([name, [value]]) => [name, value])),
  })
  const include = options.include ?? (options.html === undefined ? undefined : everything)
  return {
    ...(config === '{}' ? {} : { config }),
    ...(isGrid ? { sweep: JSON.stringify(grid) } : options.sweep ? { sweep: 'true' } : {}),
    ...(include === undefined ? {} : { include }),
  }
}

function axis(
  name: string,
  text: string | undefined,
  read: (part: string) => Value,
): Record<string, Value[]> {
  return text === undefined ? {} : { [name]: text.split(',').map(part => read(part.trim())) }
}

function numberOf(option: string): (text: string) => number {
  return text => {
    const value = Number(text)
    if (text !== '' && Number.isFinite(value)) return value
    throw new Failure(
      'parameter_invalid',
      `${option}: ${JSON.stringify(text)} is no number. Send one, or several with commas between them.`,
    )
  }
}

function sweepAndValues(): Failure {
  return new Failure(
    'parameter_invalid',
    '--sweep tries a grid of its own: 48 of --quantile, --weighting and --hold-days. Leave those out, or leave --sweep out and give several values with commas between them.',
  )
}

import type { Figure } from '../figure.ts'

/** A measured number and its upper bound. */
export interface ScaleFigure extends Figure {
  readonly max?: number
}

export interface BoundResult {
  readonly name: string
  readonly met: boolean
  readonly text: string
}

export const isMissed = ({ value, max }: ScaleFigure): boolean => max !== undefined && !(value <= max)

/** Describes for each bound whether it is met. */
export function boundResults(figures: readonly ScaleFigure[]): BoundResult[] {
  return figures.flatMap(figure => {
    const { name, value, unit, max } = figure
    if (max === undefined) return []
    const met = !isMissed(figure)
    const shown = Number(value.toPrecision(3))
    return {
      name,
      met,
      text: `${name} is ${shown} ${unit}: the bound of ${max} is ${met ? 'met' : 'MISSED'}`,
    }
  })
}

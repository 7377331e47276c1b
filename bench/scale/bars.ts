import type { Figure } from '../figure.ts'

/** A measured number, and what it must not pass. */
export interface ScaleFigure extends Figure {
  readonly most?: number
}

export interface Verdict {
  readonly name: string
  readonly met: boolean
  readonly text: string
}

export const isMissed = ({ value, most }: ScaleFigure): boolean => most !== undefined && !(value <= most)

/** What each bar came to, in words. */
export function verdicts(figures: readonly ScaleFigure[]): Verdict[] {
  return figures.flatMap(figure => {
    const { name, value, unit, most } = figure
    if (most === undefined) return []
    const met = !isMissed(figure)
    const shown = Number(value.toPrecision(3))
    return { name, met, text: `${name} is ${shown} ${unit}: the bar of ${most} is ${met ? 'met' : 'MISSED'}` }
  })
}

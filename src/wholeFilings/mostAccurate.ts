import type { ReportedFigure } from './wholeFiling.ts'

/** A figure that is not nil. */
export type StatedFigure = ReportedFigure & { readonly value: string }

/**
 * Picks one of the figures that a filing states under one concept and in one unit for periods of one kind. The period
 * that ends nearest to a day wins, then the longest one that ends there, and within one period the most accurate figure.
 * Null if there is none, or if equally accurate figures differ.
 */
export function mostAccurate(figures: readonly ReportedFigure[], end: number): StatedFigure | null {
  let best: StatedFigure | null = null
  let isContradicted = false
  for (const figure of figures) {
    if (!hasValue(figure)) continue
    const order: number = best === null ? -1 : compare(figure, best, end)
    if (order < 0) {
      best = figure
      isContradicted = false
    } else if (order === 0 && best?.value !== figure.value) isContradicted = true
  }
  return isContradicted ? null : best
}

const hasValue = (figure: ReportedFigure): figure is StatedFigure => figure.value !== null

/** Negative if `a` comes before `b`. */
function compare(a: ReportedFigure, b: ReportedFigure, end: number): number {
  const byPeriod =
    Math.abs(a.context.end - end) - Math.abs(b.context.end - end) ||
    b.context.end - a.context.end ||
    beginning(a) - beginning(b)
  if (byPeriod !== 0) return byPeriod
  const [ofA, ofB] = [a.decimals ?? Number.NEGATIVE_INFINITY, b.decimals ?? Number.NEGATIVE_INFINITY]
  return ofA === ofB ? 0 : ofB - ofA
}

const beginning = ({ context: { start, end } }: ReportedFigure) => start ?? end

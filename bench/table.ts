import type { Figure } from './figure.ts'

interface JudgedFigure extends Figure {
  readonly bound?: { readonly min?: number; readonly max?: number } | undefined
  readonly failed: boolean
}

/** Formats figures as an aligned text table. */
export function table(figures: readonly JudgedFigure[]): string {
  const rows = figures.map(({ name, value, unit, spread, bound, failed }) => [
    name,
    shown(value),
    unit,
    spread ?? '',
    bound === undefined ? '' : bound.min === undefined ? `<= ${bound.max}` : `>= ${bound.min}`,
    bound === undefined ? '' : failed ? 'MISSED' : 'ok',
  ])
  const all = [['figure', 'value', 'unit', 'spread', 'budget', ''], ...rows]
  const widths = all[0].map((_, column) => Math.max(...all.map(row => row[column].length)))
  return all
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function shown(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US')
  return value.toPrecision(3)
}

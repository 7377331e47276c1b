import type { Period } from '../wholeFilings/layOut.ts'
import { checkFiling } from './checkFiling.ts'
import type { StandardStatement } from './definition.ts'
import type { LineCheck } from './lineCheck.ts'
import { type PresentingFiling, standardFiling } from './standardFiling.ts'

/** A figure of a filing that a standard line uses, with the check of that line. */
export interface CheckedFigure {
  readonly concept: string
  readonly period: Period
  readonly unit: string
  /** As the filing states it, without the sign of the standard line. */
  readonly value: string
  readonly statement: StandardStatement
  readonly line: string
  readonly check: LineCheck
}

/**
 * The figures that standard lines use, each with what the filing alone says about it: the state of a figure never
 * depends on a later filing. A figure may be on several statements, and then occurs with the line of each.
 *
 * @param industry the SIC code as known when the filing was made; null if it is not known
 */
export function checkedFigures(filing: PresentingFiling, industry: number | null = null): CheckedFigure[] {
  const standard = standardFiling(filing, industry)
  return [...checkFiling(filing, standard)].flatMap(([statement, columns]) => {
    const rows = standard.statements.get(statement)?.rows ?? []
    return columns.flatMap((values, column) =>
      [...values].flatMap(([line, { rows: used, check }]) =>
        used.flatMap((at): CheckedFigure[] => {
          const figure = rows[at].figures[column]
          if (figure == null || figure.value === null) return []
          const { concept, context, unit, value } = figure
          const period = { start: context.start, end: context.end, quarters: context.quarters }
          return [{ concept, period, unit, value, statement, line, check }]
        }),
      ),
    )
  })
}

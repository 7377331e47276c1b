import { isoDate } from '../../dates.ts'
import { exactNumber } from '../../wholeFilings/decimals.ts'
import { isInstant, type Period, quartersOf } from '../../wholeFilings/layOut.ts'
import type { Dimension, ReportedFigure, Statement } from '../../wholeFilings/wholeFiling.ts'
import type { FiscalYears } from './fiscalYears.ts'

export function periodOf(period: Period, years: FiscalYears) {
  const label = years.ofPeriod(period)
  return {
    start: period.start === null ? null : isoDate(period.start),
    end: isoDate(period.end),
    quarters: isInstant(period) ? 0 : quartersOf(period),
    fy: label?.fy ?? null,
    fp: label?.fp ?? null,
  }
}

export const statedValue = ({
  value,
  decimals,
  unit,
}: Pick<ReportedFigure, 'value' | 'decimals' | 'unit'>) => ({
  value,
  number: value === null ? null : exactNumber(value),
  decimals: decimals === Number.POSITIVE_INFINITY ? ('INF' as const) : decimals,
  unit,
})

/** The labels of members, as presentations state them. */
export class MemberLabels {
  readonly #labels = new Map<string, string>()

  /** @param statements the latest first: its labels count */
  constructor(statements: readonly Statement[]) {
    for (const { lines } of statements)
      for (const { concept, label } of lines)
        if (label !== null && !this.#labels.has(concept)) this.#labels.set(concept, label)
  }

  of(dimensions: readonly Dimension[]) {
    return dimensions.map(({ axis, member }) => ({ axis, member, label: this.#labels.get(member) ?? null }))
  }
}

/** Dimensions in a cell of text. */
export const dimensionsText = (dimensions: readonly Dimension[]) =>
  dimensions.map(({ axis, member }) => `${axis}=${member}`).join(' ')

import { dayNumber, isoDate } from '../../../dates.ts'
import { isInstant, quartersOf } from '../../../wholeFilings/layOut.ts'
import type { Dimension, ReportedFigure } from '../../../wholeFilings/wholeFiling.ts'
import { membersText, periodText } from '../../statements/otherValues.ts'
import type { ReportedRow } from '../../statements/reportedSchema.ts'

/** The figure, or the tag with all its figures, whose filings a page lists. */
export interface FigureChoice {
  readonly tag: string
  /** Null: all periods. */
  readonly period: { readonly end: string; readonly quarters: number; readonly key: string } | null
  /** As `membersText` writes them; empty for the whole company. */
  readonly members: string
}

/** A figure as addresses name it: `us-gaap:Assets~2009-09-26~0`, then each axis with its member. */
export function cellName({ concept, context }: Pick<ReportedFigure, 'concept' | 'context'>): string {
  const quarters = isInstant(context) ? 0 : quartersOf(context)
  const members = context.dimensions.map(({ axis, member }) => `${axis}=${member}`)
  return [concept, isoDate(context.end), quarters, ...members].join('~')
}

export function cellOf(name: string): FigureChoice {
  const [tag = '', end, quarters = '0', ...members] = name.split('~')
  return {
    tag,
    period: end === undefined ? null : { end, quarters: Number(quarters), key: keyOf(end, Number(quarters)) },
    members: membersText(members.map(dimensionOf)),
  }
}

const dimensionOf = (text: string): Dimension => {
  const [axis = '', member = ''] = text.split('=')
  return { axis, member }
}

const keyOf = (end: string, quarters: number) => periodText({ start: null, end: dayNumber(end), quarters })

/** Whether the chosen figure is one of a period. Of all periods none is. */
export const isOfPeriod = ({ period }: FigureChoice, { end, quarters }: { end: string; quarters: number }) =>
  period !== null && keyOf(end, quarters) === period.key

/** Whether a reported figure is the chosen one, or one of its tag. */
export const isChosen = (choice: FigureChoice, row: ReportedRow): boolean =>
  (choice.period === null || isOfPeriod(choice, row)) &&
  membersText(row.dimensions.map(dimensionOf)) === choice.members

import { endOfMonth } from '../dates.ts'
import type { FigureContext, ReportedFigure } from './wholeFiling.ts'

/**
 * A calendar year (`CY2009`), a calendar quarter (`CY2009Q1`), or the end of one (`CY2009Q1I`). Periods of all
 * companies are compared in frames, whatever their fiscal years are.
 */
export interface Frame {
  readonly year: number
  /** Null for a year. */
  readonly quarter: 1 | 2 | 3 | 4 | null
  readonly isInstant: boolean
}

/** A frame as a number, which fits into a `smallint`. */
export type FrameCode = number

export const firstFrameYear = 1990
/** Keeps all frames of a filing within the size of an index entry. */
export const lastFrameYear = 2079
const codesPerYear = 9

export function frameCode({ year, quarter, isInstant }: Frame): FrameCode {
  return (year - firstFrameYear) * codesPerYear + (quarter ?? 0) + (isInstant ? 4 : 0)
}

/** The last day of a frame. */
export function frameEnd(code: FrameCode): number {
  const kind = code % codesPerYear
  const quarter = kind === 0 ? 4 : kind > 4 ? kind - 4 : kind
  return endOfMonth(firstFrameYear + (code - kind) / codesPerYear, quarter * 3)
}

/** Null if the text is not the name of a frame. */
export function parseFrame(name: string): Frame | null {
  const [, year, quarter, instant] = /^CY(\d{4})(?:Q([1-4])(I)?)?$/.exec(name) ?? []
  if (year === undefined || !isFrameYear(Number(year))) return null
  return {
    year: Number(year),
    quarter: quarter === undefined ? null : quarterOf(Number(quarter)),
    isInstant: instant !== undefined,
  }
}

export const frameName = ({ year, quarter, isInstant }: Frame): string =>
  `CY${year}${quarter === null ? '' : `Q${quarter}`}${isInstant ? 'I' : ''}`

const isFrameYear = (year: number) => year >= firstFrameYear && year <= lastFrameYear

const daysOfYear = 365
const daysOfQuarter = 91
/** Tolerance in days between a duration and the length of its frame. */
const toleranceDays = 30

/** Half a quarter. An instant belongs to the quarter that contains the day this many days earlier. */
const daysToInstant = 45

/**
 * The frame to which a period belongs. A duration of 365 or 91 days, give or take 30, belongs to the calendar
 * year or quarter that contains its midpoint, and an instant to the nearest end of a quarter. Null for all
 * other periods. The SEC's frames follow the same rule, except that they also count a duration of up to a
 * month as an instant. Data sets state durations in quarters and round their ends to the end of a month.
 */
export function frameOfPeriod(period: Omit<FigureContext, 'dimensions'>): FrameCode | null {
  const kind = kindOfPeriod(period)
  if (kind === null) return null
  if (kind === 'instant') return codeAt(period.end - daysToInstant, kind)
  return codeAt(Math.floor(period.end - (lengthOf(period) - 1) / 2), kind)
}

/** A year and a quarter are durations of 365 and 91 days, give or take 30. */
export type KindOfPeriod = 'instant' | 'quarter' | 'year'

/** Null for durations that are neither a quarter nor a year. */
export function kindOfPeriod(period: Omit<FigureContext, 'dimensions'>): KindOfPeriod | null {
  const days = lengthOf(period)
  if (days === 0) return 'instant'
  if (Math.abs(days - daysOfQuarter) <= toleranceDays) return 'quarter'
  return Math.abs(days - daysOfYear) <= toleranceDays ? 'year' : null
}

function lengthOf({ start, end, quarters }: Omit<FigureContext, 'dimensions'>): number {
  if (start !== null) return end - start + 1
  if (quarters === null) return 0
  return quarters === 4 ? daysOfYear : quarters * daysOfQuarter
}

function codeAt(day: number, kind: KindOfPeriod): FrameCode | null {
  const date = new Date(day * 86_400_000)
  const year = date.getUTCFullYear()
  if (!isFrameYear(year)) return null
  const quarter = kind === 'year' ? null : quarterOf(Math.floor(date.getUTCMonth() / 3) + 1)
  return frameCode({ year, quarter, isInstant: kind === 'instant' })
}

const quarterOf = (number: number): Frame['quarter'] =>
  number === 1 || number === 2 || number === 3 || number === 4 ? number : null

/** The frames in which a filing states figures of the whole company, in ascending order. */
export function framesOfFigures(figures: Iterable<Pick<ReportedFigure, 'context'>>): readonly FrameCode[] {
  const contexts = new Set<FigureContext>()
  const frames = new Set<FrameCode>()
  for (const { context } of figures) {
    if (contexts.has(context)) continue
    contexts.add(context)
    const frame = context.dimensions.length === 0 ? frameOfPeriod(context) : null
    if (frame !== null) frames.add(frame)
  }
  return [...frames].sort((a, b) => a - b)
}

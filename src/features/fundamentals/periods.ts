import { Failure } from '../../errors.ts'
import { type FundamentalsQuery, fiscalPeriods } from './schema.ts'

/** The fiscal periods that a request selects. */
export interface PeriodFilter {
  /**
   * Indexes in `fiscalPeriods`, ascending: 0 is the year, 1 to 4 are quarters, and 5, which stands alone, the
   * trailing twelve months. Null selects all but the trailing twelve months.
   */
  readonly fps: readonly number[] | null
  /** Null for all. */
  readonly years: YearRange | null
}

interface YearRange {
  readonly first: number
  readonly last: number
}

/** The parameters `fp` and `fy`, whose format the schema has checked. */
export function readPeriodFilter({ fp, fy }: Pick<FundamentalsQuery, 'fp' | 'fy'>): PeriodFilter {
  return {
    fps: fp === undefined ? null : readPeriods(fp),
    years: fy === undefined ? null : readYears(fy),
  }
}

const names: readonly string[] = fiscalPeriods
const trailing = names.indexOf('TTM')

/** Whether a request is for trailing twelve months, which are served only on request. */
export const isTrailing = ({ fps }: Pick<PeriodFilter, 'fps'>): boolean => fps?.includes(trailing) === true

function readPeriods(sent: string): number[] {
  const indices = new Set<number>()
  for (const name of sent.split(',')) {
    const index = names.indexOf(name.trim().toUpperCase())
    if (indices.has(index)) {
      throw new Failure(
        'parameter_invalid',
        `fp=${sent} has ${fiscalPeriods[index]} more than once. Send each of ${fiscalPeriods.join(', ')} at most once.`,
        { param: 'fp' },
      )
    }
    indices.add(index)
  }
  if (indices.has(trailing) && indices.size > 1) {
    throw new Failure(
      'parameter_invalid',
      `fp=${sent} mixes TTM with other periods. Send fp=TTM alone: at the end of a fiscal year, it is the full year.`,
      { param: 'fp' },
    )
  }
  return [...indices].sort()
}

function readYears(sent: string): YearRange {
  const [first, last = first] = sent.split('..').map(Number)
  if (first <= last) return { first, last }
  throw new Failure(
    'parameter_invalid',
    `fy=${sent} ends before it starts. Send the earlier year first: fy=${last}..${first}.`,
    { param: 'fy' },
  )
}

export const selectsAllPeriods = ({ fps, years }: PeriodFilter): boolean => fps === null && years === null

/** Describes the selected rows for a note: `FY rows of fiscal year 2009`. */
export function describePeriods({ fps, years }: PeriodFilter): string {
  const kinds = fps === null ? '' : `${fps.map(index => fiscalPeriods[index]).join(' or ')} `
  if (years === null) return `${kinds}rows`
  const { first, last } = years
  return `${kinds}rows of fiscal ${first === last ? `year ${first}` : `years ${first} to ${last}`}`
}

/** The fiscal years on record for one kind of period. */
export interface KnownPeriod extends YearRange {
  readonly fp: number
}

/** `FY 2007 to 2009, Q1 2010`. */
export function listPeriods(known: readonly KnownPeriod[]): string {
  return known
    .map(({ fp, first, last }) => `${fiscalPeriods[fp]} ${first === last ? first : `${first} to ${last}`}`)
    .join(', ')
}

/**
 * The relative change of a figure: +17.4%. Null if the sign changed or the figure was 0, because a percentage
 * would be meaningless.
 */
export function changeInPercent(before: number, after: number): number | null

export function shownChange(percent: number | null): string

export interface TrendCell {
  readonly value: number
  readonly unit: string
  /** How many splits of shares it is behind. Figures in different shares are not compared. */
  readonly behind: number
}

export interface Growth {
  /** `n/a` if there is none. */
  readonly text: string
  /** Why there is none, or null. */
  readonly why: string | null
}

/** @param isPercentage true for margins and returns, whose growth is a difference in percentage points */
export function growthOf(latest: TrendCell | null, before: TrendCell | null, isPercentage: boolean): Growth

/**
 * The compound annual growth rate up to the latest column, from the earliest one shown that can be compared:
 * CAGR = (last / first)^(1 / years) - 1, where the two are the same fiscal period `years` fiscal years apart, reached through
 * the same period of every year between them.
 *
 * @param latest the column of the last figure
 * @param yearBefore for each column, that of the same fiscal period one year before, or -1
 * @returns null if the last figure is missing or not above zero, or if no figure two or more years earlier is above zero, in
 * the same unit and in the same shares
 */
export function compoundGrowthOf(
  cells: readonly (TrendCell | null)[],
  latest: number,
  yearBefore: readonly number[],
  isShown: (column: number) => boolean,
): { readonly column: number; readonly years: number; readonly percent: number } | null

export interface TrendContext {
  /** The name of the line. */
  readonly label: string
  /** The names of all columns. */
  readonly labels: readonly string[]
  /** For each column, that of the same fiscal period one year before, or -1. */
  readonly yearBefore: readonly number[]
  readonly isPercentage: boolean
}

/**
 * The sparkline and the growth of a row.
 *
 * @param cells of all columns
 * @param columns those shown, oldest first
 */
export function trendOf(
  cells: readonly (TrendCell | null)[],
  columns: readonly number[],
  context: TrendContext,
): { readonly path: string; readonly text: string; readonly title: string }

/** The columns from the first to the last with a value, so that a chart does not begin or end with a gap. */
export function plottedColumns(columns: readonly number[], hasValue: (column: number) => boolean): number[]

export interface TitledCell {
  readonly value: number
  readonly unit: string
  /** The exact value with its filing. */
  readonly title: string
}

/**
 * The bar of a cell, with an outline if its first vintage differs; null if it has no value in this unit.
 *
 * @param first its first vintage, or null if outlines are not wanted
 */
export function barOf(
  cell: TitledCell | null,
  first: TitledCell | null,
  unit: string,
): { readonly value: number; readonly title: string; readonly ghost?: number } | null

import { returnStates } from '../forwardReturns.ts'

/** Where the return of a row of a backtest comes from, or why it has none. */
export const rowStates = [
  ...returnStates,
  /** The exit day has not come yet. The row is left out. */
  'not_ended',
  /** No close on the latest trading days before the entry: nobody could trade it. The row is left out. */
  'not_traded',
  'unknown_company',
  'no_prices',
  'several_securities',
  /** Of a date that the request does not use. */
  'not_wanted',
] as const
export type RowState = (typeof rowStates)[number]

export const rowStateCode = (state: RowState): number => rowStates.indexOf(state)

/** Rows in these states are left out of the backtest. */
export const leftOut: readonly RowState[] = [
  'not_ended',
  'not_traded',
  'unknown_company',
  'no_prices',
  'several_securities',
  'not_wanted',
]

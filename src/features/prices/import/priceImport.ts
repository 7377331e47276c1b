import type { IsoDate } from '../../../dates.ts'
import type { Markets } from '../../../markets/markets.ts'
import type { StatedSet } from './importQueries.ts'
import type { PriceFault } from './stagedPrices.ts'

/**
 * When rows became known, unless the file has a column for it. import: on the day of the import. date: at the end of
 * their own day. Otherwise the day that the operator states.
 */
export type KnownRule = 'import' | 'date' | IsoDate

export interface PriceImportOptions extends StatedSet {
  /** Null: `import`, or the column `known` if there is one. */
  readonly known: KnownRule | null
  /** The day for which adjusted closes were adjusted; null: a stated known day, otherwise the day of the import. */
  readonly adjustedOn: IsoDate | null
  readonly markets: Markets
  readonly now: () => Date
  /** @param share from 0 to 1 */
  readonly onProgress?: (share: number, note: string) => void
}

export interface UnresolvedSymbol {
  readonly symbol: string
  readonly market: string
  readonly rows: number
  readonly from: IsoDate
  readonly to: IsoDate
  readonly reason: string
}

export interface PriceImport {
  readonly set: string
  /** Whether this import creates the set. */
  isNew: boolean
  /** Valid rows of the file. */
  rows: number
  stored: number
  unchanged: number
  repeated: number
  /** Rows that contradict another row of the file about the same security, day and known day; none of them is stored. */
  contradicting: number
  withoutClose: number
  refused: number
  readonly faults: PriceFault[]
  /** Rows dated on a Saturday or Sunday. */
  weekend: number
  /** Rows of symbols that today's company is only assumed to have had on their days. */
  assumed: number
  companies: number
  securities: number
  unresolvedRows: number
  /** Every symbol without a company, with the rows that have none. */
  readonly unresolved: UnresolvedSymbol[]
  /** Securities of earlier imports whose company is known by now. */
  adopted: number
  known: string
  /** Null if nothing changed. */
  dataVersion: number | null
}

import type { IsoDate } from '../../dates.ts'
import type { FetchPolicy, Network } from '../network/fetchPolicy.ts'
import type { RegisterSettings, Source } from '../network/source.ts'
import type { SkippedDocument } from '../reading/progress.ts'
import type { Register } from '../registers/registerInterface.ts'
import type { Archive } from './archive.ts'

export interface SyncOptions {
  readonly source: Source
  /** Undefined if there is no importer yet, so that fetched files wait in the archive. */
  readonly register: Register | undefined
  readonly settings: RegisterSettings
  readonly fetchPolicy: FetchPolicy
  readonly network: Network
  readonly archive: Archive
  readonly since: IsoDate | null
  /** Issuer numbers; empty for all. */
  readonly companies: readonly string[]
  /** A function, because a run may last past midnight and each file gets the day on which it is fetched. */
  readonly today: () => IsoDate
  readonly newId: () => string
  /** Ends the run after the current step. */
  readonly signal: AbortSignal
  /** Called when the summary has changed. */
  readonly onProgress: () => void
  /** Prints a line for the user. */
  readonly log: (line: string) => void
}

/** Counts of a run. */
export interface FetchSummary {
  /** Requests announced by the plan so far. */
  expected: number
  /** Requests sent to the register. */
  requests: number
  /** Requests served from the archive. */
  cached: number
  /** New responses, now in the archive. */
  saved: number
  savedBytes: number
  /** Responses equal to the previous one. */
  unchanged: number
  missing: number
  bytes: number
  failures: number
  /** The first failures. */
  readonly failed: SkippedDocument[]
  /** Why the run ended before the plan did, or null. */
  stopped: string | null
  /** True if its signal stopped the run. */
  interrupted: boolean
}

export const newFetchSummary = (): FetchSummary => ({
  expected: 0,
  requests: 0,
  cached: 0,
  saved: 0,
  savedBytes: 0,
  unchanged: 0,
  missing: 0,
  bytes: 0,
  failures: 0,
  failed: [],
  stopped: null,
  interrupted: false,
})

import type { IsoDate } from '../../dates.ts'
import type { Manners, Network } from '../network/network.ts'
import type { RegisterSettings, Source } from '../network/source.ts'
import type { SkippedDocument } from '../reading/progress.ts'
import type { Register } from '../registers/register.ts'
import type { Archive } from './archive.ts'

export interface SyncOptions {
  readonly source: Source
  /** undefined: what is fetched is kept until there is an importer. */
  readonly register: Register | undefined
  readonly settings: RegisterSettings
  readonly manners: Manners
  readonly network: Network
  readonly archive: Archive
  readonly since: IsoDate | null
  /** Issuer numbers; empty: all. */
  readonly companies: readonly string[]
  /** It may become tomorrow while a run lasts: what is fetched is dated when it comes. */
  readonly today: () => IsoDate
  readonly newId: () => string
  /** Aborted: come to an end. */
  readonly signal: AbortSignal
  /** Something of the summary has changed. */
  readonly onProgress: () => void
  /** A line for the person who waits. */
  readonly say: (line: string) => void
}

/** What came of the requests. */
export interface Fetched {
  /** Requests that are known to be wanted; grows. */
  expected: number
  asked: number
  /** Had before and not asked for. */
  known: number
  /** Answers that were new and lie in the archive now. */
  kept: number
  keptBytes: number
  /** Answers that said what was said before. */
  same: number
  missing: number
  bytes: number
  failures: number
  /** The first of them. */
  readonly failed: SkippedDocument[]
  /** Why it came to an end before the plan did. */
  stopped: string | null
  /** Because it was asked to. */
  interrupted: boolean
}

export const nothingFetched = (): Fetched => ({
  ...{ expected: 0, asked: 0, known: 0, kept: 0, keptBytes: 0, same: 0, missing: 0, bytes: 0, failures: 0 },
  failed: [],
  stopped: null,
  interrupted: false,
})

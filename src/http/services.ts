import type { Logger } from 'pino'
import type { AccessDeps } from '../domain/access/authenticate.ts'
import type { Failure } from '../errors.ts'
import type { Principal } from '../model/access.ts'
import type { SentBody } from '../model/bodyFormat.ts'
import type { CoverageCheck, CoverageIndex } from '../model/coverage.ts'
import type { CrossSectionQuery } from '../model/crossSection.ts'
import type { IsoDate } from '../model/date.ts'
import type { FundamentalsQuery } from '../model/fundamentals.ts'
import type { RestatementsQuery } from '../model/restatement.ts'
import type { ResultForm } from '../model/resultForm.ts'
import type { SearchHit } from '../model/search.ts'
import type { DataFormat } from '../model/sheet.ts'
import type { SignalsQuery } from '../model/signal.ts'
import type { JobServices } from './jobServices.ts'
import type { PanelServices } from './panelServices.ts'

/** A read whose rights are settled: equal keys and forms give equal bytes while the data version stays the same. */
export interface PlannedPage {
  readonly cacheKey: string
  /** `subject`: who waits where they ask for much at a time. */
  readonly make: (format: DataFormat, subject: string) => Promise<MadePage>
}

export interface MadePage {
  readonly content: string | Uint8Array<ArrayBuffer>
  /** The cursor that continues; null at the end. */
  readonly next?: string | null
}

/** The same of what is too much to be kept, and is sent while it is read. */
export interface PlannedStream {
  readonly cacheKey: string
  /** `subject`: who is counted for it, and waits where they ask for much at a time. */
  readonly open: (
    format: DataFormat,
    signal: AbortSignal,
    subject: string,
  ) => Promise<{ readonly body: ReadableStream<Uint8Array> }>
}

export interface SignalBytes {
  /** The cursor that continues; null at the end. */
  readonly next: string | null
  readonly body: ReadableStream<Uint8Array>
}

export interface PlannedSignals {
  readonly cacheKey: string
  /** `subject`: who is counted for it, and waits where they ask for much at a time. */
  readonly open: (format: DataFormat, signal: AbortSignal, subject: string) => Promise<SignalBytes>
}

/** What is wrong, for people: empty when the server can answer. */
export type Readiness = () => Promise<readonly string[]>

export interface HttpSettings {
  readonly baseUrl: string
  readonly version: string
  readonly bodyLimitMb: number
  readonly trustedProxies: readonly string[]
}

/** A result as a page that needs nothing else. */
export interface ResultPage {
  /** Content-Security-Policy of the page. */
  readonly policy: string
  /** @param result as JSON */
  readonly write: (result: string) => Promise<Uint8Array<ArrayBuffer>>
}

/** Everything that the routes may reach. The composition root fills it in; tests pass their own. */
export interface Services {
  readonly settings: HttpSettings
  readonly log: Logger
  /** Milliseconds that only grow. */
  readonly elapsedMs: () => number
  readonly today: () => IsoDate
  readonly access: AccessDeps
  readonly dataVersion: () => number
  /** The foreseen failure behind what a driver threw (the database is away, a statement timed out); null: a defect. */
  readonly explain: (error: unknown) => Failure | null
  readonly readiness: Readiness
  /** One company is a page, several are a stream. */
  readonly planFundamentals: (
    principal: Principal,
    query: FundamentalsQuery,
  ) => Promise<PlannedPage | PlannedStream>
  readonly planCrossSection: (principal: Principal, query: CrossSectionQuery) => PlannedPage
  readonly planRestatements: (principal: Principal, query: RestatementsQuery) => PlannedPage
  readonly coverageIndex: (principal: Principal, query: FundamentalsQuery) => Promise<CoverageIndex>
  readonly checkCoverage: (principal: Principal, id: string) => Promise<CoverageCheck>
  readonly planSignals: (principal: Principal, query: SignalsQuery) => PlannedSignals
  /** `keyId`: whose stored panels the body may name. */
  readonly runBacktest: (
    keyId: number,
    body: SentBody,
    form: ResultForm,
    signal: AbortSignal,
  ) => Promise<Uint8Array<ArrayBuffer>>
  readonly panels: PanelServices
  readonly tearSheet: ResultPage
  /** Backtests that are run when there is time. */
  readonly jobs: JobServices
  readonly search: (q: string) => Promise<readonly SearchHit[]>
}

import type { Logger } from 'pino'
import type { AccessDeps } from '../access/authenticate.ts'
import type { Principal } from '../access/licences.ts'
import type { BodyFormat, ResultForm, SentBody } from '../backtest/request.ts'
import type { IsoDate } from '../dates.ts'
import type { Failure } from '../errors.ts'
import type { OnceAnswer } from '../features/backtests/jobs/idempotency.ts'
import type { JobPage } from '../features/backtests/jobs/jobs.ts'
import type { BacktestJobsQuery, Job } from '../features/backtests/jobs/schema.ts'
import type { CoverageCheck, CoverageIndex } from '../features/coverage/schema.ts'
import type { CrossSectionQuery } from '../features/crossSection/schema.ts'
import type { FundamentalsQuery } from '../features/fundamentals/schema.ts'
import type { Panel, PanelList } from '../features/panels/schema.ts'
import type { RestatementsQuery } from '../features/restatements/schema.ts'
import type { SearchHit } from '../features/search/schema.ts'
import type { SignalsQuery } from '../features/signals/schema.ts'
import type { DataFormat } from '../formats/columns.ts'

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

export interface AsyncRequest {
  readonly keyId: number
  readonly requestId: string
  readonly body: SentBody
  readonly idempotencyKey: string | null
}

export interface OnceRequest {
  readonly keyId: number
  readonly idempotencyKey: string
  readonly body: SentBody
  /** What else decides the answer. */
  readonly beside: string
}

/** Backtests that are run when there is time. */
export interface JobServices {
  readonly submit: (request: AsyncRequest) => Promise<Job>
  /** Does the work of a request with an Idempotency-Key once. */
  readonly answerOnce: (
    request: OnceRequest,
    work: () => Promise<Uint8Array<ArrayBuffer>>,
  ) => Promise<OnceAnswer>
  /** The job, where it is this key's. */
  readonly read: (keyId: number, jobId: string) => Promise<Job>
  /** The text of a job's result, null where it has none. */
  readonly result: (jobId: string) => Promise<string | null>
  readonly cancel: (keyId: number, jobId: string) => Promise<Job>
  readonly page: (keyId: number, query: BacktestJobsQuery) => Promise<JobPage>
  /** Calls `told` when the job changed, and with true when the server is about to end. Returns what ends the watch. */
  readonly watch: (jobId: string, told: (closing: boolean) => void) => () => void
}

/** Panels that are sent once and named after that. */
export interface PanelServices {
  readonly store: (
    keyId: number,
    body: Uint8Array,
    format: BodyFormat,
    signal: AbortSignal,
  ) => Promise<{ readonly panel: Panel; readonly created: boolean }>
  readonly list: (keyId: number) => Promise<PanelList>
  /** The panel, where it is this key's. */
  readonly read: (keyId: number, panelId: string) => Promise<Panel>
  readonly delete: (keyId: number, panelId: string) => Promise<void>
}

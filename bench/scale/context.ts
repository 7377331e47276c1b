import type { Sql } from '../../src/postgres/client.ts'
import type { Served } from '../http.ts'
import type { LoadOutcome, LoadRequest, LoadTask } from '../httpLoad.ts'
import type { ScaleFigure } from './bounds.ts'

/** The environment of each part of the measurement. */
export interface Context {
  /** Environment variables of the server. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The database is in DATA_DIR, so it can be stopped. */
  readonly isEmbedded: boolean
  /** A temporary folder. */
  readonly folder: string
  /** Duration of each timed load. */
  readonly seconds: number
  readonly seed: string
  readonly dropsCaches: boolean
  /** `as_of` of all requests. */
  readonly today: string
  /** A key with limits that no load reaches. */
  readonly key: string
  /** Prints a note, as opposed to a figure. */
  log(line: string): void
  /** Runs `work` on a separate connection. Starts the embedded PostgreSQL if it is not running. */
  withSql<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  readonly signal: AbortSignal
  /** Starts the server if it is not running. */
  server(settings?: Readonly<Record<string, string>>): Promise<Served>
  /** Stops the server and the embedded PostgreSQL. */
  stopServer(): Promise<void>
  /** Loads the server from a separate process. `until` ends the load early. */
  load(task: LoadOptions, until?: Promise<unknown>): Promise<LoadOutcome>
}

export interface LoadOptions
  extends Pick<Extract<LoadTask, { path: string }>, 'connections' | 'ms' | 'record' | 'arrivalsPerSecond'> {
  readonly requests: readonly LoadRequest[]
  readonly once?: boolean
}

export type Part = (context: Context) => Promise<ScaleFigure[]>

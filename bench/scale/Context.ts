import type { Sql } from '../../src/postgres/client.ts'
import type { Served } from '../http.ts'
import type { LoadOutcome, LoadRequest, LoadTask } from '../httpLoad.ts'
import type { ScaleFigure } from './bars.ts'

/** What each part of the measurement is given. */
export interface Context {
  /** The settings that the server runs on. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the database is: in DATA_DIR it is ours to stop. */
  readonly isEmbedded: boolean
  /** A folder that is gone at the end. */
  readonly folder: string
  /** Of every timed load. */
  readonly seconds: number
  readonly seed: string
  readonly dropsCaches: boolean
  /** The day as of which everything is asked. */
  readonly today: string
  /** A key that meets no limit. */
  readonly key: string
  /** Something that is no figure. */
  say(line: string): void
  /** A connection of our own, beside the server's. PostgreSQL is started for it where it does not run. */
  withSql<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  readonly signal: AbortSignal
  /** Starts the server, unless it runs. */
  server(settings?: Readonly<Record<string, string>>): Promise<Served>
  /** Ends it, and with it the embedded PostgreSQL. */
  stopServer(): Promise<void>
  /** Puts a load on the server, from a process of its own; `until` ends it before its time. */
  load(task: LoadWishes, until?: Promise<unknown>): Promise<LoadOutcome>
}

export interface LoadWishes
  extends Pick<Extract<LoadTask, { path: string }>, 'connections' | 'ms' | 'record'> {
  readonly requests: readonly LoadRequest[]
  readonly once?: boolean
}

export type Part = (context: Context) => Promise<ScaleFigure[]>

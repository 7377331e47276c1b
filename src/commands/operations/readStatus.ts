import { statfsSync } from 'node:fs'
import { openUntouched } from '../../boot/untouchedDatabase.ts'
import type { Config } from '../../config.ts'
import { type MarketSums, marketCoverage } from '../../features/coverage/queries.ts'
import { type RegisterFreshness, registerSyncs } from '../../features/syncs/freshness.ts'
import { readMarketRuns } from '../../features/syncs/freshnessQueries.ts'
import { sources } from '../../ingest/allRegisters.ts'
import { findMissingIndexes } from '../../ingest/store/bulkIndexes.ts'
import type { Sql } from '../../postgres/client.ts'
import { codeOf, isDamage } from '../../postgres/errors.ts'
import { type AppliedMigration, findPending, readApplied, readShipped } from '../../postgres/history.ts'
import { schemaNumber } from './installation.ts'
import { type PageCheckState, readPageCheck } from './pageCheckQueries.ts'
import {
  type BackupState,
  type DataState,
  type JobState,
  type LastImport,
  type MailState,
  type PastError,
  type ProcessState,
  readDataState,
  readErrors,
  readJobs,
  readLastBackup,
  readLastImports,
  readMail,
  readProcesses,
  readServerState,
  type ServerState,
} from './statusQueries.ts'

export interface SchemaState {
  /** The database's schema number; 0 if it is empty. */
  readonly number: number
  readonly shipped: number
  readonly pending: readonly string[]
  /** Why this version cannot continue from the database's state; null if it can. */
  readonly refusal: string | null
}

export interface DiskState {
  readonly folder: string
  readonly freeBytes: number
  readonly totalBytes: number
}

/**
 * What was read about a service. Null means unknown, because the database lacks the table or did not respond
 * in time.
 */
export interface ServiceState {
  /** Why the database could not be read; null if it could. */
  unreachable: string | null
  disk: DiskState | null
  schema: SchemaState | null
  server: ServerState | null
  data: DataState | null
  markets: ReadonlyMap<string, MarketSums> | null
  syncs: readonly RegisterFreshness[] | null
  imports: readonly LastImport[] | null
  processes: readonly ProcessState[] | null
  jobs: JobState | null
  mail: MailState | null
  /** Undefined if unknown; null if none is on record. */
  backup: BackupState | null | undefined
  missingIndexes: readonly string[] | null
  errors: readonly PastError[] | null
  pageCheck: PageCheckState | null
  /** PostgreSQL's messages about damaged pages that this reading ran into. */
  damagedReads: readonly string[]
}

export const nothingKnown = (): ServiceState => ({
  unreachable: null,
  disk: null,
  schema: null,
  server: null,
  data: null,
  markets: null,
  syncs: null,
  imports: null,
  processes: null,
  jobs: null,
  mail: null,
  backup: undefined,
  missingIndexes: null,
  errors: null,
  pageCheck: null,
  damagedReads: [],
})

const maxErrors = 8
const maxFindings = 20
/** For one statement; the whole reading has the command's time limit. */
const statementTimeoutMs = 5_000

interface ReadOptions {
  readonly timeoutMs: number
  readonly today: string
  readonly announce: (line: string) => void
}

/**
 * Reads everything within `timeoutMs`. What is late counts as unknown, and `isLate` says that something may
 * still hang.
 */
export async function readStatus(
  config: Config,
  options: ReadOptions,
): Promise<{ state: ServiceState; isLate: boolean }> {
  const state = nothingKnown()
  state.disk = config.databaseUrl === null ? readDisk(config.dataDir) : null
  const read = readAll(config, options, state).then(
    () => false,
    error => {
      state.unreachable = error instanceof Error ? error.message : String(error)
      return false
    },
  )
  const timer = Promise.withResolvers<true>()
  const timeout = setTimeout(() => timer.resolve(true), options.timeoutMs)
  const isLate = await Promise.race([read, timer.promise])
  clearTimeout(timeout)
  if (isLate)
    state.unreachable = `it did not answer within ${options.timeoutMs / 1_000} s (--timeout sets how long to wait)`
  // Results that arrive later must not change a report that is being written.
  return { state: { ...state }, isLate }
}

async function readAll(config: Config, { today, announce }: ReadOptions, state: ServiceState): Promise<void> {
  const database = await openUntouched(config, statementTimeoutMs, announce)
  try {
    const { sql } = database
    const known: Known = (reading, none) =>
      reading.catch(error => {
        if (isDamage(error) && error instanceof Error)
          state.damagedReads = [...state.damagedReads, error.message]
        else if (!notKnown.has(codeOf(error))) throw error
        return none
      })
    state.pageCheck = await known(readPageCheck(sql, maxFindings), null)
    state.schema = await known(readSchemaState(sql), null)
    state.server = await known(readServerState(sql), null)
    state.processes = await known(readProcesses(sql), null)
    state.data = await known(readDataState(sql), null)
    state.jobs = await known(readJobs(sql), null)
    state.backup = await known(readLastBackup(sql), undefined)
    state.syncs = await known(readSyncs(sql, config), null)
    state.imports = await known(readLastImports(sql), null)
    state.mail = await known(readMail(sql), null)
    state.missingIndexes = await known(findMissingIndexes(sql), null)
    state.errors = await known(readErrors(sql, maxErrors), null)
    state.markets = await known(
      marketCoverage(sql, today).then(({ markets }) => markets),
      null,
    )
  } finally {
    await database.close()
  }
}

const readSyncs = async (sql: Sql, { syncSchedule }: Config) =>
  registerSyncs(await readMarketRuns(sql, [...sources.keys()]), syncSchedule)

async function readSchemaState(sql: Sql): Promise<SchemaState> {
  const [shipped, applied] = [await readShipped(), await readApplied(sql)]
  const state = { number: schemaNumber(applied), shipped: schemaNumber(shipped) }
  const { pending, refusal } = compareHistory(applied, shipped)
  return { ...state, pending, refusal }
}

/** The migrations that a database lacks, or why this version cannot continue from its state. */
export function compareHistory(
  applied: readonly AppliedMigration[],
  shipped: Awaited<ReturnType<typeof readShipped>>,
): { readonly pending: readonly string[]; readonly refusal: string | null } {
  try {
    const pending = findPending(applied, shipped, 'This database').map(({ name }) => name)
    return { pending, refusal: null }
  } catch (error) {
    return { pending: [], refusal: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Codes for a table or column of a later version and for statement timeouts: the rest of the report says
 * enough.
 */
const notKnown = new Set(['42P01', '42703', '3F000', '57014'])
type Known = <T, None>(reading: Promise<T>, none: None) => Promise<T | None>

export function readDisk(folder: string): DiskState | null {
  try {
    const { bavail, bsize, blocks } = statfsSync(folder)
    return { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  } catch {
    return null
  }
}

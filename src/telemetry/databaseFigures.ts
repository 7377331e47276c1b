import type { Registry } from 'prom-client'
import type { Sql } from '../postgres/client.ts'
import { exposeGauge, type Reading } from './expose.ts'
import {
  type JobCount,
  type MarketFigures,
  readJobCounts,
  readMarketFigures,
  readStoreFigures,
  type StoreFigures,
} from './queries.ts'

interface Figures {
  readonly markets: readonly MarketFigures[]
  readonly jobs: readonly JobCount[]
  readonly store: StoreFigures
}

/** However many scrapers there are, the database is read at most once in this time. */
const maxAgeMs = 5_000
/** A scrape without the process's own figures would be less useful than one without the database's, so it
 * waits no longer than this. */
const maxWaitMs = 2_000

/** Figures from the database, read for a scrape at most every five seconds on a separate connection. While
 * the database does not respond, all of them are unknown: old numbers would look like new ones. */
export class DatabaseFigures {
  readonly #sql: Sql
  readonly #markets: readonly string[]
  readonly #elapsedMs: () => number
  #reading: Promise<Figures | null> | null = null
  #known: Figures | null = null
  #readAt = Number.NEGATIVE_INFINITY

  constructor(sql: Sql, markets: readonly string[], elapsedMs: () => number) {
    this.#sql = sql
    this.#markets = markets
    this.#elapsedMs = elapsedMs
  }

  /** Returns null if the database does not respond in time. */
  async read(): Promise<Figures | null> {
    if (this.#known !== null && this.#elapsedMs() - this.#readAt <= maxAgeMs) return this.#known
    // A query that hangs is awaited again rather than started twice.
    this.#reading ??= this.#query().finally(() => {
      this.#reading = null
    })
    return Promise.race([this.#reading, Bun.sleep(maxWaitMs).then(() => null)])
  }

  async #query(): Promise<Figures | null> {
    try {
      const [markets, jobs, store] = await Promise.all([
        readMarketFigures(this.#sql, this.#markets),
        readJobCounts(this.#sql),
        readStoreFigures(this.#sql),
      ])
      this.#known = { markets, jobs, store }
      this.#readAt = this.#elapsedMs()
      return this.#known
    } catch {
      this.#known = null
      return null
    }
  }
}

export function exposeDatabase(registry: Registry, database: DatabaseFigures): void {
  exposeGauge(
    registry,
    {
      name: 'asfiled_database_up',
      help: 'Whether the database answered these metrics within 2 seconds. While it is 0, metrics from the database have no value.',
    },
    async () => [{ value: (await database.read()) === null ? 0 : 1 }],
  )
  const gauge: FigureGauge = (name, help, read, labelNames) =>
    exposeGauge(registry, { name, help, ...(labelNames === undefined ? {} : { labelNames }) }, async () => {
      const figures = await database.read()
      return figures === null ? [] : read(figures)
    })
  exposeStore(gauge)
  exposeJobs(gauge)
  exposeMarkets(gauge)
}

/** Exposes what `read` takes from the figures; while they are unknown, the metric has no value. */
type FigureGauge = (
  name: string,
  help: string,
  read: (figures: Figures) => Iterable<Reading>,
  labelNames?: string[],
) => void

function exposeStore(gauge: FigureGauge): void {
  gauge('asfiled_database_size_bytes', 'Size of the database.', ({ store }) => [{ value: store.bytes }])
  gauge('asfiled_database_data_version', 'The data version in the database.', ({ store }) => [
    { value: store.version },
  ])
  gauge(
    'asfiled_database_damaged_relations',
    'Tables, indexes and other relations with damage that is not repaired.',
    ({ store }) => [{ value: store.damagedRelations }],
  )
  gauge(
    'asfiled_database_page_check_timestamp_seconds',
    'When all pages of the database were last checked, as Unix time. No value: never.',
    ({ store }) => (store.lastPageCheck === null ? [] : [{ value: store.lastPageCheck }]),
  )
  gauge('asfiled_job_processes', 'Servers and workers that run jobs.', ({ store }) => [
    { value: store.processes },
  ])
}

const jobKinds = ['backtest', 'as_of'] as const
const jobStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const

function exposeJobs(gauge: FigureGauge): void {
  gauge(
    'asfiled_jobs',
    'Submitted backtests and as-of joins, by state. Finished ones are on record for a week.',
    ({ jobs }) =>
      jobKinds.flatMap(kind =>
        jobStates.map(state => ({
          labels: { kind, state },
          value: jobs.find(job => job.kind === kind && job.state === state)?.count ?? 0,
        })),
      ),
    ['kind', 'state'],
  )
  gauge(
    'asfiled_job_oldest_queued_timestamp_seconds',
    'When the oldest job that waits was submitted, as Unix time. No value: none waits.',
    ({ jobs }) =>
      jobs
        .filter(({ kind, state }) => state === 'queued' && jobKinds.some(known => known === kind))
        .map(({ kind, oldest }) => ({ labels: { kind }, value: oldest })),
    ['kind'],
  )
}

function exposeMarkets(gauge: FigureGauge): void {
  const ofMarkets = (name: string, help: string, value: (market: MarketFigures) => number | null) =>
    gauge(
      name,
      help,
      ({ markets }) =>
        markets.flatMap(figures => {
          const found = value(figures)
          return found === null ? [] : [{ labels: { market: figures.market }, value: found }]
        }),
      ['market'],
    )
  ofMarkets(
    'asfiled_market_newest_filed_timestamp_seconds',
    'The newest filing day of the market up to today, as Unix time of its midnight in UTC.',
    market => market.newestFiled,
  )
  ofMarkets(
    'asfiled_import_last_timestamp_seconds',
    'When a batch of the market was last imported, as Unix time, by hand or by a sync.',
    market => market.lastImport,
  )
  ofMarkets(
    'asfiled_import_facts_last_hour',
    'Facts of the market that imports have stored within the last hour.',
    market => market.factsLastHour,
  )
  ofMarkets(
    'asfiled_sync_last_success_timestamp_seconds',
    'End of the last sync that fetched everything there was, as Unix time.',
    market => market.lastSync,
  )
  ofMarkets(
    'asfiled_sync_last_failure_timestamp_seconds',
    'End of the last sync that did not fetch everything, as Unix time, even if a later one did.',
    market => market.lastFailure,
  )
  ofMarkets(
    'asfiled_sync_failed_attempts',
    'Failed runs since the schedule last made one due.',
    market => market.failedAttempts,
  )
  ofMarkets(
    'asfiled_sync_running',
    'Whether a sync is running, started by the schedule or by hand.',
    market => (market.syncRunning ? 1 : 0),
  )
  ofMarkets(
    'asfiled_sync_documents',
    'Documents that the running sync has fetched; 0: no sync is running.',
    market => market.documents,
  )
  ofMarkets(
    'asfiled_sync_facts',
    'Facts that the running sync has stored; 0: no sync is running.',
    market => market.facts,
  )
}

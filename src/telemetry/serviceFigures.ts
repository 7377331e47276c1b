import type { Registry } from 'prom-client'
import { type PoolUse, poolUse, type Sql } from '../postgres/client.ts'
import { exposeCounter, exposeGauge, type Reading } from './expose.ts'

/** The threads of a process, as counted by its pool. */
export interface ThreadUse {
  readonly threads: number
  /** Tasks that are running now. */
  readonly running: number
  /** Tasks that wait for a thread. */
  readonly waiting: number
  /** Total seconds for which threads have been in use since the start. */
  readonly busySeconds: number
}

export interface CacheUse {
  readonly hits: number
  readonly misses: number
}

export interface ServiceParts {
  /** Connection pools by purpose; several pools of one purpose count as one. */
  readonly pools: () => Readonly<Record<string, readonly Sql[]>>
  readonly threads: () => ThreadUse
  /** null: the process answers no requests. */
  readonly answers: (() => CacheUse) | null
  readonly dataVersion: () => number
}

/** Exposes the figures of the service's threads, connections and caches. */
export function exposeService(registry: Registry, parts: ServiceParts): void {
  const { pools, threads, answers, dataVersion } = parts
  const ofPools = (value: (use: PoolUse) => number) => (): Reading[] =>
    Object.entries(pools()).flatMap(([pool, members]) => {
      const uses = members.map(poolUse).filter(use => use !== null)
      if (uses.length < members.length) return []
      return [{ labels: { pool }, value: uses.reduce((sum, use) => sum + value(use), 0) }]
    })
  const gauge = (name: string, help: string, read: () => Iterable<Reading>, labelNames?: string[]) =>
    exposeGauge(registry, { name, help, ...(labelNames === undefined ? {} : { labelNames }) }, read)
  gauge(
    'asfiled_pool_connections_max',
    'Connections to the database that the pool may open.',
    ofPools(use => use.max),
    ['pool'],
  )
  gauge(
    'asfiled_pool_connections_in_use',
    'Connections that run a statement or a transaction, or are being opened for one.',
    ofPools(use => use.inUse),
    ['pool'],
  )
  gauge(
    'asfiled_pool_connections_idle',
    'Open connections without work.',
    ofPools(use => use.idle),
    ['pool'],
  )
  gauge(
    'asfiled_pool_statements_waiting',
    'Statements that wait until another one of their pool has ended.',
    ofPools(use => use.waiting),
    ['pool'],
  )
  gauge('asfiled_compute_threads', 'Threads for backtests and joins.', () => [{ value: threads().threads }])
  gauge('asfiled_compute_tasks_running', 'Tasks that run on a thread.', () => [{ value: threads().running }])
  gauge('asfiled_compute_tasks_waiting', 'Tasks that wait for a thread.', () => [
    { value: threads().waiting },
  ])
  exposeCounter(
    registry,
    {
      name: 'asfiled_compute_busy_seconds_total',
      help: 'Time in which threads were in use, summed over all: its rate over the number of threads is their utilisation.',
    },
    () => [{ value: threads().busySeconds }],
  )
  gauge('asfiled_data_version', 'The data version that this process reads.', () => [{ value: dataVersion() }])
  if (answers === null) return
  exposeCounter(
    registry,
    {
      name: 'asfiled_answer_cache_lookups_total',
      help: 'Lookups of answers of the present data version in the cache: hit or miss.',
      labelNames: ['result'],
    },
    () => [
      { labels: { result: 'hit' }, value: answers().hits },
      { labels: { result: 'miss' }, value: answers().misses },
    ],
  )
}

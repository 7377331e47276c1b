import { readdirSync, readFileSync, statfsSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Registry } from 'prom-client'
import { exposeCounter, exposeGauge, type Reading } from './expose.ts'

const resolutionMs = 20
const windowMs = 15_000
const nanosecondsPerSecond = 1e9

/** How late the event loop is: a timer of 20 ms that fires 30 ms late counts as 30 ms. Covers the last
 * complete window of 15 seconds, so that any number of scrapers see the same values. Bun's monitor reports
 * the delay beyond the timer's own time. */
export class EventLoopDelay {
  readonly #monitor: ReturnType<typeof monitorEventLoopDelay>
  readonly #rotating: Timer
  #last: readonly Reading[] | null = null

  constructor() {
    this.#monitor = monitorEventLoopDelay({ resolution: resolutionMs })
    this.#monitor.enable()
    this.#rotating = setInterval(() => {
      this.#last = this.#read()
      this.#monitor.reset()
    }, windowMs)
    this.#rotating.unref()
  }

  /** During the first 15 seconds of the process, the readings of the current window. */
  readings(): readonly Reading[] {
    return this.#last ?? this.#read()
  }

  close(): void {
    clearInterval(this.#rotating)
    this.#monitor.disable()
  }

  #read(): readonly Reading[] {
    if (this.#monitor.count === 0) return []
    const seconds = (nanoseconds: number) => nanoseconds / nanosecondsPerSecond
    const worst = seconds(this.#monitor.max)
    return [
      // The monitor rounds percentiles, which may then exceed the maximum.
      { labels: { stat: 'p50' }, value: Math.min(seconds(this.#monitor.percentile(50)), worst) },
      { labels: { stat: 'p99' }, value: Math.min(seconds(this.#monitor.percentile(99)), worst) },
      { labels: { stat: 'max' }, value: worst },
    ]
  }
}

export interface ProcessParts {
  readonly version: string
  readonly role: 'server' | 'worker'
  readonly dataDir: string
  readonly eventLoop: EventLoopDelay
  readonly startedMs: number
}

/** Figures of the process and its machine. Names that begin with `process_` are the same in all Prometheus
 * clients. */
export function exposeProcess(registry: Registry, parts: ProcessParts): void {
  const { version, role, dataDir, eventLoop, startedMs } = parts
  const gauge = (name: string, help: string, read: () => Iterable<Reading>, labelNames?: string[]) =>
    exposeGauge(registry, { name, help, ...(labelNames === undefined ? {} : { labelNames }) }, read)
  gauge(
    'asfiled_info',
    'Always 1; its labels are the version of the software and the role of the process.',
    () => [{ labels: { version, role }, value: 1 }],
    ['version', 'role'],
  )
  gauge('process_start_time_seconds', 'When the process began, as Unix time.', () => [
    { value: startedMs / 1_000 },
  ])
  exposeCounter(
    registry,
    { name: 'process_cpu_seconds_total', help: 'Processor time of the process, with its threads.' },
    () => [{ value: processorSeconds() }],
  )
  gauge(
    'process_resident_memory_bytes',
    'Memory of the process, with the shared memory that it touches.',
    () => [{ value: process.memoryUsage.rss() }],
  )
  gauge('asfiled_heap_bytes', 'Memory of the JavaScript heap that is in use.', () => [
    { value: process.memoryUsage().heapUsed },
  ])
  gauge('process_open_fds', 'Open files and sockets.', openFiles)
  gauge('process_max_fds', 'Open files and sockets that the system allows.', maxOpenFiles)
  gauge(
    'asfiled_event_loop_delay_seconds',
    'How late the event loop was in the last 15 seconds: median, 99th percentile and worst.',
    () => eventLoop.readings(),
    ['stat'],
  )
  const disk = (name: string, help: string, of: (space: Space) => number) =>
    gauge(name, help, () => {
      const space = spaceOf(dataDir)
      return space === null ? [] : [{ value: of(space) }]
    })
  disk('asfiled_disk_free_bytes', 'Space that is free on the file system of DATA_DIR.', space => space.free)
  disk(
    'asfiled_disk_used_bytes',
    'Space that is used on the file system of DATA_DIR, by any program.',
    space => space.used,
  )
}

const processorSeconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

interface Space {
  readonly free: number
  readonly used: number
}

/** Returns null if the folder does not exist, for example if the database is on another machine. */
function spaceOf(folder: string): Space | null {
  try {
    const { bavail, bfree, blocks, bsize } = statfsSync(folder)
    return { free: bavail * bsize, used: (blocks - bfree) * bsize }
  } catch {
    return null
  }
}

/** Empty if the system has no /proc. */
function openFiles(): readonly Reading[] {
  try {
    return [{ value: readdirSync('/proc/self/fd').length }]
  } catch {
    return []
  }
}

function maxOpenFiles(): readonly Reading[] {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? [] : [{ value: Number(limit) }]
  } catch {
    return []
  }
}

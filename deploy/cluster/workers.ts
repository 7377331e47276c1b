import { resolve } from 'node:path'
import type { Sql } from '../../src/postgres/client.ts'
import { CpuLimit } from './cpuLimit.ts'
import { Part, until } from './processes.ts'

interface WorkersOptions {
  /** A pool of the database that the workers share. */
  readonly sql: Sql
  readonly databaseUrl: string
  /** Holds the workers' logs. */
  readonly folder: string
}

/**
 * Any number of `asfiled worker` on one database. Each has a control group of its own where this account may make one, which stands for
 * a machine with a part of a core. A worker that dies is started again, as a supervisor would.
 */
export class Workers {
  readonly #options: WorkersOptions
  readonly #parts: Part[] = []
  readonly #limits: (CpuLimit | null)[] = []

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#parts.length
  }

  /** The worker's process, which changes when it is killed and starts again; null: between the two. */
  pid(place: number): number | null {
    const part = this.#parts[place]
    return part.isRunning ? part.pid : null
  }

  /** Starts workers until there are `count`, and waits until all of them run tasks. */
  async grow(count: number): Promise<void> {
    while (this.#parts.length < count) {
      const place = this.#parts.length + 1
      const limit = CpuLimit.create(`asfiled-worker-${process.pid}-${place}`)
      const command = ['bun', 'src/cli.ts', 'worker']
      const part = new Part(
        `worker-${place}`,
        limit?.wrap(command) ?? command,
        {
          DATABASE_URL: this.#options.databaseUrl,
          ...{ COMPUTE_THREADS: '1', JOB_CONCURRENCY: '1', LOG_LEVEL: 'warn' },
        },
        resolve(this.#options.folder, `worker-${place}.log`),
      )
      this.#limits.push(limit)
      this.#parts.push(part)
      part.start()
    }
    await this.untilReady()
  }

  /** Waits until each worker runs and has reported to the database. */
  async untilReady(): Promise<void> {
    await until('every worker runs tasks', async () => {
      const alive = await this.#options.sql<{ pid: number }[]>`
        select pid from job_process where role = 'worker' and locks <> '{}' and seen_at > now() - interval '5 s'`
      const pids = new Set(alive.map(({ pid }) => pid))
      return this.#parts.every((_, place) => pids.has(this.pid(place) ?? -1))
    })
  }

  /** @param cores for each worker; null: no limit */
  setCores(cores: number | null): void {
    for (const limit of this.#limits) limit?.setCores(cores)
  }

  /** Kills a worker as `kill -9` does, while it holds a task that is not done. */
  async killAtWork(place: number): Promise<void> {
    await until(`${this.#parts[place].name} holds a task`, async () => {
      const pid = this.pid(place)
      if (pid === null) return false
      // Stopped, so that the task is still in its hands when it dies.
      process.kill(pid, 'SIGSTOP')
      const [{ held }] = await this.#options.sql<{ held: number }[]>`
        select count(*)::int as held from asfiled_queue.jobs q
        join job_process p on q.locked_by = any(p.locks) where p.pid = ${pid}`
      process.kill(pid, held > 0 ? 'SIGKILL' : 'SIGCONT')
      return held > 0
    })
  }

  /** How many processes there were, with those that were killed. */
  get starts(): number {
    return this.#parts.reduce((sum, part) => sum + 1 + part.endedAfter.length, 0)
  }

  /** What the workers have written to their logs. */
  output(): string {
    return this.#parts.map(part => part.output()).join('')
  }

  /** Ends every worker with `kill -9`. */
  async stop(): Promise<void> {
    await Promise.all(this.#parts.map(part => part.end('SIGKILL')))
    await Promise.all(this.#limits.map(limit => limit?.remove()))
  }
}

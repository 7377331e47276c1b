import { setPriority } from 'node:os'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { matchesCron } from '../cron.ts'
import { unfinishedIn } from '../features/bulk/release.ts'
import type { ScheduledTask } from './jobs.ts'

const repository = resolve(import.meta.dir, '../..')
/** The system prefers every process of normal priority, so requests do not wait for a build. */
const niceness = 10
const maxLineLength = 500
/** A build stops between two blocks of rows. One that does not stop in time ends by itself later. */
const stopTimeoutMs = 5_000

interface BulkSchedule {
  /** The times of BULK_SCHEDULE as queue tasks. The queue adds each of them once, however many processes have
   * the schedule. */
  readonly tasks: readonly ScheduledTask[]
  /** Stops a build in progress; the next one continues it. */
  close(): Promise<void>
}

/** Builds bulk files on a schedule, in a separate process. A build that was interrupted continues at the next
 * start. */
export function scheduleBulk(config: Config, log: Logger): BulkSchedule {
  const { bulkSchedule, bulkDir } = config
  if (bulkSchedule === null) return { tasks: [], close: async () => {} }
  let build: Build | null = null
  const start = () => {
    build ??= startBuild(log, () => {
      build = null
    })
  }
  if (unfinishedIn(bulkDir).length > 0) start()
  const task: ScheduledTask = {
    kind: 'bulk_due',
    name: 'bulk',
    payload: {},
    isTime: instant => matchesCron(bulkSchedule, instant),
    // Does not wait for the build, which would occupy a slot of the queue for minutes.
    perform: async () => start(),
  }
  return {
    tasks: [task],
    close: async () => {
      const stopped = build
      stopped?.stop()
      await Promise.race([stopped?.ended, Bun.sleep(stopTimeoutMs)])
    },
  }
}

interface Build {
  readonly ended: Promise<void>
  stop(): void
}

/** Runs `asfiled bulk build` with the settings of this process. The build survives if this process is killed,
 * because its files are still useful. */
function startBuild(log: Logger, onEnd: () => void): Build {
  const cli = ['--no-env-file', resolve(repository, 'src/cli.ts'), 'bulk', 'build']
  const child = Bun.spawn([process.execPath, `--config=${resolve(repository, 'bunfig.toml')}`, ...cli], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  try {
    setPriority(child.pid, niceness)
  } catch {
    // The build has already ended, or the system refuses the priority. Then other processes are slower, but
    // nothing breaks.
  }
  const ended = Promise.all([lastLineOf(child.stdout), lastLineOf(child.stderr), child.exited]).then(
    ([built, reason, code]) => {
      onEnd()
      if (code === 0) log.info({ built }, 'bulk files')
      else
        log.warn({ code, reason }, 'Bulk files could not be built; the next time of BULK_SCHEDULE continues.')
    },
  )
  return { ended, stop: () => child.kill('SIGTERM') }
}

async function lastLineOf(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let end = ''
  for await (const chunk of output)
    end = (end + decoder.decode(chunk, { stream: true })).slice(-maxLineLength)
  return end.trim().split('\n').at(-1) ?? ''
}

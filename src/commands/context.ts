import { Command, type CommanderError } from 'commander'
import { describeDatabase, openDatabase } from '../boot/database.ts'
import { sameSignalMs } from '../boot/shutdown.ts'
import type { Config } from '../config.ts'
import { type ErrorCode, Failure } from '../errors.ts'
import type { Sql } from '../postgres/client.ts'
import { explainToOperator } from '../postgres/errors.ts'
import { watchRoom } from '../postgres/storage.ts'
import { explainFileError } from './files.ts'

/**
 * The environment of a command. The database is opened when a command first needs it: the one in
 * DATABASE_URL, or the embedded one, which a running server shares.
 */
export interface CliContext {
  readonly config: Config
  readonly now: () => Date
  readonly today: () => string
  /**
   * Opens and migrates the database, names it on standard error, and closes it after `work`. Statements have
   * no time limit here.
   *
   * @param ifMissing by default, a missing embedded database is a failure
   */
  withDatabase<T>(work: (sql: Sql) => Promise<T>, ifMissing?: 'create' | 'fail'): Promise<T>
}

const noTimeLimit = 0

export function makeContext(config: Config): CliContext {
  return {
    config,
    now: () => new Date(),
    today: () => new Date().toISOString().slice(0, 10),
    withDatabase: async (work, ifMissing = 'fail') => {
      const database = await openDatabase(config, noTimeLimit, line => console.error(line), ifMissing)
      console.error(describeDatabase(config))
      const explainRoom = config.databaseUrl === null ? watchRoom(config.dataDir) : () => null
      try {
        return await work(database.sql)
      } catch (error) {
        throw explainRoom(error) ?? error
      } finally {
        await database.close()
      }
    },
  }
}

/** A program with the same help, errors and exit codes as every other command. */
export function newProgram(name: string): Command {
  return new Command(name)
    .helpOption('-h, --help', 'Show help')
    .showHelpAfterError('(Add --help for usage.)')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'asfiled: ')) })
    .exitOverride(endProcess)
}

/** Exit codes of every command; a command may add others. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** Incorrect usage exits with 2; commander would exit with 1, the code of a failed run. */
function endProcess({ code, exitCode }: CommanderError): never {
  // The exit code of a command in its own process (bench-data), which has already applied this mapping.
  if (code === 'commander.executeSubCommandAsync') process.exit(exitCode)
  process.exit(exitCode === 0 ? exitCodes.done : exitCodes.usage)
}

/** Failures caused by what was typed rather than by the run. */
const usageCodes: readonly ErrorCode[] = ['parameter_invalid', 'parameter_unknown', 'parameter_repeated']

function exitCodeOf({ code }: Failure): number {
  return usageCodes.includes(code) ? exitCodes.usage : exitCodes.failed
}

/** Runs the command that the arguments name. A Failure ends the process with its message. */
export async function runProgram(makeProgram: () => Command): Promise<void> {
  try {
    await makeProgram().parseAsync()
  } catch (error) {
    process.exit(reportFailure(error))
  }
}

/** Prints the message of a Failure on standard error and returns the exit code. Throws any other error again. */
export function reportFailure(error: unknown): number {
  const failure = error instanceof Failure ? error : (explainToOperator(error) ?? explainFileError(error))
  if (failure === null) throw error
  console.error(`asfiled: ${failure.message}`)
  return exitCodeOf(failure)
}

/**
 * Aborted by Ctrl-C or SIGTERM, so that a command can end where it loses nothing. A second signal ends the
 * process at once.
 *
 * @param notice what the command is doing about it at that moment, as a sentence
 */
export function abortOnSignal(notice: () => string): AbortSignal {
  const controller = new AbortController()
  let since: number | null = null
  const stop = () => {
    if (since === null) {
      since = performance.now()
      console.error(`${notice()} Press Ctrl-C or send SIGTERM again to stop at once.`)
      controller.abort()
    } else if (performance.now() - since > sameSignalMs) process.exit(130)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}

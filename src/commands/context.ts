import { Command, CommanderError } from 'commander'
import { openDatabase } from '../boot/database.ts'
import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import type { Sql } from '../postgres/client.ts'
import { explainToOperator } from '../postgres/errors.ts'

/** What a command works with. The database is opened when a command first needs it: the one that DATABASE_URL names, or
 * the embedded one, which a running server shares. */
export interface CliContext {
  readonly config: Config
  readonly today: () => string
  /** Opens, migrates and, after `work`, closes the database. Statements have no time limit here. */
  withDatabase<T>(work: (sql: Sql) => Promise<T>): Promise<T>
}

const noTimeLimit = 0

export function makeContext(config: Config): CliContext {
  return {
    config,
    today: () => new Date().toISOString().slice(0, 10),
    withDatabase: async work => {
      const database = await openDatabase(config, noTimeLimit, line => console.error(line))
      try {
        return await work(database.sql)
      } finally {
        await database.close()
      }
    },
  }
}

/** A program whose help and errors look like those of every other command. */
export function newProgram(name: string): Command {
  return new Command(name).helpOption('-h, --help', 'Show help').showHelpAfterError('(add --help for usage)')
}

/** Runs the command that the arguments name. A Failure ends the process with its message and exit code 2. */
export async function runProgram(makeProgram: () => Command): Promise<void> {
  try {
    await makeProgram().parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode)
    const failure = error instanceof Failure ? error : explainToOperator(error)
    if (failure === null) throw error
    console.error(`asfiled: ${failure.message}`)
    process.exit(2)
  }
}

#!/usr/bin/env bun
import { Command, CommanderError } from 'commander'
import packageFile from '../package.json'
import { openDatabase } from './boot/database.ts'
import { addBacktestCommand } from './commands/backtest.ts'
import { addBenchDataCommand } from './commands/benchData.ts'
import type { CliContext } from './commands/context.ts'
import { addDataCommand } from './commands/data.ts'
import { addGrantsCommand } from './commands/grants.ts'
import { addImportCommand } from './commands/import.ts'
import { addKeysCommand } from './commands/keys.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addServeCommand } from './commands/serve.ts'
import { addSignalsCommand } from './commands/signals.ts'
import { addSyncCommand } from './commands/sync.ts'
import { addWorkerCommand } from './commands/worker.ts'
import { readConfig } from './config.ts'
import { Failure } from './errors.ts'

const unbounded = 0

function makeContext(): CliContext {
  const config = readConfig(process.env)
  return {
    config,
    today: () => new Date().toISOString().slice(0, 10),
    withDatabase: async work => {
      const database = await openDatabase(config, unbounded, line => console.error(line))
      try {
        return await work(database.sql)
      } finally {
        await database.close()
      }
    },
  }
}

function makeProgram(context: CliContext): Command {
  const program = new Command('asfiled')
    .description('Point-in-time company data: figures as first filed, signals, search and costed backtests.')
    .version(packageFile.version)
    .showHelpAfterError('(add --help for what is possible)')
    .addHelpText(
      'after',
      `
Settings come from the environment or .env; .env.example lists each with its default. Every command works beside a
running server, on the same DATABASE_URL or DATA_DIR.`,
    )
  addServeCommand(program, context)
  addWorkerCommand(program, context)
  addMigrateCommand(program, context)
  addImportCommand(program, context)
  addSyncCommand(program, context)
  addSignalsCommand(program, context)
  addBacktestCommand(program, context)
  addKeysCommand(program, context)
  addGrantsCommand(program, context)
  addDataCommand(program, context)
  addBenchDataCommand(program, context)
  return program
}

try {
  await makeProgram(makeContext()).parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode)
  if (!(error instanceof Failure)) throw error
  console.error(`asfiled: ${error.message}`)
  process.exit(2)
}

#!/usr/bin/env bun
import type { Command } from 'commander'
import packageFile from '../package.json'
import { addBacktestCommand } from './commands/backtest.ts'
import { addBenchDataCommand } from './commands/benchData.ts'
import { type CliContext, makeContext, newProgram, runProgram } from './commands/context.ts'
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

const help = `
Settings come from the environment or .env; .env.example lists each with its default. Every command can run while a
server does, on the same DATABASE_URL or DATA_DIR.`

function makeProgram(context: CliContext): Command {
  const program = newProgram('asfiled')
    .description('Point-in-time company data: figures as first filed, signals, search and costed backtests')
    .version(packageFile.version, '-V, --version', 'Show the version')
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', help)
  addServeCommand(program, context)
  addWorkerCommand(program, context)
  addMigrateCommand(program, context)
  addImportCommand(program, context)
  addSyncCommand(program, context)
  addSignalsCommand(program, context)
  addBacktestCommand(program, context)
  addKeysCommand(program, context)
  addGrantsCommand(program, context)
  addDataCommand(program)
  addBenchDataCommand(program)
  return program
}

await runProgram(() => makeProgram(makeContext(readConfig(process.env))))

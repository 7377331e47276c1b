import type { Command } from 'commander'
import packageFile from '../../package.json'
import { addAccountsCommand } from './accounts/accounts.ts'
import { addAuditLogCommand } from './accounts/auditLog.ts'
import { addGrantsCommand } from './accounts/grants.ts'
import { addMailCommand } from './accounts/mail.ts'
import { addOrdersCommand } from './accounts/orders.ts'
import { addRequestsCommand } from './accounts/requests.ts'
import { addAuditCommand } from './audit.ts'
import { addBacktestCommand } from './backtest.ts'
import { addBackupCommand } from './backup.ts'
import { addBenchDataCommand } from './benchData.ts'
import { addBulkCommand } from './bulk.ts'
import { type CliContext, newProgram } from './context.ts'
import { addDataCommand } from './data.ts'
import { addDuckdbViewsCommand } from './duckdbViews.ts'
import { addImportCommand } from './import.ts'
import { addKeysCommand } from './keys.ts'
import { addMcpCommand } from './mcp.ts'
import { addMigrateCommand } from './migrate.ts'
import { addStatusCommand } from './operations/status.ts'
import { addUpgradeCommand } from './operations/upgrade.ts'
import { addVerifyCommand } from './operations/verify.ts'
import { addVersionCommand } from './operations/version.ts'
import { addPricesCommand } from './prices.ts'
import { addRestoreCommand } from './restore.ts'
import { addServeCommand } from './serve.ts'
import { addSignalsCommand } from './signals.ts'
import { addSuccessorsCommand } from './successors.ts'
import { addSymbolsCommand } from './symbols.ts'
import { addSyncCommand } from './sync.ts'
import { addWorkerCommand } from './worker.ts'

const help = `
Settings come from the environment or .env; .env.example lists each with its default. Every command can run
alongside a server on the same DATABASE_URL or DATA_DIR.`

/** All commands. */
export function makeProgram(context: CliContext): Command {
  const program = newProgram('./asfiled')
    .description('Point-in-time company data: figures as first filed, signals, search and costed backtests')
    .version(packageFile.version, '-V, --version', 'Show the version')
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', help)
  addServeCommand(program, context)
  addWorkerCommand(program, context)
  addMcpCommand(program, context)
  addStatusCommand(program, context)
  addVerifyCommand(program, context)
  addVersionCommand(program, context)
  addUpgradeCommand(program, context)
  addMigrateCommand(program, context)
  addImportCommand(program, context)
  addSyncCommand(program, context)
  addSymbolsCommand(program, context)
  addSuccessorsCommand(program, context)
  addSignalsCommand(program, context)
  addPricesCommand(program, context)
  addBacktestCommand(program, context)
  addAuditCommand(program, context)
  addKeysCommand(program, context)
  addGrantsCommand(program, context)
  addRequestsCommand(program, context)
  addAccountsCommand(program, context)
  addAuditLogCommand(program, context)
  addMailCommand(program, context)
  addOrdersCommand(program, context)
  addBulkCommand(program, context)
  addDuckdbViewsCommand(program, context)
  addBackupCommand(program, context)
  addRestoreCommand(program, context)
  addDataCommand(program)
  addBenchDataCommand(program)
  return program
}

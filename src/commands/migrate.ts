import type { Command } from 'commander'
import type { CliContext } from './context.ts'

/** `migrate`: brings the database schema up to this version. `serve` does the same on its own. */
export function addMigrateCommand(program: Command, context: CliContext): void {
  program
    .command('migrate')
    .description('Migrate the database to this version (serve also does this)')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://... ./asfiled migrate')
    .action(async () => {
      // Opening the database migrates it.
      await context.withDatabase(async () => {}, 'create')
      console.log('The database is up to date.')
    })
}

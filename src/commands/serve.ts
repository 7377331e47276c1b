import type { Command } from 'commander'
import { runServer } from '../boot/runServer.ts'
import type { CliContext } from './context.ts'

/** `serve`: the same as `bun start`. */
export function addServeCommand(program: Command, context: CliContext): void {
  program
    .command('serve')
    .alias('start')
    .description('Serve the API until stopped')
    .addHelpText('after', '\nExample:\n  PORT=8080 DATABASE_URL=postgres://... ./asfiled serve')
    .action(() => runServer(context.config, context.today, undefined))
}

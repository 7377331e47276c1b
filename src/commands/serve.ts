import type { Command } from 'commander'
import type { CliContext } from './context.ts'

/** `serve`: the same as `bun start`. */
export function addServeCommand(program: Command, context: CliContext): void {
  program
    .command('serve')
    .alias('start')
    .description('Serve the API until stopped')
    .addHelpText('after', '\nExample:\n  PORT=8080 DATABASE_URL=postgres://... ./asfiled serve')
    .action(async () => {
      // Loaded here: reading the code of the whole server takes twice as long as every other command needs to start.
      const { runServer } = await import('../boot/runServer.ts')
      return runServer(context.config, context.today, undefined)
    })
}

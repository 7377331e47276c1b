import type { Command } from 'commander'
import type { CliContext } from './context.ts'

const help = `
A backtest or as-of join submitted with "Prefer: respond-async" waits in the database until a process runs it. Every
server runs them; a worker does nothing else. Workers can run on any number of machines that share the database. They
split the work of a sweep, and the result is bit-identical however many there are. If a worker dies, its tasks restart
on another process within seconds.

On SIGTERM or Ctrl-C, a worker takes no more tasks, finishes its current part of a sweep (within 10 seconds, else
another process repeats that part), and exits with code 0.

Relevant settings: DATABASE_URL or DATA_DIR (the same as the server's), COMPUTE_THREADS, PANEL_MEMORY_MB,
JOB_CONCURRENCY (tasks at a time; on a server, 0 leaves all tasks to workers), COMPUTE_TIMEOUT_MS, LOG_LEVEL.

Examples:
  ./asfiled worker
  DATABASE_URL=postgres://... COMPUTE_THREADS=16 ./asfiled worker
  JOB_CONCURRENCY=0 ./asfiled serve & ./asfiled worker`

/** `worker`: runs submitted backtests and joins without serving requests. */
export function addWorkerCommand(program: Command, context: CliContext): void {
  program
    .command('worker')
    .description(
      'Run submitted backtests and as-of joins until stopped, alongside servers on the same database',
    )
    .addHelpText('after', help)
    .action(async () => {
      const { runWorker } = await import('../boot/runWorker.ts')
      return runWorker(context.config, context.today)
    })
}

import type { Command } from 'commander'
import { runWorker } from '../boot/worker.ts'
import type { CliContext } from './context.ts'

const explanation = `
A backtest that was sent with "Prefer: respond-async" lies in the database until somebody runs it. Every server does;
a worker does nothing else, on as many machines as share the database. A sweep is shared by all of them, and the
result is the same to the bit however many there are. What a worker that dies had begun is begun again elsewhere
within seconds.

SIGTERM or Ctrl-C: takes no more, finishes the part of a sweep that is under way (at most DRAIN_TIMEOUT_MS, else it is
handed to others), and ends with exit code 0.

Settings that matter here: DATABASE_URL or DATA_DIR (the same as the server's), COMPUTE_THREADS, JOB_CONCURRENCY (tasks
at a time; on a server, 0 leaves them all to workers), COMPUTE_TIMEOUT_MS, DRAIN_TIMEOUT_MS, LOG_LEVEL.

Examples:
  asfiled worker
  DATABASE_URL=postgres://... COMPUTE_THREADS=16 asfiled worker
  JOB_CONCURRENCY=0 asfiled serve & asfiled worker`

/** `worker`: runs submitted backtests, without serving. */
export function addWorkerCommand(program: Command, context: CliContext): void {
  program
    .command('worker')
    .description('run submitted backtests until it is stopped, beside servers on the same database')
    .addHelpText('after', explanation)
    .action(() => runWorker(context.config))
}

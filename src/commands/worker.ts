import type { Command } from 'commander'
import { runWorker } from '../boot/runWorker.ts'
import type { CliContext } from './context.ts'

const help = `
A backtest submitted with "Prefer: respond-async" waits in the database until a process runs it. Every server does so;
a worker does nothing else, on as many machines as share the database. They share the work of a sweep, and the result is
the same to the bit however many there are. If a worker dies, its tasks start again elsewhere within seconds.

On SIGTERM or Ctrl-C, a worker takes no more tasks, finishes the part of a sweep under way (within DRAIN_TIMEOUT_MS, else
another process repeats it), and ends with exit code 0.

Relevant settings: DATABASE_URL or DATA_DIR (the same as the server's), COMPUTE_THREADS, JOB_CONCURRENCY (tasks at a
time; on a server, 0 leaves them all to workers), COMPUTE_TIMEOUT_MS, DRAIN_TIMEOUT_MS, LOG_LEVEL.

Examples:
  asfiled worker
  DATABASE_URL=postgres://... COMPUTE_THREADS=16 asfiled worker
  JOB_CONCURRENCY=0 asfiled serve & asfiled worker`

/** `worker`: runs submitted backtests, without serving. */
export function addWorkerCommand(program: Command, context: CliContext): void {
  program
    .command('worker')
    .description('Run submitted backtests until stopped, alongside servers on the same database')
    .addHelpText('after', help)
    .action(() => runWorker(context.config))
}

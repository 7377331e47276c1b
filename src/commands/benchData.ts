import { resolve } from 'node:path'
import type { Command } from 'commander'

const executableFile = resolve(import.meta.dir, '../../bench/data/command.ts')

/** `bench-data` runs in its own process: its code belongs to bench, from which nothing in src may import. */
export function addBenchDataCommand(program: Command): void {
  program.command('bench-data', 'Fill an empty database with made-up companies and filings for benchmarks', {
    executableFile,
  })
}

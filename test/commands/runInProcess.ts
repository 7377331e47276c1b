import { spyOn } from 'bun:test'
import { type CliContext, makeContext, reportFailure } from '../../src/commands/context.ts'
import { makeProgram } from '../../src/commands/program.ts'
import { readConfig } from '../../src/config.ts'

export interface CommandRun {
  readonly code: number
  readonly out: string
  readonly error: string
}

class ProcessEnd extends Error {
  readonly code: number

  constructor(code: number) {
    super(`process.exit(${code})`)
    this.code = code
  }
}

const offline: CliContext = {
  config: readConfig({ COMPUTE_THREADS: '1' }),
  now: () => new Date('2026-07-01T12:00:00Z'),
  today: () => '2026-07-01',
  withDatabase: () => Promise.reject(new Error('This command needs no database.')),
}

/** Runs a command line in this process: several times faster than in one of its own. One at a time: it takes over the output. */
export async function runInProcess(
  words: readonly string[],
  context: Partial<CliContext> = {},
): Promise<CommandRun> {
  const out: string[] = []
  const error: string[] = []
  const spies = [
    spyOn(console, 'log').mockImplementation((line: string) => void out.push(`${line}\n`)),
    spyOn(console, 'error').mockImplementation((line: string) => void error.push(`${line}\n`)),
    spyOn(process.stdout, 'write').mockImplementation(writeTo(out)),
    spyOn(process.stderr, 'write').mockImplementation(writeTo(error)),
    spyOn(process, 'exit').mockImplementation((code): never => {
      throw new ProcessEnd(Number(code))
    }),
  ]
  try {
    process.exitCode = 0
    const code = await makeProgram({ ...offline, ...context })
      .parseAsync(words, { from: 'user' })
      .then(() => Number(process.exitCode), endOf)
    return { code, out: out.join(''), error: error.join('') }
  } finally {
    process.exitCode = 0
    for (const spy of spies) spy.mockRestore()
  }
}

/** Runs a command line in this process on the database that the environment names. */
export const runOn = (env: Readonly<Record<string, string>>, ...words: readonly string[]) =>
  runInProcess(words, makeContext(readConfig(env)))

const writeTo =
  (lines: string[]) =>
  (text: string | Uint8Array, ...rest: unknown[]): boolean => {
    lines.push(String(text))
    const written = rest.at(-1)
    if (typeof written === 'function') written()
    return true
  }

function endOf(error: unknown): number {
  if (error instanceof ProcessEnd) return error.code
  return reportFailure(error)
}

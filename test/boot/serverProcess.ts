import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const repository = resolve(import.meta.dir, '../..')

export interface RunningProcess {
  /** Everything the process has written to standard output so far, and to standard error: its log. */
  said(): string
  logged(): string
  readonly pid: number
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): void
  /** The exit code. */
  readonly exited: Promise<number>
}

export interface ServerProcess extends RunningProcess {
  readonly address: string
  get(path: string, key?: string): Promise<Response>
}

export function makeDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'asfiled-boot-'))
}

export function removeDataDir(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

const environmentOf = (dataDir: string) => ({
  ...process.env,
  DATA_DIR: dataDir,
  DATABASE_URL: '',
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'error',
})

/** The server as a person starts it, in a process of its own, once it answers. */
export async function startServerProcess(
  dataDir: string,
  extra: Record<string, string> = {},
): Promise<ServerProcess> {
  const child = await startProcess(
    ['src/main.ts'],
    { ...environmentOf(dataDir), ...extra },
    // The line with the address may come in two pieces; a blank line follows it.
    said => addressIn(said) !== undefined && said.endsWith('\n\n'),
  )
  const address = addressIn(child.said()) ?? ''
  return {
    ...{ ...child, address },
    get: (path, key = 'demo') => fetch(address + path, { headers: { Authorization: `Bearer ${key}` } }),
  }
}

const addressIn = (said: string) => /is ready at\s+(http:\S+)/.exec(said)?.[1]

/** `asfiled worker` in a process of its own, once it is ready. */
export const startWorkerProcess = (settings: Record<string, string>): Promise<RunningProcess> =>
  startProcess(['src/cli.ts', 'worker'], { ...process.env, ...settings }, said =>
    said.includes('ready; runs'),
  )

/** Its log is also shown, unless it is one of every request: a test that fails needs it. */
async function startProcess(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  isReady: (said: string) => boolean,
): Promise<RunningProcess> {
  const child = Bun.spawn(['bun', ...command], { cwd: repository, env, stdout: 'pipe', stderr: 'pipe' })
  const texts = { said: '', logged: '' }
  const ready = Promise.withResolvers<void>()
  const follow = async (name: keyof typeof texts, stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      texts[name] += decoder.decode(chunk, { stream: true })
      if (name === 'logged' && env.LOG_LEVEL !== 'info') process.stderr.write(chunk)
      if (isReady(texts.said)) ready.resolve()
    }
    ready.reject(new Error(`The process ended before it was ready:\n${texts.said}${texts.logged}`))
  }
  void follow('said', child.stdout)
  void follow('logged', child.stderr)
  await ready.promise
  return {
    said: () => texts.said,
    logged: () => texts.logged,
    pid: child.pid,
    signal: name => child.kill(name),
    exited: child.exited,
  }
}

export interface CommandRun {
  code: number
  out: string
  err: string
}

/** A command of the command line on the same data folder. */
export async function runCommand(dataDir: string, ...args: string[]): Promise<CommandRun> {
  const child = Bun.spawn(['bun', 'src/cli.ts', ...args], {
    cwd: repository,
    env: environmentOf(dataDir),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

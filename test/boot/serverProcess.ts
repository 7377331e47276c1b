import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const repository = resolve(import.meta.dir, '../..')

export interface ServerProcess {
  readonly address: string
  /** Everything the process has said on standard output so far. */
  said(): string
  readonly pid: number
  get(path: string, key?: string): Promise<Response>
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): void
  /** The exit code. */
  readonly exited: Promise<number>
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
  const child = Bun.spawn(['bun', 'src/main.ts'], {
    cwd: repository,
    env: { ...environmentOf(dataDir), ...extra },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let said = ''
  const listening = Promise.withResolvers<string>()
  const follow = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      said += decoder.decode(chunk, { stream: true })
      const address = /is ready at\s+(http:\S+)/.exec(said)?.[1]
      if (address !== undefined && said.endsWith('\n\n')) listening.resolve(address)
    }
    listening.reject(new Error(`the server ended before it was ready:\n${said}`))
  }
  follow()
  const address = await listening.promise
  return {
    address,
    said: () => said,
    pid: child.pid,
    get: (path, key = 'demo') => fetch(address + path, { headers: { Authorization: `Bearer ${key}` } }),
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

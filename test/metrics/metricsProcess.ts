import { resolve } from 'node:path'
import type { ServerProcess } from '../boot/serverProcess.ts'

const repository = resolve(import.meta.dir, '../..')

/** The address that a process names for its metrics. */
export function metricsAddress(said: string): string {
  const found = /metrics for Prometheus at (http:\S+)/.exec(said)?.[1]
  if (found === undefined) throw new Error(`The process names no address of metrics:\n${said}`)
  return found
}

/** The series of an exposition with their values: `name{labels}` and a number. */
export function seriesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map(line => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}

export async function scrape(process: Pick<ServerProcess, 'said'>): Promise<Map<string, number>> {
  const response = await fetch(metricsAddress(process.said()), { signal: AbortSignal.timeout(20_000) })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return seriesOf(await response.text())
}

export interface LoggedProcess {
  /** What it has said on standard output so far, and on standard error: its log. */
  said(): string
  logged(): string
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
  readonly exited: Promise<number>
}

/** `asfiled worker` in a process of its own, once it is ready. */
export const startWorkerProcess = (settings: Record<string, string>): Promise<LoggedProcess> =>
  startLoggedProcess(['src/cli.ts', 'worker'], settings, 'ready; runs')

/** A server in a process of its own, once it is ready; unlike `startServerProcess`, its log can be read. */
export const startLoggedServer = (settings: Record<string, string>): Promise<LoggedProcess> =>
  startLoggedProcess(['src/main.ts'], { PORT: '0', HOST: '127.0.0.1', ...settings }, 'is ready at')

async function startLoggedProcess(
  command: readonly string[],
  settings: Record<string, string>,
  readyText: string,
): Promise<LoggedProcess> {
  const child = Bun.spawn(['bun', ...command], {
    cwd: repository,
    env: { ...process.env, ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const texts = { said: '', logged: '' }
  const ready = Promise.withResolvers<void>()
  const follow = async (name: keyof typeof texts, stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      texts[name] += decoder.decode(chunk, { stream: true })
      if (texts.said.includes(readyText)) ready.resolve()
    }
    ready.reject(new Error(`The process ended before it was ready: ${texts.said}${texts.logged}`))
  }
  follow('said', child.stdout)
  follow('logged', child.stderr)
  await ready.promise
  return {
    said: () => texts.said,
    logged: () => texts.logged,
    kill: signal => child.kill(signal),
    exited: child.exited,
  }
}

import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'

/** Under `bun run` a signal arrives twice, from the terminal and from Bun, so two within this time count as
 * one. */
export const sameSignalMs = 1_000

/** Added to the time for requests and tasks in progress: closing threads and pools takes seconds, PostgreSQL
 * up to half a minute. */
const closeTimeoutMs = 60_000

/** How long a shutdown may take. Requests and tasks may each use the full drain time. */
export const stopTimeoutMs = ({ drainDelayMs, drainTimeoutMs }: Config) =>
  drainDelayMs + 2 * drainTimeoutMs + closeTimeoutMs

/** On SIGINT, SIGTERM or SIGHUP, closes what is open and exits, within `timeoutMs`. A second signal makes it
 * exit immediately. Returns a function that does the same for another reason. */
export function endOnSignal(
  opened: AsyncDisposableStack,
  meanwhile: string,
  timeoutMs: number,
  announce: (line: string) => void,
): (reason: string) => Promise<void> {
  let stoppingSince: number | null = null
  const end = async (reason: string) => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince > sameSignalMs) process.exit(1)
      return
    }
    stoppingSince = performance.now()
    announce(`${reason}; ${meanwhile}`)
    const late = Bun.sleep(timeoutMs).then(() => 'late')
    if ((await Promise.race([opened.disposeAsync(), late])) === 'late') {
      announce(
        `not everything has closed after ${timeoutMs / 1_000} s; ending without it. What was acknowledged is stored.`,
      )
      process.exit(1)
    }
    announce('stopped.')
    process.exit(0)
  }
  const signals = ['SIGINT', 'SIGTERM', ...(ignoresHangup() ? [] : ['SIGHUP'])] as const
  for (const signal of signals) process.on(signal, () => void end(signal))
  return end
}

/** Whether the process was started to outlive its terminal (`nohup`). Installing a handler would defeat
 * that. */
function ignoresHangup(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return (BigInt(`0x${ignored ?? '0'}`) & 1n) === 1n
  } catch {
    return false
  }
}

const everyMs = 1_000

/** On SIGTERM, `npx` ends the shell between itself and this process, which would otherwise be orphaned and
 * keep the port. If npm started the process (`npmPath` is its npm_execpath) through a shell above its
 * parent, this watches that shell and calls `onGone` when it ends. In all other cases, and without /proc,
 * nothing is watched. */
export function watchLauncher(npmPath: string | undefined, onGone: () => void): () => void {
  const isNpm = /np[mx]-cli\.js$/.test(npmPath ?? '')
  const launcher = isNpm ? parentOf(process.ppid) : null
  if (launcher === null || launcher <= 1 || !isCommandShell(launcher)) return () => {}
  const timer = setInterval(() => {
    if (parentOf(process.ppid) === launcher) return
    clearInterval(timer)
    onGone()
  }, everyMs)
  return () => clearInterval(timer)
}

function parentOf(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name is in parentheses and may itself contain spaces and parentheses.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

/** `sh -c ...`: a shell that runs a single command, unlike an interactive one. */
function isCommandShell(pid: number): boolean {
  try {
    const [program, option] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return /(^|\/)(ba|da)?sh$/.test(program) && option === '-c'
  } catch {
    return false
  }
}

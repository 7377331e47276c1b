import { readFileSync } from 'node:fs'

/** Under `bun run` a signal arrives twice, from the terminal and from Bun: the second one must not count as impatience. */
const sameSignalMs = 1_000

/** Closes what is open and ends the process on SIGINT or SIGTERM. A second signal ends it at once. Returns a function that does the
 * same for another reason. */
export function endOnSignal(
  opened: AsyncDisposableStack,
  meanwhile: string,
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
    await opened.disposeAsync()
    announce('stopped.')
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(signal))
  return end
}

const everyMs = 1_000

/** On SIGTERM `npx` ends the shell between itself and this process, which would live on without an owner and hold the port.
 * If npm started the process (`npmPath` is its npm_execpath) through a shell above its parent, that shell is watched and
 * `onGone` called when it ends. Elsewhere, and without /proc, nothing is watched. */
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
    // The command name is in parentheses and may contain spaces and parentheses itself.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

/** `sh -c ...`: a shell that runs one command, unlike an interactive one. */
function isCommandShell(pid: number): boolean {
  try {
    const [program, option] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return /(^|\/)(ba|da)?sh$/.test(program) && option === '-c'
  } catch {
    return false
  }
}

import { readFileSync } from 'node:fs'

/** A signal reaches us twice under `bun run`: once from the terminal, once passed on. */
const sameSignalMs = 1_000

/** On SIGINT or SIGTERM closes what is open and ends the process. A second signal does not wait. Returns what does the
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

/** `npx` answers SIGTERM by ending the shell between it and us, and we would go on without an owner, holding the
 * port. Where npm stands behind us (`npmPath` is its npm_execpath) and a shell of its own above our parent, that shell
 * is watched, and `onGone` is told when it has left. Elsewhere, and where there is no /proc, nothing is watched. */
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
    // The command's name stands in brackets and may hold spaces and brackets itself.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

/** `sh -c ...`: made to run one command, unlike the shell that a person sits at. */
function isCommandShell(pid: number): boolean {
  try {
    const [program, option] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return /(^|\/)(ba|da)?sh$/.test(program) && option === '-c'
  } catch {
    return false
  }
}

import { readFileSync } from 'node:fs'

const everyMs = 1_000

/** `npx` answers SIGTERM by ending the shell between it and us, and we would go on without an owner, holding the
 * port. Under npx (`npm exec`) the process above our own parent is watched, and `onGone` is told when it has left.
 * Elsewhere, and where there is no /proc, nothing is watched. */
export function watchLauncher(npmCommand: string | undefined, onGone: () => void): () => void {
  const launcher = npmCommand === 'exec' ? parentOf(process.ppid) : null
  if (launcher === null || launcher <= 1) return () => {}
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

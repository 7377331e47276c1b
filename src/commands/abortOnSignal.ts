/** Under `bun run` a signal arrives twice: from the terminal and passed on. Two within this time count as one. */
const sameSignalMs = 1_000

/** Aborted by Ctrl-C or SIGTERM, so that a command can end where it loses nothing. A second signal ends the process at
 * once. */
export function abortOnSignal(notice: string): AbortSignal {
  const controller = new AbortController()
  let since: number | null = null
  const stop = () => {
    if (since === null) {
      since = performance.now()
      console.error(`${notice} Press Ctrl-C or send SIGTERM again to stop at once.`)
      controller.abort()
    } else if (performance.now() - since > sameSignalMs) process.exit(130)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}

/** A signal reaches us twice under `bun run`: once from the terminal, once passed on. */
const sameSignalMs = 1_000

/** Aborted by Ctrl-C or SIGTERM, so that a command can end where it loses nothing. A second signal does not wait. */
export function stopOnSignal(say: (line: string) => void): AbortSignal {
  const controller = new AbortController()
  let since: number | null = null
  const stop = () => {
    if (since === null) {
      since = performance.now()
      say('Stopping after what is under way; once more to stop at once.')
      controller.abort()
    } else if (performance.now() - since > sameSignalMs) process.exit(130)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}

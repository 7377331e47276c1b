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

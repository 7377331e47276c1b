/** A cache that can be asked regularly to drop what nobody used. */
interface TrimmedCache {
  dropUnused(intervals: number, restBytes: number): number
}

const megabyte = 1_024 * 1_024
const everyMs = 5_000
/** Half a minute: somebody who works with a panel rarely pauses for longer. */
const intervals = 6
/** What each cache keeps, however long nobody uses it: the first request after a pause finds what was used last. */
const restBytes = 64 * megabyte
/** A collection stops this thread for some tens of milliseconds. Less than this can wait until the runtime collects by itself. */
const minCollectedBytes = 32 * megabyte

/** Drops what the caches of rows and figures have not used for half a minute, so that a process gives back the memory of a load soon
 * after it. Their settings bound them under load. Returns the function that stops this. */
export function dropUnusedMemory(...caches: readonly TrimmedCache[]): () => void {
  let uncollectedBytes = 0
  const timer = setInterval(() => {
    for (const cache of caches) uncollectedBytes += cache.dropUnused(intervals, restBytes)
    if (uncollectedBytes < minCollectedBytes) return
    uncollectedBytes = 0
    // Shared memory is free when no thread has it as garbage any longer, and an idle process collects its own late.
    Bun.gc(true)
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** A cache that can be asked to drop unused entries. */
interface TrimmedCache {
  dropUnused(intervals: number, restBytes: number): number
}

const megabyte = 1_024 * 1_024
const everyMs = 5_000
/** 30 seconds: somebody who works with a panel rarely pauses for longer. */
const intervals = 6
/** What each cache keeps even if unused, so that the first request after a pause finds the most recently used
 * data. */
const restBytes = 64 * megabyte
/** A garbage collection stops this thread for tens of milliseconds. Less memory than this can wait for the
 * runtime's own collection. */
const minCollectedBytes = 32 * megabyte

/** Drops entries of the caches of rows and figures that have been unused for half a minute, so that a process
 * returns memory soon after a busy period. During that period their settings limit them. Returns a function
 * that stops this. */
export function dropUnusedMemory(...caches: readonly TrimmedCache[]): () => void {
  let uncollectedBytes = 0
  const timer = setInterval(() => {
    for (const cache of caches) uncollectedBytes += cache.dropUnused(intervals, restBytes)
    if (uncollectedBytes < minCollectedBytes) return
    uncollectedBytes = 0
    // Shared memory is freed only when it is garbage in every thread, and an idle process collects its own
    // late.
    Bun.gc(true)
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

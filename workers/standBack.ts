import { setPriority } from 'node:os'
import { workerData } from 'piscina'

/** Lowers this thread's priority where its pool asks for it. On Linux alone: elsewhere it would be the whole process's. */
export function standBack(): void {
  const niceness: unknown = workerData?.niceness
  if (process.platform === 'linux' && typeof niceness === 'number' && niceness > 0) setPriority(0, niceness)
}

import type { Call } from './Call.ts'

/** Longer than a statement may take, so that silence means a dead client and not a slow query. */
export const idleSeconds = 30

/** Does work that is silent for as long as it takes: a backtest that waits and runs. Bun would take the silence for a
 * dead connection and end it without an answer; a client that leaves is noticed nevertheless. */
export async function unhurried<T>({ server, request }: Call, work: () => Promise<T>): Promise<T> {
  server?.timeout(request, 0)
  try {
    return await work()
  } finally {
    server?.timeout(request, idleSeconds)
  }
}

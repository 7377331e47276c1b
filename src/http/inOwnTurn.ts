import type { AnyElysia } from 'elysia'

/** Wraps each request that announces a body: its answer is sent in a turn of the event loop of its own.
 *
 * Bun 1.4.4 closes a connection whose request is answered before its body has arrived, and runs the promises
 * that are ready while it does. If thousands of such answers are ready at once, such as refusals that waited
 * for one query, each is sent within the one before, until the stack is full and the process ends. */
export const inOwnTurn: Parameters<AnyElysia['wrap']>[0] = (handle, { headers }) => {
  if (!headers.has('content-length') && !headers.has('transfer-encoding')) return handle
  return async (...given: unknown[]) => {
    const response = await handle(...given)
    await new Promise(resolve => setImmediate(resolve))
    return response
  }
}

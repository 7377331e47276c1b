import type { AnyElysia } from 'elysia'
import { parseTraceparent, runInTrace, TraceScope } from '../trace.ts'

/** Wraps each request: one with a valid traceparent runs in its trace. All others pay for a single header
 * lookup. */
export const inTraceOfRequest: Parameters<AnyElysia['wrap']>[0] = (handle, request) => {
  const header = request.headers.get('traceparent')
  const trace = header === null ? null : parseTraceparent(header)
  if (trace === null) return handle
  const scope = new TraceScope(trace)
  return async (...given: unknown[]) => {
    try {
      return await runInTrace(scope, () => handle(...given))
    } finally {
      scope.isOpen = false
    }
  }
}

import { AsyncLocalStorage } from 'node:async_hooks'

/** The header `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/): who follows a request through several
 * programs sends it, and finds its ids in the log of each. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** Of the caller's part of the trace; 16 hexadecimal digits. */
  readonly parentId: string
  /** Whether the caller records this trace. */
  readonly isSampled: boolean
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const noTrace = '0'.repeat(32)
const noParent = '0'.repeat(16)
const sampledFlag = 1

/** Parses the header as section 3.2 of the standard says; null: it is invalid, and the request counts as one without a trace. Nothing but
 * the digits that the pattern allows leaves this function, so a trace needs no escaping in a log or in a statement. */
export function parseTraceparent(header: string): Trace | null {
  const match = shape.exec(header)
  if (match === null) return null
  const [, version = '', traceId = '', parentId = '', flags = '', more] = match
  if (version === 'ff' || traceId === noTrace || parentId === noParent) return null
  // Later versions may add fields; this one has none.
  if (version === '00' && more !== undefined) return null
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag }
}

/** As `job.trace` stores it: a submitted job continues the trace of its request. */
export const storedTrace = ({ trace, isFollowed }: TraceScope): string =>
  `00-${trace.traceId}-${trace.parentId}-${isFollowed ? '01' : '00'}`

/** What a request or a task does in a trace. */
export class TraceScope {
  readonly trace: Trace
  /** Whether its statements name the trace, and its request always has a line in the log. Both cost, so a trusted proxy decides it and
   * not a stranger. */
  isFollowed = false
  /** Until the answer. What runs later, like a timer that the request has set, works for others. */
  isOpen = true

  constructor(trace: Trace) {
    this.trace = trace
  }
}

const scopes = new AsyncLocalStorage<TraceScope>()

/** The trace of the request or the task that runs now; null: it has none. */
export const currentScope = (): TraceScope | null => scopes.getStore() ?? null

/** Runs `work` in a trace: `currentScope` finds it there and in all that `work` waits for. */
export const runInTrace = <T>(scope: TraceScope, work: () => T): T => scopes.run(scope, work)

/** The id of the trace that statements name; null: there is none, or it is not followed. */
export function followedTraceId(): string | null {
  const scope = scopes.getStore()
  return scope?.isFollowed && scope.isOpen ? scope.trace.traceId : null
}

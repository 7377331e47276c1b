import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { requestsTo, ToolRefusal } from './api.ts'
import { toolServer } from './server.ts'

export interface StdioSettings {
  /** Address of the server whose API the tools call, without a trailing slash. */
  readonly address: string
  readonly key: string
  readonly version: string
  /** Writes to the process's log; standard output carries only messages. */
  readonly report: (line: string) => void
}

/** Longer than the server allows a backtest to run. */
const timeoutMs = 300_000

/** Serves the agent tools on standard input and output until the client closes them. */
export function serveTools({ address, key, version, report }: StdioSettings): void {
  const perform = requestsTo({
    address,
    headers: { Authorization: `Bearer ${key}`, 'User-Agent': `asfiled-mcp/${version}` },
    send: request => send(address, request),
  })
  const deps = {
    // A connection that breaks while a body is read fails here, not in `send`.
    perform: (...sent: Parameters<typeof perform>) =>
      perform(...sent).catch(error => unreachable(address, sent[1], error)),
    report: (error: unknown) => report(`a tool failed: ${error instanceof Error ? error.name : 'unknown'}`),
  }
  serveStdio(() => toolServer(deps, { version, website: address }), { maxSubscriptions: 0 })
}

async function send(address: string, request: Request): Promise<Response> {
  const response = await fetch(request, {
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]),
  })
  if (response.status < 300 || response.status >= 400) return response
  await response.body?.cancel()
  throw new ToolRefusal(
    'redirected',
    `${address} redirects to another address. Set ASFILED_URL to that address: the key is not sent anywhere else.`,
  )
}

function unreachable(address: string, signal: AbortSignal, error: unknown): never {
  if (error instanceof ToolRefusal || signal.aborted) throw error
  throw new ToolRefusal(
    'unreachable',
    `The service at ${address} cannot be reached, or the connection ended before the answer was complete. Check that it is running and that ASFILED_URL is its address, then call again.`,
  )
}

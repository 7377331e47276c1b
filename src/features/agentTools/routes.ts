import {
  createMcpHandler,
  INVALID_PARAMS,
  INVALID_REQUEST,
  localhostAllowedHostnames,
  PARSE_ERROR,
  validateHostHeader,
} from '@modelcontextprotocol/server'
import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import type { BodyReader } from '../../http/body.ts'
import { type Answer, type RequestContext, withoutIdleTimeout } from '../../http/context.ts'
import { forClientAt } from '../../http/innerRequest.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { requestsTo } from './api.ts'
import { toolServer } from './server.ts'

export interface AgentToolDeps {
  readonly settings: {
    readonly baseUrl: string
    readonly version: string
    /**
     * True if only programs on this machine reach the server: it listens on loopback and has no public base
     * URL.
     */
    readonly isLocal: boolean
  }
  readonly log: { readonly error: (fields: object, message: string) => void }
  readonly bodies: BodyReader
  /** The whole app, so that a tool's request passes the same checks as one from outside. */
  readonly handle: (request: Request) => Promise<Response>
}

/** A message consists of a few arguments. */
const maxMessageBytes = 1_024 * 1_024

/**
 * POST /mcp: the agent tools over streamable HTTP, without sessions, so that any server may respond to any
 * message.
 */
export function agentToolRoutes(http: HttpPlugin, deps: AgentToolDeps) {
  const { settings, log, bodies } = deps
  const report = (error: unknown) => log.error({ route: '/mcp', err: error }, 'defect')
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const { address, id } = senderOf(authInfo?.extra)
      const perform = requestsTo({
        address: 'http://localhost',
        headers: { Authorization: authInfo?.token ?? 'Bearer demo', 'X-Request-Id': id },
        send: request => deps.handle(forClientAt(address, request)),
      })
      const { version, baseUrl } = settings
      return toolServer({ perform, report }, { version, website: baseUrl })
    },
    // Nothing ever changes that a client could subscribe to.
    { maxSubscriptions: 0 },
  )
  return new Elysia({ name: 'agentTools' }).use(http).post(
    '/mcp',
    async ({ context }) => {
      if (settings.isLocal) requireLocalHost(context)
      requireOwnOrigin(context, settings.baseUrl)
      requireJson(context)
      const parsedBody = await bodies.use(context, async bytes => messageOf(bytes), {
        maxBytes: maxMessageBytes,
      })
      const fault = faultOf(parsedBody)
      if (fault !== null) return refusedMessage(fault)
      return withoutIdleTimeout(context, async () => {
        const { request, address, id } = context
        const token = request.headers.get('authorization') ?? 'Bearer demo'
        const authInfo = { token, clientId: address, scopes: [], extra: { address, id } }
        return toAnswer(await handler.fetch(request, { authInfo, parsedBody }))
      })
    },
    { access: 'agent', detail: { hide: true }, parse: 'none' },
  )
}

/** The sender as `http/plugin.ts` determined it, so that limits count by the same address. */
function senderOf(extra: Record<string, unknown> | undefined): { address: string; id: string } {
  const { address, id } = extra ?? {}
  if (typeof address === 'string' && typeof id === 'string') return { address, id }
  throw new Error('A message came without its sender.')
}

/**
 * Rejects requests from pages of other sites, which could otherwise use a server that only their visitor can
 * reach (DNS rebinding). Programs send no Origin.
 */
function requireOwnOrigin({ request }: RequestContext, baseUrl: string): void {
  const origin = request.headers.get('origin')
  if (origin === null || origin === new URL(baseUrl).origin) return
  throw new Failure(
    'form_refused',
    'The agent tools accept messages only from programs and from pages of this service. This one came from a page of another site: send it from a program, without the header Origin.',
    { param: 'Origin' },
  )
}

/**
 * Rejects unknown Host names (DNS rebinding): a page whose own name resolves to 127.0.0.1 is same-origin to
 * the browser, but sends that name as Host. Behind a proxy the allowed name is that of BASE_URL.
 */
function requireLocalHost({ request }: RequestContext): void {
  const checked = validateHostHeader(request.headers.get('host'), localhostAllowedHostnames())
  if (checked.ok) return
  throw new Failure(
    'form_refused',
    'This server offers the agent tools only to programs on its own machine, at localhost, 127.0.0.1 and [::1]. To offer them under another name, set BASE_URL to the address that clients use.',
    { param: 'Host' },
  )
}

function requireJson({ request }: RequestContext): void {
  const type = request.headers.get('content-type')?.split(';')[0].trim().toLowerCase()
  if (type === 'application/json') return
  throw new Failure('media_type_unsupported', 'Send the message with the Content-Type application/json.', {
    param: 'Content-Type',
  })
}

/** Marks a body that is not JSON. */
const unparsed = Symbol('unparsed')

function messageOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return unparsed
  }
}

interface MessageFault {
  readonly status: number
  readonly id: string | number | null
  readonly code: number
  readonly message: string
}

/**
 * Lists that always fit one page, so no cursor for them is valid. The library ignores cursors, and a client
 * that follows a wrong one would read the same page forever.
 */
const lists: ReadonlySet<string> = new Set(['tools/list', 'resources/list', 'resources/templates/list'])

/** The JSON-RPC error of a malformed message that the library does not report itself. */
function faultOf(message: unknown): MessageFault | null {
  if (message === unparsed) {
    const said = 'Parse error: the body is not JSON. Send one JSON-RPC message as UTF-8.'
    return { status: 400, id: null, code: PARSE_ERROR, message: said }
  }
  // A batch of a thousand calls would start all of them at once.
  if (Array.isArray(message)) {
    const said = 'Invalid request: the body is a list. Send one JSON-RPC message a request.'
    return { status: 400, id: null, code: INVALID_REQUEST, message: said }
  }
  if (typeof message !== 'object' || message === null) return null
  const { id, method, params } = Object(message)
  const cursor: unknown =
    typeof params === 'object' && params !== null ? Reflect.get(params, 'cursor') : undefined
  if (!lists.has(method) || cursor === undefined) return null
  const said = 'Invalid params: cursor is not valid. The list has one page; omit cursor.'
  const isId = typeof id === 'string' || typeof id === 'number'
  return { status: 200, id: isId ? id : null, code: INVALID_PARAMS, message: said }
}

function refusedMessage({ status, id, code, message }: MessageFault): Answer {
  const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  return { status, headers, body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }) }
}

/**
 * Keeps only those of the library's headers that describe the body. No page of another site may read the
 * response, because none may send the request.
 */
function toAnswer({ status, headers, body }: Response): Answer {
  const own = new Headers({
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Authorization',
  })
  for (const name of ['content-type', 'mcp-protocol-version', 'allow']) {
    const value = headers.get(name)
    if (value !== null) own.set(name, value)
  }
  // Stops nginx from buffering progress.
  own.set('X-Accel-Buffering', 'no')
  return { status, headers: own, body }
}

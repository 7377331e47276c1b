import type { AnyElysia } from 'elysia'
import { Failure } from '../errors.ts'
import type { Answer, RequestContext } from './context.ts'
import { allowedRequestHeaders, answerHeaders } from './headers.ts'

type Methods = ReadonlyMap<string, ReadonlySet<string>>

const methodsOfApp = new WeakMap<AnyElysia, Methods>()

/** The response to a request that matches no route: 405 with Allow if the path has other methods, 204 to
 * OPTIONS, else 404. */
export function unroutedAnswer(app: AnyElysia, context: RequestContext): Answer {
  let methods = methodsOfApp.get(app)
  if (methods === undefined) {
    methods = methodsByPath(app)
    methodsOfApp.set(app, methods)
  }
  const { path } = context
  const known = methods.get(path) ?? methods.get([...methods.keys()].find(key => matches(key, path)) ?? '')
  const { method } = context.request
  if (known === undefined) throw routeUnknown(context)
  // Elysia routes by the path as sent, while `path` has its dot segments resolved. If only the resolved path
  // has a route, the message says so.
  if (known.has(method)) {
    throw new Failure(
      'route_unknown',
      `The path resolves to ${path.slice(0, 100)}, but is written differently. Send it in that form, without dot segments and backslashes.`,
    )
  }
  const allow = [...known, 'OPTIONS']
  if (method === 'OPTIONS') return { status: 204, headers: answerHeaders(preflight(allow)), body: null }
  throw new Failure(
    'method_not_allowed',
    `${path.slice(0, 100)} accepts ${allow.join(', ')}, not ${method}.`,
    {
      allow,
    },
  )
}

export function routeUnknown(context: RequestContext): Failure {
  return new Failure(
    'route_unknown',
    `There is no route ${context.request.method} ${context.path.slice(0, 100)}. /docs lists all routes; the versioned ones start with /api/v1.`,
  )
}

function preflight(allow: readonly string[]): Record<string, string> {
  return {
    Allow: allow.join(', '),
    'Access-Control-Allow-Methods': allow.join(', '),
    'Access-Control-Allow-Headers': allowedRequestHeaders,
    'Access-Control-Max-Age': '7200',
  }
}

function methodsByPath(app: AnyElysia): Methods {
  const methods = new Map<string, Set<string>>()
  for (const { method, path } of app.routes) {
    const known = methods.get(path) ?? new Set<string>()
    known.add(method)
    if (method === 'GET') known.add('HEAD')
    methods.set(path, known)
  }
  return methods
}

function matches(pattern: string, path: string): boolean {
  if (!pattern.includes(':') && !pattern.includes('*')) return false
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return false
  return wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
}

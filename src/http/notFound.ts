import type { AnyElysia } from 'elysia'
import { Failure } from '../errors.ts'
import type { Answer, Call } from './context.ts'
import { allowedRequestHeaders, answerHeaders } from './headers.ts'

type Methods = Map<string, Set<string>>

/** What happens to a request that no route takes: 405 with Allow where the path has other methods, the answer to
 * OPTIONS, else 404. */
export function unrouted(app: AnyElysia): (call: Call) => Answer {
  const methods = methodsByPath(app)
  const patterns = [...methods.keys()].filter(path => path.includes(':') || path.includes('*'))
  return call => {
    const path = call.path
    const known = methods.get(path) ?? methods.get(patterns.find(pattern => matches(pattern, path)) ?? '')
    const { method } = call.request
    if (known === undefined) throw routeUnknown(call)
    // The router reads a path as it was sent, and everything else as it was meant.
    if (known.has(method)) {
      throw new Failure(
        'route_unknown',
        `The path stands for ${path.slice(0, 100)}, but is spelt otherwise. Send it so, without dots and backslashes.`,
      )
    }
    const allow = [...known, 'OPTIONS']
    if (method === 'OPTIONS') return { status: 204, headers: answerHeaders(preflight(allow)), body: null }
    throw new Failure(
      'method_not_allowed',
      `${path.slice(0, 100)} takes ${allow.join(', ')}, not ${method}.`,
      { allow },
    )
  }
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
  const methods: Methods = new Map()
  for (const { method, path } of app.routes) {
    const known = methods.get(path) ?? new Set<string>()
    known.add(method)
    if (method === 'GET') known.add('HEAD')
    methods.set(path, known)
  }
  return methods
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return false
  return wanted.every((part, place) => (part.startsWith(':') ? given[place] !== '' : part === given[place]))
}

export function routeUnknown(call: Call): Failure {
  return new Failure(
    'route_unknown',
    `There is no route ${call.request.method} ${call.path.slice(0, 100)}. /docs lists them all; the versioned ones begin with /api/v1.`,
  )
}

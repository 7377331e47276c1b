import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import { encodedAnswer, unchanged } from '../answers.ts'
import { chooseEncoding, compress, type Encoding } from '../compression.ts'
import type { Answer, Call } from '../context.ts'
import type { RouteMaker } from '../handler.ts'
import { answerHeaders, entityTag } from '../headers.ts'
import { routeUnknown } from '../notFound.ts'
import { noQuery } from '../parameters.ts'
import { errorsPage } from './errorsPage.ts'

const toDocs = answerHeaders({ Location: '/docs' })
const page = Bun.file(resolve(import.meta.dir, 'page.html'))
const assetsPrefix = '/docs/assets/'

/** Scripts, styles, images and requests of this server only. Swagger UI draws its icons as data: images and sets
 * style attributes. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const html = (call: Call, body: string): Promise<Answer> =>
  encodedAnswer(call, body, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Encoding',
  })

/** /docs: Swagger UI, from this server alone. /docs/errors: what each error code means. / leads to /docs. */
export function docs(route: RouteMaker) {
  const home = route('/', 'open', call => {
    // The router takes every path that ends with a slash for this one.
    if (call.path !== '/') throw routeUnknown(call)
    return { status: 302, headers: toDocs, body: null }
  })
  const swagger = route('/docs', 'open', async call => {
    noQuery(call)
    return html(call, await page.text())
  })
  const errors = route('/docs/errors', 'open', call => {
    noQuery(call)
    return html(call, errorsPage())
  })
  const asset = route('/docs/assets/{file}', 'open', call => {
    noQuery(call)
    return assetAnswer(call, call.path.slice(assetsPrefix.length))
  })
  const detail = { hide: true }
  return new Elysia()
    .get('/', ({ request }) => home(request), { detail })
    .get('/docs', ({ request }) => swagger(request), { detail })
    .get('/docs/errors', ({ request }) => errors(request), { detail })
    .get('/docs/assets/:file', ({ request }) => asset(request), { detail })
}

const library = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))

/** All that the pages load, and all that is served: nothing comes from another host. */
const files: Record<string, { path: string; type: string }> = {
  'swagger-ui.css': { path: resolve(library, 'swagger-ui.css'), type: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': {
    path: resolve(library, 'swagger-ui-bundle.js'),
    type: 'text/javascript; charset=utf-8',
  },
  'favicon-32x32.png': { path: resolve(library, 'favicon-32x32.png'), type: 'image/png' },
  'docs.css': { path: resolve(import.meta.dir, 'docs.css'), type: 'text/css; charset=utf-8' },
  'docs.js': { path: resolve(import.meta.dir, 'docs.js'), type: 'text/javascript; charset=utf-8' },
}

/** Loaded and compressed once for each encoding that was asked for. */
const kept = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

function load(name: string, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const key = `${encoding} ${name}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const made =
    encoding === 'identity'
      ? Bun.file(files[name].path).bytes()
      : load(name, 'identity').then(bytes => compress(bytes, encoding))
  kept.set(key, made)
  made.catch(() => kept.delete(key))
  return made
}

export async function assetAnswer(call: Call, name: string): Promise<Answer> {
  if (!Object.hasOwn(files, name)) {
    throw new Failure(
      'route_unknown',
      `There is no ${name.slice(0, 100)} here. The documentation is at /docs.`,
    )
  }
  const { type } = files[name]
  const plain = await load(name, 'identity')
  const headers: Record<string, string> = {
    'Content-Type': type,
    ETag: entityTag(0, `${name} ${Bun.hash.xxHash64(plain)}`),
    'Cache-Control': 'public, max-age=3600',
    Vary: 'Accept-Encoding',
  }
  const same = unchanged(call, headers)
  if (same !== null) return same
  const wanted = chooseEncoding(call.request.headers.get('accept-encoding'))
  const encoding = type === 'image/png' ? 'identity' : wanted
  if (encoding !== 'identity') headers['Content-Encoding'] = encoding
  return { status: 200, headers: answerHeaders(headers), body: new Blob([await load(name, encoding)]) }
}

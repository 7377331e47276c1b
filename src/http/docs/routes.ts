import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import { encodedAnswer, notModified } from '../answers.ts'
import { chooseEncoding, compress, type Encoding } from '../compression.ts'
import type { Answer, RequestContext } from '../context.ts'
import { answerHeaders, entityTag } from '../headers.ts'
import { routeUnknown } from '../notFound.ts'
import { noQuery } from '../parameters.ts'
import type { HttpPlugin } from '../plugin.ts'
import { errorsPage } from './errorsPage.ts'

const toDocs = answerHeaders({ Location: '/docs' })
const page = Bun.file(resolve(import.meta.dir, 'page.html'))
const assetsPrefix = '/docs/assets/'

/** Allows scripts, styles, images and requests of this server only. Swagger UI draws its icons as data: images and sets style
 * attributes, hence the two exceptions. */
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

const html = (context: RequestContext, body: string): Promise<Answer> =>
  encodedAnswer(context, body, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Encoding',
  })

const hidden = { access: 'open', detail: { hide: true } } as const

/** /docs: Swagger UI, from this server alone. /docs/errors: what each error code means. / redirects to /docs. */
export function docsRoutes(http: HttpPlugin) {
  return new Elysia({ name: 'docs' })
    .use(http)
    .get(
      '/',
      ({ context }) => {
        // The router matches every path of slashes alone with this one.
        if (context.path !== '/') throw routeUnknown(context)
        return { status: 302, headers: toDocs, body: null }
      },
      { ...hidden },
    )
    .get(
      '/docs',
      async ({ context }) => {
        noQuery(context)
        return html(context, await page.text())
      },
      { ...hidden },
    )
    .get(
      '/docs/errors',
      ({ context }) => {
        noQuery(context)
        return html(context, errorsPage())
      },
      { ...hidden },
    )
    .get(
      '/docs/assets/:file',
      ({ context }) => {
        noQuery(context)
        return assetAnswer(context, context.path.slice(assetsPrefix.length))
      },
      { ...hidden },
    )
}

const library = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))

/** Every asset of the pages. Nothing is loaded from another host, so the documents work without internet. */
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

/** Assets by encoding and name, loaded and compressed once. */
const cachedAssets = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

function load(name: string, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const key = `${encoding} ${name}`
  const known = cachedAssets.get(key)
  if (known !== undefined) return known
  const made =
    encoding === 'identity'
      ? Bun.file(files[name].path).bytes()
      : load(name, 'identity').then(bytes => compress(bytes, encoding))
  cachedAssets.set(key, made)
  made.catch(() => cachedAssets.delete(key))
  return made
}

export async function assetAnswer(context: RequestContext, name: string): Promise<Answer> {
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
  const same = notModified(context, headers)
  if (same !== null) return same
  const wanted = chooseEncoding(context.request.headers.get('accept-encoding'))
  const encoding = type === 'image/png' ? 'identity' : wanted
  if (encoding !== 'identity') headers['Content-Encoding'] = encoding
  return { status: 200, headers: answerHeaders(headers), body: new Blob([await load(name, encoding)]) }
}

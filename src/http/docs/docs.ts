import { resolve } from 'node:path'
import { Elysia } from 'elysia'
import type { Answer, Call } from '../Call.ts'
import { encodedAnswer } from '../encodedAnswer.ts'
import { answerHeaders } from '../headers.ts'
import { noQuery } from '../noQuery.ts'
import { routeUnknown } from '../routeUnknown.ts'
import type { RouteMaker } from '../serve.ts'
import { assetAnswer } from './assets.ts'
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

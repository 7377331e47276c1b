import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import { SharedDocument } from '../answers.ts'
import type { Answer, RequestContext } from '../context.ts'
import { answerHeaders } from '../headers.ts'
import { noQuery } from '../parameters.ts'
import type { HttpPlugin } from '../plugin.ts'
import { prefersHtml } from '../preferences.ts'
import { apiPage } from './apiPage.ts'
import { errorsPage } from './errorsPage.ts'
import { type GuideName, guidePage, guides, guidesPage, unknownGuidePage } from './guides.ts'

const guidesPrefix = '/docs/guides/'
const noGuide = `There is no such guide. The guides are ${Object.keys(guides).join(', ')}; /docs/guides lists them.`
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

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
}

/** A page under /docs that is made once. */
export const page = (make: () => Promise<string>) =>
  new SharedDocument(make, { ...pageHeaders, 'Cache-Control': 'no-cache' })

/** A page for a browser, an error for a program. */
function noGuideAnswer({ request }: RequestContext): Answer {
  if (!prefersHtml(request.headers.get('accept'))) throw new Failure('route_unknown', noGuide)
  const headers = answerHeaders({ ...pageHeaders, 'Cache-Control': 'no-store', Vary: 'Accept' })
  return { status: 404, headers, body: unknownGuidePage() }
}

const hidden = { access: 'open', detail: { hide: true } } as const

/** /docs: Swagger UI, loaded only from this server. /docs/guides: the guides of the repository. /docs/errors: what each error code means. */
export function docsRoutes(http: HttpPlugin) {
  const api = page(async () => apiPage())
  const errors = page(async () => errorsPage())
  const guideList = page(guidesPage)
  const guideNames = Object.keys(guides) as GuideName[]
  const guidesByName = new Map<string, SharedDocument>(
    guideNames.map(name => [name, page(() => guidePage(name))]),
  )
  return new Elysia({ name: 'docs' })
    .use(http)
    .get(
      '/docs',
      ({ context }) => {
        noQuery(context)
        return api.answer(context)
      },
      { ...hidden },
    )
    .get(
      '/docs/guides',
      ({ context }) => {
        noQuery(context)
        return guideList.answer(context)
      },
      { ...hidden },
    )
    .get(
      '/docs/guides/:name',
      // `async` is required: Elysia awaits an answer only if the handler's source text looks asynchronous.
      async ({ context }) => {
        noQuery(context)
        const guide = guidesByName.get(context.path.slice(guidesPrefix.length))
        return guide === undefined ? noGuideAnswer(context) : guide.answer(context)
      },
      { ...hidden },
    )
    .get(
      '/docs/errors',
      ({ context }) => {
        noQuery(context)
        return errors.answer(context)
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

const asset = (folder: string, file: string, type: string) =>
  new SharedDocument(
    () => Bun.file(resolve(folder, file)).bytes(),
    { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' },
    type !== 'image/png',
  )

const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'

/** Every asset of the pages. Nothing is loaded from another host, so the documents work without internet. */
const assets: Readonly<Record<string, SharedDocument>> = {
  'swagger-ui.css': asset(library, 'swagger-ui.css', css),
  'swagger-ui-bundle.js': asset(library, 'swagger-ui-bundle.js', script),
  'favicon-32x32.png': asset(library, 'favicon-32x32.png', 'image/png'),
  'api.css': asset(import.meta.dir, 'api.css', css),
  'docs.css': asset(import.meta.dir, 'docs.css', css),
  'data-flow.svg': asset(resolve(import.meta.dir, '../../../docs'), 'data-flow.svg', 'image/svg+xml'),
  'house.svg': asset(resolve(import.meta.dir, '../../../docs'), 'house.svg', 'image/svg+xml'),
  'docs.js': asset(import.meta.dir, 'docs.js', script),
  'theme.js': asset(import.meta.dir, 'theme.js', script),
}

function assetAnswer(context: RequestContext, name: string): Promise<Answer> {
  if (Object.hasOwn(assets, name)) return assets[name].answer(context)
  throw new Failure(
    'route_unknown',
    `There is no documentation file ${name.slice(0, 100)}. The documentation is at /docs.`,
  )
}

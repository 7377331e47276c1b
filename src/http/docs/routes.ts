import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import { SharedDocument } from '../answers.ts'
import type { Answer, RequestContext } from '../context.ts'
import { answerHeaders } from '../headers.ts'
import { contentPolicy, htmlHeaders } from '../pages/policy.ts'
import { noQuery } from '../parameters.ts'
import type { HttpPlugin } from '../plugin.ts'
import { prefersHtml } from '../preferences.ts'
import { apiPage } from './apiPage.ts'
import { errorsPage } from './errorsPage.ts'
import { type GuideName, guides } from './guideList.ts'
import { guideMarkdown, llmsText } from './guideMarkdown.ts'
import { guidePage, guidesPage, unknownGuidePage } from './guides.ts'

const guidesPrefix = '/docs/guides/'
const noGuide = `There is no such guide. The guides are ${Object.keys(guides).join(', ')}; /docs/guides lists them.`

/** A page under /docs that is rendered once. */
export const page = (make: () => Promise<string>, headers = htmlHeaders()) =>
  new SharedDocument(make, { ...headers, 'Cache-Control': 'no-cache' })

/** Swagger UI sets style attributes and draws its icons from data: URLs. */
const apiHeaders = htmlHeaders(contentPolicy({ 'style-src': "'unsafe-inline'", 'img-src': 'data:' }))

/** Returns HTML to a browser and an error to a program. */
function noGuideAnswer({ request }: RequestContext): Answer {
  if (!prefersHtml(request.headers.get('accept'))) throw new Failure('route_unknown', noGuide)
  const headers = answerHeaders({ ...htmlHeaders(), 'Cache-Control': 'no-store', Vary: 'Accept' })
  return { status: 404, headers, body: unknownGuidePage() }
}

const hidden = { access: 'open', detail: { hide: true } } as const

/** /docs is Swagger UI, loaded from this server only. /docs/guides has the guides of the repository, and
 * /docs/errors explains every error code. Each guide is also Markdown, at its address with .md, and /llms.txt lists those.
 *
 * @param settings read late, because the port may only be known after the start */
export function docsRoutes(http: HttpPlugin, settings: { readonly baseUrl: string }) {
  const api = page(async () => apiPage(), apiHeaders)
  const errors = page(async () => errorsPage())
  const guideList = page(() => guidesPage(settings.baseUrl))
  const guideNames = Object.keys(guides) as GuideName[]
  const markdown = { 'Content-Type': 'text/markdown; charset=utf-8' }
  const guidesByName = new Map<string, SharedDocument>(
    guideNames.flatMap(name => [
      [name, page(() => guidePage(name, settings.baseUrl))],
      [`${name}.md`, page(() => guideMarkdown(name, settings.baseUrl), markdown)],
    ]),
  )
  const llms = page(() => llmsText(settings.baseUrl), { 'Content-Type': 'text/plain; charset=utf-8' })
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
      // `async` is required: Elysia awaits a handler only if its source text looks asynchronous.
      async ({ context }) => {
        noQuery(context)
        const guide = guidesByName.get(context.path.slice(guidesPrefix.length))
        return guide === undefined ? noGuideAnswer(context) : guide.answer(context)
      },
      { ...hidden },
    )
    .get(
      '/llms.txt',
      ({ context }) => {
        noQuery(context)
        return llms.answer(context)
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
}

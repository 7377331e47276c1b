import { Elysia } from 'elysia'
import type { HttpPlugin } from '../../../http/plugin.ts'
import { answerPage, filledFields } from '../answer.ts'
import type { PageDeps } from '../deps.ts'
import { comparePage } from './page.ts'

/** /compare: several companies side by side. */
export function compareRoutes(http: HttpPlugin, deps: PageDeps) {
  return new Elysia({ name: 'compare' }).use(http).get(
    '/compare',
    async ({ context }) => {
      const text = filledFields(context.queryText)
      const { rights } = context.authenticatedCaller
      return answerPage(deps, context, `compare ${text}`, () => comparePage(deps, rights, text))
    },
    { access: 'page', detail: { hide: true } },
  )
}

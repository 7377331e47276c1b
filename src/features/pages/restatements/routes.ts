import { Elysia } from 'elysia'
import type { HttpPlugin } from '../../../http/plugin.ts'
import { answerList, filledFields } from '../answer.ts'
import type { PageDeps } from '../deps.ts'
import { restatementsPage } from './page.ts'

/** /restatements: figures that a later filing changed. */
export function restatementsPageRoutes(http: HttpPlugin, deps: PageDeps) {
  return new Elysia({ name: 'restatementsPage' }).use(http).get(
    '/restatements',
    async ({ context }) => {
      const text = filledFields(context.queryText)
      return answerList(deps, context, `restatements ${text}`, viewer => restatementsPage(deps, viewer, text))
    },
    { access: 'page', detail: { hide: true } },
  )
}

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { redirectAnswer } from '../../http/answers.ts'
import { queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { AccountDeps } from './accountDeps.ts'
import { pageAnswer } from './pages/frame.ts'
import { codePage, signInPage } from './pages/signInPages.ts'
import { endSessions } from './sessionQueries.ts'
import { enterCode, requestCode, safeNext } from './signIn.ts'
import { findCodeEmail } from './signInQueries.ts'

const readNext = queryReader(
  Type.Object(
    { next: Type.Optional(Type.String({ maxLength: 200, examples: ['/account/api-keys'] })) },
    { additionalProperties: false },
  ),
)

const page = { visitorPage: true } as const
const form = { visitorForm: true, parse: 'none' } as const

/** /sign-in, /sign-in/code and /sign-out. */
export function signInRoutes(http: HttpPlugin, deps: AccountDeps) {
  const { cookies } = deps.access
  const { kind: mail } = deps.mailer
  return new Elysia({ name: 'signIn' })
    .use(http)
    .get(
      '/sign-in',
      async ({ context, signedIn }) => {
        const next = safeNext(readNext(context.queryText).next ?? '')
        return signedIn === null ? pageAnswer(200, signInPage({ mail, next })) : redirectAnswer(next)
      },
      { ...page },
    )
    .post('/sign-in', async ({ context, form }) => requestCode(deps, context, form), { ...form })
    .get(
      '/sign-in/code',
      async ({ context }) => {
        const next = safeNext(readNext(context.queryText).next ?? '')
        const browser = cookies.readDigest(context.request.headers, 'signin')
        const email = browser === null ? null : await findCodeEmail(deps.sql, browser)
        if (email === null) return redirectAnswer('/sign-in')
        return pageAnswer(200, codePage({ mail, next, email }))
      },
      { ...page },
    )
    .post('/sign-in/code', async ({ context, form }) => enterCode(deps, context, form), { ...form })
    .post(
      '/sign-out',
      async ({ signedIn }) => {
        if (signedIn !== null)
          await endSessions(deps.sql, signedIn.actor, { only: signedIn.session.sessionId }, 'signed_out')
        return redirectAnswer('/sign-in', [cookies.clear('session')])
      },
      { ...form },
    )
}

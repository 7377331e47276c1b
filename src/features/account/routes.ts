import { Elysia } from 'elysia'
import { dataHeaders, encodedAnswer, jsonType } from '../../http/answers.ts'
import type { RequestContext } from '../../http/context.ts'
import { noQuery } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { type Actor, listAudit } from './auditQueries.ts'
import { forgetBrowsers, listBrowsers } from './browserQueries.ts'
import type { Form } from './forms.ts'
import { countNewKey, makeFreeKey, makeGrantedKey, nameKey, revokeKey, rotateKey } from './keys.ts'
import { describeCaller, meOperation } from './me.ts'
import { pageAnswer, redirectAnswer } from './pages/frame.ts'
import { keysPage, type ShownKey } from './pages/keysPage.ts'
import { profilePage } from './pages/profilePage.ts'
import { usageDays, usagePage } from './pages/usagePage.ts'
import { revealLater, revealOnce } from './reveal.ts'
import { endSessions, listSessions } from './sessionQueries.ts'
import { signInRoutes } from './signInRoutes.ts'
import { listHeldKeys } from './standingQueries.ts'
import { readToday, readUse } from './usageQueries.ts'
import { type AccountDeps, isAdmin, Visitors } from './visitor.ts'

const hidden = { access: 'open', detail: { hide: true } } as const
const hiddenForm = { ...hidden, parse: 'none' } as const
const keysPath = '/account/api-keys'
const shownAuditEntries = 50

/** GET /api/v1/me: what a key may do. In an app of its own, since it alone is documented. */
export function meRoutes(http: HttpPlugin, deps: AccountDeps) {
  return new Elysia({ name: 'me' }).use(http).get(
    '/api/v1/me',
    async ({ context }) => {
      noQuery(context)
      const me = await describeCaller(deps.sql, context)
      const { ETag: _, ...headers } = dataHeaders(jsonType, '')
      return encodedAnswer(context, JSON.stringify(me), { ...headers, 'Cache-Control': 'no-store' })
    },
    { ...meOperation },
  )
}

/** Sign-in and the pages below /account. */
export function accountRoutes(http: HttpPlugin, deps: AccountDeps) {
  const { sql } = deps
  const visitors = new Visitors(deps)

  /** A form that makes a key, whose text the next page shows once. */
  const makingForm = (context: RequestContext, make: (actor: Actor, form: Form) => Promise<string>) =>
    visitors.signedInForm(context, async ({ session, token, actor }, form) => {
      await countNewKey(deps.access.rateLimiter, actor)
      await revealLater(sql, session.sessionId, token, await make(actor, form))
      return redirectAnswer(keysPath)
    })

  return new Elysia({ name: 'account' })
    .use(http)
    .use(signInRoutes(http, visitors))
    .get(
      '/account',
      async ({ context }) =>
        visitors.signedInPage(context, async ({ session }) => {
          const { accountId } = session
          const profile = {
            session,
            sessions: await listSessions(sql, accountId),
            browsers: await listBrowsers(sql, accountId, visitors.knownDigest(context)),
            audit: await listAudit(sql, { accountId }, shownAuditEntries),
            isAdmin: isAdmin(deps.settings, session.email),
          }
          return pageAnswer(200, profilePage(profile))
        }),
      { ...hidden },
    )
    .post(
      '/account/sessions',
      async ({ context }) =>
        visitors.signedInForm(context, async ({ session, actor }, form) => {
          const which =
            form.text('session') === 'others' ? { allBut: session.sessionId } : { only: form.id('session') }
          await endSessions(sql, actor, which, 'session_ended')
          return redirectAnswer('/account')
        }),
      { ...hiddenForm },
    )
    .post(
      '/account/browsers',
      async ({ context }) =>
        visitors.signedInForm(context, async ({ actor }, form) => {
          const which = form.text('browser') === 'all' ? 'all' : { only: [form.id('browser')] }
          const forgotten = await forgetBrowsers(sql, actor, which)
          const own = visitors.knownDigest(context)
          const isOwn = own !== null && forgotten.some(digest => Buffer.compare(digest, own) === 0)
          return redirectAnswer('/account', isOwn ? [visitors.cookies.clear('known')] : [])
        }),
      { ...hiddenForm },
    )
    .get(
      keysPath,
      async ({ context }) =>
        visitors.signedInPage(context, async ({ session, token }) => {
          // HEAD shows nothing, so it must not use up what is shown once.
          const isShown = context.request.method === 'GET'
          const newKey = isShown ? await revealOnce(sql, session.sessionId, token) : null
          const keys = await shownKeys(deps, session.accountId)
          return pageAnswer(200, keysPage({ session, keys, newKey, baseUrl: deps.settings.baseUrl }))
        }),
      { ...hidden },
    )
    .post(
      keysPath,
      async ({ context }) => makingForm(context, (actor, form) => makeFreeKey(sql, actor, form.text('name'))),
      { ...hiddenForm },
    )
    .post(
      `${keysPath}/make`,
      async ({ context }) => makingForm(context, (actor, form) => makeGrantedKey(sql, actor, form.id('key'))),
      { ...hiddenForm },
    )
    .post(
      `${keysPath}/rotate`,
      async ({ context }) => makingForm(context, (actor, form) => rotateKey(sql, actor, form.id('key'))),
      { ...hiddenForm },
    )
    .post(
      `${keysPath}/revoke`,
      async ({ context }) =>
        visitors.signedInForm(context, async ({ actor }, form) => {
          await revokeKey(sql, actor, form.id('key'))
          return redirectAnswer(keysPath)
        }),
      { ...hiddenForm },
    )
    .post(
      `${keysPath}/name`,
      async ({ context }) =>
        visitors.signedInForm(context, async ({ actor }, form) => {
          await nameKey(sql, actor, form.id('key'), form.text('name'))
          return redirectAnswer(keysPath)
        }),
      { ...hiddenForm },
    )
    .get(
      '/account/usage',
      async ({ context }) =>
        visitors.signedInPage(context, async ({ session }) => {
          const keys = await shownKeys(deps, session.accountId)
          const roots = [...new Set(keys.map(key => key.rootKeyId))]
          const use = await readUse(sql, roots, usageDays)
          const working = keys.filter(key => key.state === 'active')
          return pageAnswer(200, usagePage({ session, keys: working, use, today: await readToday(sql) }))
        }),
      { ...hidden },
    )
}

async function shownKeys({ sql, access, usage }: AccountDeps, accountId: number): Promise<ShownKey[]> {
  // What this server has counted and not written yet. Others write within two seconds.
  await usage.flush()
  const keys = await listHeldKeys(sql, accountId)
  return Promise.all(
    keys.map(async key => {
      const limits = { perMinute: key.perMinute, perDay: key.perDay }
      const { usedToday } = await access.rateLimiter.peek(`key:${key.rootKeyId}`, limits)
      return { ...key, usedToday }
    }),
  )
}

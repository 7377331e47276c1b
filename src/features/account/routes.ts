import { Elysia } from 'elysia'
import type { Actor, SignedIn } from '../../access/signedIn.ts'
import { dataHeaders, encodedAnswer, jsonType, redirectAnswer } from '../../http/answers.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { noQuery } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { AccountDeps } from './accountDeps.ts'
import { listAudit } from './auditQueries.ts'
import { forgetBrowsers, listBrowsers } from './browserQueries.ts'
import { countNewKey, makeFreeKey, makeGrantedKey, nameKey, revokeKey, rotateKey } from './keys.ts'
import { describeCaller, meOperation } from './me.ts'
import { pageAnswer } from './pages/frame.ts'
import { keysPage, type ShownKey } from './pages/keysPage.ts'
import { profilePage } from './pages/profilePage.ts'
import { usageDays, usagePage } from './pages/usagePage.ts'
import { revealLater, revealOnce } from './reveal.ts'
import { endSessions, listSessions } from './sessionQueries.ts'
import { signInRoutes } from './signInRoutes.ts'
import { listHeldKeys } from './standingQueries.ts'
import { readToday, readUse } from './usageQueries.ts'

const page = { sessionPage: true } as const
const form = { sessionForm: true, parse: 'none' } as const
const keysPath = '/account/api-keys'
const shownAuditEntries = 50

/**
 * GET /api/v1/me describes the caller's key. It is an app of its own because no other account route is
 * documented.
 */
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

/** Sign-in and the pages under /account. */
export function accountRoutes(http: HttpPlugin, deps: AccountDeps) {
  const { sql } = deps
  const { cookies } = deps.access
  const knownDigest = ({ request }: RequestContext) => cookies.readDigest(request.headers, 'known')

  return new Elysia({ name: 'account' })
    .use(http)
    .use(signInRoutes(http, deps))
    .get(
      '/account',
      async ({ context, signedIn: { session, isAdmin } }) => {
        const { accountId } = session
        const profile = {
          session,
          sessions: await listSessions(sql, accountId),
          browsers: await listBrowsers(sql, accountId, knownDigest(context)),
          audit: await listAudit(sql, { accountId }, shownAuditEntries),
          isAdmin,
        }
        return pageAnswer(200, profilePage(profile))
      },
      { ...page },
    )
    .post(
      '/account/sessions',
      async ({ signedIn: { session, actor }, form }) => {
        const which =
          form.text('session') === 'others' ? { allBut: session.sessionId } : { only: form.id('session') }
        await endSessions(sql, actor, which, 'session_ended')
        return redirectAnswer('/account')
      },
      { ...form },
    )
    .post(
      '/account/browsers',
      async ({ context, signedIn: { actor }, form }) => {
        const which = form.text('browser') === 'all' ? 'all' : { only: [form.id('browser')] }
        const forgotten = await forgetBrowsers(sql, actor, which)
        const own = knownDigest(context)
        const isOwn = own !== null && forgotten.some(digest => Buffer.compare(digest, own) === 0)
        return redirectAnswer('/account', isOwn ? [cookies.clear('known')] : [])
      },
      { ...form },
    )
    .get(
      keysPath,
      async ({ context, signedIn: { session, token } }) => {
        // HEAD has no body, so it must not use up a key that is shown only once.
        const isShown = context.request.method === 'GET'
        const newKey = isShown ? await revealOnce(sql, session.sessionId, token) : null
        const keys = await shownKeys(deps, session.accountId)
        return pageAnswer(200, keysPage({ session, keys, newKey, baseUrl: deps.settings.baseUrl }))
      },
      { ...page },
    )
    .post(
      keysPath,
      async ({ signedIn, form }) =>
        makeKey(deps, signedIn, actor => makeFreeKey(sql, actor, form.text('name'))),
      { ...form },
    )
    .post(
      `${keysPath}/make`,
      async ({ signedIn, form }) =>
        makeKey(deps, signedIn, actor => makeGrantedKey(sql, actor, form.id('key'))),
      { ...form },
    )
    .post(
      `${keysPath}/rotate`,
      async ({ signedIn, form }) => makeKey(deps, signedIn, actor => rotateKey(sql, actor, form.id('key'))),
      { ...form },
    )
    .post(
      `${keysPath}/revoke`,
      async ({ signedIn: { actor }, form }) => {
        await revokeKey(sql, actor, form.id('key'))
        return redirectAnswer(keysPath)
      },
      { ...form },
    )
    .post(
      `${keysPath}/name`,
      async ({ signedIn: { actor }, form }) => {
        await nameKey(sql, actor, form.id('key'), form.text('name'))
        return redirectAnswer(keysPath)
      },
      { ...form },
    )
    .get(
      '/account/usage',
      async ({ signedIn: { session } }) => {
        const keys = await shownKeys(deps, session.accountId)
        const roots = [...new Set(keys.map(key => key.rootKeyId))]
        const use = await readUse(sql, roots, usageDays)
        const working = keys.filter(key => key.state === 'active')
        return pageAnswer(200, usagePage({ session, keys: working, use, today: await readToday(sql) }))
      },
      { ...page },
    )
}

/** Creates a key and stores its full text for the next page, which shows it once. */
async function makeKey(
  { sql, access }: AccountDeps,
  { session, token, actor }: SignedIn,
  make: (actor: Actor) => Promise<string>,
): Promise<Answer> {
  await countNewKey(access.rateLimiter, actor)
  await revealLater(sql, session.sessionId, token, await make(actor))
  return redirectAnswer(keysPath)
}

async function shownKeys({ sql, access, usage }: AccountDeps, accountId: number): Promise<ShownKey[]> {
  // Writes the counts that this server still buffers. Other servers write theirs within two seconds.
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

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { tokenDigest } from '../../access/cookies.ts'
import { type Mailbox, parseMailbox } from '../../access/emailAddress.ts'
import { Failure } from '../../errors.ts'
import { redirectAnswer } from '../../http/answers.ts'
import type { RequestContext } from '../../http/context.ts'
import { queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { SubmittedForm } from '../../http/submittedForm.ts'
import type { AccountDeps } from './accountDeps.ts'
import { findKnownBrowser, isKnownNetwork, rememberedDays } from './browserQueries.ts'
import { findCodeEmail } from './codeQueries.ts'
import { codeMinutes, sendCode, useCode } from './codes.ts'
import { pageAnswer } from './pages/frame.ts'
import { codePage, signInPage } from './pages/signInPages.ts'
import { countGuess, countSend, giveSendBack } from './sendLimits.ts'
import { endSessions } from './sessionQueries.ts'

const sessionSeconds = 30 * 86_400
const knownSeconds = rememberedDays * 86_400
const codeSeconds = codeMinutes * 60
const maxAgentLength = 300

/** Pages below /account, /admin and /backtest and those of companies alone: an address of another host cannot be one of these. */
const nextShape =
  /^\/(?:(?:account|admin)(?:\/[a-z0-9-]{1,40}){0,3}|backtest(?:\/runs\/[0-9a-f-]{36})?|companies\/[A-Za-z0-9][\w.-]{0,31})$/
const safeNext = (sent: string) => (nextShape.test(sent) ? sent : '/account')

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
  const mail = deps.mailer.kind

  /** The number of the browser that sent a request, if it signed in with this mailbox before. */
  async function knownBrowserOf({ request }: RequestContext, email: string): Promise<number | null> {
    const digest = cookies.readDigest(request.headers, 'known')
    return digest === null ? null : findKnownBrowser(deps.sql, digest, email)
  }

  /** Counts a code and sends it. What is shared with others gets a mail that was not sent back. */
  async function sendCounted(context: RequestContext, mailbox: Mailbox): Promise<string> {
    const { sql, settings } = deps
    const network = context.address
    const sender = {
      network,
      knownBrowser: await knownBrowserOf(context, mailbox.address),
      isKnownNetwork: await isKnownNetwork(sql, network, mailbox.registrableDomain),
    }
    const counted = await countSend(sql, sender, mailbox)
    const notSent = () => giveSendBack(sql, counted)
    try {
      return await sendCode({ ...deps, baseUrl: settings.baseUrl }, mailbox, notSent)
    } catch (error) {
      await notSent().catch(() => {})
      throw error
    }
  }

  async function requestCode(context: RequestContext, form: SubmittedForm) {
    const next = safeNext(form.text('next'))
    const email = form.text('email')
    if (mail === 'off') return redirectAnswer('/sign-in')
    try {
      const mailbox = await parseMailbox(email)
      const token = await sendCounted(context, mailbox)
      return redirectAnswer(`/sign-in/code?next=${next}`, [cookies.write('signin', token, codeSeconds)])
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'parameter_invalid') throw error
      return pageAnswer(400, signInPage({ mail, next, email, fault: error.message }))
    }
  }

  async function enterCode(context: RequestContext, form: SubmittedForm) {
    const { headers } = context.request
    const next = safeNext(form.text('next'))
    const browser = cookies.read(headers, 'signin')
    const over = () =>
      pageAnswer(
        400,
        signInPage({
          mail,
          next,
          fault: 'This code has expired, was used, or was sent to another browser. Get a new one.',
        }),
        { 'Set-Cookie': cookies.clear('signin') },
      )
    if (browser === null) return over()
    const email = await findCodeEmail(deps.sql, tokenDigest(browser))
    const knownBrowser = email === null ? null : await knownBrowserOf(context, email)
    await countGuess(deps.sql, { network: context.address, email, knownBrowser })
    if (email === null) return over()
    const agent = (headers.get('user-agent') ?? '').replaceAll(/\p{C}/gu, '').slice(0, maxAgentLength)
    const visit = { address: context.address, agent }
    const sent = {
      signin: browser,
      session: cookies.read(headers, 'session'),
      known: cookies.read(headers, 'known'),
    }
    const used = await useCode(deps.sql, sent, form.text('code'), visit)
    if (used.outcome === 'over') return over()
    if (used.outcome === 'wrong') {
      const fault = `That is not the code. ${used.guessesLeft} ${used.guessesLeft === 1 ? 'try is' : 'tries are'} left.`
      return pageAnswer(400, codePage({ mail, next, email, fault }))
    }
    return redirectAnswer(next, [
      cookies.write('session', used.session, sessionSeconds),
      cookies.write('known', used.known, knownSeconds),
      cookies.clear('signin'),
    ])
  }

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
    .post('/sign-in', async ({ context, form }) => requestCode(context, form), { ...form })
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
    .post('/sign-in/code', async ({ context, form }) => enterCode(context, form), { ...form })
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

import { tokenDigest } from '../../access/cookies.ts'
import { type Mailbox, parseMailbox } from '../../access/emailAddress.ts'
import { Failure } from '../../errors.ts'
import { redirectAnswer } from '../../http/answers.ts'
import type { RequestContext } from '../../http/context.ts'
import type { SubmittedForm } from '../../http/submittedForm.ts'
import type { AccountDeps } from './accountDeps.ts'
import { findKnownBrowser, isKnownNetwork, rememberedDays } from './browserQueries.ts'
import { codeMinutes, sendCode, useCode } from './codes.ts'
import { pageAnswer } from './pages/frame.ts'
import { codePage, signInPage } from './pages/signInPages.ts'
import { countGuess, countSend, giveSendBack } from './sendLimits.ts'
import { findCodeEmail } from './signInQueries.ts'

const sessionSeconds = 30 * 86_400
const knownSeconds = rememberedDays * 86_400
const codeSeconds = codeMinutes * 60
const maxAgentLength = 300

/**
 * Only paths under /account, /admin, /backtest and /companies match, so a redirect can never lead to another
 * host.
 */
const nextShape =
  /^\/(?:(?:account|admin)(?:\/[a-z0-9-]{1,40}){0,3}|backtest(?:\/runs\/[0-9a-f-]{36})?|companies\/[A-Za-z0-9][\w.-]{0,31})$/
/** The path to return to after signing in. */
export const safeNext = (sent: string) => (nextShape.test(sent) ? sent : '/account')

/** The number of the browser that sent the request, if it has signed in with this mailbox before. */
async function knownBrowserOf(
  { sql, access }: AccountDeps,
  { request }: RequestContext,
  email: string,
): Promise<number | null> {
  const digest = access.cookies.readDigest(request.headers, 'known')
  return digest === null ? null : findKnownBrowser(sql, digest, email)
}

/** Counts a code and sends it. If the mail cannot be sent, shared budgets get their hit back. */
async function sendCounted(deps: AccountDeps, context: RequestContext, mailbox: Mailbox): Promise<string> {
  const { sql, settings } = deps
  const network = context.address
  const sender = {
    network,
    knownBrowser: await knownBrowserOf(deps, context, mailbox.address),
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

/** Sends a code to the mailbox of the form, and shows the form again if its address is invalid. */
export async function requestCode(deps: AccountDeps, context: RequestContext, form: SubmittedForm) {
  const { cookies } = deps.access
  const mail = deps.mailer.kind
  const next = safeNext(form.text('next'))
  const email = form.text('email')
  if (mail === 'off') return redirectAnswer('/sign-in')
  try {
    const mailbox = await parseMailbox(email)
    const token = await sendCounted(deps, context, mailbox)
    return redirectAnswer(`/sign-in/code?next=${next}`, [cookies.write('signin', token, codeSeconds)])
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'parameter_invalid') throw error
    return pageAnswer(400, signInPage({ mail, next, email, fault: error.message }))
  }
}

/** Signs the browser in if the form contains the code that was mailed for this browser. */
export async function enterCode(deps: AccountDeps, context: RequestContext, form: SubmittedForm) {
  const { cookies } = deps.access
  const mail = deps.mailer.kind
  const { headers } = context.request
  const next = safeNext(form.text('next'))
  const browser = cookies.read(headers, 'signin')
  const over = () =>
    pageAnswer(
      400,
      signInPage({
        mail,
        next,
        fault:
          'This code has expired, was already used, or was requested in another browser. Request a new one.',
      }),
      { 'Set-Cookie': cookies.clear('signin') },
    )
  if (browser === null) return over()
  const email = await findCodeEmail(deps.sql, tokenDigest(browser))
  const knownBrowser = email === null ? null : await knownBrowserOf(deps, context, email)
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
    const fault = `That code is wrong. You have ${used.guessesLeft} ${used.guessesLeft === 1 ? 'attempt' : 'attempts'} left.`
    return pageAnswer(400, codePage({ mail, next, email, fault }))
  }
  return redirectAnswer(next, [
    cookies.write('session', used.session, sessionSeconds),
    cookies.write('known', used.known, knownSeconds),
    cookies.clear('signin'),
  ])
}

import type { AccessDeps } from '../../access/authenticate.ts'
import { type Cookies, tokenDigest } from '../../access/cookies.ts'
import { takePage } from '../../access/visitor.ts'
import { Failure } from '../../errors.ts'
import type { BodyReader } from '../../http/body.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { type ExplainError, errorAnswer, errorStatus } from '../../http/errors.ts'
import { noQuery } from '../../http/parameters.ts'
import { prefersHtml } from '../../http/preferences.ts'
import type { Sql } from '../../postgres/client.ts'
import type { Actor } from './auditQueries.ts'
import { type Form, readForm } from './forms.ts'
import type { Mailer } from './mail.ts'
import { pageAnswer, redirectAnswer } from './pages/frame.ts'
import { faultPage } from './pages/signInPages.ts'
import { findSession, type Session } from './sessionQueries.ts'
import type { UsageRecorder } from './usage.ts'

export interface AccountDeps {
  readonly sql: Sql
  readonly access: AccessDeps
  readonly bodies: BodyReader
  readonly mailer: Mailer
  readonly usage: UsageRecorder
  readonly settings: { baseUrl: string; readonly adminEmails: readonly string[] }
  readonly storage: { readonly explain: ExplainError }
}

/** Whether an account is an operator's. It is read on every request: an address that leaves ADMIN_EMAILS is none at once. */
export const isAdmin = ({ adminEmails }: AccountDeps['settings'], email: string): boolean =>
  adminEmails.includes(email)

/** A person who is signed in, on a request of theirs. */
export interface SignedIn {
  readonly session: Session
  readonly actor: Actor
  /** The token in the cookie. */
  readonly token: string
}

/** What the handlers of all account pages share: limits, sessions, forms, and faults as pages. */
export class Visitors {
  readonly deps: AccountDeps
  readonly cookies: Cookies

  constructor(deps: AccountDeps) {
    this.deps = deps
    this.cookies = deps.access.cookies
  }

  /** A page for everybody. */
  async page(context: RequestContext, make: () => Promise<Answer>): Promise<Answer> {
    const { access, storage, settings } = this.deps
    try {
      await this.#count(access, context)
      return await make()
    } catch (error) {
      const failure = error instanceof Failure ? error : storage.explain(error)
      // The plugin logs a defect and answers it.
      if (failure === null || !prefersHtml(context.request.headers.get('accept'))) throw error
      const { status, headers } = errorAnswer(settings.baseUrl, context, failure)
      const retryAfter = headers.get('Retry-After')
      return pageAnswer(
        status,
        faultPage(errorStatus(failure.code).title, failure.message),
        retryAfter === null ? {} : { 'Retry-After': retryAfter },
      )
    }
  }

  /** A page for a person who is signed in. Others are sent to sign in and come back. */
  signedInPage(context: RequestContext, make: (visitor: SignedIn) => Promise<Answer>): Promise<Answer> {
    return this.page(context, async () => {
      noQuery(context)
      const visitor = await this.find(context)
      return visitor === null ? redirectAnswer(`/sign-in?next=${context.path}`) : make(visitor)
    })
  }

  /** A form that anybody may send. */
  form(context: RequestContext, act: (form: Form) => Promise<Answer>): Promise<Answer> {
    return this.page(context, async () => {
      noQuery(context)
      return act(await readForm(context, this.deps.bodies, this.deps.settings.baseUrl))
    })
  }

  /** A form of a person who is signed in. */
  signedInForm(
    context: RequestContext,
    act: (visitor: SignedIn, form: Form) => Promise<Answer>,
  ): Promise<Answer> {
    return this.form(context, async form => {
      const visitor = await this.find(context)
      return visitor === null ? redirectAnswer('/sign-in') : act(visitor, form)
    })
  }

  /** Who is signed in on this request; null: no one. */
  async find({ request, address }: RequestContext): Promise<SignedIn | null> {
    const token = this.cookies.read(request.headers, 'session')
    if (token === null) return null
    const session = await findSession(this.deps.sql, tokenDigest(token))
    if (session === null) return null
    const { email, accountId } = session
    return { session, token, actor: { email, accountId, address } }
  }

  /** The digest of the token of a known browser on this request; null: none. */
  knownDigest({ request }: RequestContext): Uint8Array | null {
    const token = this.cookies.read(request.headers, 'known')
    return token === null ? null : tokenDigest(token)
  }

  async #count({ rateLimiter }: AccessDeps, context: RequestContext): Promise<void> {
    const verdict = await takePage(rateLimiter, context.address)
    // Its headers say what is left, as those of pages of the data do.
    context.verdict = verdict
    const { refused } = verdict
    if (refused === null) return
    throw new Failure(
      refused.by === 'day' ? 'rate_limited_day' : 'rate_limited_minute',
      `Too many pages were opened from your network. Try again in ${refused.retryAfterSeconds} s.`,
      { retryAfterSeconds: refused.retryAfterSeconds },
    )
  }
}

import { findSignedIn, type SignedIn } from '../access/signedIn.ts'
import { takePage } from '../access/visitor.ts'
import { Failure } from '../errors.ts'
import type { AdmissionDeps } from './admission.ts'
import { redirectAnswer } from './answers.ts'
import type { Answer, RequestContext } from './context.ts'
import { noQuery } from './parameters.ts'
import { readSubmittedForm, type SubmittedForm } from './submittedForm.ts'

/** Who may use a page or form of an account. All of them count per address, and a form must come from one of
 * our pages. `visitor` admits everybody. `session` admits signed-in people and redirects others to the
 * sign-in page. `admin` admits operators, redirects visitors to the sign-in page, and answers any other
 * account as if the route did not exist. Each policy passes the account and the form that it read to the
 * handler, which cannot get them any other way. */
export type AccountPolicy =
  | 'visitorPage'
  | 'visitorForm'
  | 'sessionPage'
  | 'sessionForm'
  | 'adminPage'
  | 'adminForm'

/** Thrown by a policy to answer a request without its handler. */
export class AnsweredByPolicy extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super('The access policy answered this request.')
    this.answer = answer
  }
}

export const redirect = (path: string) => new AnsweredByPolicy(redirectAnswer(path))

export async function admitVisitor(
  deps: AdmissionDeps,
  context: RequestContext,
): Promise<{ signedIn: SignedIn | null }> {
  await countAccountPage(deps, context)
  return { signedIn: await signedInOn(deps, context) }
}

export async function admitVisitorForm(
  deps: AdmissionDeps,
  context: RequestContext,
): Promise<{ signedIn: SignedIn | null; form: SubmittedForm }> {
  await countAccountPage(deps, context)
  const form = await formOf(deps, context)
  return { signedIn: await signedInOn(deps, context), form }
}

export async function admitSession(
  deps: AdmissionDeps,
  context: RequestContext,
): Promise<{ signedIn: SignedIn }> {
  await countAccountPage(deps, context)
  noQuery(context)
  const signedIn = await signedInOn(deps, context)
  if (signedIn === null) throw redirect(`/sign-in?next=${context.path}`)
  return { signedIn }
}

export async function admitSessionForm(
  deps: AdmissionDeps,
  context: RequestContext,
): Promise<{ signedIn: SignedIn; form: SubmittedForm }> {
  const { signedIn, form } = await admitVisitorForm(deps, context)
  if (signedIn === null) throw redirect('/sign-in')
  return { signedIn, form }
}

export const signedInOn = ({ access }: AdmissionDeps, { request, address }: RequestContext) =>
  findSignedIn(access, request, address)

export function formOf({ bodies, settings }: AdmissionDeps, context: RequestContext): Promise<SubmittedForm> {
  noQuery(context)
  return readSubmittedForm(context, bodies, settings.baseUrl)
}

export async function countAccountPage({ access }: AdmissionDeps, context: RequestContext): Promise<void> {
  context.isOfAccount = true
  const verdict = await takePage(access.rateLimiter, context.address)
  // The headers of the response report the remaining limits, as on pages with data.
  context.verdict = verdict
  const { refused } = verdict
  if (refused === null) return
  throw new Failure(
    refused.by === 'day' ? 'rate_limited_day' : 'rate_limited_minute',
    `Too many pages were opened from your network. Try again in ${refused.retryAfterSeconds} s.`,
    { retryAfterSeconds: refused.retryAfterSeconds },
  )
}

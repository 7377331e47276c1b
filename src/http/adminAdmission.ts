import type { Operator } from '../access/signedIn.ts'
import { countAccountPage, formOf, redirect, signedInOn } from './accountAdmission.ts'
import type { AdmissionDeps } from './admission.ts'
import type { RequestContext } from './context.ts'
import { routeUnknown } from './notFound.ts'
import type { SubmittedForm } from './submittedForm.ts'

/** Admits operators to a page of /admin. Unlike the other policies, it leaves the query string to the
 * handler. */
export async function admitAdmin(deps: AdmissionDeps, context: RequestContext): Promise<{ admin: Operator }> {
  await countAccountPage(deps, context)
  return { admin: await requireAdmin(deps, context, context.path) }
}

export async function admitAdminForm(
  deps: AdmissionDeps,
  context: RequestContext,
): Promise<{ admin: Operator; form: SubmittedForm }> {
  await countAccountPage(deps, context)
  // Checked before the form is read, so that no response to a form reveals that /admin exists.
  const admin = await requireAdmin(deps, context, '/admin')
  return { admin, form: await formOf(deps, context) }
}

async function requireAdmin(deps: AdmissionDeps, context: RequestContext, next: string): Promise<Operator> {
  const signedIn = await signedInOn(deps, context)
  if (signedIn === null) throw redirect(`/sign-in?next=${next}`)
  if (!signedIn.isAdmin) {
    // Identical to the response of an unknown path, which has no rate-limit headers.
    context.verdict = null
    context.isOfAccount = false
    throw routeUnknown(context)
  }
  // Omits the operator's account: the audit log files an event under the account that it concerns.
  const { email, address } = signedIn.actor
  return { email, address }
}

import {
  type AccountPolicy,
  admitSession,
  admitSessionForm,
  admitVisitor,
  admitVisitorForm,
} from './accountAdmission.ts'
import { admitAdmin, admitAdminForm } from './adminAdmission.ts'
import { type AdmissionDeps, authorize, requireOneHost } from './admission.ts'
import type { RequestContext } from './context.ts'
import { routeUnknown } from './notFound.ts'
import { asDeclared, type DeclaredAccess } from './routePolicies.ts'

/** The access policies as options of routes: `access: 'key'`, `sessionForm: true`. Their hooks run before the handler
 * and admit the request, answer it or fail. */
export function policyMacros(deps: AdmissionDeps) {
  // `async` is required in hooks: Elysia awaits a hook only if its source text looks asynchronous.
  function hookOf(declared: DeclaredAccess) {
    if (declared === 'open' || typeof declared === 'object')
      return ({ context }: { context: RequestContext }) => {
        requireOneHost(context)
        context.admitted = true
      }
    if (declared === 'page' || declared === 'pageForm' || declared === 'download')
      return async ({ context, route }: { context: RequestContext; route: string }) => {
        requireOwnPath(context, route)
        return authorize(deps, context, declared)
      }
    return async ({ context }: { context: RequestContext }) => {
      // Awaited, because returning the promise takes three turns of the microtask queue instead of one.
      await authorize(deps, context, declared)
    }
  }

  type Admit<Admitted> = (deps: AdmissionDeps, context: RequestContext) => Promise<Admitted>

  /** @param admit returns what the handler gets in addition to the context; it throws to keep the handler
   *   from running */
  function accountPolicy<Admitted extends object>(policy: AccountPolicy, admit: Admit<Admitted>) {
    const resolve = async ({ context }: { context: RequestContext }) => {
      requireOneHost(context)
      const admitted = await admit(deps, context)
      context.admitted = true
      return admitted
    }
    return { detail: { hide: true }, resolve: asDeclared(policy, resolve) }
  }

  return {
    access: (declared: DeclaredAccess) => ({ beforeHandle: asDeclared(declared, hookOf(declared)) }),
    visitorPage: accountPolicy('visitorPage', admitVisitor),
    visitorForm: accountPolicy('visitorForm', admitVisitorForm),
    sessionPage: accountPolicy('sessionPage', admitSession),
    sessionForm: accountPolicy('sessionForm', admitSessionForm),
    adminPage: accountPolicy('adminPage', admitAdmin),
    adminForm: accountPolicy('adminForm', admitAdminForm),
  }
}

/** Fails if the path does not start as its route does. Elysia looks for the path from the twelfth character
 * of the URL. With a Host header of three letters or fewer it would skip the first part of the path, and
 * `/x/search` would match `/search`. */
function requireOwnPath(context: RequestContext, route: string): void {
  if (context.path.split('/', 2)[1] !== route.split('/', 2)[1]) throw routeUnknown(context)
}

import type { AnyElysia } from 'elysia'
import type { AccountPolicy } from './accountAdmission.ts'
import type { AccessPolicy } from './admission.ts'

/** The `access` of a route. Where an open route would be surprising, it says why it is open. */
export type DeclaredAccess = AccessPolicy | { readonly openBecause: string }

type Policy = DeclaredAccess | AccountPolicy

export interface RoutePolicy {
  readonly method: string
  readonly path: string
  readonly policies: readonly Policy[]
}

/** Elysia replaces the options of a route with the hooks that they stand for. */
const policyOfHook = new WeakMap<object, Policy>()

/** Records the policy that a hook enforces. */
export function asDeclared<Hook extends object>(policy: Policy, hook: Hook): Hook {
  policyOfHook.set(hook, policy)
  return hook
}

/** The policies enforced before the handler of each route, read from the hooks that will run. */
export function routePolicies(app: AnyElysia): RoutePolicy[] {
  return app.routes.map(({ method, path, hooks }) => {
    const before: readonly { fn?: unknown }[] = [hooks.beforeHandle ?? []].flat()
    const policies = before.flatMap(({ fn }) =>
      typeof fn === 'function' ? (policyOfHook.get(fn) ?? []) : [],
    )
    return { method, path, policies }
  })
}

/** The policies allowed below each path. Any route may be open if it says why. */
const areas: Readonly<Record<string, readonly Policy[]>> = {
  '/admin': ['adminPage', 'adminForm'],
  '/account': ['sessionPage', 'sessionForm'],
  '/api/v1': ['key', 'usage'],
}

/** Policies that identify a person by a cookie and do not check which site sent the request. */
const pages: readonly Policy[] = ['page', 'download', 'visitorPage', 'sessionPage', 'adminPage']

/** Fails if a route of `app` could be public, or could be triggered from another site, because its policy was
 * forgotten. */
export function requireAccessPolicies(app: AnyElysia): void {
  for (const { method, path, policies } of routePolicies(app)) {
    const route = `The route ${method} ${path}`
    const [policy] = policies
    if (policy === undefined) throw new Error(`${route} has no access policy.`)
    if (policies.length > 1) throw new Error(`${route} has more than one access policy.`)
    if (typeof policy === 'object') continue
    for (const [area, allowed] of Object.entries(areas))
      if ((path === area || path.startsWith(`${area}/`)) && !allowed.includes(policy))
        throw new Error(`${route} is below ${area}, where no route may have the access policy ${policy}.`)
    if (method === 'GET' || method === 'HEAD') continue
    if (policy === 'open') throw new Error(`${route} changes something and does not say why it is open.`)
    if (pages.includes(policy))
      throw new Error(`${route} has the access policy ${policy}, which accepts requests of other sites.`)
  }
}

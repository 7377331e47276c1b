import { Failure } from '../../errors.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { routeUnknown } from '../../http/notFound.ts'
import { errorPage } from '../../http/pages/errorPage.ts'
import { noQuery } from '../../http/parameters.ts'
import type { Operator } from '../account/auditQueries.ts'
import { type Form, readForm } from '../account/forms.ts'
import { redirectAnswer } from '../account/pages/frame.ts'
import { isAdmin, type Visitors } from '../account/visitor.ts'

/** What the handlers of /admin share: who may use them. Signed out one is sent to sign in. An account that ADMIN_EMAILS does not name
 * gets, from every page and form, what a path without a route gets. */
export class Admins {
  readonly #visitors: Visitors

  constructor(visitors: Visitors) {
    this.#visitors = visitors
  }

  /** A page. Its query is the handler's to read. */
  page(context: RequestContext, make: (admin: Operator) => Promise<Answer>): Promise<Answer> {
    return this.#visitors.page(context, async () => {
      const visitor = await this.#visitors.find(context)
      if (visitor === null) return redirectAnswer(`/sign-in?next=${context.path}`)
      if (!isAdmin(this.#visitors.deps.settings, visitor.session.email)) return notThere(context)
      return make(operatorOf(visitor.actor))
    })
  }

  /** A form. */
  form(context: RequestContext, act: (admin: Operator, form: Form) => Promise<Answer>): Promise<Answer> {
    const { deps } = this.#visitors
    return this.#visitors.page(context, async () => {
      const visitor = await this.#visitors.find(context)
      if (visitor === null) return redirectAnswer('/sign-in?next=/admin')
      if (!isAdmin(deps.settings, visitor.session.email)) return notThere(context)
      noQuery(context)
      return act(operatorOf(visitor.actor), await readForm(context, deps.bodies, deps.settings.baseUrl))
    })
  }
}

/** Without the account of the operator: acts are entries of the account that they are about. */
const operatorOf = ({ email, address }: Operator): Operator => ({ email, address })

/** The same bytes and headers as of a path that no route takes. */
export function notThere(context: RequestContext): Answer {
  // Such a path counts nothing, so its answer says nothing of limits.
  context.verdict = null
  const failure = routeUnknown(context)
  const page = errorPage(context, failure)
  if (page === null) throw failure
  return page
}

/** The number at a place of the path, from 0; a Failure where it is none. */
export function pathNumber(context: RequestContext, place: number): number {
  const text = context.path.split('/')[place + 1] ?? ''
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Failure('entity_unknown', 'There is nothing of this number here.', { param: 'number' })
}

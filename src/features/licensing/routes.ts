import { Elysia } from 'elysia'
import { listGrants } from '../../access/queries.ts'
import type { Session } from '../../access/visitorQueries.ts'
import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { redirectAnswer } from '../../http/answers.ts'
import type { Answer } from '../../http/context.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { SubmittedForm } from '../../http/submittedForm.ts'
import type { AccountDeps } from '../account/accountDeps.ts'
import { pageAnswer } from '../account/pages/frame.ts'
import { listGrantKeys } from './grantQueries.ts'
import { licencesPage } from './licencesPage.ts'
import { listRequests } from './requestQueries.ts'
import { sendRequest, type TypedRequest, withdrawRequest } from './requests.ts'

const path = '/account/licences'
const shownRequests = 20

export type LicensingDeps = AccountDeps & { readonly today: () => IsoDate }

/** /account/licences: request a licence, see what became of it, withdraw it. */
export function licensingRoutes(http: HttpPlugin, deps: LicensingDeps) {
  const { sql } = deps

  async function page(session: Session, change: Partial<TypedRequest> = {}, fault?: string): Promise<Answer> {
    const { accountId } = session
    const keys = await listGrantKeys(sql, accountId)
    const roots = [...new Set(keys.map(key => key.rootKeyId))]
    const typed: TypedRequest = {
      ...{ licence: 'personal', quant: false, keyId: keys.at(0)?.keyId ?? 0, company: '', purpose: '' },
      ...{ firstDay: deps.today(), lastDay: '' },
      ...change,
    }
    const state = {
      ...{ session, keys, typed },
      grants: await listGrants(sql, roots),
      requests: await listRequests(sql, { accountId, limit: shownRequests }),
    }
    return fault === undefined
      ? pageAnswer(200, licencesPage(state))
      : pageAnswer(400, licencesPage({ ...state, fault }))
  }

  return new Elysia({ name: 'licensing' })
    .use(http)
    .get(path, async ({ signedIn: { session } }) => page(session), { sessionPage: true })
    .post(
      path,
      async ({ signedIn: { session, actor }, form }) => {
        const typed = readRequest(form)
        try {
          await sendRequest({ ...deps, limiter: deps.access.rateLimiter }, actor, typed)
        } catch (error) {
          if (!(error instanceof Failure) || error.code !== 'parameter_invalid') throw error
          return page(session, typed, error.message)
        }
        return redirectAnswer(path)
      },
      { sessionForm: true, parse: 'none' },
    )
    .post(
      `${path}/withdraw`,
      async ({ signedIn: { actor }, form }) => {
        await withdrawRequest(sql, actor, form.id('request'))
        return redirectAnswer(path)
      },
      { sessionForm: true, parse: 'none' },
    )
}

const readRequest = (form: SubmittedForm): TypedRequest => ({
  licence: form.text('licence'),
  quant: form.text('quant') === 'yes',
  keyId: form.id('key'),
  company: form.text('company'),
  purpose: form.lines('purpose'),
  firstDay: form.text('first'),
  lastDay: form.text('last'),
})

import { Elysia } from 'elysia'
import { revokeKey } from '../../access/keys.ts'
import { listGrants } from '../../access/queries.ts'
import type { Operator } from '../../access/signedIn.ts'
import { Failure } from '../../errors.ts'
import { redirectAnswer } from '../../http/answers.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { errorStatus } from '../../http/errors.ts'
import { noQuery } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { listAudit, nameActor } from '../account/auditQueries.ts'
import { pageAnswer } from '../account/pages/frame.ts'
import { listHeldKeys } from '../account/standingQueries.ts'
import { latestGrantId, listGrantKeys } from '../licensing/grantQueries.ts'
import { extendGrant, makeGrant } from '../licensing/grants.ts'
import { findRequest, type LicenceRequest, listRequests } from '../licensing/requestQueries.ts'
import { grantRequest, refuseRequest } from '../licensing/requests.ts'
import type { LicensingDeps } from '../licensing/routes.ts'
import { firstDayFrom } from '../licensing/terms.ts'
import { listOrders } from '../orders/orderQueries.ts'
import { findAccount, listAdminKeys } from './accountQueries.ts'
import { orderOf, readGrantFields } from './grantForm.ts'
import { adminListRoutes } from './listRoutes.ts'
import { accountPageOf } from './pages/accountPages.ts'
import { emptyGrant, type GrantFields } from './pages/frame.ts'
import { requestPage } from './pages/requestPages.ts'

const rowsOfPage = 50

/**
 * The /admin pages of single accounts and requests, with their forms. The work is done in `licensing`, as for
 * the commands.
 */
export function adminRoutes(http: HttpPlugin, deps: LicensingDeps) {
  const { sql } = deps

  return new Elysia({ name: 'admin' })
    .use(http)
    .use(adminListRoutes(http, deps))
    .get(
      '/admin/accounts/:number',
      async ({ context, admin }) => {
        noQuery(context)
        return accountAnswer(deps, admin, numberInPath(context))
      },
      { adminPage: true },
    )
    .post(
      '/admin/accounts/:number/grant',
      async ({ context, admin, form }) => {
        const number = numberInPath(context)
        const fields = readGrantFields(form)
        const account = await findAccount(sql, { account: number })
        if (account === null) throw unknownNumber('account', number)
        const isOwnKey = (await listGrantKeys(sql, number)).some(({ prefix }) => prefix === fields.key)
        return rerenderOnFailure(
          async () => {
            if (!isOwnKey && fields.key !== 'new') throw notOfAccount()
            const target = isOwnKey ? { key: fields.key } : ({ email: account.email, as: 'new' } as const)
            await makeGrant(deps, admin, target, orderOf(fields), form.id('after'))
            return redirectAnswer(`/admin/accounts/${number}`)
          },
          failure => accountAnswer(deps, admin, number, { fields, failure }),
        )
      },
      { adminForm: true, parse: 'none' },
    )
    .post(
      '/admin/grants/:number/extend',
      async ({ context, admin, form }) => {
        const last = form.text('last')
        const { key } = await extendGrant(deps, admin, numberInPath(context), last === '' ? null : last)
        return redirectAnswer(await pageOfKey(deps, key))
      },
      { adminForm: true, parse: 'none' },
    )
    .post(
      '/admin/keys/revoke',
      async ({ admin, form }) => {
        const key = await revokeKey(deps, form.text('prefix'), transaction => nameActor(transaction, admin))
        return redirectAnswer(await pageOfKey(deps, key.prefix))
      },
      { adminForm: true, parse: 'none' },
    )
    .get(
      '/admin/requests/:number',
      async ({ context, admin }) => {
        noQuery(context)
        return requestAnswer(deps, admin, numberInPath(context))
      },
      { adminPage: true },
    )
    .post(
      '/admin/requests/:number/grant',
      async ({ context, admin, form }) => {
        const number = numberInPath(context)
        const fields = readGrantFields(form)
        return rerenderOnFailure(
          async () => {
            await grantRequest(deps, admin, number, fields.key, orderOf(fields))
            return redirectAnswer(`/admin/requests/${number}`)
          },
          failure => requestAnswer(deps, admin, number, { fields, failure }),
        )
      },
      { adminForm: true, parse: 'none' },
    )
    .post(
      '/admin/requests/:number/refuse',
      async ({ context, admin, form }) => {
        const number = numberInPath(context)
        const reason = form.lines('reason')
        return rerenderOnFailure(
          async () => {
            await refuseRequest(deps, admin, number, reason)
            return redirectAnswer(`/admin/requests/${number}`)
          },
          failure => requestAnswer(deps, admin, number, { reason, failure }),
        )
      },
      { adminForm: true, parse: 'none' },
    )
}

async function accountAnswer(
  { sql, today }: LicensingDeps,
  admin: Operator,
  number: number,
  sent: { fields?: GrantFields; failure?: Failure } = {},
): Promise<Answer> {
  const account = await findAccount(sql, { account: number })
  if (account === null) throw unknownNumber('account', number)
  const keys = await listHeldKeys(sql, number)
  const { status, fault } = faultOf(sent.failure)
  const page = accountPageOf(admin.email, {
    account,
    keys,
    ...fault,
    grants: await listGrants(sql, [...new Set(keys.map(key => key.rootKeyId))]),
    requests: await listRequests(sql, { accountId: number, limit: rowsOfPage }),
    orders: await listOrders(sql, { accountId: number }, rowsOfPage),
    audit: await listAudit(sql, { accountId: number }, rowsOfPage),
    grantKeys: await listGrantKeys(sql, number),
    latestGrant: await latestGrantId(sql, number),
    fields: sent.fields ?? emptyGrant(today()),
  })
  return pageAnswer(status, page)
}

async function requestAnswer(
  { sql, today }: LicensingDeps,
  admin: Operator,
  number: number,
  sent: { fields?: GrantFields; reason?: string; failure?: Failure } = {},
): Promise<Answer> {
  const request = await findRequest(sql, number)
  if (request === null) throw unknownNumber('request', number)
  const keys = await listGrantKeys(sql, request.account)
  const { status, fault } = faultOf(sent.failure)
  const fields = sent.fields ?? fieldsOf(request, keys, today())
  const page = requestPage(admin.email, {
    request,
    keys,
    fields,
    reason: sent.reason ?? '',
    ...fault,
  })
  return pageAnswer(status, page)
}

/** The page of the account that holds a key; for a key created on the command line, the list of keys. */
async function pageOfKey({ sql }: LicensingDeps, prefix: string): Promise<string> {
  const [key] = await listAdminKeys(sql, { search: prefix, before: null, limit: 1 })
  return key?.account == null ? '/admin/keys' : `/admin/accounts/${key.account}`
}

/** The number in paths such as /admin/accounts/{number}. */
function numberInPath(context: RequestContext): number {
  const text = context.path.split('/')[3] ?? ''
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Failure('entity_unknown', 'There is nothing with this number.', { param: 'number' })
}

/** Shows the form again with what was typed if a field is invalid or the action is no longer possible. */
async function rerenderOnFailure(
  act: () => Promise<Answer>,
  again: (failure: Failure) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await act()
  } catch (error) {
    const isShown =
      error instanceof Failure && ['parameter_invalid', 'conflict', 'key_unknown'].includes(error.code)
    if (!isShown) throw error
    return again(error)
  }
}

function faultOf(failure: Failure | undefined) {
  if (failure === undefined) return { status: 200, fault: {} }
  const { status } = errorStatus(failure.code)
  // A 401 would prompt for an API key, which these pages do not take.
  return { status: status === 401 ? 409 : status, fault: { fault: failure.message } }
}

const unknownNumber = (what: string, number: number) =>
  new Failure('entity_unknown', `There is no ${what} ${number}.`, { param: 'number' })

const notOfAccount = () =>
  new Failure('conflict', 'The account no longer has this key. Choose another one.', { param: 'key' })

/** The requested terms as the operator's defaults. A first day in the past becomes today. */
function fieldsOf(
  request: LicenceRequest,
  keys: readonly { readonly prefix: string; readonly licence: string }[],
  today: string,
): GrantFields {
  // Granting to an evaluation's key would replace the evaluation.
  const key = keys.find(({ prefix, licence }) => prefix === request.key && licence !== 'evaluation')
  const plan = key?.licence ?? 'free'
  return {
    ...emptyGrant(today),
    licence: request.licence ?? plan,
    quant: request.quant,
    key: key?.prefix ?? 'new',
    first: firstDayFrom(request.starts, today),
    last: request.expires ?? '',
  }
}

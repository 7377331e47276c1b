import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { noQuery, queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { listAudit } from '../account/auditQueries.ts'
import { pageAnswer } from '../account/pages/frame.ts'
import { listRequests } from '../licensing/requestQueries.ts'
import type { LicensingDeps } from '../licensing/routes.ts'
import { listOrders } from '../orders/orderQueries.ts'
import { listAccounts, listAdminKeys, readOverview } from './accountQueries.ts'
import { accountsPage, adminKeysPage } from './pages/accountPages.ts'
import { ordersPage, overviewPage } from './pages/overviewPage.ts'
import { requestsPage } from './pages/requestPages.ts'

const rowsOfPage = 50
const shownOnOverview = 20
const maxOrders = 200

const before = Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999 }))
const q = Type.Optional(Type.String({ maxLength: 100 }))
const strict = { additionalProperties: false } as const
const readAccountsQuery = queryReader(Type.Object({ q, before }, strict))
const readKeysQuery = queryReader(
  Type.Object({ q, before: Type.Optional(Type.String({ maxLength: 40 })) }, strict),
)
const readRequestsQuery = queryReader(
  Type.Object({ state: Type.Optional(Type.Literal('all')), before }, strict),
)

/** The lists of /admin: what waits, accounts, keys, requests and orders. */
export function adminListRoutes(http: HttpPlugin, { sql }: LicensingDeps) {
  return new Elysia({ name: 'adminLists' })
    .use(http)
    .get(
      '/admin',
      async ({ context, admin }) => {
        noQuery(context)
        const requests = await listRequests(sql, { state: 'open', limit: shownOnOverview })
        const audit = await listAudit(sql, null, shownOnOverview)
        return pageAnswer(200, overviewPage(admin.email, await readOverview(sql), requests, audit))
      },
      { adminPage: true },
    )
    .get(
      '/admin/accounts',
      async ({ context, admin }) => {
        const query = readAccountsQuery(context.queryText)
        const email = (query.q ?? '').trim()
        const rows = await listAccounts(sql, { email, before: query.before ?? null, limit: rowsOfPage })
        return pageAnswer(200, accountsPage(admin.email, rows, email, nextOf(rows)?.account ?? null))
      },
      { adminPage: true },
    )
    .get(
      '/admin/keys',
      async ({ context, admin }) => {
        const query = readKeysQuery(context.queryText)
        const search = (query.q ?? '').trim()
        const rows = await listAdminKeys(sql, { search, before: query.before ?? null, limit: rowsOfPage })
        return pageAnswer(200, adminKeysPage(admin.email, rows, search, nextOf(rows)?.prefix ?? null))
      },
      { adminPage: true },
    )
    .get(
      '/admin/requests',
      async ({ context, admin }) => {
        const query = readRequestsQuery(context.queryText)
        const open = query.state === undefined
        const rows = await listRequests(sql, {
          limit: rowsOfPage,
          ...(open ? { state: 'open' } : {}),
          ...(query.before === undefined ? {} : { before: query.before }),
        })
        return pageAnswer(200, requestsPage(admin.email, rows, open, nextOf(rows)?.request ?? null))
      },
      { adminPage: true },
    )
    .get(
      '/admin/orders',
      async ({ context, admin }) => {
        noQuery(context)
        return pageAnswer(200, ordersPage(admin.email, await listOrders(sql, null, maxOrders), maxOrders))
      },
      { adminPage: true },
    )
}

/** The last row of a full page, after which there may be more; null: there are none. */
const nextOf = <Row>(rows: readonly Row[]): Row | null =>
  rows.length === rowsOfPage ? (rows.at(-1) ?? null) : null

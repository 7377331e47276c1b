import { html, type Markup } from '../../../html.ts'
import type { AuditEntry } from '../../account/auditQueries.ts'
import { table } from '../../account/pages/frame.ts'
import { auditCells } from '../../account/pages/profilePage.ts'
import type { LicenceRequest } from '../../licensing/requestQueries.ts'
import type { ListedOrder } from '../../orders/orderQueries.ts'
import type { Overview } from '../accountQueries.ts'
import { adminPage } from './frame.ts'
import { requestTable } from './requestPages.ts'

const grouped = (value: number) => value.toLocaleString('en-US')

/** /admin: pending items, totals, and the latest events of all accounts. */
export const overviewPage = (
  email: string,
  overview: Overview,
  requests: readonly LicenceRequest[],
  audit: readonly AuditEntry[],
): string =>
  adminPage(
    email,
    'Overview',
    'Administration',
    html`<dl class="facts">
<dt>Accounts</dt><dd><a href="/admin/accounts">${grouped(overview.accounts)}</a></dd>
<dt>Keys</dt><dd><a href="/admin/keys">${grouped(overview.keys)}</a></dd>
<dt>Paid licences</dt><dd>${grouped(overview.paidLicences)}${overview.endingLicences > 0 && ` (${grouped(overview.endingLicences)} end within 30 days)`}</dd>
<dt>Open requests</dt><dd><a href="/admin/requests">${grouped(overview.openRequests)}</a></dd>
</dl>
<h2 id="requests">Open requests</h2>
${requestTable('Open requests', requests)}
<h2 id="log">Log</h2>
<p>The latest events on all accounts. Times are in UTC.</p>
${table({
  label: 'Log',
  head: ['When', 'What', 'Details', 'By', 'Network', 'Account'],
  rows: audit.map(entry => [...auditCells(entry), entry.account ?? '']),
})}`,
  )

/** /admin/orders: the order forms that people have signed. */
export const ordersPage = (email: string, orders: readonly ListedOrder[], limit: number): string =>
  adminPage(
    email,
    'Orders',
    'Orders',
    html`<p>The last ${limit} signed order forms. <code>./asfiled orders show</code> prints one with the proof of its signature, and <code>./asfiled orders verify</code> checks that none was changed.</p>
${orderTable(orders)}`,
  )

export const orderTable = (orders: readonly ListedOrder[]): Markup =>
  orders.length === 0
    ? html`<p>None.</p>`
    : table({
        label: 'Signed orders',
        head: ['Order', 'Form', 'Signed', 'By', 'Company', 'Account', 'Key', 'Last day'],
        rows: orders.map(order => [
          String(order.orderId),
          `${order.form} ${order.version}`,
          order.signedAt.slice(0, 16).replace('T', ' '),
          `${order.signerName}, ${order.signerTitle}`,
          order.company,
          html`<a href="/admin/accounts/${order.accountId}">${order.email}</a>`,
          html`<code>${order.keyPrefix}...</code>`,
          order.lastDay,
        ]),
      })

import type { Session } from '../../../access/visitorQueries.ts'
import { addDays } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import type { RouteUse } from '../usageQueries.ts'
import { accountPage, table } from './frame.ts'
import type { ShownKey } from './keysPage.ts'
import { usageChart } from './usageChart.ts'

export const usageDays = 30

export interface UsageState {
  readonly session: Session
  readonly keys: readonly ShownKey[]
  readonly use: readonly RouteUse[]
  readonly today: string
}

const grouped = (value: number) => value.toLocaleString('en-US')

/** /account/usage: requests by day and route, and companies used of the cap. */
export function usagePage({ session, keys, use, today }: UsageState): string {
  const days = Array.from({ length: usageDays }, (_, back) => addDays(today, back - usageDays + 1))
  const counts = days.map(day => ({
    day,
    requests: use.filter(row => row.day === day).reduce((sum, row) => sum + row.requests, 0),
  }))
  return accountPage({
    title: 'Usage',
    email: session.email,
    section: 'Usage',
    main: html`${keys.length === 0 ? noKey : budgets(keys)}
<h2 id="requests">Requests of the last ${usageDays} days</h2>
<p>Of all keys of this account, days in UTC. Refused requests do not count. Counts appear within seconds.</p>
${
  use.length === 0
    ? html`<p>No requests yet.</p>`
    : html`${usageChart(counts)}
${byRoute(use, today)}
${byDay(counts)}`
}`,
  })
}

const noKey = html`<p>This account has no key that works. <a href="/account/api-keys">Make one</a></p>`

const budgets = (keys: readonly ShownKey[]): Markup => html`<h2 id="budgets">Today</h2>
${table({
  label: 'Today',
  head: ['Key', 'Licence', 'Requests today', 'Companies'],
  rows: keys.map(({ name, licence, quant, usedToday, perDay, entityCap, entitiesUsed }) => [
    name ?? '',
    quant ? `${licence} + quant` : licence,
    perDay === null ? grouped(usedToday) : `${grouped(usedToday)} of ${grouped(perDay)}`,
    entityCap === null ? 'no cap' : `${grouped(entitiesUsed)} of ${grouped(entityCap)}`,
  ]),
})}`
function byRoute(use: readonly RouteUse[], today: string): Markup {
  const routes = [...Map.groupBy(use, row => row.route)]
    .map(([route, rows]) => ({
      route,
      today: rows.filter(row => row.day === today).reduce((sum, row) => sum + row.requests, 0),
      total: rows.reduce((sum, row) => sum + row.requests, 0),
    }))
    .toSorted((a, b) => b.total - a.total)
  return html`<h3>By route</h3>
${table({
  label: 'By route',
  head: ['Route', 'Today', `${usageDays} days`],
  numbers: [1, 2],
  rows: routes.map(row => [html`<code>${row.route}</code>`, grouped(row.today), grouped(row.total)]),
})}`
}

const byDay = (
  counts: readonly { readonly day: string; readonly requests: number }[],
): Markup => html`<h3>By day</h3>
${table({
  label: 'By day',
  head: ['Day', 'Requests'],
  numbers: [1],
  rows: counts
    .filter(({ requests }) => requests > 0)
    .toReversed()
    .map(({ day, requests }) => [day, grouped(requests)]),
})}`

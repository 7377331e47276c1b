import { addDays } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import type { Session } from '../sessionQueries.ts'
import type { RouteUse } from '../usageQueries.ts'
import { accountPage } from './frame.ts'
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
<table>
<thead><tr><th scope="col">Key</th><th scope="col">Licence</th><th scope="col">Requests today</th><th scope="col">Companies</th></tr></thead>
<tbody>
${keys.map(
  ({ name, licence, quant, usedToday, perDay, entityCap, entitiesUsed }) =>
    html`<tr><td>${name}</td><td>${licence}${quant && ' + quant'}</td><td>${grouped(usedToday)}${perDay !== null && html` of ${grouped(perDay)}`}</td><td>${entityCap === null ? 'no cap' : html`${grouped(entitiesUsed)} of ${grouped(entityCap)}`}</td></tr>
`,
)}</tbody>
</table>`

function byRoute(use: readonly RouteUse[], today: string): Markup {
  const routes = [...Map.groupBy(use, row => row.route)]
    .map(([route, rows]) => ({
      route,
      today: rows.filter(row => row.day === today).reduce((sum, row) => sum + row.requests, 0),
      total: rows.reduce((sum, row) => sum + row.requests, 0),
    }))
    .toSorted((a, b) => b.total - a.total)
  return html`<h3>By route</h3>
<table>
<thead><tr><th scope="col">Route</th><th scope="col" class="number">Today</th><th scope="col" class="number">${usageDays} days</th></tr></thead>
<tbody>
${routes.map(
  row =>
    html`<tr><td><code>${row.route}</code></td><td class="number">${grouped(row.today)}</td><td class="number">${grouped(row.total)}</td></tr>
`,
)}</tbody>
</table>`
}

const byDay = (
  counts: readonly { readonly day: string; readonly requests: number }[],
): Markup => html`<h3>By day</h3>
<table>
<thead><tr><th scope="col">Day</th><th scope="col" class="number">Requests</th></tr></thead>
<tbody>
${counts
  .filter(({ requests }) => requests > 0)
  .toReversed()
  .map(
    ({ day, requests }) =>
      html`<tr><td>${day}</td><td class="number">${grouped(requests)}</td></tr>
`,
  )}</tbody>
</table>`

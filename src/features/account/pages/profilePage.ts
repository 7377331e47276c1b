import type { Session } from '../../../access/visitorQueries.ts'
import { html, type Markup } from '../../../html.ts'
import type { AuditEntry } from '../auditQueries.ts'
import { type ListedBrowser, rememberedDays } from '../browserQueries.ts'
import type { ListedSession } from '../sessionQueries.ts'
import { accountPage, table } from './frame.ts'

/** A text for each action in the audit log. */
const actTexts: Readonly<Record<string, string>> = {
  signed_in: 'Signed in',
  signed_out: 'Signed out',
  session_ended: 'Session ended',
  browser_forgotten: 'Browser forgotten',
  key_made: 'Key created',
  key_rotated: 'Key rotated',
  report_shared: 'Report made public',
  share_revoked: 'Public address of a report revoked',
  key_revoked: 'Key revoked',
  key_named: 'Key renamed',
  key_granted: 'Licence granted',
  grant_changed: 'Licence changed',
  request_sent: 'Licence requested',
  request_withdrawn: 'Request withdrawn',
  request_granted: 'Request granted',
  request_refused: 'Request refused',
  order_signed: 'Order form signed',
}

export const actText = (act: string): string => actTexts[act] ?? act

interface Profile {
  readonly session: Session
  readonly sessions: readonly ListedSession[]
  readonly browsers: readonly ListedBrowser[]
  readonly audit: readonly AuditEntry[]
  readonly isAdmin: boolean
}

/** /account: the signed-in person's sessions, remembered browsers and recent events. */
export const profilePage = ({ session, sessions, browsers, audit, isAdmin }: Profile): string =>
  accountPage({
    title: 'Account',
    email: session.email,
    section: 'Account',
    main: html`<dl class="facts">
<dt>E-mail address</dt><dd>${session.email}</dd>
<dt>Member since</dt><dd>${session.memberSince}</dd>
<dt>Signed in</dt><dd>${session.signedIn}, until ${session.ends}</dd>
</dl>
<p><a class="button" href="/account/api-keys">API keys</a> <a class="button" href="/account/usage">Usage</a>${isAdmin && html` <a class="button" href="/admin">Administration</a>`}</p>
<h2 id="sessions">Sessions</h2>
<p>A session ends 30 days after you signed in. If you end it here, its browser is forgotten as well. Times are in UTC.</p>
${table({
  label: 'Sessions',
  head: ['Browser', 'Network', 'Signed in', 'Last seen', 'Ends', ''],
  rows: sessions.map(row => sessionCells(row, row.sessionId === session.sessionId)),
})}
${sessions.length > 1 && html`<form method="post" action="/account/sessions"><button name="session" value="others">End all others</button></form>`}
<h2 id="browsers">Remembered browsers</h2>
<p>We remember a browser for ${rememberedDays} days after its last sign-in, even if you sign out. It can request codes even when strangers have used up the limit of your address. It still needs a code to sign in.</p>
${
  browsers.length === 0
    ? html`<p>No browser is remembered.</p>`
    : table({
        label: 'Remembered browsers',
        head: ['Browser', 'Network', 'Last sign-in', 'Remembered until', ''],
        rows: browsers.map(browserCells),
      })
}
${browsers.length > 1 && html`<form method="post" action="/account/browsers"><button name="browser" value="all">Forget all</button></form>`}
<h2 id="log">Log</h2>
<p>The last 50 events on this account. Nothing can be removed from the log. Times are in UTC.</p>
${table({ label: 'Log', head: ['When', 'What', 'Details', 'By', 'Network'], rows: audit.map(auditCells) })}`,
  })

const sessionCells = (
  { sessionId, agent, address, signedIn, lastSeen, ends }: ListedSession,
  isOwn: boolean,
): (string | Markup)[] => [
  html`${browserName(agent)}${isOwn && html` <span class="tag">this browser</span>`}`,
  address,
  signedIn,
  lastSeen,
  ends,
  html`<form method="post" action="/account/sessions"><button name="session" value="${sessionId}" aria-label="End the session of ${signedIn}">End</button></form>`,
]

const browserCells = ({ browserId, agent, address, signedIn, ends, isThis }: ListedBrowser) => [
  html`${browserName(agent)}${isThis && html` <span class="tag">this browser</span>`}`,
  address,
  signedIn,
  ends,
  html`<form method="post" action="/account/browsers"><button name="browser" value="${browserId}" aria-label="Forget the browser of ${signedIn}">Forget</button></form>`,
]

export const auditCells = ({ at, act, about, detail, actor, address }: AuditEntry): (string | Markup)[] => [
  at,
  actText(act),
  html`${about !== '' && html`<code>${about}</code> `}${isAgent(act) ? browserName(detail) : detail}`,
  actor,
  address,
]

/** Actions whose details are a User-Agent. */
const isAgent = (act: string) =>
  ['signed_in', 'signed_out', 'session_ended', 'browser_forgotten'].includes(act)

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/Windows/, 'Windows'],
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Mac OS/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** Browser and operating system from a User-Agent, or the beginning of the header. */
function browserName(agent: string): string {
  const nameIn = (list: typeof browsers) => list.find(([pattern]) => pattern.test(agent))?.[1]
  const browser = nameIn(browsers)
  if (browser === undefined) return agent.slice(0, 40) || 'unknown'
  const system = nameIn(systems)
  return system === undefined ? browser : `${browser} on ${system}`
}

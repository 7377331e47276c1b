import { html, type Markup } from '../../html.ts'
import { frame } from './frame.ts'

const links = [
  { name: 'Markets', path: '/markets' },
  { name: 'Screen', path: '/screen' },
  { name: 'Backtest', path: '/backtest' },
  { name: 'Restatements', path: '/restatements' },
  { name: 'Metrics', path: '/catalogue' },
  { name: 'Docs', path: '/docs/guides' },
] as const

const account = { name: 'Account', path: '/account' } as const
const signIn = { name: 'Sign in', path: '/sign-in' } as const

/** Allows scripts, styles, images and requests of this server only, and forms that lead to it. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every page with data. */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': contentSecurityPolicy,
  // Forms of other parts of the site check where they come from: without a referrer Chromium sends `Origin: null`.
  'Referrer-Policy': 'same-origin',
} as const

/** What a page says. The navigation around it depends on who looks at it. */
export interface SitePage {
  readonly title: string
  readonly description?: string
  readonly canonical?: string
  readonly linkedData?: object
  /** The path of its place in the navigation. */
  readonly section?: (typeof links)[number]['path']
  /** Names of scripts in /assets. */
  readonly scripts?: readonly string[]
  /** Names of its own styles in /assets. */
  readonly styles?: readonly string[]
  readonly refreshSeconds?: number
  readonly unlisted?: boolean
  readonly main: Markup
}

/** A page of the site with its navigation and footer. */
export function sitePage(
  { section, scripts = [], styles = [], main, ...page }: SitePage,
  { isSignedIn }: { readonly isSignedIn: boolean },
): string {
  return frame({
    ...page,
    navigation: { label: 'Site', links: [...links, isSignedIn ? account : signIn] },
    current: section ?? null,
    styles: ['/docs/assets/docs.css', '/assets/site.css', ...styles.map(name => `/assets/${name}`)],
    scripts: ['search.js', ...scripts].map(name => `/assets/${name}`),
    body: html`<div class="page wide"><main id="main" tabindex="-1">
${main}
</main></div>`,
    footer: html`<footer class="site-footer"><p>Figures from official filings, each with the day on which it was filed. Without a licence of your own, pages are under the <a href="/docs/guides/keys-and-limits#licences">Free Licence</a>; the registers' own terms stand on each market's page. Not investment advice.</p>
<p><a href="/docs">API</a> <a href="/docs/guides">Guides</a> <a href="/sample">Sample file</a> <a href="/docs/guides/security">Security</a></p></footer>`,
  })
}

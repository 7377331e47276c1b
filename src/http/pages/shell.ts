import { html, json, type Markup } from '../../html.ts'

interface Link {
  readonly name: string
  readonly path: string
}

const siteLinks = [
  { name: 'Companies', path: '/markets' },
  { name: 'Screen', path: '/screen' },
  { name: 'Compare', path: '/compare' },
  { name: 'Restatements', path: '/restatements' },
  { name: 'Strategies', path: '/strategies' },
  { name: 'Backtest', path: '/backtest' },
  { name: 'Audit', path: '/audit' },
  { name: 'Docs', path: '/docs/guides' },
] as const satisfies readonly Link[]

const account = { name: 'Account', path: '/account' } as const
const signIn = { name: 'Sign in', path: '/sign-in' } as const

/** Pages that belong together: each shows links to all of them below the site navigation. */
export interface Area {
  readonly label: string
  readonly links: readonly Link[]
}

/** The pages behind the link "Companies". */
const companiesArea = {
  label: 'Companies',
  links: [
    { name: 'Markets', path: '/markets' },
    { name: 'Universe', path: '/universe' },
    { name: 'Metrics', path: '/catalogue' },
    { name: 'Prices', path: '/prices' },
    { name: 'Sample file', path: '/sample' },
  ],
} as const satisfies Area

type Section =
  | (typeof siteLinks)[number]['path']
  | (typeof companiesArea.links)[number]['path']
  | '/account'
  | '/sign-in'

export interface Page {
  readonly title: string | Markup
  /** The description that search engines show. */
  readonly description?: string
  /** The canonical URL, where several addresses show the same page. */
  readonly canonical?: string
  /** Structured data for the head (schema.org). */
  readonly linkedData?: object
  /** The path of the highlighted link in the site navigation, or of one of the pages about companies. */
  readonly section?: Section
  readonly area?: Area
  /** The name of the highlighted link in the area. */
  readonly areaLink?: string
  /** The name of the signed-in account and the sign-out button, next to the links of the area. */
  readonly areaEnd?: Markup
  /** Names of further stylesheets and scripts in /assets, besides those of every page. */
  readonly styles?: readonly string[]
  readonly scripts?: readonly string[]
  /** The address of the same text as Markdown. */
  readonly markdown?: string
  /** Hides the page from search engines, for errors and search results. */
  readonly unlisted?: boolean
  /** Where scripts are disabled, a page with work in progress reloads itself after this many seconds. */
  readonly refreshSeconds?: number
  /** The table of contents, shown beside the page, or above it on a narrow screen. */
  readonly contents?: readonly { readonly id: string; readonly title: string | Markup }[]
  /** A column of text, a page of data, or content with its own styles. */
  readonly layout?: 'prose' | 'wide' | 'bare'
  readonly main: Markup
}

export interface Viewer {
  /** null: the page is the same for everybody, and its link leads to the account, which asks for a sign-in if
   * needed. */
  readonly isSignedIn: boolean | null
}

/** Renders every HTML page of this server except reports of backtests and audits: head, navigation, footer and theme are the
 * same on each. */
export function shell(page: Page, { isSignedIn }: Viewer): string {
  const { title, description, canonical, linkedData, section, contents, layout = 'wide', main } = page
  const styles = ['base.css', ...(page.styles ?? [])]
  const scripts = new Set(['search.js', ...(page.scripts ?? [])])
  const links: readonly Link[] = [...siteLinks, isSignedIn === false ? signIn : account]
  const ofCompanies = companiesArea.links.find(({ path }) => path === section)
  const current = ofCompanies === undefined ? section : companiesArea.links[0].path
  const area = page.area ?? (ofCompanies === undefined ? undefined : companiesArea)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - asfiled</title>
${description !== undefined && html`<meta name="description" content="${description}">\n`}\
${canonical !== undefined && html`<link rel="canonical" href="${canonical}">\n`}\
${page.markdown !== undefined && html`<link rel="alternate" type="text/markdown" href="${page.markdown}">\n`}\
${page.unlisted === true && html`<meta name="robots" content="noindex">\n`}\
${refresh(page.refreshSeconds)}\
<link rel="icon" type="image/png" href="/assets/favicon-32x32.png">
${styles.map(name => html`<link rel="stylesheet" href="/assets/${name}">\n`)}\
<script src="/assets/theme.js"></script>
${linkedData !== undefined && dataScript('application/ld+json', linkedData)}\
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="site">
<a class="brand" href="/">asfiled</a>
${siteSearch}
<button class="menu-button" type="button" popovertarget="menu">Menu</button>
<div class="menu" id="menu" popover>
${navigation('Site', links, ({ path }) => path === current)}
<label class="theme with-script"><span>Theme</span> <select id="theme">\
<option value="">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
</div>
</header>
${area !== undefined && areaBar(area, page.areaLink ?? ofCompanies?.name, page.areaEnd)}\
<div class="page">
${contents !== undefined && contentsList(contents)}\
<main id="main" tabindex="-1" class="${layout}">
${main}
</main>
</div>
${footer}
${[...scripts].map(name => html`<script src="/assets/${name}"></script>\n`)}\
</body>
</html>
`.text
}

const refresh = (seconds: number | undefined) =>
  seconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>\n`

/** The search field of every page: with JavaScript it shows results as the visitor types, and `/` moves the focus to it. */
const siteSearch = html`<form class="site-search" action="/search" method="get" role="search" aria-label="Companies">
<input name="q" type="search" aria-label="Find a company" aria-keyshortcuts="/" placeholder="Apple, AAPL" autocomplete="off" spellcheck="false" required maxlength="200">
<button type="submit" aria-label="Find"><svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="7" cy="7" r="4.5" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="m10.5 10.5 4 4" stroke="currentColor" stroke-width="1.6"/></svg></button>
<ul class="hits" hidden></ul>
</form>`

const navigation = (label: string, links: readonly Link[], isCurrent: (link: Link) => boolean) =>
  html`<nav aria-label="${label}">${links.map(
    link => html`<a href="${link.path}"${isCurrent(link) && html` aria-current="page"`}>${link.name}</a>`,
  )}</nav>`

const areaBar = (
  { label, links }: Area,
  current: string | undefined,
  end: Markup | undefined,
) => html`<div class="area" data-area="${label}">
${navigation(label, links, ({ name }) => name === current)}
${end}
</div>
`

const contentsList = (contents: NonNullable<Page['contents']>) =>
  html`<nav class="contents" aria-label="On this page">${contents.map(
    ({ id, title }) => html`<a href="#${id}">${title}</a>`,
  )}</nav>\n`

const footer = html`<footer class="site-footer"><p>Figures come from official filings, each with the day on which it was filed.
Unless you have a licence of your own, these pages are under the <a href="/docs/guides/keys-and-limits#licences">Free Licence</a>;
each market's page has the terms of its register. Nothing here is investment advice.</p>
<p class="footer-links"><a href="/start">Start</a> <a href="/docs">API</a> <a href="/docs/guides">Guides</a> <a href="/sample">Sample file</a> <a href="/docs/guides/security">Security</a></p>
</footer>`

/** Embeds data in a page. Browsers never execute a script block of this type, so the page's policy allows it.
 *
 * @param id for scripts of the page that read it */
export function dataScript(
  type: 'application/json' | 'application/ld+json',
  data: object,
  id?: string,
): Markup {
  return html`<script type="${type}"${id !== undefined && html` id="${id}"`}>${json(data)}</script>\n`
}

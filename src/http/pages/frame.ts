import { html, json, type Markup } from '../../html.ts'

export interface FrameLink {
  readonly name: string
  readonly path: string
}

export interface Frame {
  readonly title: string | Markup
  /** What search engines show under the title. */
  readonly description?: string
  /** The address that search engines shall remember, where a page answers to several. */
  readonly canonical?: string
  /** Data for programs in the head (schema.org). */
  readonly linkedData?: object
  /** Names of the navigation, for a screen reader, and its links. */
  readonly navigation: { readonly label: string; readonly links: readonly FrameLink[] }
  /** The path of the link that is marked in the navigation. */
  readonly current: string | null
  readonly styles: readonly string[]
  /** Run after the page is read. */
  readonly scripts: readonly string[]
  /** Hidden from search engines: an error, a list of hits. */
  readonly unlisted?: boolean
  /** Without script the page loads itself again after so many seconds: something on it is under way. */
  readonly refreshSeconds?: number
  readonly body: Markup
  readonly footer?: Markup
}

/** A page of this server: head, navigation and theme are the same on each. */
export function frame(page: Frame): string {
  const { title, description, canonical, linkedData, navigation, current, styles, scripts } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - asfiled</title>
${description !== undefined && html`<meta name="description" content="${description}">\n`}${canonical !== undefined && html`<link rel="canonical" href="${canonical}">\n`}${page.unlisted === true && html`<meta name="robots" content="noindex">\n`}${page.refreshSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${page.refreshSeconds}"></noscript>\n`}<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
${styles.map(path => html`<link rel="stylesheet" href="${path}">\n`)}<script src="/docs/assets/theme.js"></script>
${linkedData !== undefined && dataScript('application/ld+json', linkedData)}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="site">
<a class="brand" href="/">asfiled</a>
<nav aria-label="${navigation.label}">${navigation.links.map(({ name, path }) => link(name, path, path === current))}</nav>
<label class="theme" hidden><span>Theme</span> <select id="theme"><option value="">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
</header>
${page.body}
${page.footer}
${scripts.map(path => html`<script src="${path}"></script>\n`)}
</body>
</html>
`.text
}

const link = (name: string, path: string, current: boolean) =>
  html`<a href="${path}"${current && html` aria-current="page"`}>${name}</a>`

/** Data in a page. The policy of a page allows no script in it, and this is none: browsers never run a block of such a type.
 *
 * @param id for scripts of the page that read it */
export function dataScript(
  type: 'application/json' | 'application/ld+json',
  data: object,
  id?: string,
): Markup {
  return html`<script type="${type}"${id !== undefined && html` id="${id}"`}>${json(data)}</script>\n`
}

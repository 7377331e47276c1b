import { html, type Markup } from '../../html.ts'

const sections = [
  { name: 'API', path: '/docs' },
  { name: 'Guides', path: '/docs/guides' },
  { name: 'Metrics', path: '/docs/metrics' },
  { name: 'Errors', path: '/docs/errors' },
  { name: 'Account', path: '/account' },
] as const

export interface DocumentPage {
  readonly title: string | Markup
  /** Marked in the navigation. */
  readonly section: (typeof sections)[number]['name']
  /** Assets besides those of every page: names of those of the documents, or paths. */
  readonly styles?: readonly string[]
  readonly scripts?: readonly string[]
  /** Places in the page: a list of links next to it, or above it on a narrow screen. */
  readonly contents?: readonly { readonly id: string; readonly title: string | Markup }[]
  /** Leaves the style of what is in `main` to the page. Without it `main` is a column of text. */
  readonly ownStyle?: boolean
  readonly main: Markup
}

/** A page under /docs: head, navigation and theme are the same on each. */
export function documentPage(page: DocumentPage): string {
  const { title, section, styles, scripts, contents, ownStyle, main } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - asfiled</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
${[...(styles ?? []), 'docs.css'].map(name => html`<link rel="stylesheet" href="${assetPath(name)}">\n`)}
<script src="/docs/assets/theme.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="site">
<a class="brand" href="/docs">asfiled</a>
<nav aria-label="Site">${sections.map(({ name, path }) => link(name, path, name === section))}</nav>
<label class="theme" hidden><span>Theme</span> <select id="theme"><option value="">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
</header>
<div class="page">
${contents && html`<nav class="contents" aria-label="On this page">${contents.map(({ id, title: name }) => html`<a href="#${id}">${name}</a>`)}</nav>`}
<main id="main" tabindex="-1"${ownStyle !== true && html` class="prose"`}>
${main}
</main>
</div>
${(scripts ?? []).map(name => html`<script src="${assetPath(name)}"></script>\n`)}
</body>
</html>
`.text
}

const assetPath = (name: string) => (name.startsWith('/') ? name : `/docs/assets/${name}`)

const link = (name: string, path: string, current: boolean) =>
  html`<a href="${path}"${current && html` aria-current="page"`}>${name}</a>`

import { html, type Markup } from '../../html.ts'
import { frame } from '../pages/frame.ts'

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

/** A page under /docs. */
export function documentPage(page: DocumentPage): string {
  const { title, section, styles, scripts, contents, ownStyle, main } = page
  return frame({
    title,
    navigation: { label: 'Documents', links: sections },
    current: sections.find(({ name }) => name === section)?.path ?? null,
    styles: [...(styles ?? []), 'docs.css'].map(asset),
    scripts: (scripts ?? []).map(asset),
    body: html`<div class="page">
${contents && html`<nav class="contents" aria-label="On this page">${contents.map(({ id, title: name }) => html`<a href="#${id}">${name}</a>`)}</nav>`}
<main id="main" tabindex="-1"${ownStyle !== true && html` class="prose"`}>
${main}
</main>
</div>`,
  })
}

const asset = (name: string) => (name.startsWith('/') ? name : `/docs/assets/${name}`)

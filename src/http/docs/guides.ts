import { dirname, posix, resolve } from 'node:path'
import { html, Markup } from '../../html.ts'
import { documentPage } from './documentPage.ts'
import {
  addresses,
  audiences,
  type GuideName,
  guides,
  local,
  repository,
  titles,
  withAddress,
} from './guideList.ts'

/** /docs/guides: every guide with its title and first sentence, by reader. */
export async function guidesPage(baseUrl: string): Promise<string> {
  const parts = await Promise.all(
    audiences.map(async ({ title, names }) => ({
      title,
      entries: await Promise.all(names.map(name => readGuide(name, baseUrl))),
    })),
  )
  return documentPage({
    title: 'Guides',
    section: 'Guides',
    main: html`<h1>Guides</h1>
<p>New here? <a href="/start">Start</a> with one request and its answer.</p>
${parts.map(
  ({ title: part, entries }) => html`<h2>${part}</h2>
<ul class="guides">${entries.map(
    ({ name, title, summary }) =>
      html`<li><a href="/docs/guides/${name}">${title}</a><p>${summary}</p></li>\n`,
  )}</ul>`,
)}`,
  })
}

/** The page for a name that no guide has. */
export const unknownGuidePage = (): string =>
  documentPage({
    title: 'No such guide',
    section: 'Guides',
    main: html`<h1>No such guide</h1>
<p>There is no guide at this address. See <a href="/docs/guides">all guides</a>.</p>`,
  })

/** /docs/guides/{name}: one guide, from the same Markdown that the repository shows, with the address of this server. */
export async function guidePage(name: GuideName, baseUrl: string): Promise<string> {
  const { title, contents, body } = await readGuide(name, baseUrl)
  const markdown = `/docs/guides/${name}.md`
  return documentPage({
    title,
    section: 'Guides',
    contents,
    markdown,
    main: html`${body}<p class="quiet"><a href="${markdown}">This guide as Markdown</a></p>`,
  })
}

interface Guide {
  readonly name: GuideName
  readonly title: Markup
  /** The first paragraph, without markup. */
  readonly summary: Markup
  readonly contents: { readonly id: string; readonly title: Markup }[]
  readonly body: Markup
}

async function readGuide(name: GuideName, baseUrl: string): Promise<Guide> {
  const file = guides[name]
  const markdown = withAddress(name, await Bun.file(resolve(repository, file)).text(), baseUrl)
  const ownTitle = titles[name]
  let title = ''
  let summary = ''
  let paragraphs = 0
  const sections: { id: string; title: string }[] = []
  const body = new HTMLRewriter()
    .on('h1', {
      element(heading) {
        if (ownTitle === undefined) return
        title = ownTitle
        heading.setInnerContent(ownTitle)
      },
      text({ text }) {
        if (ownTitle === undefined) title += text
      },
    })
    .on('table', {
      element(table) {
        table.before('<div class="table-box" role="group" aria-label="Table" tabindex="0">', { html: true })
        table.after('</div>', { html: true })
      },
    })
    .on('p', {
      element() {
        paragraphs++
      },
      text({ text }) {
        if (paragraphs === 1) summary += text
      },
    })
    .on('h2', {
      element(heading) {
        sections.push({ id: heading.getAttribute('id') ?? '', title: '' })
      },
      text({ text }) {
        sections[sections.length - 1].title += text
      },
    })
    .on('a[href]', { element: link => redirect(link, 'href', file, baseUrl) })
    .on('img[src]', { element: image => redirect(image, 'src', file, baseUrl) })
    .transform(Bun.markdown.html(markdown, { headings: { ids: true } }))
  return {
    name,
    title: new Markup(title),
    summary: new Markup(summary),
    contents: sections.map(({ id, title: text }) => ({ id, title: new Markup(text) })),
    body: new Markup(body),
  }
}

/** Rewrites links into the repository, or to a server, so that they lead to the served pages. A link to a file
 * that is not served becomes plain text. */
function redirect(
  element: HTMLRewriterTypes.Element,
  attribute: 'href' | 'src',
  from: string,
  baseUrl: string,
): void {
  const target = element.getAttribute(attribute) ?? ''
  for (const server of [baseUrl, local])
    if (target === server || target.startsWith(`${server}/`))
      return void element.setAttribute(attribute, target.slice(server.length) || '/')
  if (target.startsWith('#') || /^[a-z]+:/.test(target)) return
  const [path, anchor] = target.split('#')
  const address = addresses.get(posix.join(dirname(from), path))
  if (address === undefined) element.removeAndKeepContent()
  else element.setAttribute(attribute, anchor === undefined ? address : `${address}#${anchor}`)
}

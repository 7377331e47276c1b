import { dirname, posix, resolve } from 'node:path'
import { html, Markup } from '../../html.ts'
import { documentPage } from './documentPage.ts'

const repository = resolve(import.meta.dir, '../../..')

const local = 'http://localhost:3000'

/** The guides in the order in which a newcomer reads them, by the last segment of their path. */
export const guides = {
  start: 'README.md',
  'figures-and-vintages': 'docs/figures-and-vintages.md',
  'keys-and-limits': 'docs/keys-and-limits.md',
  'site-and-accounts': 'docs/site-and-accounts.md',
  'importing-and-syncing': 'docs/importing-and-syncing.md',
  backtests: 'docs/backtests.md',
  audits: 'docs/audits.md',
  'verdict-bars': 'docs/verdict-bars.md',
  clients: 'docs/clients.md',
  'joins-and-mirrors': 'docs/joins-and-mirrors.md',
  spreadsheets: 'docs/spreadsheets.md',
  assistants: 'docs/assistants.md',
  python: 'clients/python/README.md',
  deployment: 'docs/deployment.md',
  operations: 'docs/operations.md',
  monitoring: 'docs/monitoring.md',
  scaling: 'docs/scaling.md',
  architecture: 'ARCHITECTURE.md',
  contributing: 'CONTRIBUTING.md',
  changelog: 'CHANGELOG.md',
  security: 'SECURITY.md',
  benchmarks: 'bench/README.md',
  soak: 'docs/soak.md',
  abuse: 'docs/abuse.md',
  'long-tests': 'docs/long-tests.md',
  'bun-pipelining': 'docs/bun-pipelining.md',
  'bun-large-answers': 'docs/bun-large-answers.md',
} as const satisfies Record<string, string>

export type GuideName = keyof typeof guides

/** Served paths of the files that guides link to, by their path in the repository. */
const addresses = new Map<string, string>([
  ...Object.entries(guides).map(([name, file]): [string, string] => [file, `/docs/guides/${name}`]),
  ['docs/data-flow.svg', '/assets/data-flow.svg'],
  ['docs/house.svg', '/assets/house.svg'],
])

/** /docs/guides: every guide with its title and first sentence. */
export async function guidesPage(): Promise<string> {
  const entries = await Promise.all((Object.keys(guides) as GuideName[]).map(readGuide))
  return documentPage({
    title: 'Guides',
    section: 'Guides',
    main: html`<h1>Guides</h1>
<ul class="guides">${entries.map(
      ({ name, title, summary }) =>
        html`<li><a href="/docs/guides/${name}">${title}</a><p>${summary}</p></li>\n`,
    )}</ul>`,
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

/** /docs/guides/{name}: one guide, from the same Markdown that the repository shows. */
export async function guidePage(name: GuideName): Promise<string> {
  const { title, contents, body } = await readGuide(name)
  return documentPage({ title, section: 'Guides', contents, main: body })
}

interface Guide {
  readonly name: GuideName
  readonly title: Markup
  /** The first paragraph, without markup. */
  readonly summary: Markup
  readonly contents: { readonly id: string; readonly title: Markup }[]
  readonly body: Markup
}

async function readGuide(name: GuideName): Promise<Guide> {
  const file = guides[name]
  const markdown = await Bun.file(resolve(repository, file)).text()
  let title = ''
  let summary = ''
  let paragraphs = 0
  const sections: { id: string; title: string }[] = []
  const body = new HTMLRewriter()
    .on('h1', {
      text({ text }) {
        title += text
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
    .on('a[href]', { element: link => redirect(link, 'href', file) })
    .on('img[src]', { element: image => redirect(image, 'src', file) })
    .transform(Bun.markdown.html(markdown, { headings: { ids: true } }))
  return {
    name,
    title: new Markup(title),
    summary: new Markup(summary),
    contents: sections.map(({ id, title: text }) => ({ id, title: new Markup(text) })),
    body: new Markup(body),
  }
}

/** Rewrites links into the repository, or to a server on this machine, so that they lead to the served pages.
 * A link to a file that is not served becomes plain text. */
function redirect(element: HTMLRewriterTypes.Element, attribute: 'href' | 'src', from: string): void {
  const target = element.getAttribute(attribute) ?? ''
  if (target.startsWith(local)) return void element.setAttribute(attribute, target.slice(local.length) || '/')
  if (target.startsWith('#') || /^[a-z]+:/.test(target)) return
  const [path, anchor] = target.split('#')
  const address = addresses.get(posix.join(dirname(from), path))
  if (address === undefined) element.removeAndKeepContent()
  else element.setAttribute(attribute, anchor === undefined ? address : `${address}#${anchor}`)
}

import { dirname, posix, resolve } from 'node:path'
import { html, Markup } from '../../html.ts'
import { documentPage } from './documentPage.ts'

const repository = resolve(import.meta.dir, '../../..')

/** The address of a server in the guides of the repository. */
const local = 'http://localhost:3000'

/** The guides in the order in which a newcomer reads them, by the last segment of their path. */
export const guides = {
  start: 'README.md',
  'figures-and-vintages': 'docs/figures-and-vintages.md',
  'keys-and-limits': 'docs/keys-and-limits.md',
  'site-and-accounts': 'docs/site-and-accounts.md',
  'importing-and-syncing': 'docs/importing-and-syncing.md',
  backtests: 'docs/backtests.md',
  strategies: 'docs/strategies.md',
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

/** Who reads which guides. */
const audiences: readonly { readonly title: string; readonly names: readonly GuideName[] }[] = [
  {
    title: 'Use the data',
    names: [
      'figures-and-vintages',
      'clients',
      'python',
      'spreadsheets',
      'assistants',
      'keys-and-limits',
      'joins-and-mirrors',
      'backtests',
      'strategies',
      'verdict-bars',
      'audits',
      'site-and-accounts',
      'bun-pipelining',
    ],
  },
  {
    title: 'Run a server',
    names: [
      'start',
      'importing-and-syncing',
      'deployment',
      'operations',
      'monitoring',
      'scaling',
      'abuse',
      'security',
      'changelog',
    ],
  },
  {
    title: 'Work on asfiled',
    names: ['architecture', 'contributing', 'benchmarks', 'soak', 'long-tests', 'bun-large-answers'],
  },
]

/** Titles of guides whose own heading does not say what they are for. */
const titles: Partial<Record<GuideName, string>> = { start: 'Run your own server in five minutes' }

/** Served paths of the files that guides link to, by their path in the repository. */
const addresses = new Map<string, string>([
  ...Object.entries(guides).map(([name, file]): [string, string] => [file, `/docs/guides/${name}`]),
  ['docs/data-flow.svg', '/assets/data-flow.svg'],
  ['docs/house.svg', '/assets/house.svg'],
])

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

/**
 * Puts the address of this server into the examples of guides. Guides for operators keep theirs, which is that of a server they
 * have just installed, except for requests to it.
 */
function withAddress(name: GuideName, markdown: string, baseUrl: string): string {
  if (name === 'start') return markdown.replace(/http:\/\/localhost:3000(?=\/)/g, baseUrl)
  if (!audiences[0].names.includes(name)) return markdown
  const text = markdown.replaceAll(local, baseUrl)
  return name === 'assistants' ? text.replaceAll('https://data.example.com', baseUrl) : text
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

import { resolve } from 'node:path'

/** The folder of the repository, whose Markdown is served. */
export const repository = resolve(import.meta.dir, '../../..')

/** The address of a server in the guides of the repository. */
export const local = 'http://localhost:3000'

/** The guides in the order in which a newcomer reads them, by the last segment of their path. */
export const guides = {
  start: 'README.md',
  'figures-and-vintages': 'docs/figures-and-vintages.md',
  'keys-and-limits': 'docs/keys-and-limits.md',
  'site-and-accounts': 'docs/site-and-accounts.md',
  'importing-and-syncing': 'docs/importing-and-syncing.md',
  prices: 'docs/prices.md',
  strategies: 'docs/strategies.md',
  backtests: 'docs/backtests.md',
  audits: 'docs/audits.md',
  'verdict-bars': 'docs/verdict-bars.md',
  clients: 'docs/clients.md',
  'joins-and-mirrors': 'docs/joins-and-mirrors.md',
  spreadsheets: 'docs/spreadsheets.md',
  assistants: 'docs/assistants.md',
  python: 'clients/python/README.md',
  typescript: 'clients/typescript/README.md',
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
export const audiences: readonly { readonly title: string; readonly names: readonly GuideName[] }[] = [
  {
    title: 'Use the data',
    names: [
      'figures-and-vintages',
      'clients',
      'python',
      'typescript',
      'spreadsheets',
      'assistants',
      'keys-and-limits',
      'joins-and-mirrors',
      'backtests',
      'strategies',
      'prices',
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
export const titles: Partial<Record<GuideName, string>> = { start: 'Run your own server in five minutes' }

/** Served paths of the files that guides link to, by their path in the repository. */
export const addresses = new Map<string, string>([
  ...Object.entries(guides).map(([name, file]): [string, string] => [file, `/docs/guides/${name}`]),
  ['docs/data-flow.svg', '/assets/data-flow.svg'],
  ['docs/house.svg', '/assets/house.svg'],
])

/**
 * Puts the address of this server into the examples of guides. Guides for operators keep theirs, which is that of a server they
 * have just installed, except for requests to it.
 */
export function withAddress(name: GuideName, markdown: string, baseUrl: string): string {
  if (name === 'start') return markdown.replace(/http:\/\/localhost:3000(?=\/)/g, baseUrl)
  if (!audiences[0].names.includes(name)) return markdown
  const text = markdown.replaceAll(local, baseUrl)
  return name === 'assistants' ? text.replaceAll('https://data.example.com', baseUrl) : text
}

import { resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { html } from '../../html.ts'
import type { Page } from '../../http/pages/shell.ts'
import type { PageDeps } from './deps.ts'
import { isDownloadable } from './downloads.ts'

const folder = resolve(import.meta.dir, '../../../sample')

/** The sample's files, and the column of each that contains the company. */
export const sampleFiles = {
  'fundamentals.csv.gz': {
    column: 7,
    what: 'figures, each with its period, its filing and its tag',
  },
  'entities.csv': { column: 2, what: 'companies with their IDs, names, fiscal year ends and sectors' },
  'signals.csv.gz': {
    column: null,
    what: 'forecasts of the returns of 88 US shares from 2012 to 2017, with their outcomes',
  },
} as const
export type SampleFile = keyof typeof sampleFiles

/** /sample: the files that ship with every installation. */
export function samplePage(deps: Pick<PageDeps, 'markets' | 'settings'>): Page {
  const left = deps.markets.manifests.filter(manifest => !isDownloadable(deps.settings, manifest))
  return {
    title: 'Sample file',
    section: '/sample',
    description:
      'Real filings of about 490 companies as CSV, every figure with its filing day. No key needed.',
    canonical: `${deps.settings.baseUrl}/sample`,
    layout: 'prose',
    main: html`<h1>Sample file</h1>
<p>Real filings of about 490 companies, most of them reports of US companies from July 2009 to March 2010. Every figure has its filing day, and nothing is made up.</p>
<ul>${(Object.keys(sampleFiles) as SampleFile[]).map(name => html`<li><a href="/sample/${name}" download>${name}</a>: ${sampleFiles[name].what}</li>`)}</ul>
<h2>Terms</h2>
<p>The figures belong to the registers. If you use them, name the source and say that they were processed. Each market's page has its terms.</p>
${left.length > 0 && html`<p>The files leave out some markets, because we have not read the terms of their registers in full: ${left.map(({ name, code }, index) => html`${index > 0 && ', '}<a href="/markets/${code}">${name}</a>`)}.</p>`}
<p>For every revision of one company's figures, see <a href="/companies/AAPL#download">Apple's downloads</a>.</p>`,
  }
}

/** A file of the sample without the companies of markets whose data may not be downloaded. */
export async function sampleBytes(
  deps: Pick<PageDeps, 'markets' | 'settings'>,
  name: SampleFile,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Bun.file(resolve(folder, name)).bytes()
  const { column } = sampleFiles[name]
  if (column === null) return bytes
  const isPacked = name.endsWith('.gz')
  const text = new TextDecoder().decode(isPacked ? gunzipSync(bytes) : bytes)
  const refused = await refusedIds(deps)
  // IDs precede every cell that may be quoted, and no cell contains a line break; a test checks the shipped
  // files for both.
  const [head, ...lines] = text.split('\n')
  const open = lines.filter(line => !refused.has(line.split(',', column + 1)[column] ?? ''))
  const rest = new TextEncoder().encode([head, ...open].join('\n'))
  return isPacked ? new Uint8Array(gzipSync(rest)) : rest
}

async function refusedIds({
  markets,
  settings,
}: Pick<PageDeps, 'markets' | 'settings'>): Promise<Set<string>> {
  const text = await Bun.file(resolve(folder, 'entities.csv')).text()
  const ids = new Set<string>()
  for (const line of text.split('\n').slice(1)) {
    const [market = '', , tickers = ''] = line.split(',')
    if (market === '' || isDownloadable(settings, markets.get(market))) continue
    ids.add(tickers)
    for (const ticker of tickers.split(' ')) ids.add(ticker)
  }
  return ids
}

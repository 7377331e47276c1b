import { Failure } from '../../errors.ts'
import { html, type Markup } from '../../html.ts'
import { documentsArea } from '../../http/docs/documentPage.ts'
import type { Page } from '../../http/pages/shell.ts'
import { demoPrincipal } from '../../rights/licences.ts'
import { planCompany } from '../fundamentals/plan.ts'
import { answerCompany } from '../fundamentals/read.ts'
import type { FundamentalsList } from '../fundamentals/schema.ts'
import type { PageDeps } from './deps.ts'
import { downloadPath, isDownloadable } from './downloads.ts'
import {
  assistantCommand,
  curlLine,
  type DataUse,
  powerQuery,
  pythonLines,
  sheetsFormula,
  toolCall,
  typescriptLines,
} from './useThisData/lines.ts'
import { useLine, useThisDataAssets } from './useThisData/panel.ts'

const example = { ticker: 'AAPL', metric: 'revenue', fp: 'FY', fy: '2009', as_of: '2009-12-31' } as const

/** /start: a first request and its answer, for each kind of client. */
export async function startPage(deps: PageDeps): Promise<Page> {
  const { settings, markets } = deps
  const { ticker, metric, ...named } = example
  const use: DataUse = {
    baseUrl: settings.baseUrl,
    path: '/api/v1/fundamentals',
    query: example,
    python: { method: 'fundamentals', args: [ticker, metric], named },
    tool: {
      name: 'get_fundamentals_history',
      arguments: { tickers: [ticker], metrics: [metric], ...named },
    },
    file: isDownloadable(settings, markets.get('US')) ? downloadPath(ticker, 'csv') : null,
    key: 'demo',
  }
  const answer = await readAnswer(deps)
  return {
    title: 'Start',
    description:
      'Get a company figure as it was known on a past day: in a terminal, Python, TypeScript, a spreadsheet or an assistant.',
    canonical: `${settings.baseUrl}/start`,
    section: '/docs/guides',
    area: documentsArea,
    areaLink: 'Start',
    layout: 'prose',
    styles: [useThisDataAssets.style],
    scripts: [useThisDataAssets.script],
    main: html`<h1>Start with one request</h1>
<p>What was Apple's revenue for fiscal 2009, as known at the end of 2009? The key <code>demo</code> is open to everybody, so every line on this page works as it is.</p>
<div class="use-data" id="use" data-server="${settings.baseUrl}">
<dl>${useLine('Terminal', curlLine(use))}</dl>
${answer !== null && answered(answer)}
<h2 id="clients">The same in your own tools</h2>
<dl>${useLine('Python', pythonLines(use), html`The client returns a frame of pandas or Polars. The <a href="/docs/guides/python">guide to Python</a> installs it.`)}
${useLine('TypeScript', typescriptLines(use), html`The <a href="/docs/guides/clients#typescript">guide to clients</a> has types for every answer.`)}
${spreadsheets(use)}
${assistants(use)}</dl>
</div>
<h2 id="next">From here</h2>
<ul>
<li>Set <code>as_of</code> to 2010-02-01, and the answer has a second revenue: Apple restated it on 2010-01-25.</li>
<li>Every page of a company, screen or list of restatements has the lines for what it shows, under <em>Use this data</em>. <a href="/companies/AAPL?as_of=2009-12-31">Apple at the end of 2009</a></li>
<li>The key <code>demo</code> sees the most recent fiscal year of most companies. <a href="/account/api-keys">A key of your own</a> has higher limits; <a href="/docs/guides/keys-and-limits">licences</a> open all of history.</li>
<li><a href="/docs">The API</a> has every route, to try in the browser. <a href="/docs/guides/figures-and-vintages">Figures and vintages</a> explains what a row means.</li>
<li>To run a server of your own, read the <a href="/docs/guides/start">guide for operators</a>.</li>
</ul>`,
  }
}

const answered = (answer: FundamentalsList): Markup => html`<h2 id="answer">Its answer</h2>
<p>One figure: <code>v</code> is its value, <code>filed</code> the day it was filed. <code>until</code> is empty, because no other value had been filed by then.</p>
<pre><code>${JSON.stringify(answer, null, 2)}</code></pre>`

function spreadsheets(use: DataUse): Markup {
  const formula = sheetsFormula(use)
  return html`${formula !== null && useLine('Google Sheets', formula, html`All of Apple's figures with every revision. Google fetches the file itself, so this works only with a server on the public internet.`)}
${useLine('Excel (Power Query)', powerQuery(use), html`Paste it into the Advanced Editor of a blank query and choose the credentials “Anonymous”: the <a href="/docs/guides/spreadsheets#excel">guide to spreadsheets</a> has the steps.`)}`
}

const assistants = (use: DataUse): Markup =>
  html`${useLine('Assistants (MCP): connect once', assistantCommand(use), html`This is for Claude Code; the <a href="/docs/guides/assistants">guide to assistants</a> connects others. Then ask your question in plain words.`)}
${useLine('Assistants (MCP): the tool call', toolCall(use) ?? '')}`

/** The answer of this server to the demo key; null if Apple is not loaded, or not open. */
async function readAnswer(deps: PageDeps): Promise<FundamentalsList | null> {
  const demo = deps.rightsOf(demoPrincipal)
  if (!demo.seesHistoryOf(example.ticker)) return null
  try {
    const plan = await planCompany(deps, demo, example)
    return await answerCompany(deps, demo, example, plan)
  } catch (error) {
    if (error instanceof Failure && error.code === 'entity_unknown') return null
    throw error
  }
}

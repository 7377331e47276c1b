import { demoPrincipal } from '../../access/authenticate.ts'
import { Failure } from '../../errors.ts'
import { html, type Markup } from '../../html.ts'
import { searchForm } from '../../http/pages/errorPage.ts'
import type { Page } from '../../http/pages/shell.ts'
import { dataScript } from '../../http/pages/shell.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import { marketCoverage } from '../coverage/queries.ts'
import { planCompany } from '../fundamentals/plan.ts'
import { answerCompany } from '../fundamentals/read.ts'
import type { FundamentalsRow } from '../fundamentals/schema.ts'
import { stepChart } from './chart.ts'
import type { PageDeps } from './deps.ts'
import { exactFigure, scaleOf, shownFigure } from './figures.ts'

/** The span of the picture: Apple's annual report of 2009 comes in October, its amendment in January. */
const span = { first: '2009-09-01', last: '2010-04-30' } as const
const example = {
  ticker: 'AAPL',
  metric: 'revenue',
  fp: 'FY',
  fy: '2007..2009',
  fields: 'accession,form,url',
} as const

/** /: what this is, a search, a restatement as a picture, and where to go. */
export async function homePage(deps: PageDeps, on: string | undefined): Promise<Page> {
  const rows = await readExample(deps)
  const counts = await withSnapshot(deps.sql, sql => marketCoverage(sql, deps.today()))
  const served = deps.markets.manifests.filter(({ status }) => status === 'served')
  const companies = [...counts.markets.values()].reduce((sum, { entities }) => sum + entities, 0)
  const { baseUrl } = deps.settings
  const description = `Company figures from the registers of ${served.length} countries as they were known on any day, with every restatement.`
  return {
    title: 'Company figures as they were known on any day',
    description,
    canonical: `${baseUrl}/`,
    linkedData: {
      '@context': 'https://schema.org',
      '@type': 'DataCatalog',
      name: 'asfiled',
      description,
      url: `${baseUrl}/`,
      dataset: served.map(({ code, name }) => ({
        '@type': 'Dataset',
        name: `Company figures of ${name}`,
        description: `Figures of companies of ${name} as filed, each with its filing day.`,
        url: `${baseUrl}/markets/${code}`,
      })),
    },
    styles: ['chart.css', 'home.css'],
    scripts: ['search.js', 'home.js'],
    main: html`<h1>Company figures as they were known on any day</h1>
<p class="lead">asfiled reads what companies file with the registers of ${served.length} countries and keeps every revision of every figure with the day it was filed, so that no test of a strategy can look ahead.</p>
${searchForm('')}
${rows.length > 0 && picture(rows, on)}
<section class="cards">
<div><h2>Coverage</h2><p>${exactFigure(companies)} companies in ${served.length} markets. Browse the <a href="/markets">markets</a>, the <a href="/catalogue">metrics</a> and the <a href="/restatements">restatements</a>.</p></div>
<div><h2>Screen</h2><p>Compare every company of a market in one table, with filters. <a href="/screen">Screen a market</a></p></div>
<div><h2>Get a key</h2><p>The public key <code>demo</code> works right away, or <a href="/account/api-keys">create a free key of your own</a>. The guide explains <a href="/docs/guides/keys-and-limits">keys, licences and limits</a>.</p></div>
<div><h2>Documentation</h2><p>Try every route of <a href="/docs">the API</a>, <a href="/docs/guides/start">get started in five minutes</a>, or download <a href="/sample">a sample file</a>.</p></div>
</section>`,
  }
}

/** Apple's revenue of fiscal 2007 to 2009, all vintages up to the end of the picture; none where it is not loaded, or not open. It is
 * the same picture for all: read as the visitor it would count against the companies of an evaluation. */
async function readExample(deps: PageDeps): Promise<FundamentalsRow[]> {
  if (!deps.flagship.has(example.ticker)) return []
  try {
    const query = { ...example, as_of: span.last }
    const plan = await planCompany(deps, demoPrincipal, query)
    return (await answerCompany(deps, demoPrincipal, query, plan)).data
  } catch (error) {
    if (error instanceof Failure && error.code === 'entity_unknown') return []
    throw error
  }
}

function picture(rows: readonly FundamentalsRow[], on: string | undefined): Markup {
  const scale = scaleOf(rows.map(({ v }) => v))
  const shown = ({ v }: FundamentalsRow) => shownFigure(v, 'amount', scale)
  const years = [...new Set(rows.map(({ fy }) => fy))].sort().slice(-2)
  const series = years.map(fy => ({
    name: String(fy),
    steps: rows
      .filter(row => row.fy === fy)
      .map(row => ({ day: laterOf(row.filed, span.first), value: row.v, text: shown(row) })),
  }))
  const stops = [...new Set(rows.map(({ filed }) => filed))].filter(day => day >= span.first).sort()
  const marked = on !== undefined && on >= span.first && on <= span.last ? on : (stops[0] ?? span.last)
  const known = years.map(fy => ({ fy, row: rows.findLast(row => row.fy === fy && row.filed <= marked) }))
  return html`<section class="card picture" aria-labelledby="picture-title">
<h2 id="picture-title">Apple restates 2009</h2>
<p>Apple's annual report of October 2009 spread the revenue from each iPhone over two years. An amendment of January 2010 recognised it at once, and restated the year before as well. A backtest as of December 2009 must see the first figures.</p>
<div class="picture-body"><div>${stepChart({ label: 'Revenue of Apple as known over time, in millions of dollars', series, span, marker: marked })}
<p class="slider with-script"><input id="time" type="range" min="0" max="1" step="1" value="0" aria-label="Day as of which the figures were known" aria-valuetext="${marked}"></p></div>
<div><p class="known-on">As known on <output id="known-day" for="time">${marked}</output></p>
<table class="figures"><thead><tr><th scope="col">Revenue, USD ${scale.name}</th><th scope="col">Known</th></tr></thead><tbody>
${known.map(({ fy, row }) => html`<tr><th scope="row">fiscal ${fy}</th><td data-fy="${fy}"${row !== undefined && html` title="${exactFigure(row.v)} USD, filed ${row.filed}"`}>${row === undefined ? 'not yet filed' : shown(row)}</td></tr>\n`)}</tbody></table>
<p class="stops without-script">${stops.map(day => html`<a href="/?on=${day}#picture-title"${day === marked && html` aria-current="true"`}>${day}</a> `)}</p></div></div>
<p><a href="/companies/AAPL?as_of=2009-12-31">All of Apple's figures as of the end of 2009</a></p>
${dataScript('application/json', { on: marked, years: known.map(({ fy }) => ({ fy, steps: rows.filter(row => row.fy === fy).map(row => [row.filed, shown(row), `${exactFigure(row.v)} USD, filed ${row.filed}`]) })) }, 'known')}
</section>`
}

const laterOf = (a: string, b: string) => (a < b ? b : a)

import { Failure } from '../../errors.ts'
import { html, type Markup } from '../../html.ts'
import { searchForm } from '../../http/pages/errorPage.ts'
import type { Page } from '../../http/pages/shell.ts'
import { dataScript } from '../../http/pages/shell.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import { demoPrincipal } from '../../rights/licences.ts'
import { marketCoverage } from '../coverage/queries.ts'
import { planCompany } from '../fundamentals/plan.ts'
import { answerCompany } from '../fundamentals/read.ts'
import type { FundamentalsRow } from '../fundamentals/schema.ts'
import { stepChart } from './chart.ts'
import type { PageDeps } from './deps.ts'
import { sampleNotice } from './extent/sampleNotice.ts'
import { exactFigure, scaleOf, shownFigure } from './figures.ts'

/** The chart's time span: Apple's annual report for 2009 arrives in October, its amendment in January. */
const span = { first: '2009-09-01', last: '2010-04-30' } as const
const example = {
  ticker: 'AAPL',
  metric: 'revenue',
  fp: 'FY',
  fy: '2007..2009',
  fields: 'accession,form,url',
} as const

/** /: whom asfiled is for, a search field, a restatement as a chart, and where to go first. */
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
    scripts: ['home.js'],
    main: html`<h1>Company figures as they were known on any day</h1>
<p class="lead">asfiled is for analysts, quants and developers who ask what could have been known about a company on a day in the past. It reads what companies file with the registers of ${served.length} countries and keeps every revision of every figure with the day it was filed, so no test of a strategy can look ahead.</p>
${searchForm('')}
${await sampleNotice(deps)}
${rows.length > 0 && stepCards}
${rows.length > 0 && picture(rows, on)}
<section class="cards">
<div><h2>Coverage</h2><p>${exactFigure(companies)} companies in ${served.length} <a href="/markets">markets</a>, with these <a href="/catalogue">metrics</a>. The <a href="/universe">universe</a> has every company of a day, also those that are gone.</p></div>
<div><h2>Get a key</h2><p>The public key <code>demo</code> works right away, or <a href="/account/api-keys">create a free key of your own</a>. The guide explains <a href="/docs/guides/keys-and-limits">keys, licences and limits</a>.</p></div>
<div><h2>Documentation</h2><p><a href="/start">Start in five minutes</a>, try every route of <a href="/docs">the API</a>, or read the <a href="/docs/guides">guides</a>.</p></div>
</section>`,
  }
}

/** What a first visit is for. Apple is open to everybody, so every link works without a key. */
const firstSteps = [
  {
    title: 'Look back',
    text: 'See a company as one saw it on a past day, and find what was changed afterwards.',
    links: [
      { name: 'Apple as of the end of 2009', path: '/companies/AAPL?as_of=2009-12-31' },
      {
        name: 'Apple’s revenue of 2009, restated: both filings',
        path: '/companies/AAPL?cell=revenue.2009.FY.2009-09-26#figure',
      },
    ],
  },
  {
    title: 'Compare and test',
    text: 'Put companies side by side, and see whether a ranking would have earned money after costs.',
    links: [
      { name: 'Apple and Alphabet compared', path: '/compare?companies=AAPL,GOOGL' },
      { name: 'A backtest report', path: '/backtest/example' },
    ],
  },
  {
    title: 'Use the data',
    text: 'Get the same figures in your terminal, Python, TypeScript, a spreadsheet or an assistant.',
    links: [
      { name: 'A line for your terminal', path: '/start' },
      { name: 'A sample file', path: '/sample' },
    ],
  },
] as const

const stepCards = html`<section aria-labelledby="first-steps"><h2 id="first-steps">Three things to do first</h2>
<div class="cards">
${firstSteps.map(({ title, text, links }) => html`<div class="card"><h3>${title}</h3><p>${text}</p><ul>${links.map(({ name, path }) => html`<li><a href="${path}">${name}</a></li>\n`)}</ul></div>\n`)}</div></section>`

/**
 * Apple's revenue for fiscal 2007 to 2009, all vintages up to the end of the chart; empty if it is not loaded
 * or not open. Read with the demo key's rights: as the visitor, it would count towards the companies of an
 * evaluation.
 */
async function readExample(deps: PageDeps): Promise<FundamentalsRow[]> {
  const demo = deps.rightsOf(demoPrincipal)
  if (!demo.seesHistoryOf(example.ticker)) return []
  try {
    const query = { ...example, as_of: span.last }
    const plan = await planCompany(deps, demo, query)
    return (await answerCompany(deps, demo, query, plan)).data
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
<h2 id="picture-title">What “as of” means: Apple restates 2009</h2>
<p>As of a day, you see only what had been filed by then. Apple's annual report of October 2009 spread the revenue from each iPhone over two years. An amendment of January 2010 recognised it at once, and restated the year before as well. A backtest as of December 2009 must see the first figures.</p>
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

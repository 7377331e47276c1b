import { html, type Markup } from '../../../html.ts'
import type { Page } from '../../../http/pages/shell.ts'
import type { PriceSet } from '../../../prices/priceQueries.ts'
import type { Rights } from '../../../rights/rights.ts'
import { basisWords } from '../../prices/import/importPrices.ts'
import {
  type ListedSecurity,
  readCoverage,
  readImports,
  readListedSecurities,
  readYears,
  type SetCoverage,
  type YearOfPrices,
} from '../../prices/setQueries.ts'
import { companyPath } from '../company/query.ts'
import type { PageDeps } from '../deps.ts'
import { exactFigure } from '../figures.ts'

const maxSecurities = 1_000

/** /prices: every set that the visitor may see. */
export async function priceSetsPage(
  deps: PageDeps,
  rights: Rights,
  sets: readonly PriceSet[],
): Promise<Page> {
  const coverage = await readCoverage(
    deps.sql,
    sets.map(({ priceSetId }) => priceSetId),
  )
  return {
    title: 'Prices',
    section: '/prices',
    description: 'Price sets that the operator of this service imported, and that you may see.',
    unlisted: true,
    styles: ['company.css'],
    main: html`<h1>Prices</h1>
<p>No register publishes prices. The operator of this service may import sets of their own and decides who sees them: <a href="/docs/guides/prices">how prices work</a>.</p>
${
  sets.length === 0
    ? html`<p class="notice">There is no price set that you may see. Sign in if a set is shown to your key or licence.</p>`
    : sets.map(
        set => html`<section><h2 id="${set.name}"><a href="/prices/${set.name}">${set.name}</a></h2>
${facts(set, coverage.get(set.priceSetId), rights)}</section>\n`,
      )
}`,
  }
}

/** /prices/{set}: what a set covers, by year and by security. */
export async function priceSetPage(deps: PageDeps, rights: Rights, set: PriceSet): Promise<Page> {
  const { priceSetId, name } = set
  const coverage = (await readCoverage(deps.sql, [priceSetId])).get(priceSetId)
  const years = await readYears(deps.sql, priceSetId)
  const imports = await readImports(deps.sql, priceSetId)
  // Which companies have prices is part of what a cap limits.
  const securities =
    rights.entityCap === null ? await readListedSecurities(deps.sql, priceSetId, maxSecurities + 1) : null
  return {
    title: `Prices: ${name}`,
    section: '/prices',
    description: `What the price set ${name} covers, by year and by security.`,
    unlisted: true,
    styles: ['company.css'],
    main: html`<h1>${name}</h1>
${facts(set, coverage, rights)}
<section><h2 id="use">Use it</h2>
<p>Prices: <code>GET /api/v1/prices/${name}?ticker=AAPL</code>. Returns: <code>GET /api/v1/prices/${name}/forward-returns</code>. In a backtest: <code>"prices": {"set": "${name}"}</code>. <a href="/docs/guides/prices">The guide</a> defines each of them.</p></section>
<section><h2 id="years">By year</h2>
${yearTable(years)}</section>
<section><h2 id="securities">By security</h2>
${securities === null ? html`<p>Your key has a limit of companies, so this list is not shown. Ask for the companies that you need by their IDs.</p>` : securityTable(securities)}</section>
<section><h2 id="imports">Imports</h2>
${table(
  'Imports',
  ['Imported', 'Known from', 'Rows', 'Data version'],
  imports
    .toReversed()
    .slice(0, 50)
    .map(one => [
      one.imported.slice(0, 10),
      knownWords(one.known),
      exactFigure(one.rows),
      exactFigure(one.data_version),
    ]),
  2,
)}</section>`,
  }
}

const knownWords = (known: string): string =>
  ({ import: 'the day of the import', date: 'the day of each close', column: 'the day in each row' })[
    known
  ] ?? known

function facts(set: PriceSet, coverage: SetCoverage | undefined, rights: Rights): Markup {
  const { currency, basis, statesSplits, statesDividends, statesDelistings, latestVersion } = set
  const stated = [
    statesSplits ? 'splits' : '',
    statesDividends ? 'dividends' : '',
    statesDelistings ? 'delisting returns' : '',
  ].filter(word => word !== '')
  const rows: [string, string][] = [
    ['Currency', currency],
    ['Closes', basisWords[basis]],
    ['States', stated.join(', ') || 'closes alone'],
    ['Companies', exactFigure(coverage?.companies ?? 0)],
    ['Securities', exactFigure(coverage?.securities ?? 0)],
    ['Prices', exactFigure(coverage?.prices ?? 0)],
    ['Days', coverage?.first == null ? 'none' : `${coverage.first} to ${coverage.last}`],
    ['Last import', `data version ${latestVersion}`],
    [
      'You see it by',
      set.access === 'licence' && set.licences.includes(rights.licence)
        ? `your licence, ${rights.licence}`
        : 'your key',
    ],
  ]
  return html`<dl class="identity">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

function yearTable(years: readonly YearOfPrices[]): Markup {
  if (years.length === 0) return html`<p>No close is on record.</p>`
  return table(
    'Coverage by year',
    ['Year', 'Market', 'Days with closes', 'Closes', 'Closes a day'],
    years.map(({ year, market, days, closes }) => [
      String(year),
      market === '' ? 'unknown' : market,
      exactFigure(days),
      exactFigure(closes),
      exactFigure(Math.round(closes / days)),
    ]),
    2,
  )
}

function securityTable(securities: readonly ListedSecurity[]): Markup {
  const rows = securities.slice(0, maxSecurities)
  return html`${securities.length > maxSecurities && html`<p>The first ${exactFigure(maxSecurities)} are shown.</p>`}${table(
    'Securities',
    ['Company', 'Symbols', 'First day', 'Last day', 'Prices'],
    rows.map(({ id, symbols, first, last, prices }) => [
      id === null ? html`<em>unknown</em>` : html`<a href="${companyPath(id)}">${id}</a>`,
      symbols.join(', '),
      first,
      last,
      exactFigure(prices),
    ]),
    4,
  )}`
}

/** @param numbersFrom the first column of numbers */
function table(
  label: string,
  heads: readonly string[],
  rows: readonly (readonly (string | Markup)[])[],
  numbersFrom: number,
): Markup {
  const kind = (at: number) => at >= numbersFrom && html` class="number"`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${heads.map((head, at) => html`<th scope="col"${kind(at)}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    cells =>
      html`<tr>${cells.map((cell, at) => (at === 0 ? html`<th scope="row">${cell}</th>` : html`<td${kind(at)}>${cell}</td>`))}</tr>\n`,
  )}</tbody></table></div>`
}

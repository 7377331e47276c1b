import { Failure } from '../../../errors.ts'
import { html, type Markup } from '../../../html.ts'
import { PageFailure } from '../../../http/pages/pageFailure.ts'
import type { Page } from '../../../http/pages/shell.ts'
import { type CompanyState, companyStates } from '../../../markets/companyStates.ts'
import type { Rights } from '../../../rights/rights.ts'
import type { StateCount, UniverseMove } from '../../universe/queries.ts'
import { type UniverseRow, universeLimit } from '../../universe/schema.ts'
import { barChart } from '../charts/barChart.ts'
import { companyPath } from '../company/query.ts'
import type { PageDeps } from '../deps.ts'
import { isDownloadable } from '../downloads.ts'
import { marketField } from '../fields.ts'
import { exactFigure } from '../figures.ts'
import { shownName } from '../names/companyName.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { universeUse } from './dataUse.ts'
import { fieldsOf, readUniversePageQuery, type UniverseFields, universePath } from './query.ts'
import { maxMoves, maxRows, type NamedMove, readUniverseView, type UniverseView } from './read.ts'

const stateNames: Readonly<Record<CompanyState, string>> = {
  reporting: 'Reporting',
  delisted: 'Delisted',
  deregistered: 'Deregistered',
  ceased: 'Ceased to report',
  unknown: 'Not known',
}

const stateTexts: Readonly<Record<CompanyState, string>> = {
  reporting: 'It filed a periodic report in the 18 months up to the day.',
  delisted: 'An exchange removed its shares (Form 25) after its last report.',
  deregistered:
    'It ended the registration of its securities (Form 15) on the day of its last report or later.',
  ceased: 'No report for 18 months, although the register’s indexes of every month since are stored.',
  unknown: 'No report for 18 months is stored, but the index of at least one month since is missing.',
}

/** /universe: the companies of a market on a day, including those that have since disappeared. */
export async function universePage(deps: PageDeps, rights: Rights, queryText: string): Promise<Page> {
  const fields = fieldsOf(queryText)
  const country = deps.markets.get(fields.market)?.name ?? fields.market
  const page = {
    title: `Universe of ${country}${fields.asOf === '' ? '' : ` on ${fields.asOf}`}`,
    section: '/universe',
    description: `Every company that had filed a periodic report in ${country} by a day, with its name and state at the time, and who entered and left.`,
    canonical: `${deps.settings.baseUrl}/universe?market=${fields.market}`,
    styles: ['chart.css', 'lists.css', useThisDataAssets.style],
    scripts: ['bars.js', 'grid.js', useThisDataAssets.script],
  } as const
  const head = headOf(deps, fields)
  try {
    const view = await deps.readLimiter.run('pages', () =>
      readUniverseView(deps, rights, readUniversePageQuery(queryText)),
    )
    return { ...page, main: html`${head}\n${shownUniverse(deps, rights, view, fields, country)}` }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const main = html`${head}\n<p class="notice bad">${error.message}</p>`
    throw new PageFailure(error, { ...page, main })
  }
}

function headOf(deps: PageDeps, { market, asOf, tz, state }: UniverseFields): Markup {
  const choices = [
    ['', 'all'],
    ...companyStates.map(name => [name, stateNames[name].toLowerCase()] as const),
  ] as const
  return html`<h1>Universe</h1>
<p>Every company of a market on a day, including those that have since disappeared: with the name of that time, and without those that came later.</p>
<form method="get" action="/universe" class="filters"><p class="row">${marketField(deps, market)}
<span class="field"><label for="as-of">On the day</label> <input id="as-of" name="as_of" size="12" value="${asOf}" placeholder="YYYY-MM-DD" spellcheck="false" autocomplete="off"></span>
${tz !== '' && html`<input type="hidden" name="tz" value="${tz}">`}<span class="field"><label for="state">State</label> <select id="state" name="state">${choices.map(([value, name]) => html`<option value="${value}"${value === state && html` selected`}>${name}</option>`)}${!choices.some(([value]) => value === state) && html`<option value="${state}" selected>${state}</option>`}</select></span> <button type="submit">Show</button></p>
<p class="quiet">Leave the day empty for today.</p></form>`
}

function shownUniverse(
  deps: PageDeps,
  rights: Rights,
  view: UniverseView,
  fields: UniverseFields,
  country: string,
): Markup {
  const { list, counts } = view
  const all = counts.reduce((sum, { companies }) => sum + companies, 0)
  const of = (state: CompanyState) => counts.find(count => count.state === state)?.companies ?? 0
  const chosen =
    fields.state === ''
      ? all
      : companyStates.reduce((sum, state) => sum + (hasState(fields, state) ? of(state) : 0), 0)
  return html`<section><h2 id="count">${exactFigure(all)} ${all === 1 ? 'company' : 'companies'} on ${list.as_of}</h2>
${all === 0 && html`<p class="notice">No company of ${country} had filed a periodic report by ${list.as_of}. Choose a later day or another market.</p>`}
${all > 0 && stateTable(counts, fields)}</section>
${all > 0 && movesOf(view, rights, fields)}
${chosen > 0 && companiesOf(deps, rights, view, fields, chosen)}
${useThisData(universeUse(deps, list, fields))}
${all > 0 && chosen === 0 && html`<p class="notice">No company had this state on ${list.as_of}. <a href="${universePath({ ...fields, state: '' })}">Show all states</a>.</p>`}
<p class="quiet">${list.attribution}${list.licence !== undefined && ` ${list.licence}`}</p>`
}

const stateTable = (counts: readonly StateCount[], fields: UniverseFields) =>
  html`<div class="scroll" tabindex="0" role="region" aria-labelledby="count"><table class="states"><thead><tr><th scope="col">State</th><th scope="col" class="number">Companies</th><th scope="col">What it means</th></tr></thead>
<tbody>${companyStates.map(state => {
    const companies = counts.find(count => count.state === state)?.companies ?? 0
    return (
      companies > 0 &&
      html`<tr><th scope="row"><a href="${universePath({ ...fields, state })}">${stateNames[state]}</a></th><td class="number">${exactFigure(companies)}</td><td>${stateTexts[state]}</td></tr>`
    )
  })}</tbody></table></div>`

const hasState = ({ state }: UniverseFields, name: CompanyState) =>
  state
    .split(',')
    .map(part => part.trim().toLowerCase())
    .includes(name)

interface YearOfMoves {
  readonly year: number
  readonly entries: number
  readonly exits: number
}

/** Every year from the first move to that of the day. */
function movesByYear(moves: readonly UniverseMove[], day: string): YearOfMoves[] {
  const years = moves.map(({ day }) => Number(day.slice(0, 4)))
  const first = Math.min(...years)
  const last = Number(day.slice(0, 4))
  return Array.from({ length: years.length === 0 ? 0 : last - first + 1 }, (_, at) => {
    const ofYear = moves.filter((_, index) => years[index] === first + at)
    const count = (kind: UniverseMove['kind']) => ofYear.filter(move => move.kind === kind).length
    return { year: first + at, entries: count('entry'), exits: count('exit') }
  })
}

/** The years that the chart shows. */
const maxYears = 15

function movesOf(view: UniverseView, rights: Rights, fields: UniverseFields): Markup {
  const years = movesByYear(view.moves, view.list.as_of).slice(-maxYears)
  const { entries, exits, entered, left, since, list } = view
  const bars = (of: (year: YearOfMoves) => number) =>
    years.map(year => ({ value: of(year), title: exactFigure(of(year)) }))
  return html`<section><h2 id="moves">Entries and exits</h2>
${barChart({
  label: 'Entries and exits per year',
  categories: years.map(({ year }) => String(year)),
  series: [
    { name: 'Entries', bars: bars(({ entries }) => entries) },
    { name: 'Exits', bars: bars(({ exits }) => exits) },
  ],
  tickText: value => (Number.isInteger(value) ? exactFigure(value) : ''),
})}
<p class="quiet">A company enters with its first periodic report on record, so those that reported before the records begin count in the first year. It leaves when its shares are delisted, when it ends their registration, or when it has ceased to report.</p>
<details><summary>This chart as a table</summary><table><thead><tr><th scope="col">Year</th><th scope="col" class="number">Entries</th><th scope="col" class="number">Exits</th></tr></thead>
<tbody>${years.map(({ year, entries, exits }) => html`<tr><th scope="row">${year}</th><td class="number">${exactFigure(entries)}</td><td class="number">${exactFigure(exits)}</td></tr>`)}</tbody></table></details>
<h3 id="last-year">From ${since} to ${list.as_of}</h3>
${moveList('entered', entered, entries, view, rights, fields)}
${moveList('left', left, exits, view, rights, fields)}</section>`
}

function moveList(
  what: 'entered' | 'left',
  count: number,
  moves: readonly NamedMove[],
  view: UniverseView,
  rights: Rights,
  fields: UniverseFields,
): Markup {
  const whole = `${count === 0 ? 'No company' : count === 1 ? '1 company' : `${exactFigure(count)} companies`} ${what}`
  if (count === 0) return html`<p>${whole}.</p>`
  return html`<details><summary>${whole}${count > maxMoves && ` (the latest ${maxMoves} are listed)`}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Companies that ${what}"><table><thead><tr><th scope="col">Day</th><th scope="col">Company</th><th scope="col">State on ${view.list.as_of}</th></tr></thead>
<tbody>${moves.map(({ day, issuerId, company }) => html`<tr><td>${day}</td><td>${companyLink(company?.ticker ?? null, nameOf(company) ?? issuerId, view, rights, fields)}</td><td>${company !== null && stateNames[company.state]}</td></tr>`)}</tbody></table></div></details>`
}

const nameOf = (company: { readonly name: string | null; readonly ticker: string | null } | null) =>
  company === null
    ? null
    : shownName({ registered: company.name, ids: company.ticker === null ? [] : [company.ticker] })

/** Leads to the company on the day, or today if the visitor's licence does not open its past. */
function companyLink(
  ticker: string | null,
  name: string,
  { ids }: Pick<UniverseView, 'ids'>,
  rights: Rights,
  { asOf, tz }: UniverseFields,
): Markup {
  if (ticker === null) return html`${name}`
  if (asOf === '' || !rights.seesHistoryOf(ticker)) return html`<a href="${companyPath(ticker)}">${name}</a>`
  const day = { as_of: asOf, ...(tz === '' ? {} : { tz }) }
  return html`<a href="${companyPath(ids.get(ticker) ?? ticker, day)}">${name}</a>`
}

function companiesOf(
  deps: PageDeps,
  rights: Rights,
  view: UniverseView,
  fields: UniverseFields,
  chosen: number,
): Markup {
  const { list } = view
  const manifest = deps.markets.get(list.market)
  const opensPast = fields.asOf === '' || rights.seesAllHistory
  return html`<section><h2 id="companies">Companies</h2>
<p class="quiet">${exactFigure(list.count)} of ${exactFigure(chosen)} companies${fields.state !== '' && ' in this state'}, in the order of the register’s numbers.${!opensPast && html` Without a licence the links lead to the companies as known today.`}</p>
<div class="scroll" tabindex="0" role="region" aria-labelledby="companies"><table class="figures universe">
<thead><tr><th scope="col">Company</th><th scope="col">Symbol today</th><th scope="col">Number</th><th scope="col">State</th><th scope="col">Since</th><th scope="col">By</th><th scope="col">Industry</th><th scope="col">First filing</th><th scope="col">Last filing</th></tr></thead>
<tbody>
${list.data.map(row => companyRow(row, view, rights, fields))}</tbody>
</table></div>
<p>${list.next !== null && html`<a href="${universePath(fields, { cursor: list.next })}">The next ${maxRows} companies</a>. `}${isDownloadable(deps.settings, manifest) && html`<a class="button" href="${universePath(fields, { path: '/universe/download' })}" download>CSV</a> <span class="quiet">${chosen > universeLimit.max ? `The first ${exactFigure(universeLimit.max)} companies; the API continues with cursor.` : `All ${exactFigure(chosen)} companies, as GET /api/v1/universe answers.`}</span>`}</p></section>`
}

const ruleTexts: Readonly<Record<UniverseRow['rule'], string>> = {
  filing: '',
  silence: 'no report since',
  no_index: 'index missing',
}

const companyRow = (row: UniverseRow, view: UniverseView, rights: Rights, fields: UniverseFields) =>
  html`<tr><th scope="row">${companyLink(row.ticker, nameOf(row) ?? row.issuer_id, view, rights, fields)}</th><td>${row.ticker}</td><td>${row.issuer_id}</td><td>${stateNames[row.state]}</td><td>${row.since}</td><td>${row.rule === 'filing' ? html`${row.form}<small>${row.filed}</small>` : ruleTexts[row.rule]}</td><td>${row.sector}</td><td>${row.first_filed}</td><td>${row.last_filed}</td></tr>
`

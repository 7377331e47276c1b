import { html, type Markup } from '../../../html.ts'
import type { StatementName } from '../../../wholeFilings/kindOfStatement.ts'
import { fiscalPeriods } from '../../statements/fiscalYears.ts'
import { defaultFilings, maxFilings } from '../../statements/statementSchema.ts'
import { dayField } from '../fields.ts'
import { type StatementPageQuery, statementPath } from './query.ts'
import type { ReportChoice, StatementChoices } from './read.ts'
import { isStandard } from './read.ts'

export const statementTitles: Readonly<Record<StatementName, string>> = {
  income: 'Income statement',
  balance: 'Balance sheet',
  cash_flow: 'Cash flow',
  equity: 'Equity',
  comprehensive: 'Comprehensive income',
}

/** Links to the statements that the company presents. */
export function statementLinks(
  { presented, statement, profile }: StatementChoices,
  { cell: _, ...query }: StatementPageQuery,
): Markup {
  const names = presented.includes(statement) ? presented : [...presented, statement]
  return html`<nav class="tabs" aria-label="Statements">${names.map(name => html`<a href="${statementPath(profile.ticker, { ...query, statement: name })}"${name === statement && html` aria-current="page"`}>${statementTitles[name]}</a>`)}</nav>`
}

/** The choice between one filing and what was known on a day, and the form of the chosen view. */
export function viewForms(view: StatementChoices, query: StatementPageQuery): Markup {
  const { statement, profile } = view
  const { as_of, tz, fp, fy, view: chosen = 'as_known' } = query
  const day = { ...(as_of === undefined ? {} : { as_of }), ...(tz === undefined ? {} : { tz }) }
  const period = { ...(fp === undefined ? {} : { fp }), ...(fy === undefined ? {} : { fy }) }
  const paths = {
    as_known: statementPath(profile.ticker, { statement, ...day, ...period }),
    as_filed: statementPath(profile.ticker, { statement, view: 'as_filed', ...day }),
    standard: statementPath(profile.ticker, {
      ...(isStandard(statement) ? { statement } : {}),
      view: 'standard',
      ...day,
      ...period,
    }),
  }
  const tab = (name: keyof typeof paths, text: string) =>
    html`<a href="${paths[name]}"${name === chosen && html` aria-current="true"`}>${text}</a>`
  return html`<div class="choices">
<nav class="views" aria-label="View">${tab('as_known', 'As presented')}${tab('as_filed', 'One filing')}${tab('standard', 'Standard lines')}</nav>
${chosen !== 'as_filed' && periodLinks(view, query)}
<form method="get" action="${statementPath(profile.ticker)}">
<input type="hidden" name="statement" value="${statement}">
${chosen === 'standard' && html`<input type="hidden" name="view" value="standard">\n`}\
${chosen === 'as_filed' ? filingFields(view, query) : knownFields(view, query)}
<button type="submit">Show</button>
</form>
${
  chosen === 'as_filed'
    ? filingLinks(view, query)
    : dayLinks(view, query, day =>
        statementPath(profile.ticker, {
          ...withoutDay(query),
          statement,
          ...(day === undefined ? {} : { as_of: day }),
        }),
      )
}
</div>`
}

/** Links to the latest annual report and to the latest one on part of a year, each with the columns of earlier ones. */
function periodLinks(
  { reports, filings, profile, statement }: StatementChoices,
  { cell: _, fp: __, fy: ___, ...query }: StatementPageQuery,
): Markup | false {
  const annual = reports.find(({ isAnnual, fp }) => isAnnual && fp !== null)
  const interim = reports.find(({ isAnnual, fp }) => !isAnnual && fp !== null)
  if (annual === undefined || interim === undefined) return false
  const shown = reports.find(({ accession }) => accession === filings.at(0)?.accession)
  const link = ({ isAnnual, fp }: ReportChoice, text: string) => {
    const name = fiscalPeriods.find(each => each === fp)
    const path = statementPath(profile.ticker, {
      ...query,
      statement,
      ...(name === undefined ? {} : { fp: name }),
    })
    return html`<a href="${path}"${isAnnual === shown?.isAnnual && html` aria-current="true"`}>${text}</a>`
  }
  return html`<nav class="views" aria-label="Periods">${link(annual, 'Years')}${link(interim, 'Quarters')}</nav>`
}

function knownFields(
  { reports, filingDays }: StatementChoices,
  { as_of, tz, fp, fy, filings }: StatementPageQuery,
): Markup {
  return html`${filingDayField({ filingDays }, as_of)}
${tz !== undefined && html`<input type="hidden" name="tz" value="${tz}">`}
${reportFields({ reports }, { fp, fy })}
<span class="field"><label for="filings">Columns from</label> <select id="filings" name="filings">${filingCounts(filings).map(count => html`<option value="${count === defaultFilings ? '' : count}"${count === (filings ?? defaultFilings) && html` selected`}>${count === 1 ? '1 filing' : `${count} filings`}</option>`)}</select></span>`
}

/** How many filings may give columns. */
const filingCounts = (chosen: number | undefined) =>
  [...new Set([1, defaultFilings, 12, 24, maxFilings, ...(chosen === undefined ? [] : [chosen])])].sort(
    (a, b) => a - b,
  )

/** The day of the page, with the filing days as suggestions. */
export const filingDayField = (
  { filingDays }: Pick<StatementChoices, 'filingDays'>,
  chosen: string | undefined,
): Markup => html`${dayField('as-of', 'As known on', chosen ?? '', 'filing-days')}
<datalist id="filing-days">${filingDays.map(({ day, forms }) => html`<option value="${day}">${forms}</option>`)}</datalist>`

/** The choice of a report by its fiscal period. */
export function reportFields(
  { reports }: Pick<StatementChoices, 'reports'>,
  { fp, fy }: { readonly fp: ReportName | undefined; readonly fy: number | undefined },
): Markup {
  const years = [...new Set(reports.flatMap(({ fy }) => fy ?? []))].sort((a, b) => b - a)
  const periods = fiscalPeriods.filter(name => name === fp || reports.some(report => report.fp === name))
  return html`<span class="field"><label for="fp">Report</label> <select id="fp" name="fp"><option value="">latest</option>${periods.map(name => html`<option value="${name}"${name === fp && html` selected`}>${reportNames[name]}</option>`)}</select></span>
<span class="field"><label for="fy">Year</label> <select id="fy" name="fy"><option value="">latest</option>${(fy === undefined || years.includes(fy) ? years : [fy, ...years]).map(year => html`<option value="${year}"${year === fy && html` selected`}>${year}</option>`)}</select></span>`
}

type ReportName = (typeof fiscalPeriods)[number]

const reportNames = {
  FY: 'annual (FY)',
  Q1: 'first quarter (Q1)',
  Q2: 'second quarter (Q2)',
  Q3: 'third quarter (Q3)',
} as const

function filingFields({ reports, filings }: StatementChoices, { as_of, tz }: StatementPageQuery): Markup {
  const shown = filings.at(0)?.accession
  return html`<input type="hidden" name="view" value="as_filed">
${as_of !== undefined && html`<input type="hidden" name="as_of" value="${as_of}">`}
${tz !== undefined && html`<input type="hidden" name="tz" value="${tz}">`}
<span class="field"><label for="accession">Filing</label> <select id="accession" name="accession">${byFilingDay(
    reports,
  ).map(
    report =>
      html`<option value="${report.accession}"${report.accession === shown && html` selected`}>${reportText(report)}</option>`,
  )}</select></span>`
}

/** The latest first. */
const byFilingDay = (reports: readonly ReportChoice[]) =>
  [...reports].sort((a, b) => (a.filed === b.filed ? 0 : a.filed < b.filed ? 1 : -1))

/** Links to the filings before and after the one that is shown alone. */
function filingLinks(
  { reports, filings, profile, statement }: StatementChoices,
  { as_of, tz }: StatementPageQuery,
): Markup | false {
  const inOrder = byFilingDay(reports)
  const at = inOrder.findIndex(({ accession }) => accession === filings.at(0)?.accession)
  if (at === -1) return false
  const link = (report: ReportChoice | undefined, text: string) =>
    report !== undefined &&
    html`<a href="${statementPath(profile.ticker, {
      statement,
      view: 'as_filed',
      ...(as_of === undefined ? {} : { as_of }),
      ...(tz === undefined ? {} : { tz }),
      accession: report.accession,
    })}">${text}: <small>${reportText(report)}</small></a>`
  return html`<p class="days">${link(inOrder[at + 1], 'Earlier filing')}${at > 0 && link(inOrder[at - 1], 'Later filing')}</p>`
}

function reportText({ form, filed, fy, fp, end }: ReportChoice): string {
  const period = fy === null || fp === null ? (end === null ? '' : ` to ${end}`) : `, ${fp} ${fy}`
  return `${form}${period}, filed ${filed}`
}

const withoutDay = ({ as_of: _, tz: __, cell: ___, ...query }: StatementPageQuery) => query

/** Links to the filing days before and after the day of the page. */
export function dayLinks(
  { filingDays, asOf }: Pick<StatementChoices, 'filingDays' | 'asOf'>,
  { as_of }: Pick<StatementPageQuery, 'as_of'>,
  pathOn: (day: string | undefined) => string,
): Markup {
  const day = asOf.slice(0, 10)
  const at = filingDays.findLastIndex(each => each.day <= day)
  // On the day of a filing itself, the one before it is the day before.
  const before = filingDays.at(at - 1)
  const earlier = at < 1 || before === undefined ? null : before
  const later = filingDays[at + 1] ?? null
  const link = (to: { readonly day: string; readonly forms: string }, text: string) =>
    html`<a href="${pathOn(to.day)}">${text}: ${to.day} <small>${to.forms}</small></a>`
  return html`<p class="days">${earlier !== null && link(earlier, 'Earlier filing day')}${later !== null && link(later, 'Later filing day')}${as_of !== undefined && html`<a href="${pathOn(undefined)}">Today</a>`}</p>`
}

import { count, plural } from '../../backtest/report/numberFormat.ts'
import { html, type Markup } from '../../html.ts'
import { columnSection, doubts } from './reportColumns.ts'
import { countSection, unknowable, valuesOf, yearSection } from './reportCounts.ts'
import { lagSection } from './reportLags.ts'
import { premiumSection } from './reportPremium.ts'
import { reportPolicy, reportStyle } from './reportStyle.ts'
import { worstSection } from './reportWorst.ts'
import type { AuditHead } from './schema.ts'

/** The report of an audit as a single HTML document that needs no other file, no network and no script. */
export function reportPage(head: AuditHead): string {
  const title = headline(head)
  const sections = sectionsOf(head)
  const remarks = doubts(head)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${reportPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="asfiled">
<title>${title}</title>
${reportStyle}
</head>
<body>
<main>
<header><p class="kicker">Look-ahead audit</p><h1>${title}</h1>
${findings(head)}
${facts(head)}</header>
${remarks.length > 0 && html`<section class="notice" aria-label="Warnings"><h2>Read this first</h2><ul>${remarks.map(text => html`<li>${text}</li>`)}</ul></section>`}
<nav aria-label="On this page">${sections.map(({ id, name }) => html`<a href="#${id}">${name}</a> `)}</nav>
${sections.map(({ id, name, content }) => html`<section id="${id}" aria-labelledby="${id}-name"><h2 id="${id}-name">${name}</h2>\n${content}</section>\n`)}
<footer>${head.attribution.map(text => html`<p>${text}</p>`)}${head.licence !== undefined && html`<p>${head.licence}</p>`}<p>An audit compares values with official filings. It is not investment advice.</p></footer>
</main>
</body>
</html>
`.text
}

interface Section {
  readonly id: string
  readonly name: string
  readonly content: Markup
}

/** The sections of the page. Those with nothing to show are omitted. */
function sectionsOf(head: AuditHead): Section[] {
  const hasValues = valuesOf(head.counts) > 0
  const all: [id: string, name: string, content: Markup | null | false][] = [
    ['counts', 'Cells by state', hasValues && countSection(head)],
    ['lags', 'How much later they were filed', lagSection(head)],
    ['worst', 'The worst cells', worstSection(head)],
    ['premium', 'What look-ahead earned', premiumSection(head)],
    ['years', 'By year', hasValues && yearSection(head)],
    ['columns', 'How the columns were read', head.columns.length > 0 && columnSection(head)],
    ['left-out', 'What was not audited', leftOut(head)],
  ]
  return all.flatMap(([id, name, content]) => (content ? [{ id, name, content }] : []))
}

const moment = ({ known }: AuditHead) => (known === 'public by the time' ? 'at their time' : 'on their date')

/** The result in one sentence. */
function headline(head: AuditHead): string {
  const values = valuesOf(head.counts)
  const cells = unknowable(head.counts)
  if (values === 0) return 'There is no value to audit'
  if (cells > 0)
    return `${count(cells)} of ${plural(values, 'cell')} could not have been known ${moment(head)}`
  const judged = values - head.counts.no_match - head.counts.not_covered
  return judged === 0
    ? `None of ${plural(values, 'cell')} could be judged`
    : `No cell shows a figure that was filed later`
}

/** What the headline leaves out, each kind of fault in a sentence. */
function findings(head: AuditHead): Markup | null {
  const { early, restated, announced, stale, known, rounded } = head.counts
  const { other_company: ofOthers, no_match: unmatched, not_covered: uncovered } = head.counts
  const sentences: [cells: number, one: string, many: string][] = [
    [early, 'shows a figure that was first filed later', 'show figures that were first filed later'],
    [
      restated,
      'shows a later restatement of a period that was already known',
      'show later restatements of periods that were already known',
    ],
    [
      announced,
      'shows a figure that an earnings release had announced, but that was filed only later',
      'show figures that earnings releases had announced, but that were filed only later',
    ],
    [
      ofOthers,
      'shows a figure of a predecessor, a successor or a namesake',
      'show figures of predecessors, successors or namesakes',
    ],
    [
      stale,
      'shows a figure that was known, but was no longer the latest',
      'show figures that were known, but were no longer the latest',
    ],
    [known + rounded, 'shows what was known then', 'show what was known then'],
    [
      unmatched + uncovered,
      'could not be judged, because it equals no figure on record or there is none to compare with',
      'could not be judged, because they equal no figure on record or there is none to compare with',
    ],
  ]
  const found = sentences.filter(([cells]) => cells > 0)
  if (found.length === 0) return null
  return html`<ul class="findings">${found.map(([cells, one, many]) => html`<li><b>${count(cells)}</b> ${cells === 1 ? one : many}.</li>`)}</ul>`
}

function facts(head: AuditHead): Markup {
  const { count: rows, columns, data_version: version, known, max_age_days: maxAge } = head
  const all: [name: string, value: string][] = [
    ['Rows', count(rows)],
    ['Columns', count(columns.length)],
    ['Values', count(valuesOf(head.counts))],
    ['Counts as known', known],
    ...(maxAge === null ? [] : [['Oldest figure', plural(maxAge, 'day')] satisfies [string, string]]),
    ['Data version', String(version)],
  ]
  return html`<dl class="facts">${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** Tickers and columns that say nothing to this service. */
function leftOut({ ignored, unknown, unknown_count: unknownCount }: AuditHead): Markup | null {
  if (ignored.length === 0 && unknownCount === 0) return null
  const more = unknownCount - unknown.length
  return html`${
    ignored.length > 0 &&
    html`<p>${ignored.length === 1 ? 'This column of numbers was' : 'These columns of numbers were'} left out, because neither ${ignored.length === 1 ? 'its name nor its values say what it contains' : 'their names nor their values say what they contain'}. Name the metric in <code>columns</code> to audit ${ignored.length === 1 ? 'it' : 'them'}.</p>
<ul class="names">${ignored.map(name => html`<li>${name}</li>`)}</ul>`
  }${
    unknownCount > 0 &&
    html`<p>${plural(unknownCount, 'ticker')} ${unknownCount === 1 ? 'names' : 'name'} no company here.</p>
<ul class="names">${unknown.map(name => html`<li>${name}</li>`)}${more > 0 && html`<li class="absent">and ${count(more)} more</li>`}</ul>`
  }`
}

import type { AuditedColumn } from '../../backtest/audit/result.ts'
import { type AuditState, auditStates, type StateCounts, stateMeanings } from '../../backtest/audit/states.ts'
import { count, percent } from '../../backtest/report/numberFormat.ts'
import { type Cut, maxUnsplitRows, scrollTable } from '../../backtest/report/tearSheet/scrollTable.ts'
import { html, type Markup } from '../../html.ts'
import type { AuditHead } from './schema.ts'

export const stateNames: Readonly<Record<AuditState, string>> = {
  known: 'Known',
  rounded: 'Rounded',
  announced: 'Announced',
  stale: 'Stale',
  restated: 'Restated',
  early: 'Early',
  other_company: 'Other company',
  no_match: 'No match',
  not_covered: 'Not covered',
}

/** Cells with a value. */
export const valuesOf = (counts: StateCounts): number =>
  auditStates.reduce((sum, state) => sum + counts[state], 0)

/** Cells whose figure was filed only later. Announced figures are counted apart, because a release had them. */
export const unknowable = ({ early, restated }: StateCounts): number => early + restated

/** The states that occur, so that tables have no columns of zeros. */
const occurring = (counts: StateCounts): AuditState[] => auditStates.filter(state => counts[state] > 0)

const barWidth = 1_000
/** A single cell among a million is still visible. */
const leastWidth = 6

/** Counts as one bar. The numbers beside it say the same, so screen readers skip it. */
export function stackedBar(counts: StateCounts, size: 'large' | 'small'): Markup {
  const shown = occurring(counts)
  const total = valuesOf(counts)
  const wanted = shown.map(state => Math.max(leastWidth, (counts[state] / total) * barWidth))
  const scale = barWidth / wanted.reduce((sum, width) => sum + width, 0)
  let at = 0
  const parts = shown.map((state, index) => {
    const x = at
    at += wanted[index] * scale
    return html`<rect class="s-${state}" x="${tenths(x)}" width="${tenths(at - x)}" height="10"/>`
  })
  return html`<svg class="stack ${size}" viewBox="0 0 ${barWidth} 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">${parts}</svg>`
}

const tenths = (value: number) => String(Math.round(value * 10) / 10)

const swatch = (state: AuditState) =>
  html`<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true" focusable="false"><rect class="s-${state}" width="10" height="10"/></svg>`

/** With more states, the tables are wider than the report. */
const maxStatesThatFit = 5
const cutOf = (shown: readonly AuditState[]): Cut => (shown.length > maxStatesThatFit ? 'always' : 'phone')

/** All columns together, with what each state means, and then column by column. */
export function countSection({ counts, columns }: AuditHead): Markup {
  const total = valuesOf(counts)
  const shown = occurring(counts)
  const absent = auditStates
    .filter(state => counts[state] === 0)
    .map(state => stateNames[state].toLowerCase())
  return html`${stackedBar(counts, 'large')}
<dl class="states">${shown.map(
    state =>
      html`<div><dt>${swatch(state)} ${stateNames[state]}</dt><dd><b>${count(counts[state])}</b> <span class="absent">${percent(counts[state] / total)}</span></dd><dd class="means">${stateMeanings[state]}</dd></div>`,
  )}</dl>
<p class="absent">${absent.length > 0 && `No cell is in the other states: ${absent.join(', ')}. `}${counts.empty > 0 && `${count(counts.empty)} cells have no value.`}</p>
${scrollTable('Cells by column and state', columnTable(columns, counts), cutOf(shown))}`
}

function columnTable(columns: readonly AuditedColumn[], all: StateCounts): Markup {
  const shown = occurring(all)
  return html`<table class="counts"><caption>Cells by column and state</caption>
<thead><tr><th scope="col">Column</th><th scope="col" class="bar">Shares</th><th scope="col">Values</th>${shown.map(state => html`<th scope="col">${stateNames[state]}</th>`)}${all.empty > 0 && html`<th scope="col">Empty</th>`}</tr></thead>
<tbody>${columns.map(
    ({ name, counts }) =>
      html`<tr><th scope="row" class="name">${name}</th><td class="bar">${valuesOf(counts) > 0 && stackedBar(counts, 'small')}</td><td>${count(valuesOf(counts))}</td>${shown.map(state => html`<td>${count(counts[state])}</td>`)}${all.empty > 0 && html`<td>${count(counts.empty)}</td>`}</tr>\n`,
  )}</tbody></table>`
}

/** With more columns, their years are folded away. */
const maxOpenColumns = 3

export function yearSection({ columns }: AuditHead): Markup {
  const [only] = columns
  if (columns.length === 1 && only !== undefined) return yearTable(only)
  const areOpen = columns.length <= maxOpenColumns
  return html`${columns.map(
    column =>
      html`<details${areOpen && html` open`}><summary><span class="name">${column.name}</span></summary>${yearTable(column)}</details>`,
  )}`
}

function yearTable({ name, years, counts }: AuditedColumn): Markup {
  const shown = occurring(counts)
  return scrollTable(
    `${name} by year`,
    html`<table class="counts${years.length > maxUnsplitRows && ' long'}"><caption class="hidden">${name} by year</caption>
<thead><tr><th scope="col">Year</th><th scope="col" class="bar">Shares</th><th scope="col">Values</th><th scope="col">Not knowable</th>${shown.map(state => html`<th scope="col">${stateNames[state]}</th>`)}</tr></thead>
<tbody>${years.map(({ year, counts: ofYear }) => {
      const values = valuesOf(ofYear)
      return html`<tr><th scope="row">${String(year)}</th><td class="bar">${values > 0 && stackedBar(ofYear, 'small')}</td><td>${count(values)}</td><td>${values > 0 && percent(unknowable(ofYear) / values)}</td>${shown.map(state => html`<td>${count(ofYear[state])}</td>`)}</tr>\n`
    })}</tbody></table>`,
    cutOf(shown),
  )
}

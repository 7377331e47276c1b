import { html, type Markup } from '../../../html.ts'
import type { Manifest } from '../../../markets/manifest.ts'
import type { FundamentalsRow } from '../../fundamentals/schema.ts'
import type { Split } from '../../fundamentals/splits.ts'
import { stepChart } from '../chart.ts'
import { figureCard } from '../companyFrame.ts'
import { changeInPercent, exactFigure, shownChange } from '../figures.ts'
import { metricLabel } from '../metricLabels.ts'
import { formNote } from '../names/forms.ts'
import {
  adjustedFor,
  afterSplits,
  cellText,
  changeOf,
  isOfShares,
  namesOf,
  splitName,
  splitsAfter,
} from './cell.ts'
import type { CompanyPageQuery } from './query.ts'
import type { Tables } from './statementTables.ts'

/**
 * All vintages of one cell with their documents. If no cell is chosen, a sentence explains how to choose one.
 */
export function timeline(
  tables: Tables,
  { cell }: CompanyPageQuery,
  manifest: Manifest | undefined,
  checked: Markup | null,
): Markup {
  const { shown, splits } = tables
  const source = manifest?.source_notice ?? ''
  if (cell === undefined)
    return figureCard(
      html`<h2 id="figure-title">One figure</h2><p class="quiet">Click a figure in a table to see every revision of it and the document that states it. Source: ${source}.</p>`,
    )
  const dot = cell.indexOf('.')
  const metric = cell.slice(0, dot)
  const [fy, fp, end] = cell.slice(dot + 1).split('.')
  const vintages = shown.vintages(metric, cell.slice(dot + 1))
  const title = html`${metricLabel(metric)}, ${fp} ${fy} <small>to ${end}</small>`
  if (vintages.length === 0)
    return figureCard(
      html`<h2 id="figure-title">${title}</h2><p>This figure had not been filed by this day, or your licence does not cover it.</p>`,
    )
  return figureCard(html`<h2 id="figure-title">${title}</h2>
${isRevised(vintages, splits.known) && chart(vintages, tables)}
<div class="scroll" tabindex="0" role="region" aria-label="Revisions"><table class="revisions">
<thead><tr><th scope="col">Filed</th><th scope="col" class="number">Value</th><th scope="col" class="number">Change</th><th scope="col">Document</th><th scope="col">Stated as</th><th scope="col">Current until</th></tr></thead>
<tbody>
${vintages.map((row, index) => vintageRow(row, vintages[index - 1], splits.known, manifest))}</tbody>
</table></div>
${splits.known.length > 0 && vintages.some(isOfShares) && splitNote(splits.known)}
${checked}
<p class="quiet">${manifest?.attribution}</p>`)
}

const splitNote = (splits: readonly Split[]) =>
  html`<p class="quiet">Values are as filed; a chart of them is adjusted for splits. Filings show ${splits.map((split, at) => html`${at > 0 && ', and '}a split of ${splitName(split)} from ${split.filed} on (${split.accession})`)}.</p>`

const vintageRow = (
  row: FundamentalsRow,
  before: FundamentalsRow | undefined,
  splits: readonly Split[],
  manifest: Manifest | undefined,
) =>
  html`<tr><td>${row.filed}</td><td class="number">${exactFigure(row.v)} ${row.u}</td><td class="number">${before !== undefined && before.v !== row.v && changeText(before, row, splits)}</td><td>${documentOf(row)}${formNote(manifest?.code ?? '', row.form ?? '')}</td><td>${row.kind === 'derived' ? 'derived from other figures' : html`<code>${row.tag}</code>`}${row.generation === 'earlier' && ', from the figures before the restatement'}</td><td>${row.until ?? 'today'}</td></tr>
`

/** A split is not a restatement: of a figure of shares, only what a split does not explain is a change. */
function changeText(before: FundamentalsRow, row: FundamentalsRow, splits: readonly Split[]): string {
  const change = changeOf(before, row, splits)
  if (change.isSplitAlone) return namesOf(change.between)
  const text = shownChange(changeInPercent(afterSplits(before, change), row.v))
  return change.between.length === 0 ? text : `${namesOf(change.between)}, then ${text}`
}

function documentOf({ form, accession, url }: FundamentalsRow): Markup {
  const name = [form, accession].filter(text => text !== null && text !== undefined && text !== '').join(' ')
  return url === null || url === undefined
    ? html`${name}`
    : html`<a href="${url}" rel="noreferrer">${name}</a>`
}

const isRevised = (vintages: readonly FundamentalsRow[], splits: readonly Split[]) =>
  vintages.some((row, at) => at > 0 && !changeOf(vintages[at - 1], row, splits).isSplitAlone)

/** In the shares of the last vintage: a split would look like an event. */
const chart = (vintages: readonly FundamentalsRow[], { scale, splits }: Tables) =>
  stepChart({
    label: 'The figure as known over time',
    series: [
      {
        name: '',
        steps: vintages.map(row => {
          const { v } = isOfShares(row) ? adjustedFor(row, splitsAfter(splits.known, row)) : row
          return { day: row.filed, value: v, text: cellText({ ...row, v }, null, scale) }
        }),
      },
    ],
  })

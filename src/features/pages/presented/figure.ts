import { html, type Markup } from '../../../html.ts'
import { documentUrl } from '../../../markets/documents.ts'
import type { Manifest } from '../../../markets/manifest.ts'
import { withRounding } from '../../../wholeFilings/rounding.ts'
import { isChanged } from '../../statements/otherValues.ts'
import type { ReportedRow } from '../../statements/reportedSchema.ts'
import { checkedParagraph } from '../checkedFigures.ts'
import { figureCard } from '../companyFrame.ts'
import { formNote } from '../names/forms.ts'
import { exactDecimal } from '../numbers.ts'
import { lengthText, lineLabel } from './labels.ts'
import { lineCharts, pointsOf } from './lineChart.ts'
import type { StatementPageQuery } from './query.ts'
import type { FigureHistory, StatementView } from './read.ts'

/** More rows than anybody reads; programs get all of them. */
const maxShown = 400

/** Every filing that states the chosen figure. Without a choice, a sentence explains how to choose one. */
export function figureSection(
  { figure, profile, read, roundings }: StatementView,
  query: StatementPageQuery,
  manifest: Manifest | undefined,
): Markup {
  if (figure === null)
    return figureCard(
      html`<h2>One figure</h2><p class="quiet">Click a figure to see every filing that states it, or a line’s name for a chart of all its periods.</p>`,
    )
  const { choice, label, rows, isPart, checked } = figure
  const { period, tag } = choice
  const length =
    period === null ? 'all periods' : `${lengthText(rows.at(0) ?? { start: null, ...period })} ${period.end}`
  const head = html`<h2>${lineLabel(label, tag)} <small>${period !== null && period.quarters === 0 ? period.end : length}, <code>${tag}</code></small></h2>`
  const asOf = read.answer.as_of
  if (rows.length === 0)
    return figureCard(html`${head}<p>No filing that was public on ${asOf} states this figure.</p>`)
  const shown = rows.slice(0, maxShown)
  const marks = shown.map((row, at) => period !== null && isRestated(row, shown[at + 1], roundings))
  const hasRestated = marks.includes(true)
  const charts =
    period === null && !isPart
      ? lineCharts(
          lineLabel(label, tag),
          pointsOf(rows, (row, before) => isRestated(row, before, roundings)),
        )
      : html``
  return figureCard(html`${head}
${checked !== null && checkedParagraph(checked, query)}
${charts.text !== '' && html`<p class="quiet">Each bar is what the latest filing that was public on ${asOf} states for its period.</p>\n${charts}`}
<p class="quiet">Every filing that was public on ${asOf} and states ${period === null ? 'a figure of this line' : 'this figure'}, the latest first. Values are as stated, with the accuracy that the filing claims.${hasRestated && html` A <span class="restated">highlighted</span> value differs from that of the filing before it.`}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Filings that state the figure"><table class="stating">
<thead><tr><th scope="col">Filed</th>${period === null && html`<th scope="col">Period</th>`}<th scope="col" class="number">Value</th><th scope="col">Accuracy</th><th scope="col">Document</th><th scope="col">Stated as</th></tr></thead>
<tbody>
${shown.map((row, at) => historyRow(row, marks[at], profile.issuer_id, manifest, figure))}</tbody>
</table></div>
${(isPart || shown.length < rows.length) && html`<p class="quiet">There are more: programs get all of them from <code>GET /api/v1/reported?ticker=${profile.ticker}&amp;tag=${tag}</code>.</p>`}`)
}

function historyRow(
  row: ReportedRow,
  marked: boolean,
  issuerId: string,
  manifest: Manifest | undefined,
  { choice }: FigureHistory,
): Markup {
  const { filed, value, unit, accession, form, tag } = row
  const url = documentUrl(manifest, issuerId, accession)
  const name = `${form} ${accession}`
  const text = value === null ? 'none' : `${exactDecimal(value)} ${unit}`
  return html`<tr><td>${filed}</td>${choice.period === null && html`<td>${periodCell(row)}</td>`}<td class="number">${marked ? html`<span class="restated">${text}</span>` : text}</td><td>${accuracyText(row)}</td><td>${url === null ? name : html`<a href="${url}" rel="noreferrer">${name}</a>`}${formNote(manifest?.code ?? '', form)}</td><td><code>${tag}</code></td></tr>
`
}

/** A filing may state a figure in two currencies, which are not two values of one figure. */
function isRestated(
  row: ReportedRow,
  before: ReportedRow | undefined,
  roundings: StatementView['roundings'],
): boolean {
  if (before === undefined || before.unit !== row.unit) return false
  const accurate = ({ value, unit, decimals, accession }: ReportedRow) =>
    withRounding(
      { value, unit, decimals: decimals === 'INF' ? Number.POSITIVE_INFINITY : decimals },
      roundings.get(accession) ?? 0,
    )
  return isChanged(accurate(row), accurate(before))
}

const periodCell = ({ start, quarters, end, fp, fy }: ReportedRow) =>
  `${quarters === 0 && start === null ? '' : `${lengthText({ start, end, quarters })} `}${end}${fy === null || fp === null ? '' : ` (${fp} ${fy})`}`

const accuracies: Readonly<Record<string, string>> = {
  '0': 'to the unit',
  '2': 'to the hundredth',
  '-3': 'to thousands',
  '-5': 'to hundred thousands',
  '-6': 'to millions',
  '-8': 'to hundred millions',
  '-9': 'to billions',
  INF: 'exact',
}

const accuracyText = ({ decimals }: ReportedRow): string =>
  decimals === null ? 'not stated' : (accuracies[String(decimals)] ?? `${decimals} decimals`)

import { maxWorstCells, type WorstCell } from '../../backtest/audit/result.ts'
import { count, dash, plural } from '../../backtest/report/numberFormat.ts'
import { maxUnsplitRows, scrollTable } from '../../backtest/report/tearSheet/scrollTable.ts'
import { html, type Markup } from '../../html.ts'
import { stateNames } from './reportCounts.ts'
import type { AuditHead } from './schema.ts'

/** The cells that look ahead the furthest, with links to their filings; null: there are none. */
export function worstSection({ worst }: AuditHead): Markup | null {
  if (worst.length === 0) return null
  const limit =
    worst.length === maxWorstCells
      ? `The ${count(maxWorstCells)} cells that look ahead by the most days. The rows as CSV or Parquet have the state of every cell.`
      : `${plural(worst.length, 'cell')}, those that look ahead by the most days first.`
  return html`<p>${limit}</p>
${scrollTable(
  'The worst cells',
  html`<table class="worst${worst.length > maxUnsplitRows && ' long'}"><caption class="hidden">The worst cells</caption>
<thead><tr><th scope="col">Row</th><th scope="col" class="text">Date</th><th scope="col" class="text">Ticker</th><th scope="col" class="text">Column</th><th scope="col">As sent</th><th scope="col">As known</th><th scope="col" class="text">State</th><th scope="col">Days ahead</th><th scope="col" class="text">Period end</th><th scope="col" class="text">Filed</th></tr></thead>
<tbody>${worst.map(row)}</tbody></table>`,
  'tablet',
)}`
}

const row = (cell: WorstCell) =>
  html`<tr><th scope="row">${count(cell.row)}</th><td class="word">${cell.date}</td><td class="word">${cell.ticker}</td><td class="word">${cell.column}</td><td>${exactly(cell.value)}</td><td>${cell.known === null ? 'nothing' : exactly(cell.known)}</td><td class="word">${stateNames[cell.state]}</td><td>${cell.days === null ? dash : count(cell.days)}</td><td class="word">${cell.period_end ?? dash}</td><td class="word">${cell.filed ?? dash}${cell.filing !== null && html`<br><small>${filingOf(cell)}</small>`}</td></tr>
`

/** A filing opens in a window of its own: registers refuse to be shown in a frame. */
const filingOf = ({ filing, url }: WorstCell): Markup | string | null =>
  url === null ? filing : html`<a href="${url}" target="_blank" rel="noopener noreferrer">${filing}</a>`

const exact = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 12 })
const exactly = (value: number) => exact.format(value).replace('-', '−')

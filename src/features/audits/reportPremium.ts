import type { ColumnPremium } from '../../backtest/audit/result.ts'
import type { LookAheadPremium } from '../../backtest/premium/schema.ts'
import { count, percent, ratio } from '../../backtest/report/numberFormat.ts'
import { scrollTable } from '../../backtest/report/tearSheet/scrollTable.ts'
import { html, type Markup } from '../../html.ts'
import type { AuditHead } from './schema.ts'

/** What looking ahead would have earned, column by column; null: the rows have no returns. */
export function premiumSection({ premium }: AuditHead): Markup | null {
  if (premium.length === 0) return null
  return html`<p>The same backtest with each column as the score, on its values as sent, as known on each date, and as known or announced. The difference of the Sharpe ratios is what look-ahead earned.</p>
${premium.map(ofColumn)}`
}

function ofColumn({ column, result, reason }: ColumnPremium): Markup {
  const name = html`<h3 class="name">${column}</h3>`
  if (result === null) return html`${name}<p class="absent">No premium: ${reason}</p>`
  const { premium, premium_without_announced: withoutAnnounced, warnings, notes } = result
  const remarks = [...warnings, ...notes].map(({ message }) => message)
  return html`${name}
<p class="answer">${describe('Look-ahead', premium)}</p>
<p>${describe('Without values that an earnings release had announced, look-ahead', withoutAnnounced)}</p>
${recordTable(column, result)}
<p class="absent">${periodsOf(result)} Resamples: ${count(result.bootstraps)}, in blocks of ${ratio(result.mean_block, 1)} periods on average${result.mean_block_chosen && ' (chosen from the records)'}, seed ${String(result.seed)}.</p>
${remarks.length > 0 && html`<ul class="notes">${remarks.map(message => html`<li>${message}</li>`)}</ul>`}`
}

type Difference = LookAheadPremium['premium']

function describe(subject: string, difference: Difference): string {
  if (difference === null || difference.sharpe === null)
    return `${subject} earned an unknown amount: one of the two Sharpe ratios is not defined.`
  const { sharpe, low, high, level } = difference
  const earned = `${subject} ${sharpe < 0 ? 'cost' : 'earned'} ${ratio(Math.abs(sharpe))} of annual Sharpe ratio`
  if (low === null || high === null) return `${earned}. The records do not say how far chance reaches.`
  if (low === high) return `${earned}.`
  const verdict = low <= 0 && high >= 0 ? 'contains 0, so it may be chance' : 'does not contain 0'
  return `${earned}. The ${percent(level, 0)} interval of the difference, ${ratio(low)} to ${ratio(high)}, ${verdict}.`
}

const variants = [
  ['sent', 'As sent'],
  ['known', 'As known'],
  ['known_or_announced', 'As known or announced'],
] as const

function recordTable(column: string, result: LookAheadPremium): Markup {
  return scrollTable(
    `Backtests on ${column}`,
    html`<table><caption>Backtests on ${column}</caption>
<thead><tr><th scope="col">Values</th><th scope="col">Sharpe ratio</th><th scope="col">Rows</th><th scope="col">Names per period</th><th scope="col">Turnover</th><th scope="col">Cost drag per year</th></tr></thead>
<tbody>${variants.map(([variant, name]) => {
      const { sharpe, n_rows, names_per_period, avg_turnover, cost_drag_annual } = result[variant]
      return html`<tr><th scope="row">${name}</th><td>${ratio(sharpe)}</td><td>${count(n_rows)}</td><td>${ratio(names_per_period, 1)}</td><td>${percent(avg_turnover)}</td><td>${percent(cost_drag_annual, 2)}</td></tr>\n`
    })}</tbody></table>`,
    'phone',
  )
}

function periodsOf({
  n_periods,
  n_periods_left_out: leftOut,
  first_date,
  last_date,
}: LookAheadPremium): string {
  if (first_date === null || last_date === null) return 'There is no period in which all three hold names.'
  const out =
    leftOut === 0 ? '' : ` ${count(leftOut)} dates are left out, because one of the three is empty there.`
  return `${count(n_periods)} common periods, ${first_date} to ${last_date}.${out}`
}

import { html, type Markup } from '../../../html.ts'
import type { VintageChoice } from '../../requestCompare.ts'
import type { BacktestComparison } from '../../resultCompare.ts'
import { count, percent, ratio } from '../numberFormat.ts'
import { scrollTable } from './scrollTable.ts'

type Variant = BacktestComparison['variants'][number]
type Difference = BacktestComparison['differences'][number]

const names: Readonly<Record<VintageChoice, string>> = {
  as_known: 'As known',
  first_filed: 'As first filed',
  final: 'Final',
}

/** The same configuration with other vintages of the metric as its score. */
export function comparisonSection(comparison: BacktestComparison): Markup {
  const { variants, differences, bootstraps, mean_block, mean_block_chosen, seed } = comparison
  const withheld = variants.flatMap(({ why }) => why ?? [])
  return html`<p>The same configuration on the same rows, ranked by other vintages of the same figures. Figures as known are those of this page.</p>
${variantTable(variants)}
<ul>${variants.map(({ vintages, meaning }) => html`<li>${names[vintages]}. ${meaning}</li>`)}</ul>
${differences.map(difference => html`<p>${describeDifference(difference)}</p>`)}
${withheld.map(why => html`<p>No verdict: ${why}</p>`)}
<p class="absent">Resamples: ${count(bootstraps)}, in blocks of ${ratio(mean_block, 1)} periods on average${mean_block_chosen && ' (chosen from the records)'}, seed ${String(seed)}. Both records of a difference are resampled together.</p>`
}

function variantTable(variants: readonly Variant[]): Markup {
  return scrollTable(
    'Figures as known, as first filed and final',
    html`<table><thead><tr><th scope="col">Figures</th><th scope="col">Sharpe</th><th scope="col">Annual return</th><th scope="col">Volatility</th><th scope="col">Max drawdown</th><th scope="col">Turnover</th><th scope="col">Names</th><th scope="col">Verdict</th></tr></thead>
<tbody>${variants.map(
      variant =>
        html`<tr><th scope="row">${names[variant.vintages]}</th><td>${ratio(variant.sharpe)}</td><td>${percent(variant.cagr)}</td><td>${percent(variant.volatility)}</td><td>${percent(variant.max_drawdown)}</td><td>${percent(variant.avg_turnover)}</td><td>${ratio(variant.names_per_period, 1)}</td><td>${variant.verdict?.level ?? 'withheld'}</td></tr>`,
    )}</tbody></table>`,
    'phone',
  )
}

const subjects: Readonly<Record<Exclude<VintageChoice, 'as_known'>, string>> = {
  first_filed: 'Ignoring what was amended or restated later would have changed the annual Sharpe ratio by',
  final:
    'Restatements and early dating, which nobody could have had, would have changed the annual Sharpe ratio by',
}

function describeDifference({ vintages, sharpe, low, high, level }: Difference): string {
  const subject = vintages === 'as_known' ? 'The difference is' : subjects[vintages]
  if (sharpe === null) return `${subject} an unknown amount: one of the records does not vary.`
  const change = `${subject} ${ratio(sharpe)}`
  if (low === null || high === null)
    return `${change}. The records differ in too few periods to say how exact this is.`
  if (low === high) return `${change}.`
  const verdict = low <= 0 && high >= 0 ? 'which contains 0, so it may be chance' : 'which does not contain 0'
  return `${change}, with a ${percent(level, 0)} interval from ${ratio(low)} to ${ratio(high)}, ${verdict}.`
}

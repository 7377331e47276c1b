import { isoDate } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import { capitalisation, type Strategy } from '../../../markets/strategies/strategies.ts'
import { type CompanyValue, nameOf } from '../../strategies/values.ts'
import { exactFigure } from '../figures.ts'

/** A line's value with at most six significant digits; amounts in full. */
export function shownValue(value: number): string {
  if (Number.isNaN(value)) return 'missing'
  if (Number.isInteger(value)) return exactFigure(value)
  return Math.abs(value) >= 1e6
    ? value.toLocaleString('en-US', { maximumFractionDigits: 0 })
    : String(Number(value.toPrecision(6)))
}

export const unitText = ({ unit }: Pick<Strategy, 'unit'>, currency: string | null): string =>
  unit === 'currency' && currency !== null ? ` ${currency}` : ''

/** The inputs behind the value of a company, each with its filing. */
export function inputTable({ inputs }: CompanyValue): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Inputs"><table class="figures inputs">
<thead><tr><th scope="col">Input</th><th scope="col">Period to</th><th scope="col" class="number">Value</th><th scope="col">Unit</th><th scope="col">Filed</th><th scope="col">Filing</th></tr></thead>
<tbody>
${inputs.map(input => {
  const { figure, metric } = input
  const name = html`<a href="/docs/metrics#${metric}"><code>${nameOf(input)}</code></a>`
  return figure === null
    ? html`<tr><th scope="row">${name}</th><td colspan="5">not known, or in another currency</td></tr>\n`
    : html`<tr><th scope="row">${name}</th><td>${isoDate(figure.end)}</td><td class="number">${exactFigure(figure.value)}</td><td>${figure.unit}</td><td>${isoDate(figure.filed)}</td><td>${figure.accession ?? (metric === capitalisation ? 'a price' : 'several')}</td></tr>\n`
})}</tbody></table></div>`
}

import { html, type Markup } from '../../../html.ts'
import type { Strategy } from '../../../markets/strategies/strategies.ts'

/** A formula whose names lead to the definition of the metric or to the earlier line. */
export function linkedFormula({ inputs, lines }: Strategy, formula: string, own: string): Markup {
  const earlier = new Set(lines.map(({ name }) => name))
  const parts = formula.split(/\b([a-z][a-z0-9_]*)\b/)
  return html`${parts.map((part, index) => {
    if (index % 2 === 0) return part
    // A line may have the name of the strategy's only input.
    if (earlier.has(part) && part !== own) return html`<a href="#line-${part}">${part}</a>`
    return inputs.includes(part) ? html`<a href="/docs/metrics#${part}">${part}</a>` : part
  })}`
}

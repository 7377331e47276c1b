import { html, type Markup } from '../../../html.ts'
import { readGrouping } from '../../../markets/industries.ts'
import { boundText, checkChoices } from './form.ts'
import { groupText } from './groups.ts'
import { type Screen, type ScreenChange, screenPath } from './query.ts'
import type { AgeLimit } from './recency.ts'

interface Chip {
  readonly text: string
  /** The choices of the screen without this filter. */
  readonly without: ScreenChange
}

const maxNamed = 6

/** The filters in force, each with a link that removes it. */
export function filterChips(screen: Screen, { days, isDefault }: AgeLimit): Markup | false {
  const chips = [...chipsOf(screen, days, isDefault)]
  return (
    chips.length > 0 &&
    html`<ul class="chips" aria-label="Filters">${chips.map(
      ({ text, without }) =>
        html`<li>${text} <a href="${screenPath(screen, { cursor: undefined, ...without })}" aria-label="Remove the filter: ${text}">×</a></li>`,
    )}</ul>`
  )
}

function* chipsOf(screen: Screen, days: number | null, isDefault: boolean): Generator<Chip> {
  const { typed, companies, group, checks } = screen
  if (companies !== undefined) {
    const more = companies.length > maxNamed ? ` and ${companies.length - maxNamed} more` : ''
    yield {
      text: `Only ${companies.slice(0, maxNamed).join(', ')}${more}`,
      without: { companies: undefined },
    }
  }
  if (days !== null)
    yield {
      text: `Ended within ${days} days${isDefault ? ' (by default)' : ''}`,
      without: { maxAge: null },
    }
  for (const [name, text] of typed) {
    const others = new Map([...typed].filter(([other]) => other !== name))
    yield { text: boundText(name, text), without: { typed: others } }
  }
  if (screen.period !== 'FY') yield { text: `Period ${screen.period}`, without: { period: 'FY' } }
  if (screen.currency !== undefined)
    yield { text: `Amounts in ${screen.currency}`, without: { currency: undefined } }
  if (checks !== undefined) {
    const label = checkChoices.find(([value]) => value === checks)?.[1] ?? checks.replaceAll(',', ', ')
    yield { text: `Figures ${label}`, without: { checks: undefined } }
  }
  if (group !== undefined) {
    const grouping = readGrouping(group)
    if (grouping.codes !== null)
      yield {
        text: grouping.codes.map(code => groupText(grouping, code)).join(', '),
        without: { group: grouping.scheme },
      }
  }
  if (screen.asOf !== undefined) yield { text: `As known on ${screen.asOf}`, without: { asOf: undefined } }
}

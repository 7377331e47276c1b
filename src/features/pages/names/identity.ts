import { html, type Markup } from '../../../html.ts'
import { industryTitle } from '../../../markets/industryTitles.ts'
import type { Company } from '../../companyProfile/schema.ts'
import { shownName } from './companyName.ts'

/** The name of a company on its pages. */
export const nameOnPage = ({ today, name, ticker }: Company, listed: string | null = null): string =>
  shownName({
    registered: listed ?? today?.name ?? name?.value ?? null,
    others: today?.other_names ?? [],
    ids: [ticker, ...(today?.current_ids ?? []), ...(today?.former_ids ?? [])],
  }) ?? ticker

/** What is known about a company besides its figures, and how it changed. */
export function identity(profile: Company, country: string, listed: string | null): Markup {
  const { today } = profile
  const registered = listed ?? today?.name ?? profile.name?.value ?? null
  const facts: [string, string | null | undefined][] = [
    ['Registered name', registered === nameOnPage(profile, listed) ? null : registered],
    ['Market', country],
    ['Industry', industryName(profile.sector) ?? industryName(today?.sector ?? null)],
    ['Exchange', today?.exchange],
    ['Status', today?.status],
    ['Filer status', profile.filer_status?.value],
    ['State', profile.state === null ? null : `${profile.state.state} since ${profile.state.since}`],
    ['Fiscal year ends', monthAndDay(profile.fiscal_year_end?.value ?? today?.fiscal_year_end)],
    ['Also known as', today?.other_names.join(', ')],
    ['Former names', profile.former_names.map(({ name, until }) => `${name} (until ${until})`).join(', ')],
    ['Other IDs', today?.current_ids.filter(id => id !== profile.ticker).join(', ')],
    ['Former IDs', today?.former_ids.join(', ')],
    ['Filings', `${profile.filings}${spanText(profile)}`],
  ]
  return html`<dl class="identity">${facts.map(([term, text]) => text !== undefined && text !== null && text !== '' && html`<div><dt>${term}</dt><dd>${text}</dd></div>`)}</dl>
${profile.timeline.length > 0 && changes(profile)}`
}

function spanText({ first_filed: first, last_filed: last }: Company): string {
  if (first === null || last === null) return ''
  return first === last ? `, ${first}` : `, ${first} to ${last}`
}

/** Electronic computers (SIC 3571). A code without a title on record stays a code. */
function industryName(
  sector: { readonly scheme: string; readonly code: string; readonly name: string | null } | null,
): string | null {
  if (sector === null) return null
  const { scheme, code, name } = sector
  const title = industryTitle(scheme, code)
  if (title !== null) return `${title} (${scheme} ${code})`
  if (name !== null) return `${name} (${scheme} ${code})`
  // Some schemes have names instead of codes.
  return /\d/.test(code) ? `${scheme} ${code}` : `${code} (${scheme})`
}

type Spell = Company['timeline'][number]

const kinds = [
  { kind: 'name', title: 'Names' },
  { kind: 'symbol', title: 'Symbols' },
  { kind: 'registrant', title: 'Registrants' },
  { kind: 'industry', title: 'Industries' },
  { kind: 'fiscal_year_end', title: 'Fiscal years' },
  { kind: 'filer_status', title: 'Filer status' },
] as const satisfies readonly { kind: Spell['kind']; title: string }[]

/** The timeline as sentences, by what they are about. */
function changes({ timeline }: Company): Markup {
  const groups = kinds.flatMap(({ kind, title }) => {
    const spells = timeline.filter(spell => spell.kind === kind)
    return spells.length === 0 ? [] : [{ title, spells }]
  })
  return html`<details class="changes"><summary>Names, symbols and industries through time</summary>
<dl>${groups.map(({ title, spells }) => html`<div><dt>${title}</dt>${spells.map(spell => html`<dd>${sentence(spell)}</dd>`)}</div>`)}</dl></details>`
}

function sentence({ kind, value, from, until, accession }: Spell): Markup {
  const span = until === null ? `since ${from}` : `from ${from} to ${until}`
  const source = accession === null ? '' : html`, first stated in ${accession}`
  switch (kind) {
    case 'name':
      return html`Named <strong>${value}</strong> ${span}${source}.`
    case 'symbol':
      return html`Symbol <strong>${value}</strong> ${span}${source}.`
    case 'registrant':
      return html`<strong>${value}</strong> is the registrant ${span}${accession !== null && html`, by ${accession}`}.`
    case 'industry': {
      const [scheme = '', code = '', ...name] = value.split(' ')
      const words = industryName({ scheme, code, name: name.length === 0 ? null : name.join(' ') })
      return html`In <strong>${words ?? value}</strong> ${span}${source}.`
    }
    case 'fiscal_year_end':
      return html`The fiscal year ends on <strong>${monthAndDay(value) ?? value}</strong> ${span}${source}.`
    case 'filer_status':
      return html`Files as <strong>${value}</strong> ${span}${source}.`
    default: {
      const missing: never = kind
      return missing
    }
  }
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Formats 0930 as 30 September. */
function monthAndDay(text: string | null | undefined): string | null {
  const [, month, day] = /^(\d\d)(\d\d)$/.exec(text ?? '') ?? []
  const name = months[Number(month) - 1]
  return name === undefined ? (text ?? null) : `${Number(day)} ${name}`
}

/** A year and a half: by then, a company that still files has reported another year. */
const maxMonths = 18

/**
 * The day of the company's last filing, in amber if it is long before the day of the page.
 *
 * @param asOf a day or an instant
 */
export function lastFiledBadge({ last_filed: last }: Company, asOf: string): Markup | false {
  if (last === null) return false
  const day = asOf.slice(0, 10)
  const isOld = last < monthsBefore(day, maxMonths)
  return html`<span class="badge${isOld && ' old'}" id="last-filed" data-day="${day}">Last filing by ${day}: <strong>${last}</strong>${isOld && `, more than ${maxMonths} months earlier`}</span>`
}

/** A text that sorts like the day so many months earlier, even where that month is shorter. */
function monthsBefore(day: string, count: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  const index = year * 12 + month - 1 - count
  return `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}-${day.slice(8)}`
}

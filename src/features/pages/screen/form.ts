import { html, type Markup } from '../../../html.ts'
import { groupSchemes } from '../../../markets/industries.ts'
import { findValuation } from '../../../markets/valuations.ts'
import type { Rights } from '../../../rights/rights.ts'
import type { PageDeps } from '../deps.ts'
import { marketField, metricField } from '../fields.ts'
import { metricLabel } from '../metricLabels.ts'
import {
  anyAge,
  columnFields,
  recentDays,
  type Screen,
  type SentScreen,
  screenFields,
  screenPeriods,
} from './query.ts'

/** The values of the form: as sent, so that a field with a mistake keeps what was typed. */
interface FormValues extends SentScreen {
  readonly rights: Rights
  /** The default age limit; null for any age. Undefined if it is not known, because something else was chosen. */
  readonly defaultAge: number | null | undefined
  readonly currency: string
  readonly offersValuations: boolean
}

/**
 * The settings of a screen. On phones they are folded, so that the table starts on the first screen; a mistake unfolds
 * them.
 */
export function screenForm(deps: Pick<PageDeps, 'markets'>, values: FormValues): Markup {
  const { screen, sent, failures, rights } = values
  const field = fieldsOf(values)
  const others = [...failures].filter(([name]) => !isShown(values, name))
  const sort = screenFields({ ...screen, cursor: undefined }).get('sort')
  return html`<details class="settings"${failures.size > 0 && html` open`}>
<summary>Columns and filters</summary>
<form method="get" action="/screen" class="filters screen">
${others.map(([name, { message }]) => html`<p class="notice bad" id="error-${name}" role="alert">${message}</p>\n`)}\
<p class="row">${marketField(deps, screen.market)}${field.error('market')}
${field.select(
  'fp',
  'Period',
  screenPeriods.map(name => [name, periodNames[name]] as const),
  screen.period,
)}
${field.select('max_age_days', 'Ended within', ages(values), screen.maxAge === undefined ? '' : String(screen.maxAge ?? anyAge))}
<span class="field"><label for="currency">Currency</label> <input id="currency" name="currency" size="4" maxlength="3" value="${sent.get('currency')}" placeholder="${values.currency}"${field.described('currency')}>${field.error('currency')}</span>
${isShown(values, 'prices') && html`<span class="field"><label for="prices">Prices</label> <input id="prices" name="prices" size="12" maxlength="63" value="${sent.get('prices')}" spellcheck="false"${field.described('prices')}>${field.error('prices')}</span>`}
${field.select('checks', 'Figures', withOwn(checkChoices, screen.checks), screen.checks ?? '')}
${field.select('group', 'Group by', withOwn(groupChoices, screen.group), screen.group ?? '')}
${rights.seesAllHistory ? dayField(values, field) : html`<span class="quiet">As known today. Other days need a <a href="/docs/guides/keys-and-limits">licence</a>.</span>`}</p>
<div class="columns">${columnFields.map((name, index) => columnField(deps, values, field, name, index))}</div>
${hiddenBounds(screen)}${sort !== null && html`<input type="hidden" name="sort" value="${sort}">`}
<p class="row"><span class="field companies"><label for="companies">Only these companies</label> <textarea id="companies" name="companies" rows="1" placeholder="AAPL, MSFT or one per line" spellcheck="false"${field.described('companies')}>${sent.get('companies')}</textarea>${field.error('companies')}</span> <button type="submit" class="first">Screen</button> <a class="button" href="/screen?market=${screen.market}">Reset</a> <span class="quiet">Write bounds as 10%, 0.1, 500m or 2.5bn.</span></p></form></details>`
}

const periodNames: Readonly<Record<(typeof screenPeriods)[number], string>> = {
  FY: 'fiscal year',
  Q1: 'first quarter',
  Q2: 'second quarter',
  Q3: 'third quarter',
  Q4: 'fourth quarter',
  TTM: 'trailing twelve months',
  latest: 'latest of any kind',
}

type Choice = readonly [value: string, label: string]

export const checkChoices: readonly Choice[] = [
  ['', 'all'],
  ['proved,consistent', 'confirmed by an identity'],
  ['proved,consistent,unchecked', 'not contradicted'],
  ['contradicted', 'contradicted'],
]

const groupNames: Readonly<Record<(typeof groupSchemes)[number], string>> = {
  sicDivision: 'sector (SIC division)',
  sic2: 'SIC code, 2 digits',
  sic3: 'SIC code, 3 digits',
  sic4: 'SIC code, 4 digits',
  ff49: 'industry (Fama-French 49)',
}
const groupChoices: readonly Choice[] = [
  ['', 'none'],
  ...groupSchemes.map(name => [name, groupNames[name]] as const),
]

/** Choices with one that only an address can express. */
const withOwn = (choices: readonly Choice[], own: string | undefined): readonly Choice[] =>
  own === undefined || choices.some(([value]) => value === own)
    ? choices
    : [...choices, [own, own.replaceAll(',', ', ')]]

const usualAges: readonly Choice[] = [
  [String(recentDays), `${recentDays} days`],
  ['1100', '3 years'],
  ['1830', '5 years'],
  ['3650', '10 years'],
  [anyAge, 'any time'],
]

/** The default stays the default when the form is sent, because it depends on the market and the day. */
function ages({ screen, defaultAge }: Pick<FormValues, 'screen' | 'defaultAge'>): readonly Choice[] {
  const own = screen.maxAge
  const choices: readonly Choice[] = [
    ['', defaultAge === undefined ? 'the default' : `by default: ${ageText(defaultAge)}`],
    ...usualAges,
  ]
  return own === undefined || own === null || choices.some(([value]) => value === String(own))
    ? choices
    : [...choices, [String(own), ageText(own)]]
}

const ageText = (days: number | null): string => (days === null ? 'any time' : `${days} days`)

interface Fields {
  readonly described: (name: string) => Markup | false
  readonly error: (name: string) => Markup | false
  readonly select: (name: string, label: string, choices: readonly Choice[], chosen: string) => Markup
}

/** Parts of fields, with the mistake of each beside it. */
function fieldsOf({ failures }: FormValues): Fields {
  const described = (name: string) =>
    failures.has(name) && html` aria-invalid="true" aria-describedby="error-${name}"`
  const error = (name: string) =>
    failures.has(name) &&
    html` <span class="mistake" id="error-${name}" role="alert">${failures.get(name)?.message}</span>`
  return {
    described,
    error,
    select: (name, label, choices, chosen) =>
      html`<span class="field"><label for="${name}">${label}</label> <select id="${name}" name="${name}"${described(name)}>${choices.map(
        ([value, text]) =>
          html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
      )}</select>${error(name)}</span>`,
  }
}

/** A text field, because browsers show a date field in the order of the reader's country. */
function dayField({ sent }: FormValues, { described, error }: Fields): Markup {
  const day = sent.get('as_of')
  return html`<span class="field"><label for="as-of">As known on</label> <input id="as-of" name="as_of" size="12" value="${day}" placeholder="YYYY-MM-DD" title="Leave the day empty for today." spellcheck="false" autocomplete="off"${described('as_of')}>${error('as_of')}</span>`
}

function columnField(
  deps: Pick<PageDeps, 'markets'>,
  { screen, sent, offersValuations }: FormValues,
  { described, error }: Fields,
  name: (typeof columnFields)[number],
  index: number,
): Markup {
  const metric = screen.columns[index]
  const bound = (side: 'min' | 'max', label: string) => {
    const field = `${side}_${metric}`
    return html`<label for="${side}-${name}">${label}</label> <input id="${side}-${name}" name="${field}" value="${sent.get(field)}" size="7" inputmode="decimal"${described(field)}>`
  }
  return html`<p>${metricField(deps, name, `Column ${index + 1}`, metric ?? '', true, offersValuations || findValuation(metric ?? '') !== undefined)}${error(name)}${metric !== undefined && html`<span class="bounds">${bound('min', 'from')} ${bound('max', 'to')}</span>${error(`min_${metric}`)}${error(`max_${metric}`)}`}</p>`
}

/** Bounds of metrics that have no column, which the form would lose. */
const hiddenBounds = ({ columns, typed }: Screen): Markup[] =>
  [...typed].flatMap(([name, text]) =>
    columns.includes(name.slice(4)) ? [] : [html`<input type="hidden" name="${name}" value="${text}">`],
  )

/** Whether the form has a field of this name. */
function isShown({ screen, rights, failures }: FormValues, name: string): boolean {
  // Most visitors may see one set at most.
  if (name === 'prices') return screen.prices !== undefined || failures.has(name)
  if (name === 'as_of') return rights.seesAllHistory
  if (/^(min|max)_/.test(name)) return screen.columns.includes(name.slice(4))
  const fields: readonly string[] = columnFields
  return (
    fields.includes(name) ||
    ['market', 'fp', 'max_age_days', 'currency', 'checks', 'group', 'companies'].includes(name)
  )
}

/** What a bound says: `Revenue from 40bn`. */
export const boundText = (name: string, typed: string): string =>
  `${metricLabel(name.slice(4))} ${name.startsWith('min_') ? 'from' : 'to'} ${typed}`

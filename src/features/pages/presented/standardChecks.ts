import { html, type Markup } from '../../../html.ts'
import {
  type CheckedFigure,
  type CheckedStatement,
  checkedFigures,
  type StandardCell,
  sidesText,
  stateMark,
  verdictOf,
} from '../checkedFigures.ts'
import { periodText } from './labels.ts'

/** An identity that decides the state of figures, and in which periods it gives which result. */
interface ListedCheck {
  readonly id: string
  readonly state: ListedState
  readonly identity: string
  readonly figures: readonly CheckedFigure[]
}

/** The identities of a table, which its cells refer to. */
export interface CheckList {
  readonly checks: readonly ListedCheck[]
  /** The element that says in words what was checked of a figure; null if nothing was. */
  idOf(cell: StandardCell): string | null
}

/** What needs attention comes first. */
const listedStates = ['contradicted', 'proved', 'consistent'] as const
type ListedState = (typeof listedStates)[number]

const keyOf = ({ state, identity }: Pick<StandardCell, 'state' | 'identity'>) => `${state} ${identity}`

export function checkListOf(answer: CheckedStatement): CheckList {
  const groups = Map.groupBy(checkedFigures(answer), ({ cell }) => keyOf(cell))
  const found = [...groups.values()].flatMap(figures => {
    const [{ cell }] = figures
    const state = listedStates.find(each => each === cell.state)
    return state === undefined || cell.identity === null ? [] : [{ state, identity: cell.identity, figures }]
  })
  const checks = listedStates
    .flatMap(state => found.filter(check => check.state === state))
    .map((check, at) => ({ ...check, id: `check-${at + 1}` }))
  const ids = new Map(checks.map(({ id, ...check }) => [keyOf(check), id]))
  return { checks, idOf: cell => ids.get(keyOf(cell)) ?? null }
}

const explanations: Readonly<Record<ListedState, { readonly title: string; readonly text: string }>> = {
  contradicted: {
    title: 'Contradicted',
    text: 'These identities do not hold in the filings. The figures are shown as filed.',
  },
  proved: {
    title: 'Proved',
    text: 'These identities are stated by the filings themselves or by the schema of their register, and they hold to the stated rounding.',
  },
  consistent: {
    title: 'Consistent',
    text: 'These identities hold, although the filings do not state them: every statement must satisfy them, or the lines of the statement, of other statements, of notes or of earlier filings show them.',
  },
}

/** Every identity in words, for readers who cannot hover over the figures. */
export function checksSection({ checks }: CheckList): Markup {
  if (checks.length === 0)
    return html`<section><h2 id="checks">Checks in words</h2>
<p>No identity applies to the figures of this table.</p></section>`
  return html`<section class="checks"><h2 id="checks">Checks in words</h2>
${listedStates.map(state => {
  const listed = checks.filter(check => check.state === state)
  const { title, text } = explanations[state]
  return (
    listed.length > 0 &&
    html`<h3>${stateMark(state)} ${title}</h3>
<p class="quiet">${text}</p>
<ul>
${listed.map(listItem)}</ul>
`
  )
})}</section>`
}

/** A check is about several lines of a period, and holds in several periods. */
function listItem({ id, identity, figures }: ListedCheck): Markup {
  const lines = new Set(figures.map(({ line }) => line.label))
  const results = Map.groupBy(figures, ({ cell }) => verdictOf(cell))
  return html`<li id="${id}">${identity}: ${[...results].map(([verdict, of], at) => html`${at > 0 && '; '}<strong>${verdict}</strong> (${periodsOf(of)})`)}. <span class="quiet">State of: ${[...lines].join('; ')}.</span></li>
`
}

function periodsOf(figures: readonly CheckedFigure[]): Markup {
  const results = new Map<string, CheckedFigure>()
  for (const figure of figures) {
    const key = `${periodText(figure.column.period)} ${sidesText(figure.cell)}`
    if (!results.has(key)) results.set(key, figure)
  }
  const shown = [...results.values()]
  // Lines share most identities. Some each line has for itself, such as that the year is the sum of its quarters.
  const isOfEach = shown.length > new Set(shown.map(({ column }) => periodText(column.period))).size
  return html`${shown.map((figure, at) => html`${at > 0 && '; '}${isOfEach && `${figure.line.label}, `}${resultIn(figure)}`)}`
}

function resultIn({ cell, column, filing }: CheckedFigure): Markup {
  const sides = sidesText(cell)
  const source =
    cell.state === 'contradicted' && filing !== null
      ? html` in ${filing.url === null ? `${filing.form} filed ${filing.filed}` : html`<a href="${filing.url}" rel="noreferrer">${filing.form} filed ${filing.filed}</a>`}`
      : ''
  return html`${periodText(column.period)}${source}${sides !== null && `: ${sides}`}`
}

/** Lines without a value because the filing leaves two readings. */
export function missingSection({ missing, filings }: CheckedStatement): Markup {
  if (missing.length === 0) return html``
  return html`<section><h2 id="readings">Lines with two readings</h2>
<p class="quiet">These lines have no value: each of several lines of the filing could be meant, and nothing in the filing decides between them.</p>
<ul>
${missing.map(({ label, accession, readings }) => {
  const filing = filings.find(each => each.accession === accession)
  const source = filing === undefined ? accession : `${filing.form} filed ${filing.filed}`
  return html`<li><strong>${label}</strong> in ${filing?.url == null ? source : html`<a href="${filing.url}" rel="noreferrer">${source}</a>`}: ${readings.map((reading, at) => html`${at > 0 && ', or '}${reading.label !== null && html`“${reading.label}” `}<code>${reading.tag}</code>`)}.</li>
`
})}</ul></section>`
}

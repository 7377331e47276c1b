import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import {
  type FigureContext,
  plainDecimal,
  type ReportedFigure,
  type Statement,
  type StatementKind,
} from '../../../wholeFilings/wholeFiling.ts'
import { shown } from '../../reading/namedFaults.ts'
import type { Tally } from '../registerInterface.ts'
import { isAmount, type Line } from './deposits.ts'
import { type FormCode, forms, incomePages } from './forms.ts'
import type { Header, Year } from './header.ts'

/**
 * A deposit in full, as the register entered it: the pages of the form, with their lines in the order of the file. The
 * form divides the balance sheet and the income statement into two pages each.
 *
 * @param lines without those of confidential pages
 */
export function wholeFilingOf(lines: readonly Line[], header: Header, tally: Tally): StatedFiling {
  const { form, siren, year, filing } = header
  const figures: ReportedFigure[] = []
  const pages = new Map<number, Page>()
  for (const { page: number, code, amounts } of lines) {
    const page = pages.get(number) ?? new Page(number, header)
    pages.set(number, page)
    const concept = page.addLine(code)
    for (const [column, text] of amounts.entries()) {
      if (text === '') continue
      const value = isAmount(text) ? plainDecimal(text) : null
      if (value !== null)
        figures.push({ concept, context: page.contextOf(column), unit: page.unit, decimals: null, value })
      else if (!isMapped(form, number, code, column))
        tally.faults.add(
          `${filing.accession}, page ${number}, line ${code}, column ${column + 1}: ${shown(text)} is not a whole number`,
        )
    }
  }
  return {
    market: 'FR',
    issuerId: siren,
    whole: {
      accession: filing.accession,
      taxonomies: new Map(),
      figures,
      statements: [...Map.groupBy(pages.values(), ({ role, kind }) => kind ?? role).values()].map(
        statementOf,
      ),
      sums: [],
      defaultMembers: new Map(),
    },
    source: 'dataSet',
    periodEnd: year.end,
  }
}

/** Whether a metric comes from the amount: its faults are named with that metric. */
function isMapped(form: FormCode, number: number, code: string, column: number): boolean {
  const page = forms[form][number]
  return (
    page !== undefined &&
    (column === page.year || column === page.before) &&
    Object.values(page.tags).some(codes => codes.includes(code))
  )
}

/** The axis of amounts in a column other than those of the year and of the prior year; its members are m1 to m4. */
const columnAxis = 'liasse:column'

/** Interned, by prefix and code: the forms have a few hundred codes, which all deposits share. */
const conceptNames = new Map<string, Map<string, string>>()
const maxConceptNames = 2_000

/**
 * A page of the form. Concepts of the balance sheet and of the income statement are called like the tags of metrics,
 * by form and code: `C:FJ`. Other pages use some codes again for something else, so that their concepts have
 * the number of the page, too: `C8:VB`.
 */
class Page {
  readonly #number: number
  readonly #header: Header
  readonly #isIncome: boolean
  readonly #layout: (typeof forms)[FormCode][number] | undefined
  readonly #prefix: string
  readonly #contexts: (FigureContext | undefined)[] = []
  readonly #concepts: string[] = []

  constructor(number: number, header: Header) {
    const { form } = header
    this.#number = number
    this.#header = header
    this.#isIncome = incomePages[form].includes(number)
    this.#layout = forms[form][number]
    this.#prefix = this.#layout === undefined ? `${form}${number}:` : `${form}:`
  }

  /** Other pages count people, too, and the register does not say which of their lines do. */
  get unit(): string {
    return this.#layout === undefined ? '' : this.#header.unit
  }

  /** Returns the concept of the line. */
  addLine(code: string): string {
    const concept = conceptNames.get(this.#prefix)?.get(code) ?? this.#nameOf(code)
    this.#concepts.push(concept)
    return concept
  }

  #nameOf(code: string): string {
    const names = conceptNames.get(this.#prefix) ?? new Map<string, string>()
    conceptNames.set(this.#prefix, names)
    const name = `${this.#prefix}${code}`
    if (names.size < maxConceptNames) names.set(code, name)
    return name
  }

  contextOf(column: number): FigureContext {
    this.#contexts[column] ??= this.#makeContext(column)
    return this.#contexts[column]
  }

  /**
   * An amount whose period the deposit does not state (a column of another page, a year without its length or end) has
   * the last day of the year and its column.
   */
  #makeContext(column: number): FigureContext {
    const { year, before } = this.#header
    const isBefore = column === this.#layout?.before
    const isPlain = isBefore || column === this.#layout?.year
    const own: Year | null = isBefore ? before : year
    const dimensions = isPlain ? [] : [{ axis: columnAxis, member: `m${column + 1}` }]
    const days = own === null ? null : this.#daysOf(own)
    if (days !== null) return { ...days, quarters: null, dimensions }
    const member = { axis: columnAxis, member: `m${column + 1}` }
    return { start: null, end: year.end, quarters: null, dimensions: [member] }
  }

  #daysOf({ start, end }: Year): Pick<FigureContext, 'start' | 'end'> | null {
    if (!this.#isIncome) return { start: null, end }
    return start === null ? null : { start, end }
  }

  /** The page of the form. */
  get role(): string {
    return String(this.#number)
  }

  get kind(): StatementKind | null {
    return this.#layout === undefined ? null : this.#isIncome ? 'IS' : 'BS'
  }

  get concepts(): readonly string[] {
    return this.#concepts
  }
}

/** A statement of one page or of several. */
const statementOf = (pages: readonly Page[]): Statement => ({
  role: pages.map(({ role }) => role).join('-'),
  title: null,
  kind: pages[0].kind,
  parenthetical: false,
  lines: pages
    .flatMap(({ concepts }) => concepts)
    .map((concept, index) => ({
      order: index + 1,
      concept,
      depth: null,
      label: null,
      labelRole: null,
      negated: false,
    })),
})

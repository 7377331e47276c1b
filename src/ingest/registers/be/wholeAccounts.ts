import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { type FigureContext, plainDecimal, type ReportedFigure } from '../../../wholeFilings/wholeFiling.ts'
import { type NamedFaults, shown } from '../../reading/namedFaults.ts'
import { figuresOf, lastPartOf, PrefixedNames } from '../../xbrl/figures.ts'
import type { XbrlInstance } from '../../xbrl/instance.ts'
import type { Accounts } from './accounts.ts'
import { codesRead } from './concepts.ts'
import { filingOf, type Reference } from './references.ts'

/**
 * Accounts in full. Neither an instance nor a list of rubrics says in which statement or in which order its figures
 * are presented, so there are no statements.
 */
export function wholeFilingOf(accounts: Accounts, reference: Reference, faults: NamedFaults): StatedFiling {
  const { instance } = accounts
  const content =
    instance === null
      ? { figures: figuresOfRubrics(accounts, reference, faults), taxonomies: new Map<string, string>() }
      : figuresOfInstance(instance, accounts, faults)
  const { accession } = filingOf(reference)
  return {
    market: 'BE',
    issuerId: reference.enterprise,
    whole: { accession, ...content, statements: [], sums: [], defaultMembers: new Map() },
    source: instance === null ? 'figures' : 'documents',
    periodEnd: reference.end,
  }
}

function figuresOfInstance(
  instance: XbrlInstance,
  { rubrics }: Accounts,
  faults: NamedFaults,
): { figures: ReportedFigure[]; taxonomies: ReadonlyMap<string, string> } {
  const names = new PrefixedNames(prefixOf)
  const mapped = new Set(rubrics.map(({ fact }) => fact))
  const figures = figuresOf(instance, {
    spell: name => names.spell(name),
    fault: (line, text, fact) => {
      // Those of metrics and those with an invalid day are named already.
      if (!mapped.has(fact) && !instance.faultyDays.has(fact.context)) faults.add(`line ${line}: ${text}`)
    },
  })
  return { figures, taxonomies: names.taxonomies }
}

/** Elements until 2022: `pfs:Assets`. Since then a figure has a measure and dimensions: `met:am1`, `dim:bas`. */
function prefixOf(namespace: string): string {
  const part = /^http:\/\/www\.nbb\.be\/be\/fr\/pfs\/ci(?:\/([a-z]+))?\/\d{4}-\d\d-\d\d$/.exec(namespace)
  if (part === null) return lastPartOf(namespace)
  return part[1] === undefined ? 'pfs' : `pfs-${part[1]}`
}

/** A rubric in JSON is `rubric:` and its code: `rubric:20/58`. */
const rubricPrefix = 'rubric'

/**
 * The figures of a list of rubrics. It only says which of the two years a rubric belongs to, so all of them have the
 * last day of that year, as in the register's own instances since 2022, whose contexts are all instants.
 */
function figuresOfRubrics(
  { reference: number, rubrics }: Accounts,
  { start, end, currency }: Reference,
  faults: NamedFaults,
): ReportedFigure[] {
  const instant = (day: number): FigureContext => ({ start: null, end: day, quarters: null, dimensions: [] })
  const contexts = { N: instant(end), NM1: instant(start - 1) }
  const figures: ReportedFigure[] = []
  for (const { code, year, value: text } of rubrics) {
    // The register sometimes writes a nil rubric as an empty text.
    const value = text === '' ? null : plainDecimal(text)
    if (value === null && text !== '') {
      if (!codesRead.has(code))
        faults.add(`${number}, rubric ${code} of ${year}: ${shown(text)} is not a number`)
      continue
    }
    const unit = amountCode.test(code) ? currency : ''
    figures.push({ concept: `${rubricPrefix}:${code}`, context: contexts[year], unit, decimals: null, value })
  }
  return figures
}

/**
 * Codes of the balance sheet and of the income statement: ranges and classes of the chart of accounts, costs (6),
 * income (7) and results (990x), all amounts in the currency of the accounts. Other codes are of notes and of the
 * social report, which also count people and hours; JSON does not state their unit.
 */
const amountCode = /^(?:\d{1,2}[AB]?|[\dAB]+\/[\dAB]+|[67]\d{2,3}[AB]?|990\d)$/

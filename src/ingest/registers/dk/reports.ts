import { isoDate } from '../../../dates.ts'
import { type Filing, type ReportedFact, unknownFilingDate } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import type { TagUse } from '../../reading/conceptTable.ts'
import { dayOf, numberOf, textOf, unitOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import { figuresOf, PrefixedNames } from '../../xbrl/figures.ts'
import { readXbrl, type XbrlContext, type XbrlFact, type XbrlInstance } from '../../xbrl/instance.ts'
import { type DocumentContent, Tally } from '../registerInterface.ts'
import { accountsByOrder, type OrderedFigure } from './accountsByOrder.ts'
import { usesOfTag } from './concepts.ts'
import { accessionOf, cvrOf, profileOf } from './publications.ts'
import { prefixOf, tagOf } from './taxonomies.ts'

/**
 * Reads one published report. It does not state its publication date; the dates that it states (of approval,
 * of the general meeting) are earlier. The index states it, so until the index is imported the figures are
 * stored and not served.
 */
export function readReport(text: string, path: string): DocumentContent {
  const report = readXbrl(text)
  const tally = new ReportTally()
  const cvr = companyNumber(report)
  const accession = cvr === null ? null : accessionOf(cvr, path)
  const mapped = report.facts.filter(fact => usesOfTag(tagOf(fact) ?? '') !== undefined)
  if (cvr === null || accession === null) {
    const reason =
      cvr === null
        ? 'a figure of a report without the CVR number of exactly one company'
        : 'a figure of a report whose file name is not that in dokumentUrl'
    tally.leave(reason, mapped.length)
    return { parsed: [], figuresRead: mapped.length, ...tally.counts }
  }
  const figures = ofOneBasis(
    mapped.flatMap(fact => figureOf(fact, report, tally) ?? []),
    tally,
  )
  const filing: Filing = { accession, form: 'report', filed: unknownFilingDate, acceptedAt: null }
  const reportedFacts = factsOfFigures(figures, report, filing, tally)
  const profile = profileOf(cvr, nameOf(report))
  const wholeFilings = [wholeFilingOf(report, cvr, accession, tally)]
  return {
    parsed: [{ profile, reportedFacts, filings: [filing] }],
    wholeFilings,
    figuresRead: mapped.length,
    unplaced: tally.periods,
    ...tally.counts,
  }
}

/**
 * The report in full: group and parent company, earlier years, notes. The filing is the publication itself,
 * named after its document, so a report that replaces or repeats another one counts from its own publication.
 * An instance presents no statements.
 */
function wholeFilingOf(
  report: XbrlInstance,
  cvr: string,
  accession: string,
  tally: ReportTally,
): StatedFiling {
  const names = new PrefixedNames(prefixOf)
  const figures = figuresOf(report, {
    spell: name => names.spell(name),
    fault: (line, text, fact) => tally.unreadable(fact, `line ${line}: ${text}`),
  })
  const { taxonomies } = names
  const periodEnd = dayOf(general(report, 'ReportingPeriodEndDate')?.slice(0, 10))
  return {
    market: 'DK',
    issuerId: cvr,
    whole: { accession, taxonomies, figures, statements: [], sums: [], defaultMembers: new Map() },
    source: 'documents',
    periodEnd: Number.isNaN(periodEnd) ? null : periodEnd,
  }
}

/**
 * Counts figures that are dropped. Each method returns null, so that a figure is counted where it is dropped.
 */
class ReportTally extends Tally {
  /** Figures over a period that is not part of any fiscal year. */
  periods = 0
  readonly #named = new Set<XbrlFact>()

  malformed({ fact, tag }: { readonly fact: XbrlFact; readonly tag: string }, fault: string): null {
    this.#named.add(fact)
    this.faults.add(`${tag} in context ${fact.context}: ${fault}`)
    return null
  }

  /** Names a figure that is missing in the whole filing, unless its metric has named it. */
  unreadable(fact: XbrlFact, fault: string): void {
    if (!this.#named.has(fact)) this.faults.add(fault)
  }

  unplaced(): null {
    this.periods++
    return null
  }

  leave(reason: string, figures = 1): null {
    this.leftOut.add(reason, figures)
    return null
  }
}

const generalNamespace = 'http://xbrl.dcca.dk/gsd'

/** What a report states about itself. */
const general = ({ facts }: XbrlInstance, name: string): string | null =>
  facts.find(fact => fact.namespace === generalNamespace && fact.name === name)?.value ?? null

/** The number that all contexts share, provided the report itself does not contradict it. */
function companyNumber(report: XbrlInstance): string | null {
  const named = new Set([...report.contexts.values()].map(({ entity }) => entity.trim()))
  const stated = general(report, 'IdentificationNumberCvrOfReportingEntity')
  if (stated !== null) named.add(stated.trim())
  return named.size === 1 ? cvrOf([...named][0]) : null
}

/** A longer text is not a name but a text in the wrong element. */
const maxNameLength = 300

function nameOf(report: XbrlInstance): string | null {
  const stated = general(report, 'NameOfReportingEntity')
  return stated !== null && stated.length <= maxNameLength ? textOf(stated) : null
}

/** A valid figure of a mapped element. */
interface Figure {
  readonly tag: string
  readonly uses: readonly TagUse[]
  readonly context: XbrlContext
  readonly basis: Basis
  readonly fact: XbrlFact
  readonly value: number
}

function figureOf(fact: XbrlFact, { contexts, faultyDays }: XbrlInstance, tally: ReportTally): Figure | null {
  const tag = tagOf(fact) ?? ''
  const uses = usesOfTag(tag) ?? []
  const context = contexts.get(fact.context)
  if (context === undefined) {
    const day = faultyDays.get(fact.context)
    const fault =
      day === undefined ? 'the report has no such context with days' : `${shown(day)} is not a day`
    return tally.malformed({ fact, tag }, fault)
  }
  const basis = basisOf(context)
  if (basis === null)
    return tally.leave('a figure in a dimension (a class of equity, an earlier year, a distribution)')
  if (fact.value === null) return tally.leave('a figure that is nil')
  const value = numberOf(fact.value)
  const isFlow = context.start !== null
  if (Number.isNaN(value))
    return tally.malformed({ fact, tag }, `${shown(fact.value)} is not a finite number`)
  if (uses.some(({ concept }) => (concept.kind === 'flow') !== isFlow)) {
    const stated = isFlow ? 'over a period, and it is a balance' : 'on one day, and it is a flow'
    return tally.malformed({ fact, tag }, `it is stated ${stated}`)
  }
  return { tag, uses, context, basis, fact, value }
}

/**
 * Whose accounts a figure belongs to. `plain`: the report does not say; in the Danish taxonomy that means the
 * parent company, in IFRS the reporting entity as a whole.
 */
type Basis = 'group' | 'plain' | 'parent'

const bases: Readonly<Record<string, Basis>> = {
  'ConsolidatedSoloDimension ConsolidatedMember': 'group',
  'ConsolidatedSoloDimension SoloMember': 'parent',
  'ConsolidatedAndSeparateFinancialStatementsAxis ConsolidatedMember': 'group',
  'ConsolidatedAndSeparateFinancialStatementsAxis SeparateMember': 'parent',
}

const taxonomy =
  /^\{(?:http:\/\/xbrl\.dcca\.dk\/cmn|https?:\/\/xbrl\.ifrs\.org\/taxonomy\/[^}]+\/ifrs-full)\}/

/**
 * Null if the context has another dimension, so that its figure is a part of a total or belongs to an earlier
 * year.
 */
function basisOf({ dimensions }: XbrlContext): Basis | null {
  if (dimensions.size === 0) return 'plain'
  if (dimensions.size > 1) return null
  const [[dimension, member]] = dimensions
  if (!taxonomy.test(dimension) || !taxonomy.test(member)) return null
  return bases[`${dimension.replace(taxonomy, '')} ${member.replace(taxonomy, '')}`] ?? null
}

/**
 * The figures of the preferred accounts: the group's if the report has the group's balance sheet, otherwise
 * those without a dimension, otherwise those of the parent company alone. Figures of different accounts are
 * never mixed.
 */
function ofOneBasis(figures: readonly Figure[], tally: ReportTally): Figure[] {
  const order: readonly Basis[] = ['group', 'plain', 'parent']
  const has = (basis: Basis, balance: boolean) =>
    figures.some(figure => figure.basis === basis && (!balance || isBalance(figure)))
  const preferred = order.find(basis => has(basis, true)) ?? order.find(basis => has(basis, false))
  const taken = figures.filter(({ basis }) => basis === preferred)
  tally.leave(otherAccounts, figures.length - taken.length)
  return taken
}

const otherAccounts = 'a figure of accounts other than the preferred ones (group before parent company)'

const isBalance = ({ uses }: Figure) => uses.some(({ metric }) => metric === 'assets')

/**
 * The figures of a report, stated once or several times. If only the order of figures separates group and
 * parent company, returns those of the group.
 */
function ofOneAccount(
  figures: readonly Figure[],
  report: XbrlInstance,
  tally: ReportTally,
): readonly Figure[] {
  const repeated = [...groupByKey(figures, report).values()]
  const differing = repeated.filter(differ)
  // A single contradiction is an error in one figure, and the others count. Two sets of accounts state most
  // figures twice.
  if (differing.length * 2 <= repeated.length || !differing.some(same => isBalance(same[0]))) return figures
  const ordered = figures.map((figure): OrderedFigure & { readonly figure: Figure } => ({
    figure,
    key: keyOf(figure, report),
    metrics: figure.uses.map(({ metric }) => metric),
    contextId: figure.fact.context,
    end: figure.context.end,
    value: figure.value,
  }))
  const accounts = accountsByOrder(ordered)
  if (accounts === null) {
    tally.leave('a figure of a report that states two different balance sheets for one day', figures.length)
    return []
  }
  tally.leave(otherAccounts, accounts.second.length)
  tally.leave(
    'a figure of a group or of its parent company, which the report does not tell apart',
    accounts.ambiguous.length,
  )
  return accounts.first.map(({ figure }) => figure)
}

const keyOf = ({ tag, context, fact }: Figure, { units }: XbrlInstance): string =>
  `${tag} ${context.start} ${context.end} ${units.get(fact.unit ?? '')}`

const groupByKey = (figures: readonly Figure[], report: XbrlInstance): Map<string, Figure[]> =>
  Map.groupBy(figures, figure => keyOf(figure, report))

const differ = (same: readonly Figure[]): boolean => new Set(same.map(({ value }) => value)).size > 1

function factsOfFigures(
  all: readonly Figure[],
  report: XbrlInstance,
  filing: Filing,
  tally: ReportTally,
): ReportedFact[] {
  const firstDays = new Set([...report.contexts.values()].map(({ start }) => start))
  const isAnnual = !/^(delårs|halvårs|kvartals|interim|half|quarter)/i.test(
    general(report, 'InformationOnTypeOfSubmittedReport')?.trim() ?? '',
  )
  const repeated = groupByKey(ofOneAccount(all, report, tally), report)
  const reportedFacts: ReportedFact[] = []
  for (const same of repeated.values()) {
    if (differ(same)) {
      const [{ tag, context }] = same
      const days = [context.start ?? [], context.end].flat().map(isoDate).join('..')
      const values = [...new Set(same.map(({ value }) => value))].join(' and ')
      tally.contradictions.add(`${tag} ${days} in ${filing.accession}: ${values}; none is taken`)
      tally.leave('a figure that its report states twice with different values', same.length)
      continue
    }
    tally.leave('a figure that its report states twice', same.length - 1)
    const [{ uses, context, fact, value }] = same
    const { start, end } = context
    // Opening balances are skipped: after a change of accounting rules they differ from the closing balance
    // of the day before, and they belong to no fiscal year end.
    if (start === null && firstDays.has(end)) {
      tally.leave('a balance on the first day of a period')
      continue
    }
    if (start !== null && !isPeriod(end - start + 1, isAnnual)) {
      tally.unplaced()
      continue
    }
    const raw = report.units.get(fact.unit ?? '') ?? ''
    for (const { metric, tag, concept } of uses) {
      const unit = unitOf(raw, concept.unitKind)
      if (unit === null) tally.leave('a figure in a unit that its metric does not allow')
      else reportedFacts.push({ metric, tag, unit, start, end, value, rounded: false, filing })
    }
  }
  return reportedFacts
}

/**
 * An annual report states years. A first or changed year that is longer or shorter cannot be compared with
 * other fiscal years. Nine months in an annual report are not a third quarter.
 */
function isPeriod(days: number, isAnnual: boolean): boolean {
  const months = Math.round((days * 12) / 365.25)
  const misses = Math.abs(days - (months * 365.25) / 12)
  return misses < 15 && (months === 12 || (!isAnnual && [3, 6, 9].includes(months)))
}

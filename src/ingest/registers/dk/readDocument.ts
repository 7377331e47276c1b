import { type Filing, type Statement, untold } from '../../../facts/reportedFact.ts'
import type { TagUse } from '../../concepts.ts'
import { numberOf, textOf, unitOf } from '../../reading/fields.ts'
import { readXbrl, type XbrlContext, type XbrlFact, type XbrlInstance } from '../../xbrl/instance.ts'
import type { DocumentContent } from '../register.ts'
import { type Basis, basisOf, dkUses, tagOf } from './concepts.ts'
import { accessionOf, companyOf, cvrOf } from './publications.ts'

type Reason =
  | 'a figure of a report whose file is not named as in dokumentUrl'
  | 'a figure of a report that names no company by one CVR number'
  | 'a figure of a report that states two balances of one day'
  | 'a figure of other accounts than the preferred (group before parent company)'
  | 'a figure in a dimension (a class of equity, an earlier year, a distribution)'
  | 'a figure that is nil'
  | 'a figure in another unit than its metric has'
  | 'a balance of the first day of a period'
  | 'a figure that its report states twice and differently'
  | 'a figure that its report states twice'

/** A figure of a mapped element that makes sense. */
interface Figure {
  readonly tag: string
  readonly uses: readonly TagUse[]
  readonly context: XbrlContext
  readonly basis: Basis
  readonly fact: XbrlFact
  readonly value: number
}

/** Reads one published report. It does not say when it was published: the days that it states (of approval, of the general
 * meeting) come before that. The index tells the day, and until it does the figures are kept and not served. */
export function readReport(text: string, path: string): DocumentContent {
  const report = readXbrl(text)
  const tally = new Tally()
  const cvr = companyNumber(report)
  const accession = cvr === null ? null : accessionOf(cvr, path)
  const mapped = report.facts.filter(fact => dkUses(tagOf(fact) ?? '') !== undefined)
  const content = { contributions: [], figuresRead: mapped.length }
  if (cvr === null || accession === null) {
    const reason =
      cvr === null
        ? 'a figure of a report that names no company by one CVR number'
        : 'a figure of a report whose file is not named as in dokumentUrl'
    return { ...content, malformed: 0, leftOut: { [reason]: mapped.length } }
  }
  const figures = ofOneBasis(
    mapped.flatMap(fact => figureOf(fact, report, tally) ?? []),
    tally,
  )
  const filing: Filing = { accession, form: 'report', filed: untold, acceptedAt: null }
  const statements = statementsOf(figures, report, filing, tally)
  const stated = general(report, 'NameOfReportingEntity')
  const name = stated !== null && stated.length <= longestName ? textOf(stated) : null
  const contribution = { profile: companyOf(cvr, name), statements, filings: [] }
  return { ...content, contributions: [contribution], ...tally.counts }
}

class Tally {
  #malformed = 0
  #unplaced = 0
  readonly #leftOut: Partial<Record<Reason, number>> = {}

  get counts() {
    return { malformed: this.#malformed, unplaced: this.#unplaced, leftOut: this.#leftOut }
  }

  /** Each returns null, so that a figure is counted where it is given up. */
  malformed(): null {
    this.#malformed++
    return null
  }

  unplaced(): null {
    this.#unplaced++
    return null
  }

  leave(reason: Reason, figures = 1): null {
    if (figures > 0) this.#leftOut[reason] = (this.#leftOut[reason] ?? 0) + figures
    return null
  }
}

/** What is longer is no name but a text in the wrong element. */
const longestName = 300

const generalNamespace = 'http://xbrl.dcca.dk/gsd'

/** What a report says of itself. */
const general = ({ facts }: XbrlInstance, name: string): string | null =>
  facts.find(fact => fact.namespace === generalNamespace && fact.name === name)?.value ?? null

/** The number that every context gives, and that the report itself does not contradict. */
function companyNumber(report: XbrlInstance): string | null {
  const named = new Set([...report.contexts.values()].map(({ entity }) => entity.trim()))
  const stated = general(report, 'IdentificationNumberCvrOfReportingEntity')
  if (stated !== null) named.add(stated.trim())
  return named.size === 1 ? cvrOf([...named][0]) : null
}

function figureOf(fact: XbrlFact, { contexts }: XbrlInstance, tally: Tally): Figure | null {
  const tag = tagOf(fact) ?? ''
  const uses = dkUses(tag) ?? []
  const context = contexts.get(fact.context)
  if (context === undefined) return tally.malformed()
  const basis = basisOf(context)
  if (basis === null)
    return tally.leave('a figure in a dimension (a class of equity, an earlier year, a distribution)')
  if (fact.value === null) return tally.leave('a figure that is nil')
  const value = numberOf(fact.value)
  const isFlow = context.start !== null
  if (Number.isNaN(value) || uses.some(({ concept }) => (concept.kind === 'flow') !== isFlow))
    return tally.malformed()
  return { tag, uses, context, basis, fact, value }
}

/** The figures of the accounts to take: of the group where the report has a balance of it, else those without a dimension,
 * else those said to be the parent company's alone. Accounts are never mixed. */
function ofOneBasis(figures: readonly Figure[], tally: Tally): Figure[] {
  const order: readonly Basis[] = ['group', 'plain', 'parent']
  const has = (basis: Basis, balance: boolean) =>
    figures.some(figure => figure.basis === basis && (!balance || isBalance(figure)))
  const taken = order.find(basis => has(basis, true)) ?? order.find(basis => has(basis, false))
  const kept = figures.filter(({ basis }) => basis === taken)
  tally.leave(
    'a figure of other accounts than the preferred (group before parent company)',
    figures.length - kept.length,
  )
  return kept
}

const isBalance = ({ uses }: Figure) => uses.some(({ metric }) => metric === 'assets')

function statementsOf(
  figures: readonly Figure[],
  report: XbrlInstance,
  filing: Filing,
  tally: Tally,
): Statement[] {
  const firstDays = new Set([...report.contexts.values()].map(({ start }) => start))
  const isAnnual = !/^(delårs|halvårs|kvartals|interim|half|quarter)/i.test(
    general(report, 'InformationOnTypeOfSubmittedReport')?.trim() ?? '',
  )
  const said = Map.groupBy(
    figures,
    ({ tag, context, fact }) => `${tag} ${context.start} ${context.end} ${report.units.get(fact.unit ?? '')}`,
  )
  const differs = (same: readonly Figure[]) => new Set(same.map(({ value }) => value)).size > 1
  // Some reports state the parent company's accounts and the group's with nothing but the ids of contexts between them.
  if ([...said.values()].some(same => isBalance(same[0]) && differs(same))) {
    tally.leave('a figure of a report that states two balances of one day', figures.length)
    return []
  }
  const statements: Statement[] = []
  for (const same of said.values()) {
    if (differs(same)) {
      tally.leave('a figure that its report states twice and differently', same.length)
      continue
    }
    tally.leave('a figure that its report states twice', same.length - 1)
    const [{ uses, context, fact, value }] = same
    const { start, end } = context
    if (start === null && firstDays.has(end)) {
      tally.leave('a balance of the first day of a period')
      continue
    }
    if (start !== null && !isPeriod(end - start + 1, isAnnual)) {
      tally.unplaced()
      continue
    }
    const raw = report.units.get(fact.unit ?? '') ?? ''
    for (const { metric, tag, concept } of uses) {
      const unit = unitOf(raw, concept.unitKind)
      if (unit === null) tally.leave('a figure in another unit than its metric has')
      else statements.push({ metric, tag, unit, start, end, value, rounded: false, filing })
    }
  }
  return statements
}

/** An annual report states years. A first or changed year that is longer or shorter is no fiscal year that others compare
 * with, and nine months of it are no third quarter. */
function isPeriod(days: number, isAnnual: boolean): boolean {
  const months = Math.round((days * 12) / 365.25)
  const misses = Math.abs(days - (months * 365.25) / 12)
  return misses < 15 && (months === 12 || (!isAnnual && [3, 6, 9].includes(months)))
}

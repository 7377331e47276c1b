import { isoDate } from '../../../dates.ts'
import type { ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { numberOf, unitOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import type { DocumentContent, LeftOut, Tally } from '../registerInterface.ts'
import { rules, soloTag, usesOfTag } from './concepts.ts'
import type { Report, ReportFigure } from './report.ts'

/** The content of a report; null if the whole report was left out. */
export function reportContent(report: Report | null, tally: Tally): DocumentContent {
  if (report === null) return { parsed: [], figuresRead: 0, ...tally.counts }
  const parsed = [factsOfReport(report, tally)]
  const { accession, edinetCode, periodEnd } = report
  const { source, ...whole } = report.whole
  const stated: StatedFiling = {
    market: 'JP',
    issuerId: edinetCode,
    whole: { accession, ...whole },
    source,
    periodEnd,
  }
  return { parsed, wholeFilings: [stated], figuresRead: report.figuresRead, ...tally.counts }
}

/** The figures of a report. */
export function factsOfReport(report: Report, tally: Tally): ParsedDocument {
  const { leftOut, faults } = tally
  const bases = basisByYear(report)
  const candidates: Candidate[] = []
  for (const figure of report.figures) {
    const uses = usesOfTag(figure.isSolo ? soloTag(figure.tag) : figure.tag)
    if (uses === undefined) continue
    const reason = reasonLeftOut(figure, bases.get(figure.end))
    if (reason !== null) {
      leftOut.add(reason)
      continue
    }
    const value = numberOf(figure.value)
    if (Number.isNaN(value)) {
      faults.add(`${spell(figure)}: ${shown(figure.value)} is not a finite number`)
      continue
    }
    if (figure.end > report.filed) {
      faults.add(`${spell(figure)}: its last day is after the filing day, ${isoDate(report.filed)}`)
      continue
    }
    for (const { metric, tag, concept } of uses) {
      const fitsPeriod = (concept.kind === 'flow') === (figure.start !== null)
      const unit = isOfKind(figure.unit, concept.unitKind) ? unitOf(figure.unit, concept.unitKind) : null
      if (!fitsPeriod || unit === null)
        leftOut.add('a figure whose period or unit does not match its element')
      else candidates.push({ metric, tag, unit, start: figure.start, end: figure.end, value })
    }
  }
  const { accession, form, filed } = report
  const filing = { accession, form, filed, acceptedAt: null }
  const reportedFacts = withoutDifferingSummaries(withoutContradictions(candidates, tally), leftOut).map(
    (candidate): ReportedFact => ({ ...candidate, rounded: false, filing }),
  )
  return { profile: profileOf(report), reportedFacts, filings: [filing] }
}

/** Identifies a figure within its report: `jppfs_cor:NetSales 2023-04-01..2024-03-31`. */
const spell = ({ tag, start, end }: Pick<ReportFigure, 'tag' | 'start' | 'end'>): string =>
  `${tag} ${[start ?? [], end].flat().map(isoDate).join('..')}`

const profileOf = ({ edinetCode, name, englishName }: Report) => ({
  market: 'JP',
  issuerId: edinetCode,
  ...(name === null ? {} : { name, nameIsFallback: true }),
  ...(englishName === null ? {} : { otherNames: [englishName] }),
  tickers: [`${edinetCode}.JP`],
  registers: true,
})

type Candidate = Omit<ReportedFact, 'rounded' | 'filing'>

type Standard = 'Japanese GAAP' | 'US GAAP' | 'IFRS'

interface Basis {
  readonly isSolo: boolean
  readonly standard: Standard
}

const order: readonly Standard[] = ['Japanese GAAP', 'US GAAP', 'IFRS']

function standardOf(tag: string): Standard {
  if (tag.includes('IFRS')) return 'IFRS'
  return tag.includes('USGAAP') ? 'US GAAP' : 'Japanese GAAP'
}

/** Elements of the statements and the five-year summary, including the filer's own. */
const ofAccounts = /^(jppfs_cor|jpigp_cor):|(SummaryOfBusinessResults|KeyFinancialData)$/

/**
 * The basis of each year, by its last day: the group if the report states any amount of the group, otherwise
 * the company alone. The same holds for accounting standards: a filer that adopts IFRS states the years of
 * the change under both. All figures of one year must have one basis; otherwise their ratios would be
 * meaningless.
 */
function basisByYear({ figures, groupYearEnd }: Report): ReadonlyMap<number, Basis> {
  const bases = new Map<number, Basis>()
  // An amendment may restate the company's own accounts and nothing of the group.
  if (groupYearEnd !== null) bases.set(groupYearEnd, { isSolo: false, standard: 'Japanese GAAP' })
  for (const { tag, isSolo, end, unit, value } of figures) {
    if (value === null || !/^[A-Z]{3}$/.test(unit) || !ofAccounts.test(tag)) continue
    const basis = { isSolo, standard: standardOf(tag) }
    const known = bases.get(end)
    if (known === undefined || precedes(basis, known)) bases.set(end, basis)
  }
  return bases
}

function precedes(basis: Basis, known: Basis): boolean {
  if (basis.isSolo !== known.isSolo) return known.isSolo
  return order.indexOf(basis.standard) > order.indexOf(known.standard)
}

/**
 * Bounds for a year's length in days. A company that moves the end of its year has a shorter or longer one in
 * between, which cannot be compared with other years.
 */
const minYearDays = 350
const maxYearDays = 380

function reasonLeftOut(figure: ReportFigure, basis: Basis | undefined): string | null {
  const { tag, isSolo, start, end, value } = figure
  if (value === null) return 'a figure stated as nil'
  if (basis !== undefined && basis.isSolo !== isSolo)
    return 'a figure of the company alone, in a report with figures of the group'
  if (basis !== undefined && basis.standard !== standardOf(tag))
    return 'a figure under accounting standards other than those of its year'
  const days = start === null ? null : end - start + 1
  if (days !== null && (days < minYearDays || days > maxYearDays))
    return 'a flow over a period other than twelve months'
  return null
}

/** Elements are sometimes misused: an amount for a ratio, yen for yen per share. */
const isOfKind = (unit: string, kind: 'money' | 'perShare' | 'shares') =>
  unit.endsWith('/shares') === (kind === 'perShare')

const cellOf = ({ metric, tag, unit, start, end }: Candidate) => `${metric} ${tag} ${unit} ${start} ${end}`

/** A report states many figures in several places. One with two different values is dropped. */
function withoutContradictions(
  candidates: readonly Candidate[],
  { leftOut, contradictions }: Tally,
): Candidate[] {
  const byCell = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    const cell = cellOf(candidate)
    const known = byCell.get(cell)
    if (known === undefined) byCell.set(cell, [candidate])
    else known.push(candidate)
  }
  const taken: Candidate[] = []
  for (const [first, ...others] of byCell.values()) {
    if (others.every(({ value }) => value === first.value)) {
      taken.push(first)
      leftOut.add('a figure that the report states more than once', others.length)
    } else {
      leftOut.add('a figure that the report states twice with different values', others.length + 1)
      const values = new Set([first, ...others].map(({ value }) => value))
      contradictions.add(`${spell(first)}: ${[...values].join(' and ')}; none is taken`)
    }
  }
  return taken
}

const rankOf = ({ metric, tag }: Candidate) => rules.rank(metric, tag)

const isSummary = (tag: string) =>
  /(SummaryOfBusinessResults|KeyFinancialData)(_NonConsolidatedMember)?$/.test(tag)

/**
 * The five-year summary is sometimes rounded differently from the statements, and filers misuse its rows. If
 * a row differs from the statements of its own report, its older years would look restated although they are
 * not.
 */
function withoutDifferingSummaries(candidates: readonly Candidate[], leftOut: LeftOut): Candidate[] {
  const stated = new Map<string, Candidate>()
  const keyOf = ({ metric, unit, start, end }: Candidate) => `${metric} ${unit} ${start} ${end}`
  for (const candidate of candidates) {
    if (isSummary(candidate.tag)) continue
    const known = stated.get(keyOf(candidate))
    if (known === undefined || rankOf(candidate) < rankOf(known)) stated.set(keyOf(candidate), candidate)
  }
  const differing = new Set<string>()
  for (const candidate of candidates) {
    const statement = stated.get(keyOf(candidate))
    if (isSummary(candidate.tag) && statement !== undefined && statement.value !== candidate.value)
      differing.add(`${candidate.metric} ${candidate.tag}`)
  }
  const taken = candidates.filter(({ metric, tag }) => !differing.has(`${metric} ${tag}`))
  leftOut.add(
    'a row of the five-year summary that differs from the statements',
    candidates.length - taken.length,
  )
  return taken
}

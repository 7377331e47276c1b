import type { Contribution, Statement } from '../../../facts/reportedFact.ts'
import { numberOf, unitOf } from '../../reading/fields.ts'
import { jpRules, jpUses, soloTag } from './concepts.ts'
import type { LeftOut, Report, ReportFigure } from './report.ts'

/** Days of a year. A company that moves the end of its year has a shorter or longer one between, which is no year to
 * compare with another. */
const leastDays = 350
const mostDays = 380

/** What a report contributes to the company, and how many of its figures make no sense. */
export function reportContribution(
  report: Report,
  leftOut: LeftOut,
): { readonly contribution: Contribution; readonly malformed: number } {
  const bases = basisByYear(report)
  const candidates: Candidate[] = []
  let malformed = 0
  for (const figure of report.figures) {
    const uses = jpUses(figure.isSolo ? soloTag(figure.tag) : figure.tag)
    if (uses === undefined) continue
    const reason = reasonLeftOut(figure, bases.get(figure.end))
    if (reason !== null) {
      leftOut.add(reason)
      continue
    }
    const value = numberOf(figure.value)
    if (Number.isNaN(value) || figure.end > report.filed) {
      malformed++
      continue
    }
    for (const { metric, tag, concept } of uses) {
      const isWanted = (concept.kind === 'flow') === (figure.start !== null)
      const unit = isOfKind(figure.unit, concept.unitKind) ? unitOf(figure.unit, concept.unitKind) : null
      if (!isWanted || unit === null) leftOut.add('a figure of another kind than its element')
      else candidates.push({ metric, tag, unit, start: figure.start, end: figure.end, value })
    }
  }
  const { accession, form, filed } = report
  const filing = { accession, form, filed, acceptedAt: null }
  const statements = withoutSummariesAtOdds(withoutContradictions(candidates, leftOut), leftOut).map(
    (candidate): Statement => ({ ...candidate, rounded: false, filing }),
  )
  return { contribution: { profile: profileOf(report), statements, filings: [filing] }, malformed }
}

const profileOf = ({ edinetCode, name, englishName }: Report) => ({
  market: 'JP',
  issuerId: edinetCode,
  ...(name === null ? {} : { name, nameIsFallback: true }),
  ...(englishName === null ? {} : { otherNames: [englishName] }),
  tickers: [`${edinetCode}.JP`],
  registers: true,
})

type Candidate = Omit<Statement, 'rounded' | 'filing'>

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

/** Elements of statements and of the five-year summary, the filer's own included. */
const ofAccounts = /^(jppfs_cor|jpigp_cor):|(SummaryOfBusinessResults|KeyFinancialData)$/

/** Of whom a report speaks in each year, by the day on which it ends: of the group where it states any amount of the
 * group's, whichever, else of the company alone. The same of standards, as a filer that goes over to IFRS states the
 * years of the change under both: figures of one year are of one basis, or their ratios would mean nothing. */
function basisByYear({ figures, groupYearEnd }: Report): ReadonlyMap<number, Basis> {
  const bases = new Map<number, Basis>()
  // An amendment may state the company's own accounts again and nothing of the group.
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

function reasonLeftOut(figure: ReportFigure, basis: Basis | undefined): string | null {
  const { tag, isSolo, start, end, value } = figure
  if (value === null) return 'a figure stated to be none'
  if (basis !== undefined && basis.isSolo !== isSolo) return "the company's own figure beside the group's"
  if (basis !== undefined && basis.standard !== standardOf(tag))
    return 'a figure under other standards than those of the year'
  const days = start === null ? null : end - start + 1
  if (days !== null && (days < leastDays || days > mostDays)) return 'a year of other than twelve months'
  return null
}

/** Elements are misused at times: an amount for a ratio, yen for yen a share. */
const isOfKind = (unit: string, kind: 'money' | 'perShare' | 'shares') =>
  unit.endsWith('/shares') === (kind === 'perShare')

const placeOf = ({ metric, tag, unit, start, end }: Candidate) => `${metric} ${tag} ${unit} ${start} ${end}`

/** A report states many figures in several places. One that it states twice otherwise is not known from it. */
function withoutContradictions(candidates: readonly Candidate[], leftOut: LeftOut): Candidate[] {
  const byPlace = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    const place = placeOf(candidate)
    const known = byPlace.get(place)
    if (known === undefined) byPlace.set(place, [candidate])
    else known.push(candidate)
  }
  const kept: Candidate[] = []
  for (const [first, ...others] of byPlace.values()) {
    if (others.every(({ value }) => value === first.value)) {
      kept.push(first)
      leftOut.add('a figure that the report repeats', others.length)
    } else leftOut.add('a figure that the report states twice, each otherwise', others.length + 1)
  }
  return kept
}

const rankOf = ({ metric, tag }: Candidate) => jpRules.rank(metric, tag)

const isSummary = (tag: string) =>
  /(SummaryOfBusinessResults|KeyFinancialData)(_NonConsolidatedMember)?$/.test(tag)

/** The five-year summary is rounded otherwise than the statements at times, and filers misuse its rows. One that says
 * another thing than the statements of the same report would make restatements of its older years that were none. */
function withoutSummariesAtOdds(candidates: readonly Candidate[], leftOut: LeftOut): Candidate[] {
  const stated = new Map<string, Candidate>()
  const keyOf = ({ metric, unit, start, end }: Candidate) => `${metric} ${unit} ${start} ${end}`
  for (const candidate of candidates) {
    if (isSummary(candidate.tag)) continue
    const known = stated.get(keyOf(candidate))
    if (known === undefined || rankOf(candidate) < rankOf(known)) stated.set(keyOf(candidate), candidate)
  }
  const atOdds = new Set<string>()
  for (const candidate of candidates) {
    const statement = stated.get(keyOf(candidate))
    if (isSummary(candidate.tag) && statement !== undefined && statement.value !== candidate.value)
      atOdds.add(`${candidate.metric} ${candidate.tag}`)
  }
  const kept = candidates.filter(({ metric, tag }) => !atOdds.has(`${metric} ${tag}`))
  leftOut.add('a row of the five-year summary at odds with the statements', candidates.length - kept.length)
  return kept
}

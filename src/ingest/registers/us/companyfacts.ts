import { Failure } from '../../../errors.ts'
import type { Filing, ReportedFact } from '../../../facts/reportedFact.ts'
import type { TagUse } from '../../concepts.ts'
import { dayOf, isRecord, numberOf, textOf, unitOf } from '../../reading/fields.ts'
import { usesOfTag } from './concepts.ts'
import { cikOf } from './tickers.ts'

export interface CompanyFacts {
  readonly cik: string
  readonly name: string | null
  /** Figures in the file, mapped or not. */
  figuresRead: number
  /** Figures of a mapped tag that make no sense (no date, no number). */
  malformed: number
  readonly reportedFacts: ReportedFact[]
}

/** Parses one entity of the companyfacts API: `facts.{taxonomy}.{tag}.units.{unit}[]`. */
export function parseCompanyfacts(document: unknown): CompanyFacts {
  const cik = isRecord(document) ? cikOf(document.cik) : null
  if (!isRecord(document) || cik === null || !isRecord(document.facts)) {
    throw new Failure('body_invalid', 'A companyfacts file must have `cik` (a CIK) and `facts` (an object).')
  }
  const name = textOf(document.entityName)
  const facts: CompanyFacts = { cik, name, figuresRead: 0, malformed: 0, reportedFacts: [] }
  const filings = new Map<string, Filing>()
  for (const [taxonomy, tags] of Object.entries(document.facts)) {
    if (!isRecord(tags)) continue
    for (const [name, entry] of Object.entries(tags)) {
      if (!isRecord(entry) || !isRecord(entry.units)) continue
      const tag = `${taxonomy}:${name}`
      const uses = usesOfTag(tag)
      for (const [unit, figures] of Object.entries(entry.units)) {
        if (!Array.isArray(figures)) continue
        facts.figuresRead += figures.length
        if (uses !== undefined) readFigures(figures, tag, unit, uses, filings, facts)
      }
    }
  }
  return facts
}

function readFigures(
  figures: readonly unknown[],
  tag: string,
  rawUnit: string,
  uses: readonly TagUse[],
  filings: Map<string, Filing>,
  into: CompanyFacts,
): void {
  const targets = uses.flatMap(({ metric, concept }) => {
    const unit = unitOf(rawUnit, concept.unitKind)
    return unit === null ? [] : [{ metric, unit, isFlow: concept.kind === 'flow' }]
  })
  if (targets.length === 0) return
  for (const figure of figures) {
    if (!isRecord(figure)) {
      into.malformed++
      continue
    }
    const end = dayOf(figure.end)
    const start = figure.start === undefined ? null : dayOf(figure.start)
    const filing = filingOf(figure, filings)
    const value = typeof figure.val === 'number' ? numberOf(figure.val) : Number.NaN
    if (filing === null || Number.isNaN(value) || !(end > 0) || (start !== null && !(start <= end))) {
      into.malformed++
      continue
    }
    for (const { metric, unit, isFlow } of targets) {
      if (isFlow !== (start !== null)) continue
      into.reportedFacts.push({ metric, tag, unit, start, end, value, rounded: false, filing })
    }
  }
}

function filingOf(figure: Record<string, unknown>, filings: Map<string, Filing>): Filing | null {
  const accession = figure.accn
  if (typeof accession !== 'string') return null
  const filed = dayOf(figure.filed)
  const known = filings.get(accession)
  if (known !== undefined && !(filed > known.filed)) return known
  const form = textOf(figure.form)
  if (!(filed > 0) || form === null || !/^[0-9-]{10,25}$/.test(accession)) return known ?? null
  // Dates that disagree are settled where all sources of a filing are merged: the latest counts.
  const filing: Filing = { accession, form, filed, acceptedAt: null }
  filings.set(accession, filing)
  return filing
}

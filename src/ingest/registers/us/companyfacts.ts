import { Failure } from '../../../errors.ts'
import type { Filing, ReportedFact } from '../../../facts/reportedFact.ts'
import { type FilingRounding, isOneAmount, roundingOf } from '../../../facts/rounding.ts'
import type { TagUse } from '../../reading/conceptTable.ts'
import { dayOf, isRecord, numberOf, textOf, unitOf } from '../../reading/fields.ts'
import { NamedFaults, shown } from '../../reading/namedFaults.ts'
import { usesOfTag } from './concepts.ts'
import { cikOf } from './tickers.ts'

export interface CompanyFacts {
  readonly cik: string
  readonly name: string | null
  /** Figures in the file, mapped or not. */
  figuresRead: number
  /** Figures of a mapped tag that are invalid (no date, no number). */
  malformed: number
  readonly reportedFacts: ReportedFact[]
  /** The malformed ones with their locations. */
  readonly faults: NamedFaults
  /** Figures for which one filing states several values, with their locations and the value that is used. */
  readonly contradictions: NamedFaults
}

/** Parses one entity of the companyfacts API: `facts.{taxonomy}.{tag}.units.{unit}[]`. */
export function parseCompanyfacts(document: unknown): CompanyFacts {
  const cik = isRecord(document) ? cikOf(document.cik) : null
  if (!isRecord(document) || cik === null || !isRecord(document.facts)) {
    throw new Failure('body_invalid', 'A companyfacts file must have `cik` (a CIK) and `facts` (an object).')
  }
  const name = textOf(document.entityName)
  const facts: CompanyFacts = {
    cik,
    name,
    figuresRead: 0,
    malformed: 0,
    reportedFacts: [],
    faults: new NamedFaults(),
    contradictions: new NamedFaults(),
  }
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
  const stated = new Map<string, ReportedFact[]>()
  for (const [place, figure] of figures.entries()) {
    const read = readFigure(figure, filings)
    if (typeof read === 'string') {
      into.malformed++
      into.faults.add(`${tag} ${rawUnit}, figure ${place + 1}: ${read}`)
      continue
    }
    const { filing, start, end, value } = read
    const key = `${filing.accession} ${start} ${end}`
    const known = stated.get(key)
    if (known !== undefined) {
      settle(known, read, `${tag} ${rawUnit} ${daysOf(figure)} in ${filing.accession}`, into)
      continue
    }
    const ofFigure: ReportedFact[] = []
    for (const { metric, unit, isFlow } of targets) {
      if (isFlow !== (start !== null)) continue
      const reported = { metric, tag, unit, start, end, value, rounded: false, filing }
      ofFigure.push(reported)
    }
    stated.set(key, ofFigure)
  }
  for (const ofFigure of stated.values()) into.reportedFacts.push(...ofFigure)
}

interface Figure {
  readonly filing: Filing
  readonly start: number | null
  readonly end: number
  readonly value: number
}

/** Reads one figure. A returned string says what is wrong with it. */
function readFigure(figure: unknown, filings: Map<string, Filing>): Figure | string {
  if (!isRecord(figure)) return `${shown(figure)} is not an object`
  const where = typeof figure.accn === 'string' ? ` (${figure.accn})` : ''
  const end = dayOf(figure.end)
  const start = figure.start === undefined ? null : dayOf(figure.start)
  if (!(end > 0)) return `end is ${shown(figure.end)}, not a day${where}`
  if (start !== null && Number.isNaN(start)) return `start is ${shown(figure.start)}, not a day${where}`
  if (start !== null && start > end) return `it starts on ${shown(figure.start)}, after its end${where}`
  const value = typeof figure.val === 'number' ? numberOf(figure.val) : Number.NaN
  if (Number.isNaN(value)) return `val is ${shown(figure.val)}, not a finite number${where}`
  const filing = filingOf(figure, filings)
  if (filing === null)
    return `accn ${shown(figure.accn)}, form ${shown(figure.form)} and filed ${shown(figure.filed)} name no filing`
  return { filing, start, end, value }
}

const daysOf = (figure: unknown): string =>
  isRecord(figure) ? [figure.start, figure.end].filter(day => day !== undefined).join('..') : ''

/**
 * Handles a figure that a filing states again. The register states no decimals, so of two values that differ
 * only by rounding the finer one is used, otherwise the first: the statements precede the notes.
 */
function settle(known: ReportedFact[], { value, filing }: Figure, place: string, into: CompanyFacts): void {
  const [first] = known
  if (first === undefined) return
  const kept = isFiner(value, first) ? value : first.value
  // If the register states two days for the filing, the later one counts.
  if (kept !== first.value || filing !== first.filing)
    for (const [at, reported] of known.entries()) known[at] = { ...reported, value: kept, filing }
  if (first.value === value) return
  const other = kept === value ? first.value : value
  const why = kept === value ? 'which has more digits' : 'the first of them'
  into.contradictions.add(`${place}: ${first.value} and ${value}; ${kept} is taken, ${why}, and not ${other}`)
}

const coarse: FilingRounding = new Map([['', 1_000_000]])

function isFiner(value: number, { value: first }: ReportedFact): boolean {
  const [a, b] = [value, first].map(one => ({ value: one, unit: '', rounding: roundingOf(one, '', coarse) }))
  return isOneAmount(a, b) && a.rounding < b.rounding
}

function filingOf(figure: Record<string, unknown>, filings: Map<string, Filing>): Filing | null {
  const accession = figure.accn
  if (typeof accession !== 'string') return null
  const filed = dayOf(figure.filed)
  const known = filings.get(accession)
  if (known !== undefined && !(filed > known.filed)) return known
  const form = textOf(figure.form)
  if (!(filed > 0) || form === null || !/^[0-9-]{10,25}$/.test(accession)) return known ?? null
  // Conflicting dates are resolved where all sources of a filing are merged: the latest counts.
  const filing: Filing = { accession, form, filed, acceptedAt: null }
  filings.set(accession, filing)
  return filing
}

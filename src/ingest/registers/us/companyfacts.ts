import { Failure } from '../../../errors.ts'
import type { Filing, ReportedFact } from '../../../facts/reportedFact.ts'
import { columnarFiling, FigureColumns } from '../../../wholeFilings/figureColumns.ts'
import { type FigureContext, plainDecimal, type WholeFiling } from '../../../wholeFilings/wholeFiling.ts'
import { dayOf, isRecord, numberOf, textOf } from '../../reading/fields.ts'
import { WrittenNumber } from '../../reading/json.ts'
import { NamedFaults, shown } from '../../reading/namedFaults.ts'
import { StatedFigures, targetsOf } from './statedFigures.ts'
import { cikOf } from './tickers.ts'

export interface CompanyFacts {
  readonly cik: string
  readonly name: string | null
  /** Figures in the file, mapped or not. */
  figuresRead: number
  /** Figures that are invalid (no date, no number). */
  malformed: number
  readonly reportedFacts: ReportedFact[]
  /** The filings without mapped figures; the others are those of `reportedFacts`. */
  readonly filings: readonly Filing[]
  /** All figures of each filing. The file has no presentation, no dimensions and none of the companies' own tags. */
  readonly wholeFilings: readonly WholeFiling[]
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
  const reader = new FactsReader()
  for (const [taxonomy, tags] of Object.entries(document.facts)) {
    if (!isRecord(tags)) continue
    for (const [name, entry] of Object.entries(tags)) {
      if (!isRecord(entry) || !isRecord(entry.units)) continue
      for (const [unit, figures] of Object.entries(entry.units))
        if (Array.isArray(figures)) reader.readFigures(figures, `${taxonomy}:${name}`, unit)
    }
  }
  return { cik, name: textOf(document.entityName), ...reader.take() }
}

interface FilingDraft {
  /** The latest day counts, if the file states several. */
  filing: Filing
  readonly contexts: Map<number, FigureContext>
  readonly figures: FigureColumns
}

class FactsReader {
  figuresRead = 0
  readonly reportedFacts: ReportedFact[] = []
  readonly faults = new NamedFaults()
  readonly contradictions = new NamedFaults()
  readonly #drafts = new Map<string, FilingDraft>()

  readFigures(figures: readonly unknown[], tag: string, rawUnit: string): void {
    this.figuresRead += figures.length
    const targets = targetsOf(tag, rawUnit)
    const stated = new StatedFigures(this.reportedFacts, this.contradictions)
    for (const [place, figure] of figures.entries()) {
      const read = readFigure(figure, this.#drafts)
      if (typeof read === 'string') {
        this.faults.add(`${tag} ${rawUnit}, figure ${place + 1}: ${read}`)
        continue
      }
      const { draft, start, end, value, text } = read
      const context = contextOf(draft, start, end)
      draft.figures.add(tag, context, rawUnit, null, text)
      if (targets.length > 0)
        stated.add(
          targets,
          { filing: draft.filing, start, end, value },
          () => `${tag} ${rawUnit} ${daysOf(figure)} in ${draft.filing.accession}`,
        )
    }
    stated.finish()
  }

  take(): Omit<CompanyFacts, 'cik' | 'name'> {
    const { figuresRead, reportedFacts, faults, contradictions } = this
    const drafts = [...this.#drafts.values()].filter(({ figures }) => figures.count > 0)
    const wholeFilings = drafts.map(({ filing: { accession }, figures }) =>
      columnarFiling(figures, {
        accession,
        taxonomies: new Map(),
        statements: [],
        sums: [],
        defaultMembers: new Map(),
      }),
    )
    const mapped = new Set(reportedFacts.map(({ filing }) => filing.accession))
    const filings = drafts.flatMap(({ filing }) => (mapped.has(filing.accession) ? [] : [filing]))
    const malformed = faults.count
    return { figuresRead, malformed, reportedFacts, filings, wholeFilings, faults, contradictions }
  }
}

function contextOf({ contexts }: FilingDraft, start: number | null, end: number): FigureContext {
  const key = end * daysOfKey + (start === null ? 0 : end - start + 1)
  const known = contexts.get(key)
  if (known !== undefined) return known
  const context: FigureContext = { start, end, quarters: null, dimensions: [] }
  contexts.set(key, context)
  return context
}

/** More days than any period has: years have four digits. */
const daysOfKey = 2 ** 22

interface Figure {
  readonly draft: FilingDraft
  readonly start: number | null
  readonly end: number
  readonly value: number
  /** The value as it is written. */
  readonly text: string
}

/** Reads one figure. A returned string says what is wrong with it. */
function readFigure(figure: unknown, drafts: Map<string, FilingDraft>): Figure | string {
  if (!isRecord(figure)) return `${shown(figure)} is not an object`
  const where = typeof figure.accn === 'string' ? ` (${figure.accn})` : ''
  const end = dayOf(figure.end)
  const start = figure.start === undefined ? null : dayOf(figure.start)
  if (!(end > 0)) return `end is ${shown(figure.end)}, not a day${where}`
  if (start !== null && Number.isNaN(start)) return `start is ${shown(figure.start)}, not a day${where}`
  if (start !== null && start > end) return `it starts on ${shown(figure.start)}, after its end${where}`
  const written = figure.val instanceof WrittenNumber ? figure.val : null
  const value = numberOf(written === null ? figure.val : written.value)
  const text = written === null ? decimalOf(value) : plainDecimal(written.text)
  if (typeof figure.val === 'string' || Number.isNaN(value) || text === null)
    return `val is ${shown(written?.text ?? figure.val)}, not a finite number${where}`
  const draft = draftOf(figure, drafts)
  if (draft === null)
    return `accn ${shown(figure.accn)}, form ${shown(figure.form)} and filed ${shown(figure.filed)} name no filing`
  return { draft, start, end, value, text }
}

/** Most numbers are written without an exponent. */
function decimalOf(value: number): string | null {
  const size = Math.abs(value)
  return size === 0 || (size >= 1e-6 && size < 1e21) ? String(value) : plainDecimal(String(value))
}

const daysOf = (figure: unknown): string =>
  isRecord(figure) ? [figure.start, figure.end].filter(day => day !== undefined).join('..') : ''

function draftOf(figure: Record<string, unknown>, drafts: Map<string, FilingDraft>): FilingDraft | null {
  const accession = figure.accn
  if (typeof accession !== 'string') return null
  const filed = dayOf(figure.filed)
  const known = drafts.get(accession)
  if (known !== undefined && !(filed > known.filing.filed)) return known
  const form = textOf(figure.form)
  if (!(filed > 0) || form === null || !/^[0-9-]{10,25}$/.test(accession)) return known ?? null
  // Conflicting dates are resolved where all sources of a filing are merged: the latest counts.
  const filing: Filing = { accession, form, filed, acceptedAt: null }
  if (known !== undefined) {
    known.filing = filing
    return known
  }
  const draft = { filing, contexts: new Map(), figures: new FigureColumns() }
  drafts.set(accession, draft)
  return draft
}

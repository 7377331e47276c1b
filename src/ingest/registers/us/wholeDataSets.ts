import { Failure } from '../../../errors.ts'
import { columnarFiling, FigureColumns } from '../../../wholeFilings/figureColumns.ts'
import {
  coRegistrantAxis,
  type Dimension,
  type FigureContext,
  type Statement,
  type StatementKind,
  type StatementLine,
  statementKinds,
  type WholeFiling,
} from '../../../wholeFilings/wholeFiling.ts'
import { compactDay, numberOf } from '../../reading/fields.ts'
import { type DataSetConcept, DataSetConcepts } from './dataSetConcepts.ts'
import { columnsOf, LineFields, numColumns, preColumns } from './dataSetTables.ts'

const subColumns = ['adsh']
/** What makes the context of a figure, and its unit. */
const contextColumns = ['ddate', 'qtrs', 'uom', 'segments', 'coreg']

interface FilingDraft {
  readonly accession: string
  readonly taxonomies: Map<string, string>
  readonly figures: FigureColumns
  /** By the texts of `contextColumns`. */
  readonly contexts: Map<string, UnitInContext>
  readonly reports: Map<string, ReportDraft>
}

interface UnitInContext {
  readonly context: FigureContext
  readonly unit: string
}

interface ReportDraft {
  readonly kind: StatementKind
  readonly parenthetical: boolean
  readonly lines: StatementLine[]
}

/**
 * Reads whole filings from a Financial Statement Data Set line by line: `sub.txt` first, then `num.txt` and
 * `pre.txt` in any order. All figures and lines are in memory, so a large set is read in several passes that
 * accept different filings.
 */
export class DataSetFilings {
  /** The accessions of filings with an unreadable line, whose other lines are not the whole filing. */
  readonly incomplete = new Set<string>()
  readonly #accepts: (accession: string) => boolean
  readonly #concepts: DataSetConcepts
  readonly #filings = new Map<string, FilingDraft>()
  readonly #others = new Set<string>()
  #sub: LineFields | null = null
  #num: LineFields | null = null
  #pre: LineFields | null = null
  #last: FilingDraft | null = null

  constructor(accepts: (accession: string) => boolean = () => true, concepts = new DataSetConcepts()) {
    this.#accepts = accepts
    this.#concepts = concepts
  }

  /** Reads a line of `sub.txt`. */
  readSubmission(line: string): void {
    if (this.#sub === null) this.#sub = new LineFields(columnsOf(line, subColumns, 'sub.txt'))
    else this.addSubmission(this.#sub.select(line).field('adsh'))
  }

  addSubmission(accession: string): void {
    if (!/^[0-9-]{10,25}$/.test(accession))
      throw new Failure('body_invalid', 'A submission must have an accession number in `adsh`.')
    if (!this.#accepts(accession)) this.#others.add(accession)
    else
      this.#filings.set(accession, {
        accession,
        taxonomies: new Map(),
        figures: new FigureColumns(),
        contexts: new Map(),
        reports: new Map(),
      })
  }

  /** Reads a line of `num.txt`. Throws a Failure that names the fault. */
  readFigure(line: string): void {
    if (this.#num === null) this.#num = new LineFields(columnsOf(line, numColumns, 'num.txt'))
    else {
      const fields = this.#num.select(line)
      this.addFigure(fields.field('adsh'), fields, this.#concepts.of(fields))
    }
  }

  addFigure(accession: string, line: LineFields, stated: DataSetConcept): void {
    const filing = this.#filingOf(accession)
    if (filing === null) return
    try {
      const { context, unit } = contextOf(filing, line)
      const concept = conceptOf(filing, stated)
      if (filing.figures.count >= maxFigures)
        throw new Failure('body_invalid', `The filing has more than ${maxFigures} figures.`)
      const value = line.field('value')
      if (!filing.figures.add(concept, context, unit, null, value === '' ? null : value))
        throw new Failure('body_invalid', `The value of ${concept} is not a decimal number.`)
    } catch (error) {
      this.incomplete.add(filing.accession)
      throw error
    }
  }

  /** Reads a line of `pre.txt`. */
  readLine(line: string): void {
    if (this.#pre === null) this.#pre = new LineFields(columnsOf(line, preColumns, 'pre.txt'))
    else {
      const fields = this.#pre.select(line)
      this.addLine(fields.field('adsh'), fields)
    }
  }

  addLine(accession: string, line: LineFields): void {
    const filing = this.#filingOf(accession)
    if (filing === null) return
    try {
      this.#addLine(filing, line)
    } catch (error) {
      this.incomplete.add(filing.accession)
      throw error
    }
  }

  #addLine(filing: FilingDraft, line: LineFields): void {
    const stated = line.field('stmt')
    const kind = statementKinds.find(known => known === stated) ?? 'UN'
    const order = numberOf(line.field('line'))
    const report = line.field('report')
    if (!Number.isInteger(order) || order < 0 || !/^\d{1,6}$/.test(report))
      throw new Failure('body_invalid', 'A presented line must have whole numbers in `report` and `line`.')
    const label = line.field('plabel')
    const inParentheses = line.field('inpth')
    // Statements of one report that differ in kind or parentheses are separate ones.
    const key = `${report} ${kind} ${inParentheses}`
    let draft = filing.reports.get(key)
    if (draft === undefined) {
      draft = { kind, parenthetical: inParentheses === '1', lines: [] }
      filing.reports.set(key, draft)
    }
    if (draft.lines.length >= maxLines)
      throw new Failure('body_invalid', `The statement has more than ${maxLines} lines.`)
    draft.lines.push({
      order,
      concept: conceptOf(filing, this.#concepts.of(line)),
      depth: null,
      label: label === '' ? null : label,
      labelRole: null,
      negated: line.field('negating') === '1',
    })
  }

  /** Hands over the filings, each whole. */
  *take(): Generator<WholeFiling> {
    for (const { accession, taxonomies, figures, reports } of this.#filings.values()) {
      if (figures.count === 0 && reports.size === 0) continue
      const statements = [...reports].map(([key, { kind, parenthetical, lines }]): Statement => {
        lines.sort((a, b) => a.order - b.order)
        return { role: key.slice(0, key.indexOf(' ')), title: null, kind, parenthetical, lines }
      })
      statements.sort((a, b) => Number(a.role) - Number(b.role))
      yield columnarFiling(figures, {
        accession,
        taxonomies,
        statements,
        sums: [],
        defaultMembers: new Map(),
      })
    }
    this.#last = null
    this.#filings.clear()
  }

  /** Lines of one filing mostly follow one another. */
  #filingOf(accession: string): FilingDraft | null {
    if (this.#last?.accession === accession) return this.#last
    const filing = this.#filings.get(accession)
    if (filing !== undefined) {
      this.#last = filing
      return filing
    }
    if (this.#others.has(accession)) return null
    throw new Failure('body_invalid', 'The line has an `adsh` that `sub.txt` does not have.')
  }
}

/** Notes the version of the concept's taxonomy as well. */
function conceptOf({ accession, taxonomies }: FilingDraft, stated: DataSetConcept): string {
  const { concept, tag, taxonomy, version } = stated
  if (tag === '') throw new Failure('body_invalid', 'The line has no `tag`.')
  if (taxonomy === null) {
    if (version !== accession)
      throw new Failure('body_invalid', 'The `version` is neither a taxonomy nor the accession number.')
  } else if (!taxonomies.has(taxonomy)) taxonomies.set(taxonomy, version)
  return concept
}

function contextOf({ contexts }: FilingDraft, line: LineFields): UnitInContext {
  const key = line.together(contextColumns)
  const known = contexts.get(key)
  if (known !== undefined) return known
  const end = compactDay(line.field('ddate'))
  const quarters = numberOf(line.field('qtrs'))
  if (Number.isNaN(end) || !Number.isInteger(quarters) || quarters < 0 || quarters > maxQuarters)
    throw new Failure('body_invalid', 'A figure must have a day in `ddate` and whole quarters in `qtrs`.')
  const dimensions = dimensionsOf(line.field('segments'))
  const coRegistrant = line.field('coreg')
  if (coRegistrant !== '') dimensions.push({ axis: coRegistrantAxis, member: coRegistrant })
  dimensions.sort((a, b) => (a.axis < b.axis ? -1 : 1))
  const read = { context: { start: null, end, quarters, dimensions }, unit: line.field('uom') }
  contexts.set(key, read)
  return read
}

/** Since inception, for companies that have existed for a century. */
const maxQuarters = 1_000
const maxDimensions = 100

/** Limits against sets made to exhaust memory. The largest filings have some 40,000 figures. */
const maxFigures = 500_000
const maxLines = 100_000

/** Reads `Axis=Member;Axis=Member;`, or one `axis/member` with prefixes as in the sets by day. */
function dimensionsOf(segments: string): Dimension[] {
  if (segments === '') return []
  const parts = segments.split(';').filter(part => part !== '')
  if (parts.length > maxDimensions)
    throw new Failure('body_invalid', `A figure has more than ${maxDimensions} dimensions.`)
  return parts.map(part => {
    const at = part.includes('=') ? part.indexOf('=') : part.indexOf('/')
    if (at < 0) throw new Failure('body_invalid', 'A part of `segments` is not an axis and a member.')
    return { axis: part.slice(0, at).trim(), member: part.slice(at + 1).trim() }
  })
}

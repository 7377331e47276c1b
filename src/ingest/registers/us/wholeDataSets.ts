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
import { type Columns, columnsOf, type Fields, fieldReader, numColumns, preColumns } from './dataSetTables.ts'

const subColumns = ['adsh']

/** The prefix of a company's own concepts: the data sets name the filing and not the company's prefix. */
const ownPrefix = 'custom'

interface FilingDraft {
  readonly accession: string
  readonly taxonomies: Map<string, string>
  readonly figures: FigureColumns
  /** By segments and co-registrants, the day and the quarters. */
  readonly contexts: Map<string, Map<string, Map<string, FigureContext>>>
  readonly reports: Map<string, ReportDraft>
  /** The concept of each tag, by version. */
  readonly concepts: Map<string, Map<string, string>>
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
  /** The accessions of filings of which a line cannot be read: what the other lines state is not the whole filing. */
  readonly incomplete = new Set<string>()
  readonly #accepts: (accession: string) => boolean
  readonly #filings = new Map<string, FilingDraft>()
  readonly #others = new Set<string>()
  readonly #texts = new Map<string, string>()
  #sub: Columns | null = null
  #num: Columns | null = null
  #pre: Columns | null = null
  #last: FilingDraft | null = null

  constructor(accepts: (accession: string) => boolean = () => true) {
    this.#accepts = accepts
  }

  /** Reads a line of `sub.txt`. */
  readSubmission(line: string): void {
    if (this.#sub === null) this.#sub = columnsOf(line, subColumns, 'sub.txt')
    else this.addSubmission(this.#text(fieldReader(line, this.#sub)('adsh')))
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
        concepts: new Map(),
      })
  }

  /** Reads a line of `num.txt`. Throws a Failure that names the fault. */
  readFigure(line: string): void {
    if (this.#num === null) this.#num = columnsOf(line, numColumns, 'num.txt')
    else this.addFigure(fieldReader(line, this.#num))
  }

  addFigure(field: Fields): void {
    const filing = this.#filingOf(field('adsh'))
    if (filing === null) return
    try {
      const context = this.#contextOf(filing, field)
      const concept = this.#conceptOf(filing, field)
      if (filing.figures.count >= maxFigures)
        throw new Failure('body_invalid', `The filing has more than ${maxFigures} figures.`)
      const value = field('value')
      if (!filing.figures.add(concept, context, this.#text(field('uom')), null, value === '' ? null : value))
        throw new Failure('body_invalid', `The value of ${concept} is not a decimal number.`)
    } catch (error) {
      this.incomplete.add(filing.accession)
      throw error
    }
  }

  /** Reads a line of `pre.txt`. */
  readLine(line: string): void {
    if (this.#pre === null) this.#pre = columnsOf(line, preColumns, 'pre.txt')
    else this.addLine(fieldReader(line, this.#pre))
  }

  addLine(field: Fields): void {
    const filing = this.#filingOf(field('adsh'))
    if (filing === null) return
    try {
      this.#addLine(filing, field)
    } catch (error) {
      this.incomplete.add(filing.accession)
      throw error
    }
  }

  #addLine(filing: FilingDraft, field: Fields): void {
    const kind = statementKinds.find(known => known === field('stmt')) ?? 'UN'
    const order = numberOf(field('line'))
    const report = field('report')
    if (!Number.isInteger(order) || order < 0 || !/^\d{1,6}$/.test(report))
      throw new Failure('body_invalid', 'A presented line must have whole numbers in `report` and `line`.')
    const label = field('plabel')
    // Statements of one report that differ in kind or parentheses are separate ones.
    const key = `${report} ${kind} ${field('inpth')}`
    let draft = filing.reports.get(key)
    if (draft === undefined) {
      draft = { kind, parenthetical: field('inpth') === '1', lines: [] }
      filing.reports.set(detached(key), draft)
    }
    if (draft.lines.length >= maxLines)
      throw new Failure('body_invalid', `The statement has more than ${maxLines} lines.`)
    const concept = this.#conceptOf(filing, field)
    draft.lines.push({
      order,
      concept,
      depth: null,
      label: label === '' ? null : this.#text(label),
      labelRole: null,
      negated: field('negating') === '1',
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
    this.#texts.clear()
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

  #conceptOf(filing: FilingDraft, field: Fields): string {
    const version = field('version')
    const tag = field('tag')
    const known = filing.concepts.get(version)
    const concept = known?.get(tag)
    if (concept !== undefined) return concept
    const read = this.#readConcept(filing, tag, version)
    if (known === undefined) filing.concepts.set(this.#text(version), new Map([[this.#text(tag), read]]))
    else known.set(this.#text(tag), read)
    return read
  }

  #readConcept({ accession, taxonomies }: FilingDraft, tag: string, version: string): string {
    if (tag === '') throw new Failure('body_invalid', 'The line has no `tag`.')
    const slash = version.indexOf('/')
    if (slash < 0) {
      if (version !== accession)
        throw new Failure('body_invalid', 'The `version` is neither a taxonomy nor the accession number.')
      return this.#text(`${ownPrefix}:${tag}`)
    }
    const prefix = version.slice(0, slash)
    if (!taxonomies.has(prefix)) taxonomies.set(this.#text(prefix), this.#text(version))
    return this.#text(`${prefix}:${tag}`)
  }

  #contextOf({ contexts }: FilingDraft, field: Fields): FigureContext {
    const [segments, coRegistrant] = [field('segments'), field('coreg')]
    const [day, quartersText] = [field('ddate'), field('qtrs')]
    const key = coRegistrant === '' ? segments : `${coRegistrant}\t${segments}`
    const known = contexts.get(key)?.get(day)?.get(quartersText)
    if (known !== undefined) return known
    const end = compactDay(day)
    const quarters = numberOf(quartersText)
    if (Number.isNaN(end) || !Number.isInteger(quarters) || quarters < 0 || quarters > maxQuarters)
      throw new Failure('body_invalid', 'A figure must have a day in `ddate` and whole quarters in `qtrs`.')
    const dimensions = dimensionsOf(segments).map(({ axis, member }) => ({
      axis: this.#text(axis),
      member: this.#text(member),
    }))
    if (coRegistrant !== '') dimensions.push({ axis: coRegistrantAxis, member: this.#text(coRegistrant) })
    dimensions.sort((a, b) => (a.axis < b.axis ? -1 : 1))
    const context = { start: null, end, quarters, dimensions }
    const ofKey = entryOf(contexts, key, () => this.#text(key))
    entryOf(ofKey, day, () => this.#text(day)).set(this.#text(quartersText), context)
    return context
  }

  /** One string object per text. A slice of a line would keep the file's text in memory. */
  #text(text: string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    const copy = detached(text)
    this.#texts.set(copy, copy)
    return copy
  }
}

/** Since inception, for companies that have existed for a century. */
const maxQuarters = 1_000
const maxDimensions = 100

/** Limits against sets made to exhaust memory. The largest filings have some 40,000 figures. */
const maxFigures = 500_000
const maxLines = 100_000

/** The map in a map, which is added if it is missing. */
function entryOf<T>(maps: Map<string, Map<string, T>>, key: string, kept: () => string): Map<string, T> {
  const known = maps.get(key)
  if (known !== undefined) return known
  const added = new Map<string, T>()
  maps.set(kept(), added)
  return added
}

const detached = (text: string) => Buffer.from(text).toString()

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

import { Failure } from '../../../errors.ts'
import {
  coRegistrantAxis,
  type Dimension,
  type FigureContext,
  plainDecimal,
  type ReportedFigure,
  type Statement,
  type StatementKind,
  type StatementLine,
  statementKinds,
  type WholeFiling,
} from '../../../wholeFilings/wholeFiling.ts'
import { compactDay, numberOf } from '../../reading/fields.ts'
import { type Columns, columnsOf, fieldReader } from './dataSets.ts'

const subColumns = ['adsh']
const numColumns = ['adsh', 'tag', 'version', 'ddate', 'qtrs', 'uom', 'value']
const preColumns = ['adsh', 'report', 'line', 'stmt', 'inpth', 'tag', 'version', 'plabel', 'negating']

/** The prefix of a company's own concepts: the data sets name the filing and not the company's prefix. */
const ownPrefix = 'custom'

interface FilingDraft {
  readonly accession: string
  readonly taxonomies: Map<string, string>
  readonly figures: ReportedFigure[]
  readonly contexts: Map<string, FigureContext>
  readonly reports: Map<string, ReportDraft>
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
  readonly #accepts: (accession: string) => boolean
  readonly #filings = new Map<string, FilingDraft>()
  readonly #others = new Set<string>()
  readonly #texts = new Map<string, string>()
  #sub: Columns | null = null
  #num: Columns | null = null
  #pre: Columns | null = null

  constructor(accepts: (accession: string) => boolean = () => true) {
    this.#accepts = accepts
  }

  /** Reads a line of `sub.txt`. */
  readSubmission(line: string): void {
    if (this.#sub === null) {
      this.#sub = columnsOf(line, subColumns, 'sub.txt')
      return
    }
    const accession = this.#text(fieldReader(line, this.#sub)('adsh'))
    if (!/^[0-9-]{10,25}$/.test(accession))
      throw new Failure('body_invalid', 'A submission must have an accession number in `adsh`.')
    if (!this.#accepts(accession)) this.#others.add(accession)
    else
      this.#filings.set(accession, {
        accession,
        taxonomies: new Map(),
        figures: [],
        contexts: new Map(),
        reports: new Map(),
      })
  }

  /** Reads a line of `num.txt`. Throws a Failure that names the fault. */
  readFigure(line: string): void {
    if (this.#num === null) {
      this.#num = columnsOf(line, numColumns, 'num.txt')
      return
    }
    const field = fieldReader(line, this.#num)
    const filing = this.#filingOf(field('adsh'))
    if (filing === null) return
    const context = this.#contextOf(filing, field)
    const concept = this.#conceptOf(filing, field)
    const text = field('value')
    const value = text === '' ? null : plainDecimal(text)
    if (value === null && text !== '')
      throw new Failure('body_invalid', `The value of ${concept} is not a decimal number.`)
    const figure = { concept, context, unit: this.#text(field('uom')), decimals: null }
    filing.figures.push({ ...figure, value: value === null ? null : detached(value) })
  }

  /** Reads a line of `pre.txt`. */
  readLine(line: string): void {
    if (this.#pre === null) {
      this.#pre = columnsOf(line, preColumns, 'pre.txt')
      return
    }
    const field = fieldReader(line, this.#pre)
    const filing = this.#filingOf(field('adsh'))
    if (filing === null) return
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
      filing.reports.set(key, draft)
    }
    draft.lines.push({
      order,
      concept: this.#conceptOf(filing, field),
      depth: null,
      label: label === '' ? null : this.#text(label),
      labelRole: null,
      negated: field('negating') === '1',
    })
  }

  /** Hands over the filings, each whole. */
  *take(): Generator<WholeFiling> {
    for (const { accession, taxonomies, figures, reports } of this.#filings.values()) {
      const statements = [...reports].map(([key, { kind, parenthetical, lines }]): Statement => {
        lines.sort((a, b) => a.order - b.order)
        return { role: key.slice(0, key.indexOf(' ')), title: null, kind, parenthetical, lines }
      })
      statements.sort((a, b) => Number(a.role) - Number(b.role))
      yield { accession, taxonomies, figures, statements, sums: [], defaultMembers: new Map() }
    }
    this.#filings.clear()
    this.#texts.clear()
  }

  #filingOf(accession: string): FilingDraft | null {
    const filing = this.#filings.get(accession)
    if (filing !== undefined) return filing
    if (this.#others.has(accession)) return null
    throw new Failure('body_invalid', 'The line has an `adsh` that `sub.txt` does not have.')
  }

  #conceptOf({ accession, taxonomies }: FilingDraft, field: (name: string) => string): string {
    const [tag, version] = [field('tag'), field('version')]
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

  #contextOf({ contexts }: FilingDraft, field: (name: string) => string): FigureContext {
    const [day, quartersText, segments] = [field('ddate'), field('qtrs'), field('segments')]
    const coRegistrant = field('coreg')
    const key = `${day} ${quartersText} ${coRegistrant} ${segments}`
    const known = contexts.get(key)
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
    contexts.set(detached(key), context)
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

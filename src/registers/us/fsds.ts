import { Failure } from '../../errors.ts'
import { startOfMonths } from '../../model/months.ts'
import type { Contribution, EntityProfile, Filing, Statement } from '../../model/statement.ts'
import { compactDay, numberOf, textOf } from '../fields.ts'
import { unitOf } from '../unit.ts'
import { usUses } from './concepts.ts'
import { cikOf } from './parsed.ts'

interface Submission {
  readonly entity: { readonly profile: EntityProfile; statements: Statement[]; filings: Filing[] }
  readonly filing: Filing
}

type Columns = ReadonlyMap<string, number>

const subColumns = ['adsh', 'cik', 'name', 'form', 'filed', 'accepted']
const numColumns = ['adsh', 'tag', 'version', 'ddate', 'qtrs', 'uom', 'value']

/** Reads a Financial Statement Data Set line by line: all of `sub.txt` first, then `num.txt`. */
export class FinancialStatementData {
  figuresRead = 0
  /** Figures over other than 0 to 4 quarters. */
  unplaced = 0
  /** Statements that wait to be taken. */
  waiting = 0
  private readonly submissions = new Map<string, Submission>()
  private readonly entities = new Map<string, Submission['entity']>()
  private sub: Columns | null = null
  private num: Columns | null = null

  /** Takes a line of `sub.txt`. Throws a Failure that says what is wrong with it. */
  readSubmission(line: string): void {
    if (this.sub === null) {
      this.sub = columnsOf(line, subColumns, 'sub.txt')
      return
    }
    const field = fieldReader(line, this.sub)
    const cik = cikOf(field('cik'))
    const accession = field('adsh')
    const filed = compactDay(field('filed'))
    if (cik === null || !/^[0-9-]{10,25}$/.test(accession) || !(filed > 0)) {
      throw new Failure('body_invalid', 'A submission needs `adsh`, `cik` and `filed`.')
    }
    let entity = this.entities.get(cik)
    if (entity === undefined) {
      const name = textOf(field('name'))
      const named = name === null ? {} : { name, nameIsFallback: true }
      entity = {
        profile: { market: 'US', issuerId: cik, ...named, registers: true },
        statements: [],
        filings: [],
      }
      this.entities.set(cik, entity)
    }
    const acceptedAt = Date.parse(`${field('accepted').replace(' ', 'T').slice(0, 19)}Z`)
    const filing: Filing = {
      accession,
      form: textOf(field('form')) ?? '',
      filed,
      acceptedAt: Number.isNaN(acceptedAt) ? null : acceptedAt,
    }
    this.submissions.set(accession, { entity, filing })
  }

  /** Takes a line of `num.txt`. Only figures of the whole entity count: no segment, no co-registrant. */
  readFigure(line: string): void {
    if (this.num === null) {
      this.num = columnsOf(line, numColumns, 'num.txt')
      return
    }
    this.figuresRead++
    const field = fieldReader(line, this.num)
    const uses = usUses(`${taxonomyOf(field('version'))}:${field('tag')}`)
    if (uses === undefined || field('segments') !== '' || field('coreg') !== '' || field('value') === '')
      return
    const submission = this.submissions.get(field('adsh'))
    const end = compactDay(field('ddate'))
    const quarters = numberOf(field('qtrs'))
    const value = numberOf(field('value'))
    if (submission === undefined || !(end > 0) || !Number.isInteger(quarters) || Number.isNaN(value)) {
      throw new Failure('body_invalid', 'A figure needs a known `adsh`, and `ddate`, `qtrs` and `value`.')
    }
    if (quarters < 0 || quarters > 4) {
      this.unplaced++
      return
    }
    const start = quarters === 0 ? null : startOfMonths(end, quarters * 3)
    for (const { tag, metric, concept } of uses) {
      const unit = unitOf(field('uom'), concept.unitKind)
      if (unit === null || (concept.kind === 'flow') !== (start !== null)) continue
      const { entity, filing } = submission
      entity.statements.push({ metric, tag, unit, start, end, value, rounded: true, filing })
      this.waiting++
    }
  }

  /** Hands over what was read since the last call, an entity at a time. */
  *take(): Generator<Contribution> {
    for (const entity of this.entities.values()) {
      if (entity.statements.length === 0) continue
      yield { profile: entity.profile, statements: entity.statements, filings: [] }
      entity.statements = []
    }
    this.waiting = 0
  }
}

function columnsOf(header: string, needed: readonly string[], file: string): Columns {
  const columns = new Map(header.split('\t').map((name, index) => [name.trim(), index]))
  const missing = needed.filter(name => !columns.has(name))
  if (missing.length > 0) {
    throw new Failure('body_invalid', `${file} has no column ${missing.join(', ')} in its first line.`)
  }
  return columns
}

/** A missing column reads as empty: the sets before 2024 have no `segments`. */
function fieldReader(line: string, columns: Columns): (name: string) => string {
  const fields = line.split('\t')
  return name => fields[columns.get(name) ?? -1] ?? ''
}

/** `us-gaap/2009` is of us-gaap; a filer's own tag names its accession instead. */
function taxonomyOf(version: string): string {
  const taxonomy = version.slice(0, version.indexOf('/'))
  return taxonomy === 'ifrs' ? 'ifrs-full' : taxonomy
}

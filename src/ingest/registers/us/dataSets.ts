import { endOfMonth, startOfMonths } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import type { FormerName, RegisterEntry, RegisterIndex } from '../../../facts/registerStatements.ts'
import type { EntityProfile, Filing, ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import { checkEntry, type Entry, messageOf } from '../../reading/archives.ts'
import { compactDay, numberOf, textOf, unitOf } from '../../reading/fields.ts'
import type { ReadUnit } from '../../reading/progress.ts'
import { textLines } from '../../reading/text.ts'
import type { SetProgress, ZipSet } from '../registerInterface.ts'
import { usesOfTag } from './concepts.ts'
import { dataSetLister, shownDigits } from './edgarClock.ts'
import { isMonthDay } from './submissions.ts'
import { cikOf } from './tickers.ts'

/** Facts held in memory before they are handed over. */
const maxFactsHeld = 1_000_000
const entitiesPerUnit = 100
const maxFaultsNamed = 20

/**
 * Reads a Financial Statement Data Set; null if the zip is not one. A set without `num.txt` has no figures and only
 * says who filed what.
 */
export function readDataSet(set: ZipSet, progress: SetProgress): AsyncIterable<ReadUnit> | null {
  const part = (name: string) => set.entries.find(entry => partNamed(name).test(entry.fileName))
  const sub = part('sub')
  const num = part('num')
  return sub ? readParts(set, sub, num, progress) : null
}

const partNamed = (name: string) => new RegExp(`(^|/)${name}\\.(txt|tsv)$`)

/** The figures of a set are unordered, so they are gathered by entity, a million facts at a time. */
async function* readParts(
  set: ZipSet,
  sub: Entry,
  num: Entry | undefined,
  progress: SetProgress,
): AsyncGenerator<ReadUnit> {
  const ofFigures = num === undefined ? 'none' : `${num.crc32.toString(36)}-${num.uncompressedSize}`
  const contentKey = `${sub.crc32.toString(36)}-${ofFigures}`
  if (progress.isKnown(contentKey)) return
  // Checked before anything is imported: a truncated or corrupted set must not be imported in part.
  const parts = num === undefined ? [sub] : [sub, num]
  for (const entry of parts) {
    refuseLargePart(entry)
    await checkEntry(set.zip, entry)
  }
  const data = new FinancialStatementData()
  let faults = 0
  const faulty = (name: string, reason: string) => {
    faults++
    progress.skip(name, reason)
  }
  for await (const _ of readLines(set, sub, faulty, line => data.readSubmission(line)));
  const isComplete = faults === 0
  yield* statementsOf(data, isComplete ? quarterOf(set.path) : null)
  let figures = 0
  if (num === undefined) {
    if (isComplete) yield { parsed: [], receipt: { contentKey, name: set.path } }
    return
  }
  for await (const bytes of readLines(set, num, faulty, line => data.readFigure(line))) {
    progress.figures(data.figuresRead - figures)
    figures = data.figuresRead
    // Reading is half of the work; writing what was gathered is the other half.
    progress.progress(bytes / (2 * num.uncompressedSize))
    if (data.waiting >= maxFactsHeld) yield* unitsOf(data)
  }
  yield* unitsOf(data)
  progress.unplaced(data.unplaced)
  // A faulty set gets no receipt, so the next import reads it again; it may have been repaired by then.
  if (faults === 0) yield { parsed: [], receipt: { contentKey, name: set.path } }
}

/**
 * Parts are read line by line, so a large one takes time and not memory. Those of the SEC have up to a
 * gigabyte.
 */
const maxPartBytes = 8_000_000_000

function refuseLargePart({ fileName, uncompressedSize }: Entry): void {
  if (uncompressedSize > maxPartBytes)
    throw new Failure(
      'body_too_large',
      `${fileName} is ${Math.ceil(uncompressedSize / 1e6)} MB unpacked; the limit is ${maxPartBytes / 1e6} MB.`,
    )
}

const entriesPerUnit = 20_000

/** Who filed what. If the set's name and content agree, also the days for which it lists all filings with figures. */
function* statementsOf(
  { entries, formerNames }: FinancialStatementData,
  quarter: { readonly first: number; readonly last: number } | null,
): Generator<ReadUnit> {
  for (let at = 0; at < entries.length; at += entriesPerUnit) {
    const part = entries.slice(at, at + entriesPerUnit)
    yield { parsed: [], statements: { entries: part, indexes: [], formerNames: [] } }
  }
  const isOfQuarter =
    quarter !== null && entries.every(({ filed }) => filed >= quarter.first && filed <= quarter.last)
  const indexes: RegisterIndex[] = isOfQuarter ? [{ market: 'US', isFull: false, ...quarter }] : []
  yield { parsed: [], statements: { entries: [], indexes, formerNames } }
}

/** The quarter in the name of a set: `2009q3.zip`. */
function quarterOf(path: string): { readonly first: number; readonly last: number } | null {
  const [, year, quarter] = /(?:^|[\\/])(\d{4})q([1-4])[^\\/]*\.zip$/i.exec(path) ?? []
  if (year === undefined) return null
  const month = 3 * Number(quarter)
  return { first: endOfMonth(Number(year), month - 3) + 1, last: endOfMonth(Number(year), month) }
}

function* unitsOf(data: FinancialStatementData): Generator<ReadUnit> {
  let parsed: ReadUnit['parsed'][number][] = []
  for (const entity of data.take()) {
    parsed.push(entity)
    if (parsed.length < entitiesPerUnit) continue
    yield { parsed }
    parsed = []
  }
  if (parsed.length > 0) yield { parsed }
}

/**
 * Passes each line to `take`; refused lines are reported and skipped. Yields the number of bytes read so far.
 */
async function* readLines(
  { zip, path }: ZipSet,
  entry: Entry,
  faulty: (name: string, reason: string) => void,
  take: (line: string) => void,
): AsyncGenerator<number> {
  const name = `${path}!${entry.fileName}`
  let number = 0
  let faults = 0
  let bytes = 0
  const counted = async function* () {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      bytes += chunk.length
      yield chunk
    }
  }
  for await (const lines of textLines(counted())) {
    for (const line of lines) {
      number++
      if (line === '') continue
      try {
        take(line)
      } catch (error) {
        if (!(error instanceof Failure) || number === 1) throw error
        faults++
        if (faults <= maxFaultsNamed) faulty(name, `line ${number}: ${messageOf(error)}`)
      }
    }
    yield bytes
  }
  if (faults > maxFaultsNamed) faulty(name, `and ${faults - maxFaultsNamed} more lines with faults.`)
}

interface Entity {
  readonly profile: EntityProfile
  reportedFacts: ReportedFact[]
}

interface Submission {
  readonly entity: Entity
  readonly filing: Filing
}

export type Columns = ReadonlyMap<string, number>

const subColumns = ['adsh', 'cik', 'name', 'form', 'filed', 'accepted']
const numColumns = ['adsh', 'tag', 'version', 'ddate', 'qtrs', 'uom', 'value']

/** Reads a Financial Statement Data Set line by line: all of `sub.txt` first, then `num.txt`. */
export class FinancialStatementData {
  figuresRead = 0
  /** Figures over a period other than 0 to 4 quarters. */
  unplaced = 0
  /** The number of facts not handed over yet. */
  waiting = 0
  /** One entry for each filing and registrant. */
  readonly entries: RegisterEntry[] = []
  readonly formerNames: FormerName[] = []
  readonly #submissions = new Map<string, Submission>()
  readonly #entities = new Map<string, Entity>()
  #sub: Columns | null = null
  #num: Columns | null = null

  /** Reads a line of `sub.txt`. Throws a Failure that names the fault. */
  readSubmission(line: string): void {
    if (this.#sub === null) {
      this.#sub = columnsOf(line, subColumns, 'sub.txt')
      return
    }
    const field = fieldReader(line, this.#sub)
    const cik = cikOf(field('cik'))
    const accession = field('adsh')
    const filed = compactDay(field('filed'))
    if (cik === null || !/^[0-9-]{10,25}$/.test(accession) || !(filed > 0)) {
      throw new Failure('body_invalid', 'A submission must have `adsh`, `cik` and `filed`.')
    }
    let entity = this.#entities.get(cik)
    if (entity === undefined) {
      const name = textOf(field('name'))
      const named = name === null ? {} : { name, nameIsFallback: true }
      entity = {
        profile: { market: 'US', issuerId: cik, ...named, registers: true },
        reportedFacts: [],
      }
      this.#entities.set(cik, entity)
    }
    const shown = shownDigits(field('accepted'))
    const yearEnd = field('fye')
    const companyName = textOf(field('name'))
    const industry = field('sic')
    const filing: Filing = {
      accession,
      form: textOf(field('form')) ?? '',
      filed,
      acceptedAt: null,
      ...(Number.isNaN(shown) ? {} : { readings: [{ lister: dataSetLister, shown, clock: 'local' }] }),
      ...(isMonthDay(yearEnd) ? { fiscalYearEnd: yearEnd } : {}),
      ...(companyName === null ? {} : { companyName }),
      ...(/^\d{3,4}$/.test(industry) ? { sector: `SIC ${industry.padStart(4, '0')}` } : {}),
    }
    this.#submissions.set(accession, { entity, filing })
    this.#addEntries(cik, filing, field)
  }

  /** A report of several registrants lists the others in `aciks`, and states attributes of the first one only. */
  #addEntries(cik: string, filing: Filing, field: (name: string) => string): void {
    const { accession, form, filed, companyName, sector, fiscalYearEnd } = filing
    const entry = { market: 'US', accession, form, filed, isStructured: true }
    const status = field('afs')
    this.entries.push({
      ...entry,
      issuerId: cik,
      ...(companyName === undefined ? {} : { companyName }),
      ...(sector === undefined ? {} : { sector }),
      ...(fiscalYearEnd === undefined ? {} : { fiscalYearEnd }),
      ...(/^\d-[A-Z]{3}$/.test(status) ? { filerStatus: status } : {}),
    })
    for (const other of field('aciks').split(/[ ,]+/)) {
      const issuerId = cikOf(other)
      if (issuerId !== null) this.entries.push({ ...entry, issuerId })
    }
    const name = textOf(field('former'))
    const until = compactDay(field('changed'))
    if (name !== null && until > 0)
      this.formerNames.push({ market: 'US', issuerId: cik, name, from: null, until })
  }

  /**
   * Reads a line of `num.txt`. Only figures of the whole entity count, not those of segments or
   * co-registrants.
   */
  readFigure(line: string): void {
    if (this.#num === null) {
      this.#num = columnsOf(line, numColumns, 'num.txt')
      return
    }
    this.figuresRead++
    const field = fieldReader(line, this.#num)
    const uses = usesOfTag(`${taxonomyOf(field('version'))}:${field('tag')}`)
    if (uses === undefined || field('segments') !== '' || field('coreg') !== '' || field('value') === '')
      return
    const submission = this.#submissions.get(field('adsh'))
    const end = compactDay(field('ddate'))
    const quarters = numberOf(field('qtrs'))
    const value = numberOf(field('value'))
    if (submission === undefined || !(end > 0) || !Number.isInteger(quarters) || Number.isNaN(value)) {
      throw new Failure('body_invalid', 'A figure must have a known `adsh`, and `ddate`, `qtrs` and `value`.')
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
      entity.reportedFacts.push({ metric, tag, unit, start, end, value, rounded: true, filing })
      this.waiting++
    }
  }

  /** Hands over the facts read since the last call, one entity at a time. */
  *take(): Generator<ParsedDocument> {
    for (const entity of this.#entities.values()) {
      if (entity.reportedFacts.length === 0) continue
      yield { profile: entity.profile, reportedFacts: entity.reportedFacts, filings: [] }
      entity.reportedFacts = []
    }
    this.waiting = 0
  }
}

export function columnsOf(header: string, needed: readonly string[], file: string): Columns {
  const columns = new Map(header.split('\t').map((name, index) => [name.trim(), index]))
  const missing = needed.filter(name => !columns.has(name))
  if (missing.length > 0) {
    throw new Failure(
      'body_invalid',
      `The first line of ${file} does not have the columns ${missing.join(', ')}.`,
    )
  }
  return columns
}

/** A missing column reads as empty: the sets before 2024 have no `segments`. */
export function fieldReader(line: string, columns: Columns): (name: string) => string {
  const fields = line.split('\t')
  return name => fields[columns.get(name) ?? -1] ?? ''
}

/** Returns us-gaap for `us-gaap/2009`. The version of a filer's own tag is an accession, which gives no known
 * taxonomy. */
function taxonomyOf(version: string): string {
  const taxonomy = version.slice(0, version.indexOf('/'))
  return taxonomy === 'ifrs' ? 'ifrs-full' : taxonomy
}

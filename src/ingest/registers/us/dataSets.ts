import { crc32 } from 'node:zlib'
import { endOfMonth, startOfMonths } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import type { FormerName, RegisterEntry, RegisterIndex } from '../../../facts/registerStatements.ts'
import type { EntityProfile, Filing, ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { checkEntry, type Entry, messageOf } from '../../reading/archives.ts'
import { compactDay, numberOf, textOf, unitOf } from '../../reading/fields.ts'
import type { ReadUnit } from '../../reading/progress.ts'
import { textLines } from '../../reading/text.ts'
import { contentWithoutFigures, LeftOut, type SetProgress, type ZipSet } from '../registerInterface.ts'
import { usesOfTag } from './concepts.ts'
import { type Columns, columnsOf, type Fields, fieldReader, numColumns, preColumns } from './dataSetTables.ts'
import { dataSetLister, shownDigits } from './edgarClock.ts'
import { isMonthDay } from './submissions.ts'
import { cikOf } from './tickers.ts'
import { DataSetFilings } from './wholeDataSets.ts'

const entitiesPerUnit = 100
const figuresPerUnit = 50_000
const maxFaultsNamed = 20

/**
 * Reads a Financial Statement Data Set; null if the zip is not one. A set without `num.txt` has no figures and only
 * says who filed what; one without `pre.txt` has no statements.
 */
export function readDataSet(set: ZipSet, progress: SetProgress): AsyncIterable<ReadUnit> | null {
  const part = (name: string) => set.entries.find(entry => partNamed(name).test(entry.fileName))
  const [sub, num, pre] = ['sub', 'num', 'pre'].map(part)
  return sub ? readParts(set, { sub, num, pre: num === undefined ? undefined : pre }, progress) : null
}

const partNamed = (name: string) => new RegExp(`(^|/)${name}\\.(txt|tsv)$`)

interface Parts {
  readonly sub: Entry
  readonly num: Entry | undefined
  readonly pre: Entry | undefined
}

/** Changes with every byte of the parts that are read. */
const contentKeyOf = ({ sub, num, pre }: Parts) =>
  [
    sub.crc32.toString(36),
    ...[num, pre].map(part =>
      part === undefined ? 'none' : `${part.crc32.toString(36)}-${part.uncompressedSize}`,
    ),
  ].join('-')

async function* readParts(set: ZipSet, parts: Parts, progress: SetProgress): AsyncGenerator<ReadUnit> {
  const contentKey = contentKeyOf(parts)
  if (progress.isKnown(contentKey)) return
  const { sub, num, pre } = parts
  // Checked before anything is imported: a truncated or corrupted set must not be imported in part.
  for (const entry of [sub, num, pre]) {
    if (entry === undefined) continue
    refuseLargePart(entry)
    await checkEntry(set.zip, entry)
  }
  const data = new FinancialStatementData()
  const faulty = new LineFaults(progress)
  for await (const _ of readLines(set, sub, faulty, line => data.readSubmission(line)));
  yield* statementsOf(data, faulty.count === 0 ? quarterOf(set.path) : null)
  if (num !== undefined) yield* readFigures(set, { num, pre }, data, faulty, progress)
  faulty.reportOthers()
  progress.unplaced(data.unplaced)
  // A faulty set gets no receipt, so the next import reads it again; it may have been repaired by then.
  if (faulty.count === 0) yield { parsed: [], receipt: { contentKey, name: set.path } }
}

/** Lines of the sets have 105 to 120 bytes. */
const bytesPerLine = 100
/** Figures and presented lines that are in memory together. */
const linesPerPass = 1_000_000

/**
 * The lines of a filing may be anywhere in `num.txt` and `pre.txt`, so they are gathered in memory. Of a large set each
 * pass over the parts gathers some of the filings and passes over the others.
 */
async function* readFigures(
  set: ZipSet,
  { num, pre }: { readonly num: Entry; readonly pre: Entry | undefined },
  data: FinancialStatementData,
  faulty: LineFaults,
  progress: SetProgress,
): AsyncGenerator<ReadUnit> {
  const bytesOfPass = num.uncompressedSize + (pre?.uncompressedSize ?? 0)
  const passes = Math.max(1, Math.ceil(bytesOfPass / (bytesPerLine * linesPerPass)))
  let bytesBefore = 0
  // Reading is half of the work; writing what was gathered is the other half.
  const report = (bytes: number) => progress.progress((bytesBefore + bytes) / (2 * passes * bytesOfPass))
  let incomplete = 0
  for (let pass = 0; pass < passes; pass++) {
    const isOfPass = (accession: string) => crc32(accession) % passes === pass
    const filings = new DataSetFilings(isOfPass)
    for (const accession of data.accessions) filings.addSubmission(accession)
    const figures = partReader(numColumns, 'num.txt', passes === 1 ? null : isOfPass, field => {
      try {
        filings.addFigure(field)
      } finally {
        data.addFigure(field)
      }
    })
    let figuresBefore = data.figuresRead
    for await (const bytes of readLines(set, num, faulty, figures)) {
      progress.figures(data.figuresRead - figuresBefore)
      figuresBefore = data.figuresRead
      report(bytes)
    }
    bytesBefore += num.uncompressedSize
    if (pre !== undefined) {
      const lines = partReader(preColumns, 'pre.txt', passes === 1 ? null : isOfPass, field =>
        filings.addLine(field),
      )
      for await (const bytes of readLines(set, pre, faulty, lines)) report(bytes)
      bytesBefore += pre.uncompressedSize
    }
    yield* unitsOf(data, filings)
    incomplete += filings.incomplete.size
  }
  const leftOut = new LeftOut()
  leftOut.add('filing whose statements have lines with faults', incomplete)
  progress.content(set.path, contentWithoutFigures([], leftOut))
}

/**
 * Returns what reads a part line by line: its header, and then the lines of the filings of a pass. Every line belongs to
 * one pass, even with an unknown filing, so that its faults are counted once.
 */
function partReader(
  needed: readonly string[],
  file: string,
  isOfPass: ((accession: string) => boolean) | null,
  take: (field: Fields) => void,
): (line: string) => void {
  let columns: Columns | null = null
  let lastAccession = ''
  let isLastOfPass = false
  return line => {
    if (columns === null) {
      columns = columnsOf(line, needed, file)
      return
    }
    if (isOfPass !== null) {
      const accession =
        columns.get('adsh') === 0 ? line.slice(0, line.indexOf('\t')) : fieldReader(line, columns)('adsh')
      if (accession !== lastAccession) {
        lastAccession = accession
        isLastOfPass = isOfPass(accession)
      }
      if (!isLastOfPass) return
    }
    take(fieldReader(line, columns))
  }
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

/** Hands over what a pass gathered, one company at a time. */
function* unitsOf(data: FinancialStatementData, filings: DataSetFilings): Generator<ReadUnit> {
  const wholes = new Map<string, StatedFiling[]>()
  for (const whole of filings.take()) {
    if (filings.incomplete.has(whole.accession)) continue
    const { entity, periodEnd } = data.submissionOf(whole.accession)
    const { market, issuerId } = entity.profile
    const stated: StatedFiling = { market, issuerId, whole, source: 'dataSet', periodEnd }
    const known = wholes.get(issuerId)
    if (known === undefined) wholes.set(issuerId, [stated])
    else known.push(stated)
  }
  let parsed: ParsedDocument[] = []
  let wholeFilings: StatedFiling[] = []
  let figures = 0
  for (const { profile, reportedFacts } of data.take(issuerId => wholes.has(issuerId))) {
    const ofEntity = wholes.get(profile.issuerId) ?? []
    // A filing without mapped figures is on record, too.
    const dated = ofEntity.map(({ whole }) => data.submissionOf(whole.accession).filing)
    parsed.push({ profile, reportedFacts, filings: dated })
    for (const stated of ofEntity) {
      wholeFilings.push(stated)
      figures += stated.whole.figures.length
    }
    if (parsed.length < entitiesPerUnit && figures < figuresPerUnit) continue
    yield { parsed, wholeFilings }
    parsed = []
    wholeFilings = []
    figures = 0
  }
  if (parsed.length > 0) yield { parsed, wholeFilings }
}

/** The faults of lines: the first of them are named at once, and the others are counted. */
class LineFaults {
  count = 0
  readonly #counts = new Map<string, number>()
  readonly #progress: SetProgress

  constructor(progress: SetProgress) {
    this.#progress = progress
  }

  add(part: string, line: number, reason: string): void {
    this.count++
    const ofPart = (this.#counts.get(part) ?? 0) + 1
    this.#counts.set(part, ofPart)
    if (ofPart <= maxFaultsNamed) this.#progress.skip(part, `line ${line}: ${reason}`)
  }

  reportOthers(): void {
    for (const [part, count] of this.#counts)
      if (count > maxFaultsNamed)
        this.#progress.skip(part, `and ${count - maxFaultsNamed} more lines with faults.`)
  }
}

/** Passes each line to `take`; refused lines are counted and skipped. Yields the number of bytes read so far. */
async function* readLines(
  { zip, path }: ZipSet,
  entry: Entry,
  faulty: LineFaults,
  take: (line: string) => void,
): AsyncGenerator<number> {
  const name = `${path}!${entry.fileName}`
  let number = 0
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
        faulty.add(name, number, messageOf(error))
      }
    }
    yield bytes
  }
}

interface Entity {
  readonly profile: EntityProfile
  reportedFacts: ReportedFact[]
}

interface Submission {
  readonly entity: Entity
  readonly filing: Filing
  readonly periodEnd: number | null
}

const subColumns = ['adsh', 'cik', 'name', 'form', 'filed', 'accepted']

/** Reads a Financial Statement Data Set line by line: all of `sub.txt` first, then `num.txt`. */
export class FinancialStatementData {
  figuresRead = 0
  /** Figures over a period other than 0 to 4 quarters. */
  unplaced = 0
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
    const period = compactDay(field('period'))
    this.#submissions.set(accession, { entity, filing, periodEnd: period > 0 ? period : null })
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

  /** The accessions of all submissions. */
  get accessions(): Iterable<string> {
    return this.#submissions.keys()
  }

  submissionOf(accession: string): Submission {
    const submission = this.#submissions.get(accession)
    if (submission === undefined) throw new Error(`no submission has the accession ${accession}`)
    return submission
  }

  /** Reads a line of `num.txt`. */
  readFigure(line: string): void {
    if (this.#num === null) this.#num = columnsOf(line, numColumns, 'num.txt')
    else this.addFigure(fieldReader(line, this.#num))
  }

  /** Only figures of the whole entity count, not those of segments or co-registrants. */
  addFigure(field: Fields): void {
    this.figuresRead++
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
    }
  }

  /**
   * Hands over the facts read since the last call, one entity at a time.
   *
   * @param isNeeded by CIK, whether an entity without facts is handed over, too
   */
  *take(isNeeded: (issuerId: string) => boolean = () => false): Generator<ParsedDocument> {
    for (const entity of this.#entities.values()) {
      const { profile, reportedFacts } = entity
      if (reportedFacts.length === 0 && !isNeeded(profile.issuerId)) continue
      entity.reportedFacts = []
      yield { profile, reportedFacts, filings: [] }
    }
  }
}

/** Returns us-gaap for `us-gaap/2009`. The version of a filer's own tag is an accession, which gives no known
 * taxonomy. */
function taxonomyOf(version: string): string {
  const taxonomy = version.slice(0, version.indexOf('/'))
  return taxonomy === 'ifrs' ? 'ifrs-full' : taxonomy
}

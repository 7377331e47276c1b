import { crc32 } from 'node:zlib'
import { endOfMonth, startOfMonths } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import type { FormerName, RegisterEntry, RegisterIndex } from '../../../facts/registerStatements.ts'
import type { EntityProfile, Filing, ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import { figureCountOf } from '../../../wholeFilings/figureColumns.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { checkEntry, type Entry, messageOf, readEntry } from '../../reading/archives.ts'
import { compactDay, numberOf, textOf, unitOf } from '../../reading/fields.ts'
import type { ReadUnit } from '../../reading/progress.ts'
import { textLines } from '../../reading/text.ts'
import { contentWithoutFigures, LeftOut, type SetProgress, type ZipSet } from '../registerInterface.ts'
import { type DataSetConcept, DataSetConcepts } from './dataSetConcepts.ts'
import { columnsOf, LineFields, numColumns, PartLines, preColumns, TableLines } from './dataSetTables.ts'
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
 *
 * @param bytesPerPass of `num.txt` and `pre.txt`: a larger set is read in several passes
 */
export function readDataSet(
  set: ZipSet,
  progress: SetProgress,
  bytesPerPass = bytesPerLine * linesPerPass,
): AsyncIterable<ReadUnit> | null {
  const part = (name: string) => set.entries.find(entry => partNamed(name).test(entry.fileName))
  const [sub, num, pre] = ['sub', 'num', 'pre'].map(part)
  return sub
    ? readParts(set, { sub, num, pre: num === undefined ? undefined : pre }, progress, bytesPerPass)
    : null
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

async function* readParts(
  set: ZipSet,
  parts: Parts,
  progress: SetProgress,
  bytesPerPass: number,
): AsyncGenerator<ReadUnit> {
  const contentKey = contentKeyOf(parts)
  if (progress.isKnown(contentKey)) return
  const { sub, num, pre } = parts
  const passes = passesOf(parts, bytesPerPass)
  // Checked before anything is imported: a truncated or corrupted set must not be imported in part.
  const whole = new Map<Entry, Uint8Array>()
  for (const entry of [sub, num, pre]) {
    if (entry === undefined) continue
    refuseLargePart(entry)
    if (passes === 1 && entry !== sub) whole.set(entry, await readEntry(set.zip, entry))
    else await checkEntry(set.zip, entry)
  }
  const data = new FinancialStatementData()
  const faulty = new LineFaults(progress)
  for await (const _ of readLines(set, sub, faulty, line => data.readSubmission(line)));
  yield* statementsOf(data, faulty.count === 0 ? quarterOf(set.path) : null)
  if (num !== undefined) yield* readFigures(set, { num, pre, whole, passes }, data, faulty, progress)
  faulty.reportOthers()
  progress.unplaced(data.unplaced)
  // A faulty set gets no receipt, so the next import reads it again; it may have been repaired by then.
  if (faulty.count === 0) yield { parsed: [], receipt: { contentKey, name: set.path } }
}

/** Lines of the sets have 105 to 120 bytes. */
const bytesPerLine = 100
/** Figures and presented lines that are in memory together. */
const linesPerPass = 1_000_000

const bytesOf = (num: Entry, pre: Entry | undefined) => num.uncompressedSize + (pre?.uncompressedSize ?? 0)

const passesOf = ({ num, pre }: Parts, bytesPerPass: number) =>
  num === undefined ? 1 : Math.max(1, Math.ceil(bytesOf(num, pre) / bytesPerPass))

interface FigureParts {
  readonly num: Entry
  readonly pre: Entry | undefined
  /** The parts of a set that one pass reads. */
  readonly whole: ReadonlyMap<Entry, Uint8Array>
  readonly passes: number
}

/**
 * The lines of a filing may be anywhere in `num.txt` and `pre.txt`, so they are kept in memory. Of a large set each pass
 * over the parts keeps the lines of some of the filings and passes over the others.
 */
async function* readFigures(
  set: ZipSet,
  { num, pre, whole, passes }: FigureParts,
  data: FinancialStatementData,
  faulty: LineFaults,
  progress: SetProgress,
): AsyncGenerator<ReadUnit> {
  const bytesOfPass = bytesOf(num, pre)
  const filings = data.submissions
  const passOf = filings.map(({ filing }) => passOfAccession(filing.accession, passes))
  const indexes = new Map(filings.map(({ filing }, index) => [filing.accession, index]))
  const leftOut = new LeftOut()
  let bytesBefore = 0
  for (let pass = 0; pass < passes; pass++) {
    const parts: { figures: PassPart; lines: PassPart | null } = {
      figures: new PassPart(set, num, numColumns, whole.get(num) ?? passes, faulty),
      lines: pre === undefined ? null : new PassPart(set, pre, preColumns, whole.get(pre) ?? passes, faulty),
    }
    for (const part of [parts.figures, parts.lines]) {
      if (part === null) continue
      const filingOf = (accession: string) => {
        const index = indexes.get(accession)
        const ofPass = index === undefined ? passOfAccession(accession, passes) : passOf[index]
        return ofPass === pass ? (index ?? 'unknown') : null
      }
      // Reading is half of the work; writing what was read is the other half.
      for await (const bytes of part.load(filingOf))
        progress.progress((bytesBefore + bytes) / (2 * passes * bytesOfPass))
      bytesBefore += part.entry.uncompressedSize
      part.lines.sort(filings.length)
    }
    yield* unitsOf(data, index => passOf[index] === pass, parts, progress, leftOut)
    progress.figures(parts.figures.unknown)
  }
  progress.content(set.path, contentWithoutFigures([], leftOut))
}

/** Every line belongs to one pass, even with an unknown filing, so that its faults are counted once. */
const passOfAccession = (accession: string, passes: number) => crc32(accession) % passes

/** The lines of a part that belong to the filings of a pass. */
class PassPart {
  readonly entry: Entry
  readonly lines: PartLines
  /** Lines of filings that `sub.txt` does not have. */
  unknown = 0
  readonly #set: ZipSet
  readonly #needed: readonly string[]
  readonly #faulty: LineFaults
  #fields: LineFields | null = null
  readonly #whole: Uint8Array | null

  /** @param whole the part, or in how many passes it is read */
  constructor(
    set: ZipSet,
    entry: Entry,
    needed: readonly string[],
    whole: Uint8Array | number,
    faulty: LineFaults,
  ) {
    this.#set = set
    this.entry = entry
    this.#needed = needed
    this.#faulty = faulty
    this.#whole = typeof whole === 'number' ? null : whole
    this.lines = new PartLines(typeof whole === 'number' ? (entry.uncompressedSize * 1.1) / whole : whole)
  }

  get #name(): string {
    return `${this.#set.path}!${this.entry.fileName}`
  }

  /** @param filingOf the index of a filing of this pass; null for one of another pass */
  async *load(filingOf: (accession: string) => number | 'unknown' | null): AsyncGenerator<number> {
    const table = new TableLines()
    let accessionColumn = -1
    let number = 0
    const takeLine = () => {
      number++
      if (this.#fields === null) {
        const columns = columnsOf(table.line.replace(/^\ufeff/, ''), this.#needed, this.entry.fileName)
        this.#fields = new LineFields(columns)
        accessionColumn = columns.get('adsh') ?? -1
        return
      }
      const accession = table.asciiField(accessionColumn)
      if (accession === '' && table.line === '') return
      const filing = filingOf(accession)
      if (filing === 'unknown') {
        this.unknown++
        this.#faulty.add(this.#name, number, 'The line has an `adsh` that `sub.txt` does not have.')
      } else if (filing !== null) table.copyTo(this.lines, filing, number)
    }
    let bytes = 0
    const chunks =
      this.#whole === null ? await this.#set.zip.openReadStreamPromise(this.entry) : [this.#whole]
    for await (const chunk of chunks) {
      bytes += chunk.length
      table.read(chunk, takeLine)
      yield bytes
    }
    table.finish(takeLine)
  }

  /** Calls `take` for each line of a filing. Refused lines are counted and skipped. */
  read(filing: number, take: (line: LineFields) => void): void {
    const fields = this.#fields
    if (fields === null) return
    this.lines.read(filing, (line, number) => {
      try {
        take(fields.select(line))
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        this.#faulty.add(this.#name, number, messageOf(error))
      }
    })
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

/** Hands over the filings of a pass, one company at a time. */
function* unitsOf(
  data: FinancialStatementData,
  isOfPass: (index: number) => boolean,
  parts: { readonly figures: PassPart; readonly lines: PassPart | null },
  progress: SetProgress,
  leftOut: LeftOut,
): Generator<ReadUnit> {
  const byEntity = new Map<Entity, number[]>()
  for (const [index, { entity }] of data.submissions.entries()) {
    if (!isOfPass(index)) continue
    const known = byEntity.get(entity)
    if (known === undefined) byEntity.set(entity, [index])
    else known.push(index)
  }
  let parsed: ParsedDocument[] = []
  let wholeFilings: StatedFiling[] = []
  let figures = 0
  for (const [entity, indexes] of byEntity) {
    const { profile } = entity
    const filings: Filing[] = []
    for (const index of indexes) {
      const { filing, periodEnd } = data.submissions[index]
      const gathered = new DataSetFilings(undefined, data.concepts)
      gathered.addSubmission(filing.accession)
      const figuresBefore = data.figuresRead
      parts.figures.read(index, line => {
        const concept = data.concepts.of(line)
        try {
          gathered.addFigure(filing.accession, line, concept)
        } finally {
          data.addFigure(line, concept)
        }
      })
      progress.figures(data.figuresRead - figuresBefore)
      parts.lines?.read(index, line => gathered.addLine(filing.accession, line))
      leftOut.add('filing whose statements have lines with faults', gathered.incomplete.size)
      for (const whole of gathered.take()) {
        if (gathered.incomplete.size > 0) continue
        const { market, issuerId } = profile
        wholeFilings.push({ market, issuerId, whole, source: 'dataSet', periodEnd })
        // A filing without mapped figures is on record, too.
        filings.push(filing)
        figures += figureCountOf(whole)
      }
    }
    const reportedFacts = data.takeFacts(entity)
    if (reportedFacts.length + filings.length > 0) parsed.push({ profile, reportedFacts, filings })
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
  #listed: readonly Submission[] | null = null
  readonly concepts = new DataSetConcepts()
  #sub: LineFields | null = null
  #num: LineFields | null = null

  /** Reads a line of `sub.txt`. Throws a Failure that names the fault. */
  readSubmission(line: string): void {
    if (this.#sub === null) {
      this.#sub = new LineFields(columnsOf(line, subColumns, 'sub.txt'))
      return
    }
    const fields = this.#sub.select(line)
    const field = (name: string) => fields.field(name)
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
    this.#listed = null
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

  /** All submissions, each accession once. */
  get submissions(): readonly Submission[] {
    this.#listed ??= [...this.#submissions.values()]
    return this.#listed
  }

  /** Reads a line of `num.txt`. */
  readFigure(line: string): void {
    if (this.#num === null) this.#num = new LineFields(columnsOf(line, numColumns, 'num.txt'))
    else this.addFigure(this.#num.select(line), this.concepts.of(this.#num))
  }

  /** Only figures of the whole entity count, not those of segments or co-registrants. */
  addFigure(line: LineFields, { uses }: DataSetConcept): void {
    this.figuresRead++
    if (uses === undefined || line.field('segments') !== '' || line.field('coreg') !== '') return
    const stated = line.field('value')
    if (stated === '') return
    const submission = this.#submissions.get(line.field('adsh'))
    const end = compactDay(line.field('ddate'))
    const quarters = numberOf(line.field('qtrs'))
    const value = numberOf(stated)
    if (submission === undefined || !(end > 0) || !Number.isInteger(quarters) || Number.isNaN(value)) {
      throw new Failure('body_invalid', 'A figure must have a known `adsh`, and `ddate`, `qtrs` and `value`.')
    }
    if (quarters < 0 || quarters > 4) {
      this.unplaced++
      return
    }
    const start = quarters === 0 ? null : startOfMonths(end, quarters * 3)
    for (const { tag, metric, concept } of uses) {
      const unit = unitOf(line.field('uom'), concept.unitKind)
      if (unit === null || (concept.kind === 'flow') !== (start !== null)) continue
      const { entity, filing } = submission
      entity.reportedFacts.push({ metric, tag, unit, start, end, value, rounded: true, filing })
    }
  }

  /** Hands over the facts read since the last call, one entity at a time. */
  *take(): Generator<ParsedDocument> {
    for (const entity of this.#entities.values()) {
      const reportedFacts = this.takeFacts(entity)
      if (reportedFacts.length > 0) yield { profile: entity.profile, reportedFacts, filings: [] }
    }
  }

  /** Hands over the facts of an entity read since the last call. */
  takeFacts(entity: Entity): readonly ReportedFact[] {
    const { reportedFacts } = entity
    entity.reportedFacts = []
    return reportedFacts
  }
}

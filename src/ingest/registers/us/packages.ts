import { dayNumber, isIsoDate } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import { type Filing, type ReportedFact, unknownFilingDate } from '../../../facts/reportedFact.ts'
import type { WholeFiling } from '../../../wholeFilings/wholeFiling.ts'
import { type Entry, messageOf, readEntry } from '../../reading/archives.ts'
import { isRecord, textOf } from '../../reading/fields.ts'
import { parseJson } from '../../reading/json.ts'
import { NamedFaults } from '../../reading/namedFaults.ts'
import type { ReadUnit } from '../../reading/progress.ts'
import {
  type DocumentContent,
  LeftOut,
  maxDocumentBytes,
  type SetProgress,
  type ZipSet,
} from '../registerInterface.ts'
import { type PackageContent, readFilingPackage } from './filingPackage.ts'
import { StatedFigures, targetsOf } from './statedFigures.ts'
import { cikOf } from './tickers.ts'

const partNames = /\.(xml|xsd|x?html?)$/i
const metadataName = /(^|\/)metadata\.json$/i

/** Reads the `*-xbrl.zip` of a filing; null if the zip is none: it has a schema, and a report or an instance. */
export function readPackage(set: ZipSet, progress: SetProgress): AsyncIterable<ReadUnit> | null {
  const names = set.entries.map(({ fileName }) => fileName)
  const isPackage =
    names.some(name => /\.xsd$/i.test(name)) && names.some(name => /\.(xml|x?html?)$/i.test(name))
  return isPackage ? readParts(set, progress) : null
}

async function* readParts(set: ZipSet, progress: SetProgress): AsyncGenerator<ReadUnit> {
  try {
    const parts = set.entries.filter(
      ({ fileName }) => partNames.test(fileName) || metadataName.test(fileName),
    )
    const named = accessionIn(set.path)
    const contentKey = contentKeyOf(named, parts)
    if (progress.isKnown(contentKey)) return
    refuseLarge(parts)
    const documents: { name: string; bytes: Uint8Array }[] = []
    let metadata: Metadata = noMetadata
    for (const entry of parts) {
      const bytes = await readPart(set, entry)
      if (metadataName.test(entry.fileName)) metadata = readMetadata(bytes, entry.fileName)
      else documents.push({ name: entry.fileName, bytes })
    }
    const accession = accessionOf(named, metadata)
    const content = contentOf(readFilingPackage(accession, documents), metadata)
    progress.content(set.path, content)
    const { parsed, statements, wholeFilings } = content
    yield {
      parsed,
      ...(statements === undefined ? {} : { statements }),
      ...(wholeFilings === undefined ? {} : { wholeFilings }),
      receipt: { contentKey, name: set.path },
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    progress.skip(set.path, messageOf(error))
  }
}

/** Packages of the largest filings have some 60 MB. All of it is in memory, and several times as much while it is read. */
const maxPackageBytes = 256 * 1024 * 1024

function refuseLarge(parts: readonly Entry[]): void {
  let bytes = 0
  for (const { fileName, uncompressedSize, compressedSize } of parts) {
    const size = Math.max(uncompressedSize, compressedSize)
    bytes += size
    if (size > maxDocumentBytes)
      throw new Failure(
        'body_too_large',
        `${fileName} is ${Math.ceil(size / 1e6)} MB; the limit is ${Math.floor(maxDocumentBytes / 1e6)} MB.`,
      )
  }
  if (bytes > maxPackageBytes)
    throw new Failure(
      'body_too_large',
      `The package is ${Math.ceil(bytes / 1e6)} MB unpacked; the limit is ${Math.floor(maxPackageBytes / 1e6)} MB.`,
    )
}

async function readPart({ zip }: ZipSet, entry: Entry): Promise<Uint8Array> {
  try {
    return await readEntry(zip, entry)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(error.code, `${entry.fileName}: ${error.message}`)
  }
}

const accessionPattern = /\d{10}-\d\d-\d{6}/

const accessionIn = (path: string): string | null =>
  accessionPattern.exec(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1))?.[0] ?? null

/** The order of the entries does not matter; the zip's name does if it names the filing. */
function contentKeyOf(accession: string | null, parts: readonly Entry[]): string {
  const lines = parts.map(
    ({ fileName, crc32, uncompressedSize }) => `${fileName} ${crc32} ${uncompressedSize}`,
  )
  return `package-${accession ?? ''}-${Bun.hash.xxHash3(lines.sort().join('\n')).toString(36)}`
}

/** What the file that some tools add to a package says about the filing. */
interface Metadata {
  readonly accession: string | null
  readonly filed: number | null
  readonly form: string | null
}

const noMetadata: Metadata = { accession: null, filed: null, form: null }

function readMetadata(bytes: Uint8Array, name: string): Metadata {
  let document: unknown
  try {
    document = parseJson(bytes)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(error.code, `${name}, ${error.message}`)
  }
  const { accession_no, filing_date, form } = isRecord(document) ? document : {}
  const isAccession = typeof accession_no === 'string' && /^\d{10}-\d\d-\d{6}$/.test(accession_no)
  if (filing_date !== undefined && !(typeof filing_date === 'string' && isIsoDate(filing_date)))
    throw new Failure('body_invalid', `${name}: filing_date is not a day, YYYY-MM-DD.`)
  return {
    accession: isAccession ? accession_no : null,
    filed: filing_date === undefined ? null : dayNumber(filing_date),
    form: textOf(form),
  }
}

function accessionOf(named: string | null, { accession }: Metadata): string {
  if (named !== null && accession !== null && named !== accession)
    throw new Failure(
      'body_invalid',
      `The zip is named after filing ${named}, but its metadata.json describes filing ${accession}. Rename the zip.`,
    )
  const found = named ?? accession
  if (found === null)
    throw new Failure(
      'body_invalid',
      'The package does not say which filing it is. Name the zip after the accession number, as in 0000320193-25-000057-xbrl.zip.',
    )
  return found
}

function contentOf(
  { filing: whole, cover, faults, unreadFigures, missing }: PackageContent,
  metadata: Metadata,
): DocumentContent {
  if (unreadFigures > 0)
    throw new Failure(
      'body_invalid',
      `${unreadFigures} of its figures cannot be read: ${faults.named.slice(0, Math.min(3, unreadFigures)).join('; ')}.`,
    )
  const issuerId = issuerIdOf(cover.entities)
  const { accession } = whole
  const { periodEnd, fiscalYearEnd } = cover
  const companyName = textOf(cover.companyName)
  const form = textOf(cover.form) ?? metadata.form
  if (form === null)
    throw new Failure('body_invalid', 'The cover page does not state the form: dei:DocumentType is missing.')
  const filing: Filing = {
    accession,
    form,
    filed: metadata.filed ?? unknownFilingDate,
    acceptedAt: null,
    ...(fiscalYearEnd === null ? {} : { fiscalYearEnd }),
    ...(companyName === null ? {} : { companyName }),
  }
  const named = companyName === null ? {} : { name: companyName, nameIsFallback: true }
  const contradictions = new NamedFaults()
  contradictions.addAll(faults)
  const reportedFacts = mappedFacts(whole, filing, contradictions)
  const leftOut = new LeftOut()
  for (const part of missing) leftOut.add(`${part} that the package of a filing lacks`)
  return {
    parsed: [
      { profile: { market: 'US', issuerId, ...named, registers: true }, reportedFacts, filings: [filing] },
    ],
    statements: {
      entries: [],
      indexes: [],
      formerNames: [],
      covers: [{ market: 'US', issuerId, accession, symbols: cover.symbols }],
    },
    wholeFilings: [
      {
        market: 'US',
        issuerId,
        whole,
        // Without statements it must not replace a data set, which has them.
        source: whole.statements.length === 0 ? 'figures' : 'documents',
        periodEnd,
      },
    ],
    figuresRead: whole.figures.length,
    malformed: 0,
    contradictions,
    leftOut: leftOut.counts,
  }
}

function issuerIdOf(entities: ReadonlySet<string>): string {
  const [cik = null, other] = new Set([...entities].map(cikOf))
  if (cik === null || other !== undefined)
    throw new Failure(
      'body_invalid',
      `The contexts must name one company by its CIK, but they name ${[...entities].slice(0, 3).join(' and ') || 'none'}.`,
    )
  return cik
}

/** Taxonomies by the part of their namespaces that names them, as companyfacts names them. */
const taxonomyNamespace =
  /^https?:\/\/(?:fasb\.org|xbrl\.us|xbrl\.sec\.gov|xbrl\.ifrs\.org\/taxonomy\/[\d-]+)\/([a-z-]+)(?:\/|$)/

/** The figures of the whole company under tags that the service uses. */
function mappedFacts(
  { figures, taxonomies, accession }: WholeFiling,
  filing: Filing,
  contradictions: NamedFaults,
): ReportedFact[] {
  const facts: ReportedFact[] = []
  const byTag = new Map<string, { targets: ReturnType<typeof targetsOf>; stated: StatedFigures }>()
  for (const { concept, context, unit, value } of figures) {
    if (context.dimensions.length > 0 || value === null) continue
    const key = `${concept} ${unit}`
    let known = byTag.get(key)
    if (known === undefined) {
      const colon = concept.indexOf(':')
      const taxonomy = taxonomyNamespace.exec(taxonomies.get(concept.slice(0, colon)) ?? '')?.[1]
      const targets = taxonomy === undefined ? [] : targetsOf(taxonomy + concept.slice(colon), unit)
      known = { targets, stated: new StatedFigures(facts, contradictions) }
      byTag.set(key, known)
    }
    const number = Number(value)
    if (known.targets.length === 0 || !Number.isFinite(number)) continue
    const { start, end } = context
    known.stated.add(
      known.targets,
      { filing, start, end, value: number },
      () => `${concept} ${unit} in ${accession}`,
    )
  }
  for (const { stated } of byTag.values()) stated.finish()
  return facts
}

import { Failure } from '../../../errors.ts'
import { type Entry, readEntry, type ZipFile } from '../../reading/archives.ts'
import { decodeUtf8 } from '../../reading/json.ts'
import type { ReadUnit } from '../../reading/progress.ts'
import { readInline } from '../../xbrl/inline.ts'
import {
  contentWithoutFigures,
  type DocumentContent,
  maxDocumentBytes,
  type SetProgress,
  Tally,
  type ZipSet,
} from '../registerInterface.ts'
import { reportContent } from './figures.ts'
import { readJapaneseReport } from './readDocument.ts'
import { parseReportName, type ReportName, reasonLeftOut } from './report.ts'
import { type LinkbaseDocument, readPresentations } from './wholeReport.ts'
import { parseXbrlReport } from './xbrlReport.ts'

/**
 * Reads a zip of reports (type 1): the instance that EDINET generates from the inline documents or, if it is not
 * included, the inline documents, which state the same; with the linkbases that present their figures. Null for a
 * zip of reports without either.
 */
export function readInlineSet(set: ZipSet, progress: SetProgress): AsyncIterable<ReadUnit> | null {
  const reports = reportsOf(set)
  const isSet = reports.some(
    ({ entries, linkbases }) => linkbases.length > 0 || inlineDocument.test(entries[0].fileName),
  )
  return isSet ? readReports(set, reports, progress) : null
}

const inlineDocument = /_ixbrl\.html?$/i

/** One report of a zip: all its inline documents, or one file that is read on its own. */
interface ZippedReport {
  readonly name: ReportName
  readonly path: string
  readonly entries: readonly Entry[]
  /** Its schema and its linkbases. */
  readonly linkbases: readonly Entry[]
}

function reportsOf({ path, entries }: ZipSet): ZippedReport[] {
  const inline = new Map<string, { name: ReportName; entries: Entry[] }>()
  const plain = new Map<string, Omit<ZippedReport, 'linkbases'>>()
  const linkbases = new Map<string, Entry[]>()
  for (const entry of entries) {
    const presented = linkbaseName.exec(entry.fileName)?.[1]
    if (presented !== undefined) {
      const known = linkbases.get(presented)
      if (known === undefined) linkbases.set(presented, [entry])
      else known.push(entry)
      continue
    }
    const entryPath = `${path}!${entry.fileName}`
    const name = parseReportName(entryPath)
    if (name === null) continue
    const key = entry.fileName.slice(0, entry.fileName.lastIndexOf('/') + 1) + name.stem
    if (inlineDocument.test(entry.fileName)) {
      const known = inline.get(key) ?? { name, entries: [] }
      known.entries.push(entry)
      inline.set(key, known)
    } else if (/\.(xbrl|csv)$/i.test(entry.fileName)) {
      plain.set(key, { name, path: entryPath, entries: [entry] })
    }
  }
  const inlineOnly = [...inline].filter(([key]) => !plain.has(key))
  const reports = [
    ...plain,
    ...inlineOnly.map(([key, report]) => [key, { ...report, path: `${path}!${key}` }] as const),
  ]
  return reports.map(([key, report]) => ({ ...report, linkbases: linkbases.get(key) ?? [] }))
}

/** The schema and the linkbases that may present a report, after its folder and stem. */
const linkbaseName = /^(.*)(?:\.xsd|_(?:pre|cal|def|lab|lab-en)\.xml)$/i

/** Entries that would be read as lists on their own. */
const isList = /\.(csv|json)$/i

async function* readReports(
  set: ZipSet,
  reports: readonly ZippedReport[],
  progress: SetProgress,
): AsyncGenerator<ReadUnit> {
  for (const { fileName } of set.entries) {
    if (isList.test(fileName) && parseReportName(fileName) === null)
      progress.skip(
        `${set.path}!${fileName}`,
        'Import this file separately: only reports are read from a zip of inline reports.',
      )
  }
  for (const [done, zipped] of reports.entries()) {
    const contentKey = `${[...zipped.entries, ...zipped.linkbases].map(({ crc32 }) => crc32.toString(36)).join('-')}-${zipped.name.stem}`
    if (!progress.isKnown(contentKey)) {
      const content = await readGuarded(set, zipped, progress)
      if (content !== null) {
        progress.content(zipped.path, content)
        yield {
          parsed: content.parsed,
          wholeFilings: content.wholeFilings ?? [],
          receipt: { contentKey, name: zipped.path },
        }
      }
    }
    progress.progress((done + 1) / reports.length)
  }
}

async function readGuarded(
  set: ZipSet,
  zipped: ZippedReport,
  progress: SetProgress,
): Promise<DocumentContent | null> {
  try {
    return await readReport(set, zipped)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    progress.skip(zipped.path, error.message)
    return null
  }
}

async function readReport(
  { zip }: ZipSet,
  { name, path, entries, linkbases }: ZippedReport,
): Promise<DocumentContent> {
  refuseLarge([...entries, ...linkbases])
  const tally = new Tally()
  const reason = reasonLeftOut(name)
  if (reason !== null) {
    tally.leftOut.add(reason)
    return contentWithoutFigures([], tally.leftOut)
  }
  if (!inlineDocument.test(entries[0].fileName)) {
    return readJapaneseReport(
      { name: path, bytes: await readEntry(zip, entries[0]) },
      await readTexts(zip, linkbases),
    )
  }
  const instance = readInline(await readTexts(zip, entries))
  const presentations = readPresentations(await readTexts(zip, linkbases), tally)
  return reportContent(parseXbrlReport(instance, path, name, tally, presentations), tally)
}

async function readTexts(zip: ZipFile, entries: readonly Entry[]): Promise<LinkbaseDocument[]> {
  const documents: LinkbaseDocument[] = []
  for (const entry of entries) {
    documents.push({ name: entry.fileName, text: decodeUtf8(await readEntry(zip, entry)) })
  }
  return documents
}

/** Toyota's report of 2025 has 24. */
const maxDocuments = 200

/** An entry may misstate either size, so the larger one counts. */
function refuseLarge(entries: readonly Entry[]): void {
  if (entries.length > maxDocuments) {
    throw new Failure(
      'body_too_large',
      `The report has ${entries.length} inline documents; the limit is ${maxDocuments}.`,
    )
  }
  const bytes = entries.reduce(
    (sum, entry) => sum + Math.max(entry.uncompressedSize, entry.compressedSize),
    0,
  )
  if (bytes > maxDocumentBytes) {
    throw new Failure(
      'body_too_large',
      `The report is ${Math.ceil(bytes / 1e6)} MB; the limit is ${Math.floor(maxDocumentBytes / 1e6)} MB.`,
    )
  }
}

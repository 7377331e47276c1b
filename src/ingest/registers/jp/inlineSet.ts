import { Failure } from '../../../errors.ts'
import { type Entry, readEntry } from '../../reading/archives.ts'
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
import { parseXbrlReport } from './xbrlReport.ts'

/**
 * Reads a zip of reports (type 1) whose inline documents come without the instance that EDINET generates from
 * them. If the instance is included, it is read like any document instead: both state the same.
 */
export function readInlineSet(set: ZipSet, progress: SetProgress): AsyncIterable<ReadUnit> | null {
  const reports = reportsOf(set)
  const hasInlineOnly = reports.some(({ entries }) => inlineDocument.test(entries[0].fileName))
  return hasInlineOnly ? readReports(set, reports, progress) : null
}

const inlineDocument = /_ixbrl\.html?$/i

/** One report of a zip: all its inline documents, or one file that is read on its own. */
interface ZippedReport {
  readonly name: ReportName
  readonly path: string
  readonly entries: readonly Entry[]
}

function reportsOf({ path, entries }: ZipSet): ZippedReport[] {
  const inline = new Map<string, { name: ReportName; entries: Entry[] }>()
  const plain = new Map<string, ZippedReport>()
  for (const entry of entries) {
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
  return [
    ...plain.values(),
    ...inlineOnly.map(([key, { name, entries }]) => ({ name, path: `${path}!${key}`, entries })),
  ]
}

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
    const contentKey = `${zipped.entries.map(({ crc32 }) => crc32.toString(36)).join('-')}-${zipped.name.stem}`
    if (!progress.isKnown(contentKey)) {
      const content = await readGuarded(set, zipped, progress)
      if (content !== null) {
        progress.content(zipped.path, content)
        yield { parsed: content.parsed, receipt: { contentKey, name: zipped.path } }
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

async function readReport({ zip }: ZipSet, { name, path, entries }: ZippedReport): Promise<DocumentContent> {
  refuseLarge(entries)
  const tally = new Tally()
  const reason = reasonLeftOut(name)
  if (reason !== null) {
    tally.leftOut.add(reason)
    return contentWithoutFigures([], tally.leftOut)
  }
  if (!inlineDocument.test(entries[0].fileName)) {
    return readJapaneseReport({ name: path, bytes: await readEntry(zip, entries[0]) })
  }
  const documents: { name: string; text: string }[] = []
  for (const entry of entries) {
    documents.push({ name: entry.fileName, text: decodeUtf8(await readEntry(zip, entry)) })
  }
  return reportContent(parseXbrlReport(readInline(documents), path, name, tally), tally)
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

import { Failure } from '../../../errors.ts'
import { type Entry, readEntry } from '../../reading/archives.ts'
import { decodeUtf8 } from '../../reading/json.ts'
import type { ReadUnit } from '../../reading/progress.ts'
import { readInline } from '../../xbrl/inline.ts'
import { type DocumentContent, largestDocumentBytes, type PackedSet, type SetReport } from '../register.ts'
import { readDocument, reportContent } from './readDocument.ts'
import { LeftOut, parseReportName, type ReportName, reasonLeftOut } from './report.ts'
import { instanceReport } from './xbrlReport.ts'

const inlineDocument = /_ixbrl\.html?$/i

/** What would be read as a list by itself. */
const isList = /\.(csv|json)$/i

/** Toyota's report of 2025 has 24. */
const mostDocuments = 200

/** One report of a zip: all its inline documents, or one file that is read by itself. */
interface ZippedReport {
  readonly name: ReportName
  readonly path: string
  readonly entries: readonly Entry[]
}

/** Reads a zip of reports (type 1) whose inline documents lie without the instance that EDINET makes of them. Where it
 * lies beside them, it is read like any document: the two say the same. */
export function readInlineSet(set: PackedSet, report: SetReport): AsyncIterable<ReadUnit> | null {
  const reports = reportsOf(set)
  const lone = reports.some(({ entries }) => inlineDocument.test(entries[0].fileName))
  return lone ? readReports(set, reports, report) : null
}

function reportsOf({ path, entries }: PackedSet): ZippedReport[] {
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
  const lone = [...inline].filter(([key]) => !plain.has(key))
  return [
    ...plain.values(),
    ...lone.map(([key, { name, entries }]) => ({ name, path: `${path}!${key}`, entries })),
  ]
}

async function* readReports(
  set: PackedSet,
  reports: readonly ZippedReport[],
  report: SetReport,
): AsyncGenerator<ReadUnit> {
  for (const { fileName } of set.entries) {
    if (isList.test(fileName) && parseReportName(fileName) === null)
      report.skip(
        `${set.path}!${fileName}`,
        'Give it by itself: a zip of inline reports is read for its reports.',
      )
  }
  for (const [done, zipped] of reports.entries()) {
    const contentKey = `${zipped.entries.map(({ crc32 }) => crc32.toString(36)).join('-')}-${zipped.name.stem}`
    if (!report.isKnown(contentKey)) {
      const content = await readGuarded(set, zipped, report)
      if (content !== null) {
        report.figures(content.figuresRead)
        report.malformed(content.malformed)
        for (const [reason, count] of Object.entries(content.leftOut ?? {})) report.leftOut(reason, count)
        yield { contributions: content.contributions, receipt: { contentKey, name: zipped.path } }
      }
    }
    report.progress((done + 1) / reports.length)
  }
}

async function readGuarded(
  set: PackedSet,
  zipped: ZippedReport,
  report: SetReport,
): Promise<DocumentContent | null> {
  try {
    return await readReport(set, zipped)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    report.skip(zipped.path, error.message)
    return null
  }
}

async function readReport(
  { zip }: PackedSet,
  { name, path, entries }: ZippedReport,
): Promise<DocumentContent> {
  if (entries.length > mostDocuments) {
    throw new Failure(
      'body_too_large',
      `The report has ${entries.length} inline documents; at most ${mostDocuments} are read.`,
    )
  }
  const bytes = entries.reduce(
    (sum, entry) => sum + Math.max(entry.uncompressedSize, entry.compressedSize),
    0,
  )
  if (bytes > largestDocumentBytes) {
    throw new Failure(
      'body_too_large',
      `The report has ${Math.ceil(bytes / 1e6)} MB; at most ${Math.floor(largestDocumentBytes / 1e6)} MB are read.`,
    )
  }
  const leftOut = new LeftOut()
  const reason = reasonLeftOut(name)
  if (reason !== null) leftOut.add(reason)
  if (reason !== null) return { contributions: [], figuresRead: 0, malformed: 0, leftOut: leftOut.counts }
  if (!inlineDocument.test(entries[0].fileName)) {
    return readDocument({ name: path, bytes: await readEntry(zip, entries[0]) })
  }
  const documents: { name: string; text: string }[] = []
  for (const entry of entries) {
    documents.push({ name: entry.fileName, text: decodeUtf8(await readEntry(zip, entry)) })
  }
  return reportContent(instanceReport(readInline(documents), path, name, leftOut), leftOut)
}

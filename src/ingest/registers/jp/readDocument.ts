import { Failure } from '../../../errors.ts'
import { decodeUtf8, parseJson } from '../../reading/json.ts'
import { decodeText } from '../../reading/text.ts'
import { readXbrl } from '../../xbrl/instance.ts'
import type { Linkbases } from '../../xbrl/linkbase.ts'
import {
  contentWithoutFigures,
  type DocumentContent,
  type SourceDocument,
  Tally,
} from '../registerInterface.ts'
import { isCodeList, parseCodeList } from './codeList.ts'
import { parseCsvReport, wholeCsvReport } from './csvReport.ts'
import {
  isDocumentTable,
  type ListedDocument,
  listedFilings,
  parseCsvDocumentList,
  parseJsonDocumentList,
} from './documentList.ts'
import { reportContent } from './figures.ts'
import { parseReportName, type ReportName, reasonLeftOut } from './report.ts'
import { wholeReport } from './wholeReport.ts'
import { parseXbrlReport } from './xbrlReport.ts'

/**
 * Recognises reports by the names that EDINET gives them, and lists by their content.
 *
 * @param linkbases those of the report, if its file is an instance from a zip that has them
 */
export function readJapaneseReport(
  { name: path, bytes }: SourceDocument,
  linkbases: Linkbases | null = null,
): DocumentContent {
  const name = parseReportName(path)
  const content = name === null ? readList(path, bytes) : readReport(path, name, bytes, linkbases)
  if (content !== null) return content
  throw new Failure(
    'body_invalid',
    'This is neither a list of EDINET codes or documents, nor a report with the file name that EDINET gave it, like jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl.',
  )
}

/** Returns null if it is not a list of the register. */
function readList(path: string, bytes: Uint8Array): DocumentContent | null {
  const tally = new Tally()
  if (/\.json$/i.test(path)) return listContent(parseJsonDocumentList(parseJson(bytes)), tally)
  if (!/\.csv$/i.test(path)) return null
  const text = decodeText(bytes, 'shift_jis')
  if (isCodeList(text)) {
    const profiles = parseCodeList(text, tally.leftOut)
    const parsed = profiles.map(profile => ({ profile, reportedFacts: [], filings: [] }))
    return contentWithoutFigures(parsed, tally.leftOut)
  }
  return isDocumentTable(text) ? listContent(parseCsvDocumentList(text), tally) : null
}

const listContent = (documents: readonly ListedDocument[], tally: Tally): DocumentContent => ({
  parsed: listedFilings(documents, tally),
  figuresRead: 0,
  ...tally.counts,
})

function readReport(
  path: string,
  name: ReportName,
  bytes: Uint8Array,
  linkbases: Linkbases | null,
): DocumentContent {
  const tally = new Tally()
  const reason = reasonLeftOut(name)
  if (reason !== null) {
    tally.leftOut.add(reason)
    return contentWithoutFigures([], tally.leftOut)
  }
  if (/\.csv$/i.test(path)) {
    const report = parseCsvReport(decodeText(bytes, 'utf-8'), path, name, tally)
    return reportContent(report, tally, wholeCsvReport)
  }
  const instance = readXbrl(decodeUtf8(bytes))
  const report = parseXbrlReport(instance, path, name, tally)
  return reportContent(report, tally, read => wholeReport(instance, read, linkbases, tally))
}

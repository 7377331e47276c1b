import { Failure } from '../../../errors.ts'
import { decodeUtf8, parseJson } from '../../reading/json.ts'
import { decodeText } from '../../reading/text.ts'
import { readXbrl } from '../../xbrl/instance.ts'
import {
  contentWithoutFigures,
  type DocumentContent,
  type SourceDocument,
  Tally,
} from '../registerInterface.ts'
import { isCodeList, parseCodeList } from './codeList.ts'
import { parseCsvReport } from './csvReport.ts'
import {
  isDocumentTable,
  type ListedDocument,
  listedFilings,
  parseCsvDocumentList,
  parseJsonDocumentList,
} from './documentList.ts'
import { reportContent } from './figures.ts'
import { parseReportName, type ReportName, reasonLeftOut } from './report.ts'
import { type LinkbaseDocument, readPresentations } from './wholeReport.ts'
import { parseXbrlReport } from './xbrlReport.ts'

/**
 * Recognises reports by the names that EDINET gives them, and lists by their content.
 *
 * @param linkbases the schema and the linkbases that came with a report
 */
export function readJapaneseReport(
  { name: path, bytes }: SourceDocument,
  linkbases: readonly LinkbaseDocument[] = [],
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
  linkbases: readonly LinkbaseDocument[],
): DocumentContent {
  const tally = new Tally()
  const reason = reasonLeftOut(name)
  if (reason !== null) {
    tally.leftOut.add(reason)
    return contentWithoutFigures([], tally.leftOut)
  }
  const report = /\.csv$/i.test(path)
    ? parseCsvReport(decodeText(bytes, 'utf-8'), path, name, tally)
    : parseXbrlReport(readXbrl(decodeUtf8(bytes)), path, name, tally, readPresentations(linkbases, tally))
  return reportContent(report, tally)
}

import { Failure } from '../../../errors.ts'
import type { Contribution } from '../../../facts/reportedFact.ts'
import { decodeUtf8, parseJson } from '../../reading/json.ts'
import { decodeText } from '../../reading/text.ts'
import { readXbrl } from '../../xbrl/instance.ts'
import type { DocumentContent, SourceDocument } from '../register.ts'
import { csvReport } from './csvReport.ts'
import { reportContribution } from './figures.ts'
import {
  documentsOfCsv,
  documentsOfJson,
  isCodeList,
  isDocumentTable,
  listedFilings,
  parseCodeList,
} from './lists.ts'
import { LeftOut, parseReportName, type Report, type ReportName, reasonLeftOut } from './report.ts'
import { instanceReport } from './xbrlReport.ts'

/** What a document of EDINET contributes. Reports are known by their names, lists by their content. */
export function readDocument({ name: path, bytes }: SourceDocument): DocumentContent {
  const name = parseReportName(path)
  if (name !== null) return readReport(path, name, bytes)
  const leftOut = new LeftOut()
  if (/\.json$/i.test(path)) return listed(listedFilings(documentsOfJson(parseJson(bytes)), leftOut), leftOut)
  if (/\.csv$/i.test(path)) {
    const text = decodeText(bytes, 'shift_jis')
    if (isCodeList(text)) {
      const profiles = parseCodeList(text, leftOut)
      return listed(
        profiles.map(profile => ({ profile, statements: [], filings: [] })),
        leftOut,
      )
    }
    if (isDocumentTable(text)) return listed(listedFilings(documentsOfCsv(text), leftOut), leftOut)
  }
  throw new Failure(
    'body_invalid',
    'This is neither a list of EDINET codes or of documents, nor a report under the name that EDINET gave it, as in jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl.',
  )
}

const listed = (contributions: readonly Contribution[], leftOut: LeftOut): DocumentContent => ({
  contributions,
  figuresRead: 0,
  malformed: 0,
  leftOut: leftOut.counts,
})

function readReport(path: string, name: ReportName, bytes: Uint8Array): DocumentContent {
  const leftOut = new LeftOut()
  const reason = reasonLeftOut(name)
  if (reason !== null) {
    leftOut.add(reason)
    return listed([], leftOut)
  }
  if (/\.csv$/i.test(path)) {
    return reportContent(csvReport(decodeText(bytes, 'utf-8'), path, name, leftOut), leftOut)
  }
  return reportContent(instanceReport(readXbrl(decodeUtf8(bytes)), path, name, leftOut), leftOut)
}

export function reportContent(report: Report | null, leftOut: LeftOut): DocumentContent {
  if (report === null) return listed([], leftOut)
  const { contribution, malformed } = reportContribution(report, leftOut)
  return {
    contributions: [contribution],
    figuresRead: report.figuresRead,
    malformed,
    leftOut: leftOut.counts,
  }
}

import { decodeUtf8, parseJson } from '../reading/parseJson.ts'
import { parseJsonLines } from '../reading/parseJsonLines.ts'
import type { DocumentContent, SourceDocument } from '../register.ts'
import { ClosingMonths } from './closingMonths.ts'
import { parseCorpCode } from './corpCode.ts'
import { readDocument } from './readDocument.ts'

/** Reads the documents of one import. Statements have no dates: in which month a company's years end is in its overview,
 * which may come in another file and after them. */
export function readTogether(): (document: SourceDocument) => DocumentContent {
  const months = new ClosingMonths()
  return ({ name, bytes }) => {
    if (/\.xml$/i.test(name)) return parseCorpCode(decodeUtf8(bytes))
    if (/\.jsonl$/i.test(name)) return readDocument(parseJsonLines(bytes), name, months)
    const document = parseJson(bytes)
    const answers = Array.isArray(document)
      ? document.map((one, index) => ({ document: one, place: `answer ${index + 1}: ` }))
      : [{ document, place: '' }]
    return readDocument(answers, name, months)
  }
}

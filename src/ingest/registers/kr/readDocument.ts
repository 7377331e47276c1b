import { decodeUtf8, parseJson, parseJsonLines } from '../../reading/json.ts'
import type { DocumentContent, SourceDocument } from '../registerInterface.ts'
import { readAccounts } from './accounts.ts'
import { ClosingMonths } from './closingMonth.ts'
import { readCorpCode } from './companies.ts'

/** Reads one document without the others of its import. */
export const readKoreanReport = (document: SourceDocument): DocumentContent => createReader()(document)

/**
 * Creates the reader of one import. Statements have no dates; the month in which a company's years end is in
 * its overview, which may be in a later file.
 */
export function createReader(): (document: SourceDocument) => DocumentContent {
  const months = new ClosingMonths()
  return ({ name, bytes }) => {
    if (/\.xml$/i.test(name)) return readCorpCode(decodeUtf8(bytes))
    if (/\.jsonl$/i.test(name)) return readAccounts(parseJsonLines(bytes), name, months)
    const document = parseJson(bytes)
    const answers = Array.isArray(document)
      ? document.map((one, index) => ({ document: one, location: `response ${index + 1}: ` }))
      : [{ document, location: '' }]
    return readAccounts(answers, name, months)
  }
}

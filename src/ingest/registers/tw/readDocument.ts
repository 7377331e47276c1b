import { decodeUtf8, parseExactJson } from '../../reading/json.ts'
import type { DocumentContent, SourceDocument } from '../registerInterface.ts'
import { isCompanyList, readCompanyList } from './companyList.ts'
import { readHistory } from './history.ts'
import { readTable } from './tables.ts'

/**
 * Reads an archive of income statements in CSV, or an open-data table in JSON: figures, or the list of
 * companies.
 */
export function readTaiwaneseReport({ name, bytes }: SourceDocument): DocumentContent {
  if (/\.csv$/i.test(name)) return readHistory(decodeUtf8(bytes))
  const document = parseExactJson(bytes)
  return isCompanyList(document) ? readCompanyList(document) : readTable(document, name)
}

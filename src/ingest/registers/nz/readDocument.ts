import { parseExactJson } from '../../reading/json.ts'
import type { DocumentContent, SourceDocument } from '../registerInterface.ts'
import { readReturns } from './returns.ts'

/**
 * Lists of annual returns and lists of organisations have the same format: both are read as returns, the
 * latter without figures.
 */
export const readNewZealandReport = ({ bytes }: SourceDocument): DocumentContent =>
  readReturns(parseExactJson(bytes))

import { decodeUtf8, parseJson } from '../../reading/json.ts'
import type { DocumentContent, SourceDocument } from '../registerInterface.ts'
import { readHistory } from './history.ts'
import { readTable } from './tables.ts'

/** An archive of income statements in CSV, or a table of the open data in JSON. */
export const readDocument = ({ name, bytes }: SourceDocument): DocumentContent =>
  /\.csv$/i.test(name) ? readHistory(decodeUtf8(bytes)) : readTable(parseJson(bytes), name)

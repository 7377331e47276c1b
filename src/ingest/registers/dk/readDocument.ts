import { decodeUtf8, parseJson } from '../../reading/json.ts'
import type { DocumentContent, SourceDocument } from '../registerInterface.ts'
import { readPublications } from './publications.ts'
import { readReport } from './reports.ts'

/** The index of publications in JSON, or a published report in XBRL. */
export const readDanishReport = ({ name, bytes }: SourceDocument): DocumentContent =>
  /\.json$/i.test(name) ? readPublications(parseJson(bytes)) : readReport(decodeUtf8(bytes), name)

import { decodeUtf8, parseJson } from '../../reading/json.ts'
import type { DocumentContent, Register, SourceDocument } from '../register.ts'
import { concepts, twRules } from './concepts.ts'
import { readHistory } from './history.ts'
import { readTable } from './readDocument.ts'

const read = ({ name, bytes }: SourceDocument): DocumentContent =>
  /\.csv$/i.test(name) ? readHistory(decodeUtf8(bytes)) : readTable(parseJson(bytes), name)

/** The Taiwan Stock Exchange's open data, from the Market Observation Post System. */
export const tw: Register = {
  market: 'TW',
  name: 'TWSE OpenAPI and MOPS (Taiwan)',
  rules: twRules,
  overwrites: true,
  documentNames: /\.(json|csv)$/i,
  mapping: `2 ${JSON.stringify(concepts)}`,
  readDocument: read,
  help: `
  t187ap06_L_*.json         income statements of the latest quarter (_ci _basi _bd _fh _ins _mim by industry)
  t187ap07_L_*.json         balance sheets of the latest quarter
  *.csv, *.csv.gz           an archive of income statements, cumulative, in thousands
  a folder or a zip         every .json and .csv in it

The register overwrites: keep every pull. A table says itself on which day it was made; what a later one states otherwise
counts from that day, in whatever order pulls are imported.

Example:
  asfiled import tw pulls/2026-08-17 pulls/2026-11-16`,
}

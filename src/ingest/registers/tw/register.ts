import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readDocument } from './readDocument.ts'

/** The Taiwan Stock Exchange's open data, from the Market Observation Post System. */
export const twRegister: Register = {
  market: 'TW',
  name: 'TWSE OpenAPI and MOPS (Taiwan)',
  rules,
  overwrites: true,
  documentNames: /\.(json|csv)$/i,
  mapping: `2 ${JSON.stringify(concepts)}`,
  readDocument,
  help: `
  t187ap06_L_*.json         income statements of the latest quarter (_ci _basi _bd _fh _ins _mim by industry)
  t187ap07_L_*.json         balance sheets of the latest quarter
  *.csv, *.csv.gz           an archive of income statements, cumulative, in thousands
  a folder or a zip         every .json and .csv in it

The register overwrites: keep each download. A table states the day on which it was made; what a later table states
differently counts from its day, in whatever order they are imported.

Example:
  asfiled import tw pulls/2026-08-17 pulls/2026-11-16`,
}

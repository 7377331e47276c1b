import { derivationVersionOf } from '../derivationVersion.ts'
import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readTaiwaneseReport } from './readDocument.ts'

/** The Taiwan Stock Exchange's open data, from the Market Observation Post System. */
export const twRegister: Register = {
  market: 'TW',
  name: 'TWSE OpenAPI and MOPS (Taiwan)',
  concepts,
  rules,
  overwrites: true,
  documentNames: /\.(json|csv)$/i,
  derivationVersion: derivationVersionOf(import.meta.path),
  readDocument: readTaiwaneseReport,
  help: `
  t187ap06_L_*.json         Income statements of the latest quarter (_ci _basi _bd _fh _ins _mim by industry)
  t187ap07_L_*.json         Balance sheets of the latest quarter
  t187ap03_L.json           The list of companies, with their full and English names
  *.csv, *.csv.gz           An archive of income statements, cumulative, in thousands
  A folder or a zip         Every .json and .csv in it

The register overwrites earlier data: keep each download. A table states the day on which it was made. A change counts from
the day of the table that first shows it, whatever the order in which tables are imported.

Example:
  ./asfiled import tw pulls/2026-08-17 pulls/2026-11-16`,
}

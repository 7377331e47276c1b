import { derivationVersionOf } from '../derivationVersion.ts'
import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readJapaneseReport } from './readDocument.ts'
import { readReportSet } from './reportSet.ts'

/** EDINET of the Financial Services Agency of Japan. */
export const jpRegister: Register = {
  market: 'JP',
  name: 'EDINET (Japan)',
  concepts,
  rules,
  documentNames: /\.(xbrl|csv|json)$/i,
  derivationVersion: derivationVersionOf(import.meta.path),
  readDocument: document => readJapaneseReport(document),
  readSet: readReportSet,
  help: `
  EdinetcodeDlInfo.csv  Names of all filers, also in Edinetcode_*.zip
  documents*.json       Lists of documents from the API (type=2), or the same as CSV:
                        they state the minute in which each report was submitted
  S*.zip                A report as the API serves it, XBRL (type=1) or CSV (type=5)
  jpcrp*-asr-*.xbrl     An instance with the file name that EDINET gave it; the document
                        number is read from a folder name in its path, if there is one
  A folder              Every .zip, .xbrl, .csv and .json in it

Example:
  ./asfiled import jp EdinetcodeDlInfo.csv documents/ reports/`,
}

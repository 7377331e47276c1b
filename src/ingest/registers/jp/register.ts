import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readInlineSet } from './inlineSet.ts'
import { readDocument } from './readDocument.ts'

/** EDINET of the Financial Services Agency of Japan. */
export const jpRegister: Register = {
  market: 'JP',
  name: 'EDINET (Japan)',
  rules,
  documentNames: /\.(xbrl|csv|json)$/i,
  mapping: `1 ${JSON.stringify(concepts)}`,
  readDocument,
  readSet: readInlineSet,
  help: `
  EdinetcodeDlInfo.csv  names of all filers, also in Edinetcode_*.zip
  documents*.json       lists of documents from the API (type=2), or the same as CSV:
                        the minute of submission of each report
  S*.zip                a report as the API serves it, XBRL (type=1) or CSV (type=5)
  jpcrp*-asr-*.xbrl     an instance under the name that EDINET gave it; the number of
                        the document is read from a folder in its path, if one has it
  a folder              every .zip, .xbrl, .csv and .json in it

Example:
  asfiled import jp EdinetcodeDlInfo.csv documents/ reports/`,
}

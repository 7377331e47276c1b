import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readDataSet } from './dataSets.ts'
import { readDocument } from './readDocument.ts'

/** SEC EDGAR. */
export const usRegister: Register = {
  market: 'US',
  name: 'SEC EDGAR (United States)',
  rules,
  documentNames: /\.json$/i,
  mapping: JSON.stringify(concepts),
  readDocument,
  readSet: readDataSet,
  help: `
  CIK##########.json               companyfacts or submissions of one filer
  CIK##########-submissions-*.json its older submissions
  companyfacts.zip, submissions.zip  the SEC's bulk files
  company_tickers.json             tickers and names
  2009q3.zip                       a Financial Statement Data Set
  a folder                         every .json and .zip in it

Examples:
  asfiled import us companyfacts/ submissions/ company_tickers.json
  asfiled import us companyfacts.zip`,
}

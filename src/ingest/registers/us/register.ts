import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readDataSet } from './dataSets.ts'
import { readAmericanReport } from './readDocument.ts'

/** SEC EDGAR. */
export const usRegister: Register = {
  market: 'US',
  name: 'SEC EDGAR (United States)',
  concepts,
  rules,
  documentNames: /\.json$/i,
  mapping: `1 ${JSON.stringify(concepts)}`,
  readDocument: readAmericanReport,
  readSet: readDataSet,
  help: `
  CIK##########.json               Companyfacts or submissions of one filer
  CIK##########-submissions-*.json Its older submissions
  companyfacts.zip, submissions.zip  The SEC's bulk files
  company_tickers.json             Tickers and names
  2009q3.zip                       A Financial Statement Data Set
  A folder                         Every .json and .zip in it

Examples:
  ./asfiled import us companyfacts/ submissions/ company_tickers.json
  ./asfiled import us companyfacts.zip`,
}

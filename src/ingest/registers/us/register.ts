import { derivationVersionOf } from '../derivationVersion.ts'
import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readDataSet } from './dataSets.ts'
import { settleEdgarTimes } from './edgarClock.ts'
import { readPackage } from './packages.ts'
import { readAmericanReport } from './readDocument.ts'

/** SEC EDGAR. */
export const usRegister: Register = {
  market: 'US',
  name: 'SEC EDGAR (United States)',
  concepts,
  rules,
  documentNames: /\.(json|idx)$|(^|[\\/])\d{10}-\d\d-\d{6}\.txt$/i,
  derivationVersion: derivationVersionOf(import.meta.path),
  readDocument: readAmericanReport,
  readSet: (set, progress) => readDataSet(set, progress) ?? readPackage(set, progress),
  settleTimes: settleEdgarTimes,
  help: `
  CIK##########.json               Companyfacts or submissions of one filer
  CIK##########-submissions-*.json Older submissions of that filer
  companyfacts.zip, submissions.zip  The SEC's bulk files
  company_tickers.json             Tickers and names
  2009q3.zip                       A Financial Statement Data Set
  0000320193-25-000057-xbrl.zip    A filing with all figures and statements, named after its
                                   accession number
  master.idx, master.20210104.idx  EDGAR's index of a quarter or a day
  0000876661-20-000021.txt         The complete text of a Form 25 or 15
  A folder                         Every file in it with such a name, and every .zip

Examples:
  ./asfiled import us companyfacts/ submissions/ company_tickers.json
  ./asfiled import us companyfacts.zip`,
}

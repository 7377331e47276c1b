import { derivationVersionOf } from '../derivationVersion.ts'
import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readDanishReport } from './readDocument.ts'

/** Erhvervsstyrelsen, the Danish Business Authority. */
export const dkRegister: Register = {
  market: 'DK',
  name: 'the Danish Business Authority (Erhvervsstyrelsen)',
  concepts,
  rules,
  documentNames: /\.(json|xml|xbrl)$/i,
  derivationVersion: derivationVersionOf(import.meta.path),
  readDocument: readDanishReport,
  help: `
  *.json                  The index of publications: hits of offentliggoerelser/_search
  <name of document>.xml  Published reports in XBRL, named like the end of their dokumentUrl; also .xml.gz
  A folder or a zip       Every .json and .xml in it

The index states the date of each report. Reports and index may be imported in any order and in several imports; a report
without a date in any index is stored but not served.

Example:
  ./asfiled import dk offentliggoerelser.json reports/`,
}

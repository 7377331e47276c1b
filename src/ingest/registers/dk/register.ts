import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readDocument } from './readDocument.ts'

/** Erhvervsstyrelsen, the Danish Business Authority. */
export const dkRegister: Register = {
  market: 'DK',
  name: 'the Danish Business Authority (Erhvervsstyrelsen)',
  rules,
  documentNames: /\.(json|xml|xbrl)$/i,
  mapping: `1 ${JSON.stringify(concepts)}`,
  readDocument,
  help: `
  *.json                  the index of publications: hits of offentliggoerelser/_search
  <name of document>.xml  published reports in XBRL, named as at the end of their dokumentUrl; also .xml.gz
  a folder or a zip       every .json and .xml in it

The index dates the reports. Reports and index may come in any order and in several imports; a report that no index has
dated is stored and not served.

Example:
  asfiled import dk offentliggoerelser.json reports/`,
}

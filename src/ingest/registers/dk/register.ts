import { decodeUtf8, parseJson } from '../../reading/json.ts'
import type { Register } from '../register.ts'
import { concepts, dkRules } from './concepts.ts'
import { readIndex } from './publications.ts'
import { readReport } from './readDocument.ts'

/** Erhvervsstyrelsen, the Danish Business Authority. */
export const dk: Register = {
  market: 'DK',
  name: 'the Danish Business Authority (Erhvervsstyrelsen)',
  rules: dkRules,
  documentNames: /\.(json|xml|xbrl)$/i,
  mapping: `1 ${JSON.stringify(concepts)}`,
  readDocument: ({ name, bytes }) =>
    /\.json$/i.test(name) ? readIndex(parseJson(bytes)) : readReport(decodeUtf8(bytes), name),
  help: `
  *.json                  the index of publications: hits of offentliggoerelser/_search
  <name of document>.xml  published reports in XBRL, named as at the end of their dokumentUrl; also .xml.gz
  a folder or a zip       every .json and .xml in it

An index gives reports their day. Reports and index may come in any order and in several imports; a report of which no
index has told the day is kept and not served.

Example:
  asfiled import dk offentliggoerelser.json reports/`,
}

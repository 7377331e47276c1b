import { derivationVersionOf } from '../derivationVersion.ts'
import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { createReader, readBelgianReport } from './readDocument.ts'

/** The Central Balance Sheet Office of the National Bank of Belgium. */
export const beRegister: Register = {
  market: 'BE',
  name: 'the Central Balance Sheet Office, National Bank of Belgium',
  concepts,
  rules,
  documentNames: /\.(json|xbrl|xml|csv)$/i,
  derivationVersion: derivationVersionOf(import.meta.path),
  readDocument: readBelgianReport,
  createReader,
  help: `
  *.json                References of an enterprise (its ten digits in the file name), or accounts
  2024-00290653.xbrl    Accounts in XBRL, under their reference number
  *.csv                 Names: enterprisenumber, denomination
  A folder or a zip     Every .json, .xbrl, .xml and .csv in it

Accounts state neither their enterprise nor their deposit date: import them together with their references, in any order.
Accounts without a reference are left out and read again by the next import; XBRL accounts still provide the name of
their enterprise.

Example:
  ./asfiled import be references/ accountingData/`,
}

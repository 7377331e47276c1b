import type { Register } from '../register.ts'
import { beRules, concepts } from './concepts.ts'
import { readTogether } from './readDocument.ts'

/** The Central Balance Sheet Office of the National Bank of Belgium. */
export const be: Register = {
  market: 'BE',
  name: 'the Central Balance Sheet Office, National Bank of Belgium',
  rules: beRules,
  documentNames: /\.(json|xbrl|xml|csv)$/i,
  mapping: `2 ${JSON.stringify(concepts)}`,
  readDocument: document => readTogether()(document),
  readTogether,
  help: `
  *.json                references of an enterprise (its ten digits in the file name), or accounts
  2024-00290653.xbrl    accounts in XBRL, under their reference number
  *.csv                 names: enterprisenumber, denomination
  a folder or a zip     every .json, .xbrl, .xml and .csv in it

Accounts say neither whose they are nor when they were deposited: give their references with them, in any order.
Accounts without a reference are left out, and are read again by the next import; of an instance the enterprise is known.

Example:
  asfiled import be references/ accountingData/`,
}

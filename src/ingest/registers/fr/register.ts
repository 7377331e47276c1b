import type { Register } from '../register.ts'
import { concepts, frRules } from './concepts.ts'
import { readDocument } from './readDocument.ts'

/** INPI, the French companies register. */
export const fr: Register = {
  market: 'FR',
  name: 'the Registre national des entreprises, INPI (France)',
  rules: frRules,
  overwrites: true,
  documentNames: /\.(xml|json|csv)$/i,
  mapping: `1 ${JSON.stringify(concepts)}`,
  readDocument,
  // The register's own files of all accounts have 70 MB each.
  largestDocumentBytes: 256 * 1024 * 1024,
  help: `
  PUB_CA_*.donnees.xml    annual accounts as entered (bilans saisis, XML)
  *.json                  the same of the RNE: a record, a list, or bilansSaisis of one company
  StockUniteLegale*.csv   names of companies (SIRENE), in pieces of 256 MB at most
  a folder or a zip       every .xml, .json and .csv in it

The register edits what it entered, under the same number of deposit: an edit counts from the day on which it was read, in
whatever order pulls are imported.

Example:
  asfiled import fr comptes_annuels.zip StockUniteLegale.csv`,
}

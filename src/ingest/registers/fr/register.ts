import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readDocument } from './readDocument.ts'

/** INPI, the French companies register. */
export const frRegister: Register = {
  market: 'FR',
  name: 'the Registre national des entreprises, INPI (France)',
  rules,
  overwrites: true,
  documentNames: /\.(xml|json|csv)$/i,
  // The register's own files of all accounts have 70 MB each.
  maxDocumentBytes: 256 * 1024 * 1024,
  mapping: `1 ${JSON.stringify(concepts)}`,
  readDocument,
  help: `
  PUB_CA_*.donnees.xml    annual accounts as entered (bilans saisis, XML)
  *.json                  the same from the RNE: a record, a list, or bilansSaisis of one company
  StockUniteLegale*.csv   names of companies (SIRENE), in files of 256 MB at most
  a folder or a zip       every .xml, .json and .csv in it

The register edits accounts under the same deposit number: an edit counts from the day on which it was observed, in whatever
order the observations are imported.

Example:
  asfiled import fr comptes_annuels.zip StockUniteLegale.csv`,
}

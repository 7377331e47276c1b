import { derivationVersionOf } from '../derivationVersion.ts'
import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readFrenchReport } from './readDocument.ts'

/** INPI, the French companies register. */
export const frRegister: Register = {
  market: 'FR',
  name: 'the Registre national des entreprises, INPI (France)',
  concepts,
  rules,
  overwrites: true,
  documentNames: /\.(xml|json|csv)$/i,
  // The register's own files of all accounts have 70 MB each.
  maxDocumentBytes: 256 * 1024 * 1024,
  derivationVersion: derivationVersionOf(import.meta.path),
  readDocument: readFrenchReport,
  help: `
  PUB_CA_*.donnees.xml    Annual accounts as entered (bilans saisis, XML)
  *.json                  The same from the RNE: a record, a list, or the bilansSaisis of one company
  StockUniteLegale*.csv   Names of companies (SIRENE), in files of at most 256 MB
  A folder or a zip       Every .xml, .json and .csv in it

The register edits accounts under the same deposit number. An edit counts from the day on which it was observed, whatever the
order in which downloads are imported.

Example:
  ./asfiled import fr comptes_annuels.zip StockUniteLegale.csv`,
}

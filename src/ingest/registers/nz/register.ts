import { derivationVersionOf } from '../derivationVersion.ts'
import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readNewZealandReport } from './readDocument.ts'

/** Charities Services of New Zealand. */
export const nzRegister: Register = {
  market: 'NZ',
  name: 'the Charities Register (New Zealand)',
  concepts,
  rules,
  overwrites: true,
  replaces: true,
  documentNames: /\.json$/i,
  derivationVersion: derivationVersionOf(import.meta.path),
  readDocument: readNewZealandReport,
  help: `
  GrpOrgAllReturns*.json  Annual returns (OData JSON)
  vOrganisations*.json    Names of organisations
  A folder or a zip       Every .json in it

The register overwrites earlier data: keep each download, and give its day with --pulled. A change counts from the day of the
download that first shows it, whatever the order in which downloads are imported.

Example:
  ./asfiled import nz returns/ --pulled 2026-11-20`,
}

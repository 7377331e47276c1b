import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { readDocument } from './readDocument.ts'

/** Charities Services of New Zealand. */
export const nzRegister: Register = {
  market: 'NZ',
  name: 'the Charities Register (New Zealand)',
  rules,
  overwrites: true,
  replaces: true,
  documentNames: /\.json$/i,
  mapping: `3 ${JSON.stringify(concepts)}`,
  readDocument,
  help: `
  GrpOrgAllReturns*.json  annual returns (OData JSON)
  vOrganisations*.json    names of organisations
  a folder or a zip       every .json in it

The register overwrites: keep each download and state its day with --pulled. What it states differently than before counts
from that day, in whatever order the downloads are imported.

Example:
  asfiled import nz returns/ --pulled 2026-11-20`,
}

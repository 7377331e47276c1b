import { parseJson } from '../../reading/json.ts'
import type { Register } from '../register.ts'
import { concepts, nzRules } from './concepts.ts'
import { readDocument } from './readDocument.ts'

/** Charities Services of New Zealand. */
export const nz: Register = {
  market: 'NZ',
  name: 'the Charities Register (New Zealand)',
  rules: nzRules,
  overwrites: true,
  replaces: true,
  documentNames: /\.json$/i,
  mapping: `3 ${JSON.stringify(concepts)}`,
  readDocument: ({ bytes }) => readDocument(parseJson(bytes)),
  help: `
  GrpOrgAllReturns*.json  annual returns (OData JSON)
  vOrganisations*.json    names of organisations
  a folder or a zip       every .json in it

The register overwrites: keep every pull and tell its day with --pulled; what it states otherwise than one before counts
from that day, in whatever order pulls are imported.

Example:
  asfiled import nz returns/ --pulled 2026-11-20`,
}

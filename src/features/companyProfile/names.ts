import { type Static, Type } from '@sinclair/typebox'
import { Failure } from '../../errors.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { idPattern } from '../companies/lookup.ts'
import { findCompanies } from '../companies/queries.ts'
import { CoverageCheck } from '../coverage/schema.ts'

const strict = { additionalProperties: false } as const

/** As many as fit on a page and in a URL. */
export const maxNamedCompanies = 300

/** GET /api/v1/companies: the names behind IDs. */
export const CompanyNamesQuery = Type.Object(
  {
    ticker: Type.String({
      pattern: '^[A-Za-z0-9._/, -]+$',
      allowed: `company IDs, up to ${maxNamedCompanies} separated by commas`,
      maxLength: 8_000,
      description: `Up to ${maxNamedCompanies} IDs, separated by commas: current or former ones, or numbers (\`issuer_id\`).`,
      examples: ['AAPL,0001652044'],
    }),
    data_version: DataVersionParameter,
  },
  strict,
)

const NamedCompany = Type.Object(
  {
    id: Type.String({ description: 'The ID that was sent.', examples: ['0001652044'] }),
    ticker: Type.String({ description: 'The current ID of the company.', examples: ['GOOGL'] }),
    issuer_id: CoverageCheck.properties.issuer_id,
    name: Type.Union([Type.String(), Type.Null()], {
      description: "The register's own name; null: none is on record.",
      examples: ['Alphabet Inc.'],
    }),
    market: Type.String({ examples: ['US'] }),
  },
  { ...strict, $id: 'NamedCompany' },
)

export const CompanyNames = Type.Object(
  {
    object: Type.Literal('company_names'),
    licence: Type.Optional(
      Type.String({ description: 'Demo and free keys only.', examples: [freeLicenceNotice] }),
    ),
    data_version: Type.Integer(),
    unknown: Type.Array(Type.String(), {
      description: 'IDs that name no company, as they were sent. They do not fail the request.',
    }),
    count: Type.Integer({ description: 'Companies in data.' }),
    data: Type.Array(NamedCompany, { description: 'In the order of the request.' }),
  },
  { ...strict, $id: 'CompanyNames' },
)
export type CompanyNames = Static<typeof CompanyNames>

const idShape = new RegExp(idPattern)

/** The request's IDs in upper case, without duplicates. */
export function readIds(sent: string): string[] {
  const ids = [...new Set(sent.split(',').map(id => id.trim().toUpperCase()))]
  const refuse = (message: string) => new Failure('parameter_invalid', message, { param: 'ticker' })
  const odd = ids.find(id => !idShape.test(id))
  if (odd !== undefined)
    throw refuse(
      `${odd === '' ? 'An empty ID in ticker' : `ticker=${odd.slice(0, 40)}`} is not allowed: a company ID has 1 to 32 letters, digits, dots, hyphens, slashes or underscores, like AAPL or 2330.TW.`,
    )
  if (ids.length > maxNamedCompanies)
    throw refuse(`ticker names ${ids.length} companies; the limit is ${maxNamedCompanies} per request.`)
  return ids
}

/** Names are metadata, as in search: every key may read them, and no company counts as seen. */
export async function readNames(
  { lookups, directory }: Pick<CompanyDeps, 'lookups' | 'directory'>,
  ids: readonly string[],
  dataVersion: number,
): Promise<CompanyNames> {
  const found = await (directory ? directory.findAll(ids) : findCompanies(lookups, ids))
  const data = ids.flatMap(id => {
    const company = found.get(id)
    if (company === undefined) return []
    const { ticker, issuerId, name, market } = company
    return [{ id, ticker, issuer_id: issuerId, name, market }]
  })
  return {
    object: 'company_names',
    data_version: dataVersion,
    unknown: ids.filter(id => !found.has(id)),
    count: data.length,
    data,
  }
}

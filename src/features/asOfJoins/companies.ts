import type { SqlClient } from '../../postgres/client.ts'
import { enforceEntityCap } from '../../rights/entityCap.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { formerIdOf } from '../companies/notes.ts'
import { type CompanyIdentity, findCompanies } from '../companies/queries.ts'
import type { VersionedCompanies } from './figures.ts'

/** The companies behind the names in a join's rows. */
export interface JoinCompanies {
  /** For each name the index of its company in `identities`; -1 if unknown. */
  readonly companyOfName: Int32Array
  /** Each company appears once. */
  readonly identities: readonly CompanyIdentity[]
  /** Names that are former IDs of their companies. */
  readonly renamed: readonly { readonly sent: string; readonly ticker: string }[]
}

const idsPerLookup = 5_000
/** The format of all register IDs. Other names are unknown; the database would even reject some of them. */
const idShape = /^[A-Z0-9][A-Z0-9._-]{0,31}$/

/**
 * Looks the companies up in the directory, which caches them between requests. If an import commits
 * meanwhile, they may be of mixed versions, and the caller looks them up again.
 */
export async function findJoinCompanies(
  { lookups, directory }: Pick<CompanyDeps, 'lookups' | 'directory'>,
  names: readonly string[],
  dataVersion: number,
): Promise<VersionedCompanies<JoinCompanies>> {
  const found = await findAll(ids => directory?.findAll(ids) ?? findCompanies(lookups, ids), names)
  return versioned(found, dataVersion)
}

/**
 * Pairs companies with the data version in which they were found.
 *
 * @param dataVersion used if none was found
 */
export function versioned(companies: JoinCompanies, dataVersion: number): VersionedCompanies<JoinCompanies> {
  const versions = new Set(companies.identities.map(company => company.dataVersion))
  const [version = dataVersion] = versions
  // No version matches a mix, so the caller looks the companies up again in a snapshot.
  return { dataVersion: versions.size > 1 ? -1 : version, companies }
}

/** The companies as of a snapshot. */
export const findInSnapshot = (snapshot: SqlClient, names: readonly string[]): Promise<JoinCompanies> =>
  findAll(ids => findCompanies(snapshot, ids), names)

async function findAll(
  find: (ids: readonly string[]) => Promise<ReadonlyMap<string, CompanyIdentity>>,
  names: readonly string[],
): Promise<JoinCompanies> {
  const ids = names.map(name => name.toUpperCase())
  const wanted = [...new Set(ids.filter(id => idShape.test(id)))]
  const found = new Map<string, CompanyIdentity>()
  for (let at = 0; at < wanted.length; at += idsPerLookup) {
    for (const [id, company] of await find(wanted.slice(at, at + idsPerLookup))) found.set(id, company)
  }
  const places = new Map<number, number>()
  const identities: CompanyIdentity[] = []
  const renamed: { sent: string; ticker: string }[] = []
  const companyOfName = new Int32Array(names.length)
  for (const [i, id] of ids.entries()) {
    const company = found.get(id)
    if (company === undefined) {
      companyOfName[i] = -1
      continue
    }
    if (formerIdOf(company) !== null) renamed.push({ sent: names[i], ticker: company.ticker })
    let place = places.get(company.entityId)
    if (place === undefined) {
      place = identities.push(company) - 1
      places.set(company.entityId, place)
    }
    companyOfName[i] = place
  }
  return { companyOfName, identities, renamed }
}

/**
 * A join shows what was known on many days, so the caller needs the right to use `as_of`. Every company
 * counts towards a cap, whether or not it has figures, and before any figure is read.
 */
export async function authorizeJoin(
  deps: Pick<CompanyDeps, 'sql'>,
  rights: Rights,
  { identities }: JoinCompanies,
): Promise<void> {
  rights.requireJoin(identities)
  await enforceEntityCap(
    deps,
    rights,
    identities.map(({ entityId }) => entityId),
    'this join',
    'rows',
    '; a join of fewer tickers may still be allowed',
  )
}

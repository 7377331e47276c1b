import { Failure } from '../../../errors.ts'
import { parseAsOf } from '../../../markets/asOf.ts'
import { enforceEntityCap } from '../../../rights/entityCap.ts'
import { type ResolvedCompany, resolveCompanies } from '../../companies/lookup.ts'
import type { PageViewer } from '../../marketPages/query.ts'
import type { PageDeps } from '../deps.ts'
import type { Screen } from './query.ts'

/** The companies to which a person limited a screen. */
export interface NamedCompanies {
  readonly entityIds: readonly number[]
  /** IDs as typed whose companies belong to other markets, so that their figures are not compared. */
  readonly elsewhere: readonly string[]
}

/**
 * Finds the companies that a screen names and counts them against the cap of the visitor's licence, as every request that
 * names companies does.
 */
export async function namedCompanies(
  deps: PageDeps,
  { rights }: PageViewer,
  { companies: ids = [], asOf }: Pick<Screen, 'companies' | 'asOf'>,
  market: string,
): Promise<NamedCompanies> {
  const found = await findAll(deps, ids, asOf)
  const here = found.filter(company => company.market === market)
  const entityIds = [...new Set(here.map(({ entityId }) => entityId))]
  await enforceEntityCap(deps, rights, entityIds, 'this list', 'companies', ', and so does a shorter list')
  return { entityIds, elsewhere: ids.filter((_, index) => found[index]?.market !== market) }
}

async function findAll(
  deps: PageDeps,
  ids: readonly string[],
  asOf: string | undefined,
): Promise<readonly ResolvedCompany[]> {
  const day = parseAsOf({ as_of: asOf })
  try {
    return await resolveCompanies(deps, ids, day)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'entity_unknown') throw error
    const unknown: string[] = []
    let near: readonly string[] = []
    for (const id of ids) {
      const failure = await resolveCompanies(deps, [id], day).then(
        () => null,
        (reason: unknown) => reason,
      )
      if (failure === null) continue
      if (!(failure instanceof Failure)) throw failure
      if (unknown.length === 0) near = failure.details.near ?? []
      unknown.push(id)
    }
    throw new Failure('entity_unknown', unknownText(unknown, near), { param: 'companies', near })
  }
}

const maxNamed = 10

function unknownText(unknown: readonly string[], near: readonly string[]): string {
  const more = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : ''
  const names = `${unknown.slice(0, maxNamed).join(', ')}${more}`
  const verb =
    unknown.length === 1 ? 'is not a company that is loaded here' : 'are not companies that are loaded here'
  const hint =
    near.length === 0
      ? ''
      : ` Did you mean ${near.join(', ')}${unknown.length === 1 ? '' : ` for ${unknown[0]}`}?`
  return `${names} ${verb}.${hint}`
}

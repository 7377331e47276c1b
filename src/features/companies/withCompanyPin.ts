import { Failure } from '../../errors.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from './deps.ts'
import { findByAnyId } from './lookup.ts'

type PinDeps = Pick<CompanyDeps, 'sql' | 'markets' | 'today'>

/**
 * Responds about one company, at an earlier data version only if the caller may see the company's past versions.
 *
 * @param id as it was sent
 */
export function withCompanyPin<Answer>(
  deps: PinDeps,
  rights: Rights,
  { version, id }: { readonly version: number | undefined; readonly id: string },
  answer: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  if (version === undefined || rights.seesHistoryOf(id.toUpperCase())) return answer()
  // The ID may be a number or a former ID of a company to which access is open under another ID.
  return namesOf(deps, id).then(names => {
    if (!rights.seesHistoryOf(...names)) rights.requireVersion(version, id, [id])
    return answer()
  })
}

/** The current IDs of the company; empty if the ID names no company. */
async function namesOf(deps: PinDeps, id: string): Promise<readonly string[]> {
  try {
    const { entity, ticker } = await findByAnyId(deps, id)
    return [ticker, entity.ticker]
  } catch (error) {
    if (error instanceof Failure && error.code === 'entity_unknown') return []
    throw error
  }
}

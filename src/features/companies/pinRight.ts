import { isFreeData, type Principal } from '../../access/licences.ts'
import { requirePinRight } from '../../access/pinRights.ts'
import { Failure } from '../../errors.ts'
import type { CompanyDeps } from './deps.ts'
import { findByAnyId } from './lookup.ts'

type PinDeps = Pick<CompanyDeps, 'sql' | 'markets' | 'flagship'>

/** Answers about one company, at an earlier data version only if the licence of the caller includes it. A flagship company is one under
 * any of its IDs and under its number.
 *
 * @param id as it was sent */
export function withCompanyPin<Answer>(
  deps: PinDeps,
  principal: Principal,
  { version, id }: { readonly version: number | undefined; readonly id: string },
  answer: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const isFree = version === undefined || !isFreeData(principal) || deps.flagship.has(id.toUpperCase())
  if (isFree) return answer()
  return namesOf(deps, id).then(names => {
    const flagship = names.find(name => deps.flagship.has(name))
    requirePinRight(principal, version, deps.flagship, id, [flagship ?? id])
    return answer()
  })
}

/** The current IDs of the company; none if the ID names no company. */
async function namesOf(deps: PinDeps, id: string): Promise<readonly string[]> {
  try {
    const { entity, ticker } = await findByAnyId(deps, id)
    return [ticker, entity.ticker]
  } catch (error) {
    if (error instanceof Failure && error.code === 'entity_unknown') return []
    throw error
  }
}

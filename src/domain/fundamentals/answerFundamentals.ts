import type { Principal } from '../../model/access.ts'
import type { FundamentalsList, FundamentalsQuery } from '../../model/fundamentals.ts'
import { readDataVersion } from '../../store/dataVersion.ts'
import type { FundamentalsDeps } from './deps.ts'
import { type FundamentalsPlan, planFundamentals } from './planFundamentals.ts'
import { readFundamentals } from './readFundamentals.ts'
import { tries, unsettled } from './unsettled.ts'

/** The figures of one company, all of one data version. Who a company is was read before its figures are: where an import
 * came between, both are read anew, and never is the old name shown with new figures. */
export async function answerFundamentals(
  deps: FundamentalsDeps,
  principal: Principal,
  query: FundamentalsQuery,
  planned: FundamentalsPlan,
): Promise<FundamentalsList> {
  // What is remembered of companies may be what has just changed.
  const { entities: _, ...fresh } = deps
  let plan = planned
  for (let left = tries; left > 0; left--) {
    const list = await readFundamentals(deps, plan)
    if (list.data_version === plan.dataVersion && (await isSettled(deps, list))) return list
    plan = await planFundamentals(fresh, principal, query)
  }
  throw unsettled()
}

/** Why there is no figure is found out after there was none. */
async function isSettled({ sql }: Pick<FundamentalsDeps, 'sql'>, list: FundamentalsList): Promise<boolean> {
  return list.count > 0 || (await readDataVersion(sql)) === list.data_version
}

import type { Principal } from '../../model/access.ts'
import type { IsoDate } from '../../model/date.ts'
import { type RestatementsQuery, restatementsLimit } from '../../model/restatement.ts'
import { readDay } from './readAsOf.ts'
import {
  type MarketDeps,
  type MarketQuestion,
  marketCacheKey,
  readMarketQuestion,
} from './readMarketQuestion.ts'

/** Who sees which changes, decided: plain data, and everything that `readRestatements` needs. */
export interface RestatementsPlan extends MarketQuestion {
  /** Earliest filing of a change; null: no bound. */
  readonly from: IsoDate | null
  readonly cacheKey: string
}

export function planRestatements(
  deps: MarketDeps,
  principal: Principal,
  query: RestatementsQuery,
): RestatementsPlan {
  const question = readMarketQuestion(deps, principal, query, restatementsLimit)
  const plan = { ...question, from: query.from === undefined ? null : readDay('from', query.from) }
  return { ...plan, cacheKey: marketCacheKey('restatements', principal, plan) }
}

import type { Principal } from '../../model/access.ts'
import {
  type CrossSectionPeriod,
  type CrossSectionQuery,
  crossSectionLimit,
} from '../../model/crossSection.ts'
import { addDays, type IsoDate } from '../../model/date.ts'
import { fiscalPeriods } from '../../model/fundamentals.ts'
import {
  type MarketDeps,
  type MarketQuestion,
  marketCacheKey,
  readMarketQuestion,
} from './readMarketQuestion.ts'

const firstDay = '0001-01-01'

/** Who sees what of a cross-section, decided: plain data, and everything that `readCrossSection` needs. */
export interface CrossSectionPlan extends MarketQuestion {
  readonly period: CrossSectionPeriod
  /** 0 the year, 1 to 4 a quarter, null the latest period of any kind. */
  readonly fp: number | null
  readonly maxAgeDays: number | null
  /** Earliest period end; null: no bound. */
  readonly from: IsoDate | null
  readonly cacheKey: string
}

export function planCrossSection(
  deps: MarketDeps,
  principal: Principal,
  query: CrossSectionQuery,
): CrossSectionPlan {
  const question = readMarketQuestion(deps, principal, query, crossSectionLimit)
  const period = query.fp ?? 'FY'
  const maxAgeDays = query.max_age_days ?? null
  const plan = {
    ...question,
    period,
    fp: period === 'latest' ? null : fiscalPeriods.indexOf(period),
    maxAgeDays,
    from: maxAgeDays === null ? null : earliest(question.asOf, maxAgeDays),
  }
  return { ...plan, cacheKey: marketCacheKey('cross-section', principal, plan) }
}

/** No day before the calendar's first. */
function earliest(asOf: IsoDate, days: number): IsoDate {
  const day = addDays(asOf, -days)
  return /^\d{4}-/.test(day) && day > firstDay ? day : firstDay
}

import type { Principal } from '../../model/access.ts'
import { freeLicenceNotice } from '../../model/freeLicence.ts'
import { fiscalPeriods } from '../../model/fundamentals.ts'
import type { RestatementList } from '../../model/restatement.ts'
import { restatementRows } from '../../store/fundamentals/restatementRows.ts'
import type { FundamentalsDeps } from './deps.ts'
import { writePlace } from './marketCursor.ts'
import { plainZero } from './plainZero.ts'
import type { RestatementsPlan } from './planRestatements.ts'
import { recordSeen } from './recordSeen.ts'

const restriction =
  'Of each company the most recent reported fiscal year only. as_of and all years need an evaluation key or a Personal or Commercial data licence.'

/** The changes of one metric in a market, a page of them. Companies with a change count against the key's cap. */
export async function readRestatements(
  deps: Pick<FundamentalsDeps, 'sql' | 'markets' | 'recordEntities'>,
  principal: Principal,
  plan: RestatementsPlan,
): Promise<RestatementList> {
  const { dataVersion, rows, next } = await restatementRows(deps.sql, plan)
  const seen = [...new Set(rows.map(row => row.entityId))]
  await recordSeen(deps, principal, seen, 'this page', 'limit', ', a smaller limit may still fit')
  const manifest = deps.markets.get(plan.market)
  const source = manifest?.source_notice ?? plan.market
  return {
    object: 'restatement_list',
    metric: plan.metric,
    market: plan.market,
    from: plan.from,
    as_of: plan.asOf,
    data_version: dataVersion,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(plan.recentFiscalYearOnly ? { note: restriction } : {}),
    count: rows.length,
    next: next === null ? null : writePlace(plan.market, next),
    data: rows.map(row => ({
      ticker: row.ticker,
      issuer_id: row.issuerId,
      m: plan.metric,
      fy: row.fy,
      fp: fiscalPeriods[row.fp],
      end: row.end,
      filed_before: row.filedBefore,
      value_before: plainZero(row.valueBefore),
      unit_before: row.unitBefore,
      filed: row.filed,
      value: plainZero(row.value),
      unit: row.unit,
      source,
    })),
  }
}

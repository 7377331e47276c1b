import { freeLicenceNotice } from '../../model/freeLicence.ts'
import { type FundamentalsList, type FundamentalsRow, fiscalPeriods } from '../../model/fundamentals.ts'
import type { Statements } from '../../store/database.ts'
import { readDataVersion } from '../../store/dataVersion.ts'
import { historyRows } from '../../store/fundamentals/historyRows.ts'
import { latestRows } from '../../store/fundamentals/latestRows.ts'
import type { RowScope, StoredRows } from '../../store/fundamentals/rowScope.ts'
import { assumedSuffix } from './assumedSuffix.ts'
import type { FundamentalsDeps } from './deps.ts'
import { explainAbsence } from './explainAbsence.ts'
import { plainZero } from './plainZero.ts'
import type { FundamentalsPlan } from './planFundamentals.ts'

/** Where statements go is the pool, or the connection of a snapshot. */
export type ReadDeps = Pick<FundamentalsDeps, 'markets'> & { readonly sql: Statements }

export async function readFundamentals(deps: ReadDeps, plan: FundamentalsPlan): Promise<FundamentalsList> {
  const manifest = deps.markets.get(plan.market)
  const { dataVersion, rows } = await readRows(deps, plan)
  const notes = [
    rows.length === 0 ? null : restriction(plan, rows[0].fy),
    await explainAbsence(deps, plan, new Set(rows.map(row => row.m))),
    assumedSuffix(manifest, plan.ticker, plan.twin === null ? [] : [plan.twin]),
  ].filter(note => note !== null)
  const { ticker, issuerId: issuer_id } = plan
  const source = manifest?.source_notice ?? plan.market
  const data: FundamentalsRow[] = rows.map(row => ({
    m: row.m,
    fy: row.fy,
    fp: fiscalPeriods[row.fp],
    end: row.end,
    filed: row.filed,
    v: plainZero(row.v),
    u: row.u,
    ticker,
    issuer_id,
    source,
  }))
  return {
    object: 'fundamentals_list',
    ticker,
    issuer_id,
    name: plan.name,
    market: plan.market,
    as_of: plan.asOf,
    view: plan.view,
    ...(plan.vintage === 'all' ? {} : { vintage: plan.vintage }),
    data_version: dataVersion,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
    count: data.length,
    data,
  }
}

async function readRows(deps: ReadDeps, plan: FundamentalsPlan): Promise<StoredRows> {
  if (plan.otherMarket !== null) return { dataVersion: await readDataVersion(deps.sql), rows: [] }
  const scope: RowScope = plan
  return plan.view === 'latest' ? latestRows(deps.sql, scope) : historyRows(deps.sql, scope)
}

function restriction(plan: FundamentalsPlan, fiscalYear: number): string | null {
  if (!plan.recentFiscalYearOnly) return null
  return `The most recent reported fiscal year only (${fiscalYear}). Full history and as_of need an evaluation key or a Personal or Commercial data licence.`
}

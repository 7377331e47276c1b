import { Failure } from '../../../errors.ts'
import type { Rights } from '../../../rights/rights.ts'
import { planCompany } from '../../fundamentals/plan.ts'
import { answerCompany } from '../../fundamentals/read.ts'
import type { FundamentalsList, FundamentalsRow } from '../../fundamentals/schema.ts'
import type { RestatementsPlan } from '../../restatements/restatements.ts'
import type { PageDeps } from '../deps.ts'
import type { Change } from './change.ts'

/** Each company takes a separate read. */
const maxCompanies = 10

/**
 * The changes of all years of a market's openly accessible companies. For a visitor without a licence, a
 * market's list shows only each company's last fiscal year.
 */
export async function openChanges(
  deps: PageDeps,
  rights: Rights,
  { metric, market, from }: RestatementsPlan,
): Promise<Change[]> {
  const found = new Map<string, Change[]>()
  for (const ticker of rights.openCompanies.slice(0, maxCompanies)) {
    const list = await readOpen(deps, rights, { ticker, metric, fields: 'accession,url' })
    if (list === null || list.market !== market || found.has(list.issuer_id)) continue
    const changes = changesIn(list.data).filter(({ filed }) => from === null || filed >= from)
    found.set(list.issuer_id, changes)
  }
  return [...found.values()].flat()
}

async function readOpen(
  deps: PageDeps,
  rights: Rights,
  query: { readonly ticker: string; readonly metric: string; readonly fields: string },
): Promise<FundamentalsList | null> {
  try {
    const plan = await planCompany(deps, rights, query)
    return await answerCompany(deps, rights, query, plan)
  } catch (error) {
    if (error instanceof Failure && error.code === 'entity_unknown') return null
    throw error
  }
}

/** Vintages that differ from the previous one, as GET /api/v1/restatements lists them. */
function changesIn(rows: readonly FundamentalsRow[]): Change[] {
  const periods = Map.groupBy(rows, ({ end, fp }) => `${end} ${fp}`)
  return [...periods.values()].flatMap(vintages =>
    vintages.flatMap((row, index) => {
      const before = vintages[index - 1]
      if (before === undefined || (before.v === row.v && before.u === row.u)) return []
      return [change(before, row)]
    }),
  )
}

const change = (before: FundamentalsRow, row: FundamentalsRow): Change => {
  const { ticker, issuer_id, m, fy, fp, end, filed, v, u, source } = row
  return {
    ticker,
    issuer_id,
    m,
    fy,
    fp,
    end,
    filed_before: before.filed,
    value_before: before.v,
    unit_before: before.u,
    filed,
    value: v,
    unit: u,
    source,
    filings: { before: filingOf(before), after: filingOf(row) },
  }
}

const filingOf = ({ accession, url }: FundamentalsRow) => ({ accession: accession ?? '', url: url ?? null })

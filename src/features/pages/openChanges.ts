import type { Principal } from '../../access/licences.ts'
import { Failure } from '../../errors.ts'
import { planCompany } from '../fundamentals/plan.ts'
import { answerCompany } from '../fundamentals/read.ts'
import type { FundamentalsList, FundamentalsRow } from '../fundamentals/schema.ts'
import type { RestatementsPlan } from '../restatements/restatements.ts'
import type { Restatement } from '../restatements/schema.ts'
import type { PageDeps } from './deps.ts'

/** Each flagship company is a read of its own. */
const maxCompanies = 10

/** The changes of the flagship companies in a market, of every year. The list of a market shows the last fiscal year of each company
 * to a visitor without a licence, and these companies are open to everybody. */
export async function openChanges(
  deps: PageDeps,
  principal: Principal,
  { metric, market, from }: RestatementsPlan,
): Promise<Restatement[]> {
  const found = new Map<string, Restatement[]>()
  for (const ticker of [...deps.flagship].slice(0, maxCompanies)) {
    const list = await readOpen(deps, principal, { ticker, metric })
    if (list === null || list.market !== market || found.has(list.issuer_id)) continue
    const changes = changesIn(list.data).filter(({ filed }) => from === null || filed >= from)
    found.set(list.issuer_id, changes)
  }
  return [...found.values()].flat()
}

async function readOpen(
  deps: PageDeps,
  principal: Principal,
  query: { readonly ticker: string; readonly metric: string },
): Promise<FundamentalsList | null> {
  try {
    const plan = await planCompany(deps, principal, query)
    return await answerCompany(deps, principal, query, plan)
  } catch (error) {
    if (error instanceof Failure && error.code === 'entity_unknown') return null
    throw error
  }
}

/** Vintages that differ from the one before, as GET /api/v1/restatements lists them. */
function changesIn(rows: readonly FundamentalsRow[]): Restatement[] {
  const periods = Map.groupBy(rows, ({ end, fp }) => `${end} ${fp}`)
  return [...periods.values()].flatMap(vintages =>
    vintages.flatMap((row, place) => {
      const before = vintages[place - 1]
      if (before === undefined || (before.v === row.v && before.u === row.u)) return []
      return [change(before, row)]
    }),
  )
}

const change = (
  before: FundamentalsRow,
  { ticker, issuer_id, m, fy, fp, end, filed, v, u, source }: FundamentalsRow,
): Restatement => ({
  ...{ ticker, issuer_id, m, fy, fp, end },
  filed_before: before.filed,
  value_before: before.v,
  unit_before: before.u,
  ...{ filed, value: v, unit: u, source },
})

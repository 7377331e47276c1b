import { computedMetrics } from '../../markets/metrics.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { isTrailing } from './periods.ts'
import type { CompanyPlan } from './plan.ts'
import { historyRows, knownMetrics, type StoredRow } from './queries.ts'
import { type FundamentalsList, fiscalPeriods } from './schema.ts'
import { trailingRows } from './trailingQueries.ts'

type Missing = NonNullable<FundamentalsList['missing']>[number]

/** The figures of one fiscal period that were current on the day, by metric. */
type Period = ReadonlyMap<string, StoredRow>

/** Figures that are not components themselves but decide whether components may be added. */
const guards = ['short_term_borrowings', 'other_short_term_borrowings']
const definitions = new Map(computedMetrics.map(({ name, components }) => [name, components]))

/**
 * Explains each requested computed metric that has no row: its components that are not reported, in whichever
 * requested period has the most of them (the latest if tied). If all are reported, why they are not added.
 */
export async function missingComponents(
  sql: SqlClient,
  plan: CompanyPlan,
  shown: ReadonlySet<string>,
): Promise<Missing[]> {
  // A figure that is not in a requested state is not missing.
  if (plan.checks !== null) return []
  // Balances have no trailing twelve months, so none of their components can be missing there.
  const possible = computedMetrics.filter(({ kind }) => kind === 'flow' || !isTrailing(plan))
  const absent = possible.filter(({ name }) => plan.metrics?.includes(name) && !shown.has(name))
  if (absent.length === 0) return []
  const known = new Set((await knownMetrics(sql, plan.entityId, plan.asOf)).map(({ m }) => m))
  const periods = plan.otherMarket === null ? await periodsOf(sql, plan, absent) : []
  return absent.map(({ name, components }) => {
    const period = fullest(periods, components)
    if (period !== null) return missingIn(period, name, components, plan.asOf)
    const unstated = components.filter(component => !known.has(component))
    return { metric: name, components: unstated.length === 0 ? [...components] : unstated }
  })
}

async function periodsOf(
  sql: SqlClient,
  plan: CompanyPlan,
  absent: readonly { readonly name: string }[],
): Promise<Period[]> {
  const needed = new Set([...absent.flatMap(({ name }) => componentsOf(name)), ...guards])
  const wanted: CompanyPlan = { ...plan, metrics: [...needed], vintage: 'latest', fields: [] }
  const { rows } = isTrailing(plan)
    ? await trailingRows(sql, { ...wanted, view: 'history' })
    : await historyRows(sql, wanted)
  const periods = new Map<string, Map<string, StoredRow>>()
  for (const row of rows) {
    // Trailing twelve months have the same name in every quarter, so their end is the key. Other figures of
    // one fiscal period may end on different days, as counts do.
    const key = isTrailing(plan) ? row.end : `${row.fy} ${row.fp}`
    const period = periods.get(key)
    if (period === undefined) periods.set(key, new Map([[row.m, row]]))
    else period.set(row.m, row)
  }
  return [...periods.values()].sort((a, b) => (endOf(a) < endOf(b) ? 1 : -1))
}

const componentsOf = (name: string): string[] =>
  (definitions.get(name) ?? []).flatMap(component => [component, ...componentsOf(component)])

const endOf = (period: Period) =>
  [...period.values()].reduce((last, { end }) => (end > last ? end : last), '')

/** The period with the most components, the latest if tied; null if none has any. */
function fullest(periods: readonly Period[], components: readonly string[]): Period | null {
  let best: Period | null = null
  let most = 0
  for (const period of periods) {
    const count = components.filter(component => period.has(component)).length
    if (count <= most) continue
    best = period
    most = count
  }
  return best
}

function missingIn(period: Period, metric: string, components: readonly string[], asOf: string): Missing {
  const unstated = components.filter(component => !period.has(component))
  const why = refusal(period, metric)
  if (why !== null) {
    const isOwn = why.metric === metric
    const whose = isOwn ? '' : `No ${why.metric}: `
    return { metric, components: isOwn ? [] : unstated, reason: `${nameOf(period)}: ${whose}${why.text}` }
  }
  if (unstated.length > 0) return { metric, components: unstated }
  const reason = `${nameOf(period)}: the components known on ${asOf} differ in currency, accounts or day, so they are not combined.`
  return { metric, components: [], reason }
}

const nameOf = (period: Period): string => {
  const [{ fy, fp }] = period.values()
  return `${fiscalPeriods[fp]} ${fy}`
}

interface Refusal {
  /** The sum that is not computed: the metric itself or one of its components. */
  readonly metric: string
  readonly text: string
}

/**
 * Why reported parts are not added, by the rules of `facts/computedMetrics.ts`; null if a part is not
 * reported.
 */
function refusal(period: Period, metric: string): Refusal | null {
  if (metric === 'net_debt') return period.has('total_debt') ? null : refusal(period, 'total_debt')
  if (metric === 'total_debt') {
    const text = period.has('current_debt') ? refusedTotal(period) : null
    return text === null ? refusal(period, 'current_debt') : { metric, text }
  }
  if (metric !== 'current_debt' || period.has(metric) || !period.has('long_term_debt_current')) return null
  const paper = period.get('commercial_paper')
  const borrowings = period.get('short_term_borrowings')
  const others = period.get('other_short_term_borrowings')
  if (borrowings !== undefined && borrowings.v !== paper?.v) {
    const text = `short_term_borrowings may include long_term_debt_current, so they are not added, and no total of both (us-gaap:DebtCurrent) is stated.`
    return { metric, text }
  }
  if (paper === undefined || others === undefined) return null
  return { metric, text: `borrowings other than commercial_paper are stated, and no total of both is.` }
}

function refusedTotal(period: Period): string | null {
  const total = period.get('current_debt')
  if (total === undefined || !period.has('long_term_debt_noncurrent')) return null
  for (const part of ['short_term_borrowings', 'long_term_debt_current']) {
    if ((period.get(part)?.v ?? total.v) > total.v)
      return `the stated current_debt is less than ${part}, so it is not the total of debt due within a year.`
  }
  return total.derived
    ? 'one of long_term_debt_current and long_term_debt_noncurrent is stated with leases and the other without, so they are not added.'
    : null
}

import { dayNumber, daysBefore, type IsoDate } from '../../dates.ts'
import { computedMetrics, ratioMetrics, yearToDateSuffix } from '../../markets/metrics.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { type Flow, statedFlows } from './flowQueries.ts'
import { isTrailing } from './periods.ts'
import type { CompanyPlan } from './plan.ts'
import type { StoredRow } from './queries.ts'

/**
 * Whether trailing twelve months of a plan may be held back. If so, a second statement runs and the caller
 * must re-check the data version.
 */
export const mayBeHeldBack = (plan: CompanyPlan, rows: number): boolean =>
  plan.view === 'latest' && isTrailing(plan) && rows > 0

/**
 * For companies that have reported a further part of a year after the end of their trailing twelve months:
 * the reason, by metric, why there are none up to its end. Reads only what was filed by the day.
 */
export async function heldBackRows(
  sql: SqlClient,
  plan: CompanyPlan,
  rows: readonly StoredRow[],
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>()
  if (!mayBeHeldBack(plan, rows.length)) return reasons
  const [first] = rows.map(({ end }) => end).sort()
  const names = [...new Set(rows.flatMap(({ m }) => flowsOf(m)))]
  const flows = await statedFlows(sql, plan, names, daysBefore(first, 800))
  const allowed = flows.filter(({ fy }) => isAllowed(plan, rows[0].fy, fy))
  for (const { m, end } of rows) {
    const own = flowsOf(m)
    const later = allowed
      .filter(flow => flow.fp !== 0 && flow.current && flow.end > end && own.includes(metricOf(flow)))
      .reduce<IsoDate | null>((last, flow) => (last === null || flow.end > last ? flow.end : last), null)
    if (later === null) continue
    const why = own.map(metric => whyNone(metric, later, allowed)).find(reason => reason !== null)
    if (why !== undefined && why !== null)
      reasons.set(m, `No trailing twelve months to ${later} were known on ${plan.asOf}: ${why}`)
  }
  return reasons
}

const isAllowed = ({ years, recentFiscalYearOnly }: CompanyPlan, recent: number, fy: number): boolean =>
  recentFiscalYearOnly ? fy <= recent : years === null || fy <= years.last

const componentsOf = new Map(
  [...computedMetrics, ...ratioMetrics].map(({ name, components }) => [name, components]),
)

/**
 * The metrics whose trailing twelve months are the inputs of this metric. Balances among them have no rows
 * over a period.
 */
const flowsOf = (metric: string): string[] => [
  metric,
  ...(componentsOf.get(metric) ?? []).flatMap(component => flowsOf(component)),
]

const metricOf = ({ m }: Flow): string =>
  m.endsWith(yearToDateSuffix) ? m.slice(0, -yearToDateSuffix.length) : m

const slackDays = 10

const isNear = (a: IsoDate, b: number): boolean => Math.abs(dayNumber(a) - b) <= slackDays

/** Why a metric has no trailing twelve months up to a day, or null if no reason is known. */
function whyNone(metric: string, end: IsoDate, flows: readonly Flow[]): string | null {
  const own = flows.filter(flow => metricOf(flow) === metric)
  const current = own.filter(flow => flow.current)
  const year = current
    .filter(flow => flow.fp !== 0 && flow.end === end && isYearToDate(flow))
    .sort((a, b) => (a.start < b.start ? -1 : 1))
    .at(0)
  if (year === undefined) {
    const isStated = own.length > 0 && !componentsOf.has(metric)
    return isStated ? `${metric} is not stated for the year to that day.` : null
  }
  const start = dayNumber(year.start)
  const full = current.find(flow => flow.fp === 0 && isNear(flow.end, start - 1))
  const prior = current.find(
    flow => flow.fp === year.fp && isNear(flow.start, start - 365) && isNear(flow.end, dayNumber(end) - 365),
  )
  if (full === undefined) return `${metric} is not stated for the full year that ended before ${year.start}.`
  if (prior === undefined)
    return `${metric} is not stated for the same months of the year before, those of the year to ${end}.`
  if (componentsOf.has(metric)) return null
  const parts = [year, full, prior]
  if (new Set(parts.map(({ unit }) => unit)).size > 1) return `${metric} is stated in several currencies.`
  const isRestated = own.some(
    flow => !flow.current && parts.some(part => part.fp === flow.fp && part.end === flow.end),
  )
  return isRestated
    ? `${metric} was restated for one of the full year to ${full.end} and the year to date to ${prior.end}, and not yet for the other.`
    : `${metric} is stated under names of different meaning for the full year to ${full.end}, the year to date and the same months of the year before.`
}

/** Half-years and nine months are stored as years to date; a first quarter is its own year to date. */
const isYearToDate = ({ m, fp }: Flow): boolean => fp === 1 || m.endsWith(yearToDateSuffix)

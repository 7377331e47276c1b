import type { IsoDate } from '../../../dates.ts'
import { computedMetrics, ratioMetrics, sharedMetrics } from '../../../markets/metrics.ts'
import type { FundamentalsRow } from '../../fundamentals/schema.ts'
import { currentOf } from '../grid.ts'
import { metricLabel } from '../metricLabels.ts'

/** The reason that most blank cells have. */
export const usualReason = 'No filing by this day states it for this period.'

/** A blank cell of a page. It does not know whether a later filing fills it: a reason that told would be look-ahead. */
export interface Blank {
  readonly metric: string
  readonly fp: FundamentalsRow['fp']
  /** The unit of the metric in other cells of its row. */
  readonly isOfShares: boolean
  /** The vintages of a metric in the same period that were known on the day. */
  readonly known: (metric: string) => readonly FundamentalsRow[]
}

/** Why a cell has no figure on a day. */
export function blankReason({ metric, fp, isOfShares, known }: Blank): string {
  const last = known(metric).at(-1)
  if (last !== undefined) {
    const why = last.kind === 'derived' ? ': the figures it was computed from changed' : ''
    return `Not current since ${last.until}${why}.`
  }
  const components = componentsOf.get(metric)
  if (components !== undefined) return notComputed(components, fp, known)
  if (fp === 'TTM') return 'No twelve trailing months can be computed from what was filed by this day.'
  return fp === 'Q4' && isOfShares
    ? 'Not reported: fourth quarters are seldom filed, and figures of shares cannot be subtracted.'
    : usualReason
}

function notComputed(
  components: readonly string[],
  fp: FundamentalsRow['fp'],
  known: Blank['known'],
): string {
  // Balances have no trailing twelve months, so they are not in the table.
  const inTable = components.filter(name => fp !== 'TTM' || kinds.get(name) !== 'stock')
  const missing = inTable.filter(name => currentOf(known(name)) === null)
  if (missing.length > 0)
    return `Cannot be computed: no ${missing.map(name => metricLabel(name).toLowerCase()).join(' and no ')} for this period.`
  return inTable.length === components.length
    ? 'Not computed: its inputs for this period cannot be combined.'
    : 'Not computed for this period.'
}

/** The days on which the reason of a blank cell may change. */
export const reasonDays = (
  metric: string,
  vintagesOf: (metric: string) => readonly FundamentalsRow[],
): IsoDate[] =>
  (componentsOf.get(metric) ?? []).flatMap(name =>
    vintagesOf(name).flatMap(({ filed, until }) => (until === null ? [filed] : [filed, until])),
  )

const componentsOf = new Map<string, readonly string[]>(
  [...computedMetrics, ...ratioMetrics].map(({ name, components }) => [name, components]),
)
const kinds = new Map(sharedMetrics.map(({ name, kind }) => [name, kind]))

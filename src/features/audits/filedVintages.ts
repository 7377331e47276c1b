import { neverEnds } from '../../backtest/asOf/packedVintages.ts'
import { nearestMonthEnd } from '../../dates.ts'
import { isPerShare } from '../../standardLines/presentedRows.ts'
import { type KindOfPeriod, kindOfPeriod } from '../../wholeFilings/frames.ts'
import { mostAccurate, type StatedFigure } from '../../wholeFilings/mostAccurate.ts'
import type { WholeSource } from '../../wholeFilings/statedFiling.ts'
import { localName } from '../../wholeFilings/tags.ts'
import type { ReportedFigure } from '../../wholeFilings/wholeFiling.ts'

/** What one content of a filing states under a tag or on a standard line. */
export interface StatedContent {
  /** The position of the filing among those of its company: of two filings, the later one counts. */
  readonly order: number
  /** The day from which this content counts, since 1970-01-01. */
  readonly since: number
  readonly accession: string
  readonly source: WholeSource
  readonly figures: readonly ReportedFigure[]
}

/** A value of a period, from the filing that states it until the day from which another value counts. */
export interface FiledVintage {
  readonly kind: KindOfPeriod
  /** Days since 1970-01-01. */
  readonly filed: number
  readonly until: number
  readonly end: number
  readonly unit: string
  readonly value: number
  readonly accession: string
}

/**
 * The vintages of a tag or a standard line of one company. Of the figures of a filing, those of the whole company for an
 * instant, about a quarter or about a year count, in the unit in which the filing states most of them, and for one
 * period the most accurate figure. A filing that repeats a value, or rounds it, makes no vintage.
 *
 * @param contents in the order in which they became known
 * @param currency only figures in it, or per share in it, count; null: all
 */
export function filedVintages(contents: readonly StatedContent[], currency: string | null): FiledVintage[] {
  const ends = exactEnds(contents)
  const periods = new Map<string, VintagesOfPeriod>()
  const statedBy = new Map<number, ReadonlySet<string>>()
  for (const content of contents) {
    const figures = countedFigures(content, currency)
    const stated = new Map<string, Stated>()
    for (const [key, ofPeriod] of Map.groupBy(figures, figure => periodOf(figure, ends)?.key ?? '')) {
      const period = periodOf(ofPeriod[0], ends)
      const best = period === null ? null : mostAccurate(ofPeriod, ofPeriod[0].context.end)
      if (period === null || best === null || period.end > content.since) continue
      stated.set(key, { content, period, figure: best, value: Number(best.value) })
    }
    // A later content of a filing replaces all that the earlier one stated.
    for (const key of statedBy.get(content.order) ?? [])
      if (!stated.has(key)) periods.get(key)?.state(content, null)
    for (const [key, one] of stated) {
      const vintages = periods.get(key) ?? new VintagesOfPeriod()
      periods.set(key, vintages)
      vintages.state(content, one)
    }
    statedBy.set(content.order, new Set(stated.keys()))
  }
  return [...periods.values()].flatMap(({ vintages }) => vintages)
}

interface Period {
  readonly kind: KindOfPeriod
  readonly end: number
  readonly key: string
}

interface Stated {
  readonly content: StatedContent
  readonly period: Period
  readonly figure: StatedFigure
  readonly value: number
}

/** The vintages of one period, in the order in which filings state it. */
class VintagesOfPeriod {
  readonly vintages: FiledVintage[] = []
  readonly #byFiling = new Map<number, Stated>()
  #current: Stated | null = null

  /** @param stated what the content states; null if it no longer states the period */
  state({ order, since }: StatedContent, stated: Stated | null): void {
    if (stated === null) this.#byFiling.delete(order)
    else this.#byFiling.set(order, stated)
    const last = Math.max(-1, ...this.#byFiling.keys())
    const best = this.#byFiling.get(last) ?? null
    if (this.#current !== null && best !== null && isRepeated(this.#current, best)) return
    const ended = this.vintages.at(-1)
    if (this.#current !== null && ended !== undefined)
      this.vintages[this.vintages.length - 1] = { ...ended, until: since }
    this.#current = best
    if (best === null) return
    const { content, period, figure, value } = best
    const { accession } = content
    const unit = unitOf(figure, content.source)
    this.vintages.push({
      kind: period.kind,
      end: period.end,
      filed: since,
      until: neverEnds,
      unit,
      value,
      accession,
    })
  }
}

/** Whether a figure is the current one, possibly rounded more. */
function isRepeated(current: Stated, later: Stated): boolean {
  if (unitOf(current.figure, current.content.source) !== unitOf(later.figure, later.content.source))
    return false
  if (current.value === later.value) return true
  const rounding = roundingOf(later)
  return rounding > roundingOf(current) && Math.abs(current.value - later.value) * 2 <= rounding
}

/** Units to which filings round whole amounts, where their source does not state the accuracy. */
const roundingUnits = [1e6, 1e3] as const

/** The unit to which a figure is rounded, as far as its source or its digits say; 0: unknown or exact. */
function roundingOf({ figure, value }: Stated): number {
  if (figure.decimals !== null) return Number.isFinite(figure.decimals) ? 10 ** -figure.decimals : 0
  return value === 0 ? 0 : (roundingUnits.find(unit => value % unit === 0) ?? 0)
}

/** The figures of the whole company that count, all in one unit. */
function countedFigures({ figures, source }: StatedContent, currency: string | null): ReportedFigure[] {
  const counted = figures.filter(
    figure =>
      figure.context.dimensions.length === 0 &&
      figure.value !== null &&
      kindOfPeriod(figure.context) !== null &&
      (currency === null || isIn(currency, unitOf(figure, source))),
  )
  const byUnit = [...Map.groupBy(counted, ({ unit }) => unit)].sort(
    ([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1),
  )
  return byUnit[0]?.[1] ?? []
}

const isIn = (currency: string, unit: string) => unit === currency || unit.startsWith(`${currency}/`)

/** The unit as mapped figures have it. Data sets write the currency alone for amounts per share. */
function unitOf({ unit, concept }: ReportedFigure, source: WholeSource): string {
  const plain = unit.replaceAll(/(iso4217|xbrli):/g, '')
  const omitsShares = source === 'dataSet' && /^[A-Z]{3}$/.test(plain) && isPerShare(localName(concept))
  return omitsShares ? `${plain}/shares` : plain
}

const roundedKey = (kind: KindOfPeriod, monthEnd: number) => `${kind} ${monthEnd}`

/** The last days of periods as sources with exact days state them, by the month end to which data sets round them. */
function exactEnds(contents: readonly StatedContent[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, Set<number>>()
  for (const { figures } of contents) {
    for (const { context } of figures) {
      const kind = context.quarters === null ? kindOfPeriod(context) : null
      if (kind === null || context.dimensions.length > 0) continue
      const key = roundedKey(kind, nearestMonthEnd(context.end))
      const ends = found.get(key) ?? new Set()
      found.set(key, ends.add(context.end))
    }
  }
  return new Map([...found].map(([key, ends]) => [key, [...ends]]))
}

/** The period of a figure. One that a data set rounds is the exact period of that month end, if there is one. */
function periodOf({ context }: ReportedFigure, ends: ReadonlyMap<string, readonly number[]>): Period | null {
  const kind = kindOfPeriod(context)
  if (kind === null) return null
  const exact = context.quarters === null ? [] : (ends.get(roundedKey(kind, context.end)) ?? [])
  const end = exact.reduce<number>(
    (best, day) => (Math.abs(day - context.end) < Math.abs(best - context.end) ? day : best),
    exact[0] ?? context.end,
  )
  return { kind, end, key: `${kind} ${end}` }
}

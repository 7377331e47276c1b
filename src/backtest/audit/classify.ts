import type { Events } from '../asOf/figureEvents.ts'
import { none } from '../asOf/positions.ts'
import type { AsOfPeriod } from '../figureScore.ts'
import { type CellReading, comparedWithKnown, matchTolerance } from './match.ts'
import type { NumberCells } from './numbers.ts'
import { auditScales } from './request.ts'
import { isEqual, roundingTolerance } from './rounding.ts'
import {
  type AdjustedVintages,
  adjustment,
  maxSplitError,
  type ShareKind,
  type Split,
  splitsOf,
} from './splits.ts'
import { type AuditReason, auditReasons, emptyCell, stateCode } from './states.ts'
import { firstAtLeast, type Vintages } from './vintages.ts'

/** The rows of an audit, and which of the companies' figures were known on each. */
export interface AuditedRows {
  readonly count: number
  /** For each row, the index of its company; -1: unknown. */
  readonly company: Int32Array
  /** The last day whose filings were known. */
  readonly knownDay: Int32Array
  /** The row's own day in the market of its company. */
  readonly ownDay: Int32Array
  /** The last day that had ended. For rows with times it may be before or after `knownDay`, which follows the filings. */
  readonly endedDay: Int32Array
  /** For rows between two filings of one day, the index at which the vintages of that state follow those of the companies; -1: none. Null: no row is. */
  readonly interimOfRow: Int32Array | null
  /** For each row, its instant; null for rows with days. */
  readonly instant: Float64Array | null
}

/** The earnings releases of the companies: `days` of filing, in order, and by when each was public. */
export type Releases = Pick<Events, 'starts' | 'days' | 'values' | 'ends'>

/** One column to be audited, with everything known about its companies. */
export interface AuditedFigures {
  readonly cells: NumberCells
  readonly reading: CellReading & { readonly splits: 'as_filed' | 'adjusted' }
  /** The figure that was known on each row, as in a join. */
  readonly events: Events
  readonly positions: Int32Array
  readonly vintages: Vintages
  /** The same vintages, adjusted for splits; null: the column shows figures as filed. */
  readonly adjusted: AdjustedVintages | null
  /** The same metric by other kinds of period. */
  readonly otherPeriods: readonly { readonly fp: AsOfPeriod; readonly vintages: Vintages }[]
  /** What the unit of a figure says about shares, by the number of the unit. */
  readonly shareKinds: ReadonlyMap<number, ShareKind>
  /** Units that count; null: all. */
  readonly units: ReadonlySet<number> | null
}

/** The other companies whose figures a row may show: of its lineage, or with the same symbol on other days. */
export type OthersOfRow = (row: number) => readonly number[]

/** What was found about the cells of a column. */
export interface ClassifiedColumn {
  /** The codes of the states; 0: empty. */
  readonly state: Uint8Array
  /** The numbers of the reasons, from 1; 0: none. */
  readonly reason: Uint8Array
  /** The vintage that a cell equals, among those of `source`; `none`. */
  readonly vintage: Int32Array
  /** Whose vintages these are: 0 the column's own, then those of `otherPeriods` in their order. */
  readonly source: Uint8Array
}

const reasonCode = Object.fromEntries(auditReasons.map((reason, index) => [reason, index + 1])) as Readonly<
  Record<AuditReason, number>
>

/** Finds the state of every cell of a column. */
export function classifyColumn(
  rows: AuditedRows,
  figures: AuditedFigures,
  releases: Releases | null,
  othersOfRow: OthersOfRow,
): ClassifiedColumn {
  const { count, company } = rows
  const { cells, reading, events, positions } = figures
  const found = {
    state: new Uint8Array(count),
    reason: new Uint8Array(count),
    vintage: new Int32Array(count).fill(none),
    source: new Uint8Array(count),
  }
  const cellClassifier = new CellClassifier(rows, figures, releases, othersOfRow, found)
  // Counted from 1; 0: not looked up yet.
  const vintageOfEvent = new Int32Array(events.days.length)
  for (let row = 0; row < count; row++) {
    const number = cells.cells[row]
    const value = number === 0 ? Number.NaN : cells.numbers[number - 1]
    if (Number.isNaN(value)) {
      found.state[row] = emptyCell
      continue
    }
    const position = company[row] === -1 ? none : positions[row]
    if (position !== none) {
      const same = comparedWithKnown(value, events.values[position], reading)
      if (same !== null) {
        found.state[row] = stateCode[same]
        if (vintageOfEvent[position] === 0) {
          const interim = rows.interimOfRow?.[row] ?? -1
          const state = interim === -1 ? company[row] : interim
          vintageOfEvent[position] = 1 + knownVintage(events, position, figures.vintages, state)
        }
        found.vintage[row] = vintageOfEvent[position] - 1
        continue
      }
    }
    cellClassifier.classify(row, value)
  }
  return found
}

/** The ratios by which a figure may differ that was adjusted for some of the splits, or once too often. */
function ratiosOf(splits: readonly Split[]): Set<number> {
  const products = new Set([1])
  for (const { ratio } of splits) for (const product of [...products]) products.add(product * ratio)
  return new Set([...products].flatMap(product => [product, 1 / product]))
}

/**
 * The vintage of a company that one of its events shows, or `none`. Of several that a day's filings state alike, the event
 * shows the one that stayed current, which is the last.
 */
function knownVintage(events: Events, event: number, vintages: Vintages, company: number): number {
  const value = events.values[event]
  const to = vintages.starts[company + 1]
  let found: number = none
  let at = firstAtLeast(vintages, vintages.starts[company], to, value)
  for (; at < to && vintages.values[at] === value; at++)
    if (
      vintages.days[at] === events.filed[event] &&
      vintages.ends[at] === events.ends[event] &&
      vintages.units[at] === events.units[event]
    )
      found = at
  return found
}

/** Classifies cells that do not equal the known figure. */
class CellClassifier {
  readonly #splits = new Map<number, readonly Split[]>()

  constructor(
    readonly rows: AuditedRows,
    readonly figures: AuditedFigures,
    readonly releases: Releases | null,
    readonly othersOfRow: OthersOfRow,
    readonly found: ClassifiedColumn,
  ) {}

  classify(row: number, value: number): void {
    const { company } = this.rows
    const { vintages, reading } = this.figures
    const own = company[row]
    const figure = value * reading.sign * reading.scale
    const tolerance = matchTolerance(value, reading)
    if (own !== -1) {
      if (this.#isAdjusted(row, own, value)) {
        this.#set(row, 'rounded')
        return
      }
      if (this.#findOwn(row, own, figure, tolerance)) return
    }
    for (const other of value === 0 ? [] : this.othersOfRow(row)) {
      if (other === own) continue
      const at = this.#best(vintages, other, figure, tolerance, this.rows.endedDay[row])
      if (at !== none) {
        this.#set(row, 'other_company', at)
        return
      }
    }
    if (own !== -1 && this.#findReason(row, own, value)) return
    this.#set(row, own !== -1 && this.#hasFiled(row, own) ? 'no_match' : 'not_covered')
  }

  /** Whether the company had filed any figure of the metric. */
  #hasFiled(row: number, company: number): boolean {
    const { starts, days } = this.figures.vintages
    const { knownDay, interimOfRow } = this.rows
    const interim = interimOfRow?.[row] ?? -1
    const state = interim === -1 ? company : interim
    for (let at = starts[state]; at < starts[state + 1]; at++)
      if ((interim !== -1 || days[at] <= knownDay[row]) && this.#counts(this.figures.vintages, at))
        return true
    return false
  }

  /** Where the vintages that were known on a row are: those of its company or, between two filings of one day, of that state. */
  #stateOf(row: number, company: number): number {
    const interim = this.rows.interimOfRow?.[row] ?? -1
    return interim === -1 ? company : interim
  }

  /** Whether a vintage is in a unit that counts. */
  #counts(vintages: Vintages, at: number): boolean {
    const { units } = this.figures
    return units === null || units.has(vintages.units[at])
  }

  /**
   * Searches the company's own vintages: announced, stale, restated, early, in this order. Between two filings of one
   * day, the vintages of that state are what was known.
   */
  #findOwn(row: number, company: number, figure: number, tolerance: number): boolean {
    const { vintages, adjusted } = this.figures
    const { days, filed, ends, starts } = vintages
    const { values } = adjusted ?? vintages
    const known = this.rows.knownDay[row]
    const interim = this.rows.interimOfRow?.[row] ?? -1
    const to = starts[company + 1]
    let [announced, restated, early, repeated] = [none, none, none, none]
    let stale = interim === -1 ? none : this.#best(vintages, interim, figure, tolerance, always)
    for (
      let index = firstAtLeast({ values }, starts[company], to, figure - tolerance);
      index < to && values[index] <= figure + tolerance;
      index++
    ) {
      const at = adjusted === null ? index : adjusted.order[index]
      if (!this.#counts(vintages, at)) continue
      if (days[at] <= known) {
        if (interim === -1 && (stale === none || isLater(vintages, at, stale))) stale = at
        continue
      }
      if (interim !== -1 && this.#isIn(interim, at)) continue
      const isKnownPeriod = filed[at] <= known || (interim !== -1 && this.#hasPeriodOf(interim, at))
      if (isKnownPeriod) {
        if (restated === none || days[at] < days[restated]) restated = at
        continue
      }
      const isRepeated = this.#isRepeated(company, at)
      if (isRepeated && ends[at] <= this.rows.ownDay[row]) {
        if (repeated === none || days[at] < days[repeated]) repeated = at
        continue
      }
      if (early === none || days[at] < days[early]) early = at
      const isFirst = days[at] === filed[at] && !isRepeated
      if (isFirst && (announced === none || days[at] < days[announced]) && this.#isReleased(row, company, at))
        announced = at
    }
    // A zero may stand for a missing value, so it says nothing about a figure that was not known.
    if (figure === 0) {
      if (stale !== none) this.#set(row, 'stale', stale)
      return stale !== none
    }
    if (announced !== none) this.#set(row, 'announced', announced)
    else if (stale !== none) this.#set(row, 'stale', stale)
    else if (restated !== none) this.#setRestated(row, company, restated)
    else if (repeated !== none && (early === none || days[repeated] <= days[early]))
      this.#set(row, 'not_covered')
    else if (early !== none) this.#set(row, 'early', early)
    else return false
    return true
  }

  /**
   * Whether a vintage says nothing about when its figure was public: its period is first on record as a comparative figure
   * of a filing that also states a later period. The report on the period itself is not on record.
   */
  #isRepeated(company: number, vintage: number): boolean {
    const { vintages } = this.figures
    const { days, filed, ends, starts } = vintages
    if (days[vintage] !== filed[vintage]) return false
    for (let at = starts[company]; at < starts[company + 1]; at++)
      if (days[at] === days[vintage] && ends[at] > ends[vintage] && this.#counts(vintages, at)) return true
    return false
  }

  /** Whether an interim state contains a vintage of the company. */
  #isIn(interim: number, vintage: number): boolean {
    const { vintages } = this.figures
    const { days, ends, units, values, starts } = vintages
    const to = starts[interim + 1]
    let at = firstAtLeast(vintages, starts[interim], to, values[vintage])
    for (; at < to && values[at] === values[vintage]; at++)
      if (days[at] === days[vintage] && ends[at] === ends[vintage] && units[at] === units[vintage])
        return true
    return false
  }

  /** Whether an interim state contains a figure of a vintage's period. Here periods with the same last day are one. */
  #hasPeriodOf(interim: number, vintage: number): boolean {
    const { ends, starts } = this.figures.vintages
    for (let at = starts[interim]; at < starts[interim + 1]; at++) if (ends[at] === ends[vintage]) return true
    return false
  }

  /** A restatement by the ratio of a split says nothing about the business, so the split is named as the reason. */
  #setRestated(row: number, company: number, restated: number): void {
    this.#set(row, 'restated', restated)
    const { events, positions, shareKinds, vintages } = this.figures
    const kind = shareKinds.get(vintages.units[restated]) ?? 'none'
    const position = positions[row]
    if (kind === 'none' || position === none || events.ends[position] !== vintages.ends[restated]) return
    const from = events.filed[position]
    const factor = adjustment(this.#splitsOf(company, kind), from, kind, vintages.days[restated])
    const figure = vintages.values[restated]
    if (
      factor !== 1 &&
      Math.abs(events.values[position] * factor - figure) <= Math.abs(maxSplitError * figure)
    )
      this.found.reason[row] = reasonCode.split
  }

  /**
   * Whether an earnings release had made a period public before its filing. Of several releases between the end of the
   * period and the filing only the last one counts: earlier ones may have announced something else, such as
   * preliminary figures.
   */
  #isReleased(row: number, company: number, vintage: number): boolean {
    const { releases } = this
    if (releases === null) return false
    const { starts, days, values, ends } = releases
    const { vintages } = this.figures
    let at = starts[company + 1] - 1
    while (at >= starts[company] && days[at] > vintages.days[vintage]) at--
    if (at < starts[company] || days[at] <= vintages.ends[vintage]) return false
    const instant = this.rows.instant?.[row] ?? Number.NaN
    if (!Number.isNaN(instant) && !Number.isNaN(values[at])) return values[at] <= instant
    return ends[at] <= this.rows.endedDay[row]
  }

  /** Whether a cell equals the known figure per share, adjusted for the splits after the row's day. */
  #isAdjusted(row: number, company: number, value: number): boolean {
    const { reading, events, positions, shareKinds } = this.figures
    const position = positions[row]
    if (reading.splits !== 'adjusted' || position === none) return false
    const kind = shareKinds.get(events.units[position]) ?? 'none'
    const factor = adjustment(this.#splitsOf(company, kind), events.filed[position], kind)
    if (factor === 1) return false
    const expected = events.values[position] * factor
    const figure = value * reading.sign * reading.scale
    const tolerance = roundingTolerance(reading.rounding, value) * reading.scale
    return isEqual(figure, expected) || Math.abs(figure - expected) <= tolerance
  }

  #splitsOf(company: number, kind: ShareKind): readonly Split[] {
    const known = this.#splits.get(company)
    if (known !== undefined) return known
    const { vintages } = this.figures
    const splits = splitsOf(vintages, vintages.starts[company], vintages.starts[company + 1], kind)
    this.#splits.set(company, splits)
    return splits
  }

  /** Whether a cell would match if it were read in another way. */
  #findReason(row: number, company: number, value: number): boolean {
    const { reading, otherPeriods, events, positions, shareKinds } = this.figures
    const figure = value * reading.sign * reading.scale
    const tolerance = matchTolerance(value, reading)
    for (const [index, other] of otherPeriods.entries()) {
      const at = this.#best(other.vintages, company, figure, tolerance, this.rows.knownDay[row])
      if (at !== none) return this.#setReason(row, 'period', at, index + 1)
    }
    if (value === 0) return false
    const opposite = this.#bestOfOwn(row, company, -figure, tolerance)
    if (opposite !== none) return this.#setReason(row, 'sign', opposite)
    for (const scale of auditScales) {
      if (scale === reading.scale) continue
      const factor = scale / reading.scale
      const at = this.#bestOfOwn(row, company, figure * factor, tolerance * factor)
      if (at !== none) return this.#setReason(row, 'scale', at)
    }
    if (this.figures.units !== null) {
      const at = this.#bestOfOwn(row, company, figure, tolerance, true)
      if (at !== none) return this.#setReason(row, 'currency', at)
    }
    const position = positions[row]
    if (position === none) return false
    const kind = shareKinds.get(events.units[position]) ?? 'none'
    if (kind === 'none') return false
    const splits = this.#splitsOf(company, kind)
    const ratios = splits.length === 0 ? [] : [...ratiosOf(splits)]
    // With few digits, it can only be told whether it is the known figure.
    const coarse = roundingTolerance(reading.rounding, value) * reading.scale
    const known = events.values[position]
    if (ratios.some(ratio => Math.abs(figure * ratio - known) <= Math.max(coarse, tolerance) * ratio))
      return this.#setReason(
        row,
        'split',
        knownVintage(events, position, this.figures.vintages, this.#stateOf(row, company)),
      )
    for (const ratio of ratios) {
      const at = this.#bestOfOwn(row, company, figure * ratio, tolerance * ratio)
      if (at !== none) return this.#setReason(row, 'split', at)
    }
    return false
  }

  /** The best of the company's own vintages. Between two filings of one day, those of that state come first. */
  #bestOfOwn(row: number, company: number, figure: number, tolerance: number, isOtherUnit = false): number {
    const { vintages } = this.figures
    const interim = this.rows.interimOfRow?.[row] ?? -1
    const known =
      interim === -1 ? none : this.#best(vintages, interim, figure, tolerance, always, isOtherUnit)
    return known !== none
      ? known
      : this.#best(vintages, company, figure, tolerance, this.rows.knownDay[row], isOtherUnit)
  }

  /**
   * Of the vintages that a figure equals, the latest one known on a day, otherwise the first one filed later.
   *
   * @param isOtherUnit whether only vintages in units that do not count are searched
   */
  #best(
    vintages: Vintages,
    company: number,
    figure: number,
    tolerance: number,
    knownDay: number,
    isOtherUnit = false,
  ): number {
    const { days, values, starts } = vintages
    let best: number = none
    // A figure times a scale may be too large for a double, and then equals nothing.
    if (!Number.isFinite(figure)) return best
    const to = starts[company + 1]
    for (
      let at = firstAtLeast(vintages, starts[company], to, figure - tolerance);
      at < to && values[at] <= figure + tolerance;
      at++
    ) {
      if (this.#counts(vintages, at) === isOtherUnit) continue
      if (best === none) best = at
      else if (days[at] <= knownDay) best = days[best] > knownDay || isLater(vintages, at, best) ? at : best
      else if (days[best] > knownDay && days[at] < days[best]) best = at
    }
    return best
  }

  #set(row: number, state: keyof typeof stateCode, vintage: number = none): void {
    this.found.state[row] = stateCode[state]
    this.found.vintage[row] = vintage
  }

  #setReason(row: number, reason: AuditReason, vintage: number, source = 0): true {
    this.#set(row, 'no_match', vintage)
    this.found.reason[row] = reasonCode[reason]
    this.found.source[row] = source
    return true
  }
}

/** A day after all others: every vintage is known. */
const always = Number.POSITIVE_INFINITY

/** Whether a vintage is of a later period than another, or of the same one and filed later. */
const isLater = ({ days, ends }: Vintages, one: number, other: number): boolean =>
  ends[one] > ends[other] || (ends[one] === ends[other] && days[one] > days[other])

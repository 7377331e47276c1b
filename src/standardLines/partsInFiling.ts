import { breakdownsOf, segmentAxes } from '../wholeFilings/breakdowns.ts'
import { differenceOfDecimals, sumOfDecimals } from '../wholeFilings/decimals.ts'
import { periodKey } from '../wholeFilings/knownStatement.ts'
import { isInstant, type Period } from '../wholeFilings/layOut.ts'
import { roundingOfSum } from '../wholeFilings/rounding.ts'
import { axisKey, localName } from '../wholeFilings/tags.ts'
import type { ReportedFigure } from '../wholeFilings/wholeFiling.ts'
import type { FilingValues, TriedInFiling } from './filingValues.ts'
import type { IdentitySides, LineCheck } from './lineCheck.ts'
import { partsOfPeriod } from './periodSums.ts'
import type { PresentingFiling, StandardFiling } from './standardFiling.ts'

/**
 * Compares the figures of the statements with their parts, which are elsewhere in the same filing: the quarters of a
 * period, and the members of a breakdown. A breakdown that is not complete contradicts nothing.
 */
export function partsInFiling(
  filing: PresentingFiling,
  statements: StandardFiling['statements'],
  values: FilingValues,
  power: number,
  tried: TriedInFiling,
): void {
  const concepts = new Set<string>()
  for (const [, { rows }] of statements)
    for (const row of rows) if (row.unit === 'currency') concepts.add(row.concept)
  const notes = new FiguresOfConcepts(filing.figures, concepts)
  for (const [name, { rows, columns }] of statements)
    columns.forEach(({ period }, column) => {
      if (period === null) return
      for (const [line, value] of values.get(name)?.[column] ?? []) {
        const [at] = value.rows
        const figure = rows[at].figures[column]
        if (value.rows.length > 1 || rows[at].unit !== 'currency' || figure == null) continue
        const lines = new Set([line])
        const byMembers = breakdownSum(filing, notes.divided(figure.concept), figure, power)
        if (byMembers !== null) tried.add(name, column, { ...byMembers, lines })
        const byQuarters = quarterSum(notes.byPeriod(figure.concept), period, figure, power)
        if (byQuarters === null) continue
        tried.add(name, column, { ...byQuarters.check, lines })
        for (const part of byQuarters.parts) {
          const shown = rows[at].figures.indexOf(part)
          if (shown >= 0) tried.add(name, shown, { ...byQuarters.check, lines })
        }
      }
    })
}

class FiguresOfConcepts {
  readonly #whole = new Map<string, ReportedFigure[]>()
  readonly #divided = new Map<string, ReportedFigure[]>()
  readonly #byPeriod = new Map<string, ReadonlyMap<string, ReportedFigure>>()

  constructor(figures: readonly ReportedFigure[], concepts: ReadonlySet<string>) {
    for (const figure of figures) {
      const { concept, context, value } = figure
      if (value === null || !concepts.has(concept)) continue
      const of = context.dimensions.length > 0 ? this.#divided : isInstant(context) ? null : this.#whole
      const others = of?.get(concept)
      if (others === undefined) of?.set(concept, [figure])
      else others.push(figure)
    }
  }

  divided(concept: string): readonly ReportedFigure[] {
    return this.#divided.get(concept) ?? []
  }

  /** The most precise figures of the whole company, by unit and period. */
  byPeriod(concept: string): ReadonlyMap<string, ReportedFigure> {
    const known = this.#byPeriod.get(concept)
    if (known !== undefined) return known
    const found = new Map<string, ReportedFigure>()
    for (const figure of this.#whole.get(concept) ?? []) {
      const key = `${figure.unit} ${periodKey(figure.context)}`
      const other = found.get(key)
      if (other === undefined || accuracyOf(figure) > accuracyOf(other)) found.set(key, figure)
    }
    this.#byPeriod.set(concept, found)
    return found
  }
}

const accuracyOf = ({ decimals }: ReportedFigure) => decimals ?? Number.NEGATIVE_INFINITY

/** Annual reports state the quarters of their year in the notes. */
function quarterSum(
  stated: ReadonlyMap<string, ReportedFigure>,
  period: Period,
  figure: ReportedFigure,
  power: number,
): { readonly check: LineCheck; readonly parts: readonly ReportedFigure[] } | null {
  for (const { identity, parts: keys } of partsOfPeriod(period)) {
    const parts = keys.flatMap(key => stated.get(`${figure.unit} ${key}`) ?? [])
    if (parts.length < keys.length) continue
    const sides = sidesOf(figure, parts, power)
    const difference = differenceOfDecimals(sides.left, sides.right)
    const holds = Math.abs(Number(difference)) <= sides.tolerance
    return { check: { state: holds ? 'consistent' : 'contradicted', identity, difference, sides }, parts }
  }
  return null
}

const sidesOf = (figure: ReportedFigure, parts: readonly ReportedFigure[], power: number): IdentitySides => ({
  left: figure.value ?? '0',
  right: sumOfDecimals(parts.map(({ value }) => value ?? '0')),
  unit: figure.unit,
  tolerance: roundingOfSum([figure, ...parts], power),
})

const axes = new Set(Object.values(segmentAxes).flat().map(axisKey))

/** Along the first axis whose members add up to the figure, alone or with what is eliminated between them. */
function breakdownSum(
  filing: PresentingFiling,
  divided: readonly ReportedFigure[],
  figure: ReportedFigure,
  power: number,
): LineCheck | null {
  if (divided.length < 2) return null
  const { start, end, quarters } = figure.context
  const ofPeriod = divided.filter(
    ({ context, ...each }) =>
      each.unit === figure.unit &&
      context.start === start &&
      context.end === end &&
      context.quarters === quarters,
  )
  if (ofPeriod.length < 2) return null
  const reconciling = ofPeriod.filter(isReconciling)
  for (const { axis, members } of breakdownsOf(filing, figure.concept, ofPeriod, axes)) {
    const parts = members.flatMap(({ partOf, figure: part }) =>
      partOf === null && part.value !== null && part.value !== '0' ? [part] : [],
    )
    if (parts.length < 2) continue
    for (const further of reconciling.length === 0 ? [[]] : [[], reconciling]) {
      const all = [...parts, ...further]
      const sides = sidesOf(figure, all, power)
      const difference = differenceOfDecimals(sides.left, sides.right)
      if (Math.abs(Number(difference)) > sides.tolerance) continue
      const others = further.length === 0 ? '' : ' and what reconciles them with the whole company'
      return {
        state: 'consistent',
        identity: `The total = the sum of its ${parts.length} members by ${axisName(axis)}${others}`,
        difference,
        sides,
      }
    }
  }
  return null
}

const axisName = (axis: string) =>
  Object.entries(segmentAxes).find(([, names]) => names.map(axisKey).includes(axisKey(axis)))?.[0] ??
  localName(axis)

/** Eliminations between segments, and what no segment has. */
const isReconciling = ({ context: { dimensions } }: ReportedFigure) =>
  dimensions.length === 1 &&
  axisKey(dimensions[0].axis) === 'ConsolidationItems' &&
  !/OperatingSegments(Member)?$/.test(dimensions[0].member)

import { findStatedStrategy } from '../../markets/strategies/pricedStrategies.ts'
import { computeStrategy, type KnownFigure, type Strategy } from '../../markets/strategies/strategies.ts'
import { chooseVintages } from './chooseVintages.ts'
import { companiesPerBlock, type EventBlock, EventBuilder } from './figureEvents.ts'
import {
  neverEnds,
  type PackedVintages,
  type StrategyInputs,
  unpackVintages,
  type Vintages,
} from './packedVintages.ts'

/**
 * Builds the events of a strategy: on each day on which a vintage of an input is filed or ends, the score that follows
 * from the vintages current on that day. So a score is known from the day on which the last of its inputs is.
 */
export function buildStrategyEvents({
  firstEntity,
  companies = companiesPerBlock,
  rows,
  choice = 'as_known',
  strategy: { name, inputBytes, pureUnit },
}: PackedVintages & { readonly strategy: StrategyInputs }): EventBlock {
  const strategy = findStatedStrategy(name)
  if (strategy === undefined) throw new Error(`${name} is not a strategy.`)
  const inputs: Vintages[] = []
  let from = 0
  for (const bytes of inputBytes) {
    inputs.push(chooseVintages(unpackVintages(rows.subarray(from, from + bytes)), choice))
    from += bytes
  }
  const vintagesOf = inputs.map(input => byCompany(input, firstEntity, companies))
  const events = new EventBuilder(2 * inputs.reduce((sum, { count }) => sum + count, 0))
  const starts = new Int32Array(new SharedArrayBuffer(4 * (companies + 1)))
  const unit = strategy.unit === 'pure' ? pureUnit : null
  for (let company = 0; company < companies; company++) {
    starts[company] = events.count
    addCompany(
      strategy,
      inputs,
      vintagesOf.map(of => of[company]),
      unit,
      events,
    )
  }
  starts[companies] = events.count
  return { firstEntity, starts, ...events.finish() }
}

/** The vintages of each company. */
function byCompany({ count, entity }: Vintages, firstEntity: number, companies: number): number[][] {
  const found: number[][] = Array.from({ length: companies }, () => [])
  for (let i = 0; i < count; i++) found[entity[i] - firstEntity].push(i)
  return found
}

function addCompany(
  strategy: Strategy,
  inputs: readonly Vintages[],
  vintages: readonly (readonly number[])[],
  pureUnit: number | null,
  events: EventBuilder,
): void {
  const days = new Set<number>()
  for (const [input, { filed, until }] of inputs.entries())
    for (const vintage of vintages[input]) {
      days.add(filed[vintage])
      if (until[vintage] !== neverEnds) days.add(until[vintage])
    }
  let last = { value: Number.NaN, end: 0, filed: 0, unit: 0 }
  for (const day of [...days].sort((a, b) => a - b)) {
    const known = inputs.map((input, index) => currentOn(input, vintages[index], day))
    const found = computeStrategy(strategy, known)
    const next =
      found === null || Number.isNaN(found.score)
        ? { value: Number.NaN, end: 0, filed: 0, unit: 0 }
        : { value: found.score, end: found.end, filed: found.filed, unit: pureUnit ?? found.unit }
    const isSame =
      Object.is(next.value, last.value) &&
      next.end === last.end &&
      next.filed === last.filed &&
      next.unit === last.unit
    if (isSame) continue
    last = next
    events.add(day, next.value, next.end, next.filed, next.unit)
  }
}

/** The current figure of each period on a day. Of several that end on one day, the same one as in `buildEvents`. */
function currentOn(input: Vintages, vintages: readonly number[], day: number): KnownFigure[] {
  const { filed, until, end, rank, value, unit } = input
  const best = new Map<number, number>()
  for (const i of vintages) {
    if (filed[i] > day || until[i] <= day) continue
    const other = best.get(end[i])
    if (
      other === undefined ||
      (rank[i] - rank[other] || filed[i] - filed[other] || value[i] - value[other]) > 0
    )
      best.set(end[i], i)
  }
  return [...best.values()].map(i => ({
    end: end[i],
    filed: filed[i],
    value: unit[i] < 0 ? Number.NaN : value[i],
    unit: unit[i],
  }))
}

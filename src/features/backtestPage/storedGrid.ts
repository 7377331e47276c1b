import { type Static, Type } from '@sinclair/typebox'
import { reportSections } from '../../backtest/report/reportSections.ts'

const strict = { additionalProperties: false } as const
const oneOf = <Value extends string>(values: readonly Value[]) =>
  Type.Union(values.map(value => Type.Literal(value)))

/** The default grid of a sweep. `hold` counts horizons. The shorter horizon has seven times the days, and its results would take six times
 * the room of these. */
export const storedAxes = {
  horizon: ['7d'],
  quantile: ['0.05', '0.1', '0.2', '0.3'],
  weighting: ['equal', 'rank', 'score'],
  hold: ['1', '5', '10', '21'],
  run: ['one', 'sweep'],
} as const

export const StoredQuery = Type.Object(
  {
    horizon: Type.Optional(oneOf(storedAxes.horizon)),
    quantile: Type.Optional(oneOf(storedAxes.quantile)),
    weighting: Type.Optional(oneOf(storedAxes.weighting)),
    hold: Type.Optional(oneOf(storedAxes.hold)),
    run: Type.Optional(oneOf(storedAxes.run)),
  },
  strict,
)

/** Which of the stored results is shown. */
export type StoredChoice = Required<Static<typeof StoredQuery>>

export const firstChoice: StoredChoice = {
  horizon: '7d',
  quantile: '0.1',
  weighting: 'equal',
  hold: '1',
  run: 'one',
}

/** The name of a choice's result. A sweep tries every value of the other axes, so these do not matter to it. */
export const storedName = ({ horizon, quantile, weighting, hold, run }: StoredChoice): string =>
  run === 'sweep' ? `${horizon} sweep` : `${horizon} ${quantile} ${weighting} ${hold}`

/** The request whose answer is stored for a choice, with all that its report shows. */
export function storedRequest({ horizon, quantile, weighting, hold, run }: StoredChoice) {
  const isSweep = run === 'sweep'
  return {
    source: { horizon },
    ...(isSweep
      ? { sweep: true }
      : { config: { quantile: Number(quantile), weighting, holdDays: daysHeld(horizon, hold) } }),
    include: reportSections(isSweep),
  }
}

export const daysHeld = (horizon: string, hold: string): number => Number(hold) * Number.parseInt(horizon, 10)

/** Every choice that has a result of its own. */
export function storedChoices(): StoredChoice[] {
  const all: StoredChoice[] = [{ ...firstChoice, run: 'sweep' }]
  for (const quantile of storedAxes.quantile)
    for (const weighting of storedAxes.weighting)
      for (const hold of storedAxes.hold) all.push({ ...firstChoice, quantile, weighting, hold })
  return all
}

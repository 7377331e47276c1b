import type { SweptFields } from '../../model/backtestSwept.ts'

export type SweepTrial = SweptFields['trials'][number]

export interface Surface {
  readonly direction: string
  readonly weighting: string
  readonly quantiles: readonly number[]
  readonly holds: readonly number[]
  /** By `quantile hold`. */
  readonly cells: ReadonlyMap<string, SweepTrial>
}

const pattern = /^(long_short|long_only) q([\d.e-]+) (equal|rank|score) h(\d+)$/

/** The trials of a sweep as one table of quantile by holding days for each direction and weighting, in the order in
 * which these were tried. Trials with other labels are in none. */
export function sweepGrid(trials: readonly SweepTrial[]): Surface[] {
  const groups = new Map<string, { trial: SweepTrial; quantile: number; hold: number }[]>()
  for (const trial of trials) {
    const found = pattern.exec(trial.label)
    if (found === null) continue
    const key = `${found[1]} ${found[3]}`
    const group = groups.get(key) ?? []
    groups.set(key, group)
    group.push({ trial, quantile: Number(found[2]), hold: Number(found[4]) })
  }
  return [...groups].map(([key, group]) => {
    const [direction, weighting] = key.split(' ')
    return {
      direction,
      weighting,
      quantiles: rising(group.map(({ quantile }) => quantile)),
      holds: rising(group.map(({ hold }) => hold)),
      cells: new Map(group.map(({ trial, quantile, hold }) => [`${quantile} ${hold}`, trial])),
    }
  })
}

function rising(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b)
}

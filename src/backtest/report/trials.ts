import type { SweepFields } from '../resultMetrics.ts'

export type SweepTrial = SweepFields['trials'][number]

interface SweepOutcome {
  readonly trials?: readonly SweepTrial[]
  readonly best?: { readonly label: string }
}

/** The trials of a sweep, the winner first, then by judged Sharpe ratio. Among trials with the same ratio,
 * the winner is the one with the lowest turnover, so it need not be the first of the grid. */
export function rankTrials({ trials = [], best }: SweepOutcome): SweepTrial[] {
  const rank = ({ label, judged_sharpe }: SweepTrial) =>
    label === best?.label ? Number.POSITIVE_INFINITY : (judged_sharpe ?? Number.NEGATIVE_INFINITY)
  return trials.toSorted((a, b) => {
    const [rankA, rankB] = [rank(a), rank(b)]
    return rankA === rankB ? (a.avg_turnover ?? 0) - (b.avg_turnover ?? 0) : rankB > rankA ? 1 : -1
  })
}

export interface SweepSurface {
  readonly direction: string
  readonly weighting: string
  /** The score of the trials, if several were tried; null: the only one. */
  readonly score: string | null
  readonly quantiles: readonly number[]
  readonly holds: readonly number[]
  /** Keyed by `quantile hold`. */
  readonly cells: ReadonlyMap<string, SweepTrial>
}

const labelPattern = /^(long_short|long_only) q([\d.e-]+) (equal|rank|score) h(\d+)(?: (\w+))?$/

/** The trials of a sweep as tables of quantile by holding days: one per direction, weighting and score, in the order
 * in which these were tried. Trials with other labels appear in no table. */
export function sweepSurfaces(trials: readonly SweepTrial[]): SweepSurface[] {
  const groups = new Map<string, { trial: SweepTrial; quantile: number; hold: number }[]>()
  for (const trial of trials) {
    const match = labelPattern.exec(trial.label)
    if (match === null) continue
    const key = `${match[1]} ${match[3]} ${match[5] ?? ''}`
    const group = groups.get(key) ?? []
    groups.set(key, group)
    group.push({ trial, quantile: Number(match[2]), hold: Number(match[4]) })
  }
  return [...groups].map(([key, group]) => {
    const [direction, weighting, score] = key.split(' ')
    return {
      direction,
      weighting,
      score: score === '' ? null : score,
      quantiles: sortedUnique(group.map(({ quantile }) => quantile)),
      holds: sortedUnique(group.map(({ hold }) => hold)),
      cells: new Map(group.map(({ trial, quantile, hold }) => [`${quantile} ${hold}`, trial])),
    }
  })
}

function sortedUnique(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b)
}

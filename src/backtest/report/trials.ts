import type { SweptFields } from '../metrics.ts'

type Trial = SweptFields['trials'][number]

interface Tried {
  readonly trials?: readonly Trial[]
  readonly best?: { readonly label: string }
}

/** The trials of a sweep, the winner first and then by their Sharpe ratio. Of trials with the same ratio the winner is
 * the one that trades least, so that it need not be the first of the grid. */
export function rankTrials({ trials = [], best }: Tried): Trial[] {
  const rank = ({ label, sharpe }: Trial) =>
    label === best?.label ? Number.POSITIVE_INFINITY : (sharpe ?? Number.NEGATIVE_INFINITY)
  return trials.toSorted((a, b) => {
    const [rankA, rankB] = [rank(a), rank(b)]
    return rankA === rankB ? (a.avg_turnover ?? 0) - (b.avg_turnover ?? 0) : rankB > rankA ? 1 : -1
  })
}

/** What decides between trials. */
export interface TrialScore {
  readonly label: string
  readonly sharpe: number | null
  readonly avgTurnover: number
}

/** The place of the trial with the highest Sharpe ratio; of equal ones the one that trades least, then the first label
 * in code-unit order. A trial without a Sharpe ratio comes after all that have one. */
export function pickWinner(trials: readonly TrialScore[]): number {
  let best = 0
  for (let i = 1; i < trials.length; i++) if (beats(trials[i], trials[best])) best = i
  return best
}

function beats(a: TrialScore, b: TrialScore): boolean {
  const sharpeA = a.sharpe ?? Number.NEGATIVE_INFINITY
  const sharpeB = b.sharpe ?? Number.NEGATIVE_INFINITY
  if (sharpeA !== sharpeB) return sharpeA > sharpeB
  if (a.avgTurnover !== b.avgTurnover) return a.avgTurnover < b.avgTurnover
  return a.label < b.label
}

import type { BacktestVerdict } from '../../src/backtest/resultVerdict.ts'
import { maxStrong, maxWeak, type Scenario, type Variant } from './scenarios.ts'

type Level = BacktestVerdict['level']

/** How often each level was given to the variants of a scenario. */
export class Tally {
  seeds = 0
  readonly counts: Record<Level, number>[]

  constructor(readonly scenario: Scenario) {
    this.counts = scenario.variants.map(() => ({ strong: 0, weak: 0, none: 0, withheld: 0 }))
  }

  add(levels: readonly Level[]): void {
    this.seeds++
    levels.forEach((level, i) => {
      this.counts[i][level]++
    })
  }

  /** The fraction of the seeds with each level. */
  shares(variant: number): { weak: number; strong: number; withheld: number } {
    const { strong, weak, withheld } = this.counts[variant]
    return {
      weak: (weak + strong) / this.seeds,
      strong: strong / this.seeds,
      withheld: withheld / this.seeds,
    }
  }
}

/** Whether every variant that has a limit stays within it. */
export function isWithinBars(tally: Tally): boolean {
  return tally.seeds > 0 && tally.scenario.variants.every((_, i) => faultOf(tally, i) === null)
}

/** Describes how a variant exceeds its limit; null if it does not. */
function faultOf(tally: Tally, variant: number): string | null {
  const { weak, strong } = tally.shares(variant)
  const { minFound } = tally.scenario
  if (minFound !== undefined) return weak < minFound ? `below ${percent(minFound)}` : null
  if (weak > maxWeak) return `weak or better above ${percent(maxWeak)}`
  return strong > maxStrong ? `strong above ${percent(maxStrong)}` : null
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`

const kinds: Readonly<Record<Variant['kind'], string>> = {
  single: 'one configuration',
  sweep: 'sweep of 48',
  batch: 'batch of 48',
}

/** A table of every scenario. */
export function verdictReport(tallies: readonly Tally[], first: number): string {
  const seeds = Math.min(...tallies.map(tally => tally.seeds))
  const noise = tallies.filter(({ scenario }) => scenario.minFound === undefined)
  const skilled = tallies.filter(({ scenario }) => scenario.minFound !== undefined)
  return `# How often a verdict is right

Measured by \`bun bench/verdict/run.ts\`, which \`.ci/long\` runs: ${seeds.toLocaleString('en')} generated panels of each scenario, seeds ${first} to ${first + seeds - 1}. Panels have 50 names and
1,260 daily dates (five years) unless the scenario says otherwise; slowly changing scores keep 98% from day to day. With ${seeds.toLocaleString('en')}
panels, the 95% interval of a share of 5% is ${percent(1.96 * Math.sqrt(0.0475 / seeds))} wide on either side.

## Noise

No score has any skill. At most ${percent(maxWeak)} may pass as \`weak\` or better, and at most ${percent(maxStrong)} as \`strong\`. A batch passes if any
of its lines or its summary does.

${table(noise, ['weak or better', 'strong', 'withheld', ''], (tally, i) => {
  const { weak, strong, withheld } = tally.shares(i)
  return [percent(weak), percent(strong), percent(withheld), faultOf(tally, i) ?? '']
})}

## Skill

The score is made so skilful that the judged series of quantile .1, held for one period, has a true annual Sharpe ratio
of 1.5 before costs. No costs are charged. Slowly changing scores have to be found \`weak\` or better in 90%, scores that are new each day in 85%.

${table(skilled, ['weak or better', 'strong', ''], (tally, i) => {
  const { weak, strong } = tally.shares(i)
  return [percent(weak), percent(strong), faultOf(tally, i) ?? '']
})}
`
}

function table(
  tallies: readonly Tally[],
  columns: readonly string[],
  cells: (tally: Tally, variant: number) => readonly string[],
): string {
  const head = ['scenario', 'direction', 'judged', 'costs', ...columns]
  const rows = tallies.flatMap(tally =>
    tally.scenario.variants.map(({ direction, kind, costs }, i) => [
      tally.scenario.name,
      direction === 'long_short' ? 'long-short' : 'long only',
      kinds[kind],
      costs === 'none' ? '0' : 'default',
      ...cells(tally, i),
    ]),
  )
  const line = (fields: readonly string[]) => `| ${fields.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

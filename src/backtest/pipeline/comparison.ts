import { optimalBlockLength } from '../evidence/blockLength.ts'
import { sharpeDifference } from '../evidence/sharpeDifference.ts'
import { choiceMeanings, type VintageChoice, vintageChoices } from '../requestCompare.ts'
import type { BacktestComparison } from '../resultCompare.ts'
import { sharpe } from '../statistics/sharpe.ts'
import { boundDraws, type EvidenceSettings } from './evidence.ts'
import { finiteOrNull } from './resultFields.ts'
import type { RecordedRun } from './runConfiguration.ts'

/** The run of one choice of vintages. */
export interface ComparedRun {
  readonly vintages: VintageChoice
  /** The number of assets that have a value on some date. */
  readonly assets: number
  readonly run: RecordedRun
}

/** Two differences are resampled. */
export const boundComparison = ({ bootstraps }: EvidenceSettings, periods: number): void =>
  boundDraws(bootstraps, 2 * periods)

const whyWithheld =
  'final ranks by figures that were not filed yet and by restatements that came years later. Nobody could have traded on them, so its record has no verdict, and its positions are not part of any result.'

/** The field `compare` of a result.
 *
 * @param runs that of `as_known` first
 * @param wanted the choices that the request names */
export function writeComparison(
  runs: readonly ComparedRun[],
  wanted: readonly VintageChoice[],
  evidence: EvidenceSettings,
): BacktestComparison {
  const [known, ...others] = runs
  const { bootstraps, seed } = evidence
  const meanBlock = evidence.meanBlock ?? Math.max(...runs.map(({ run }) => optimalBlockLength(run.net)))
  const listed = vintageChoices.flatMap(choice => runs.filter(({ vintages }) => vintages === choice))
  return {
    variants: listed.filter(({ vintages }) => wanted.includes(vintages)).map(writeVariant),
    differences: listed
      .filter(compared => others.includes(compared))
      .map(({ vintages, run }) => ({
        vintages,
        minus: known.vintages,
        ...writeDifference(run, known.run, { meanBlock, resamples: bootstraps, seed }),
      })),
    seed,
    bootstraps,
    mean_block: meanBlock,
    mean_block_chosen: evidence.meanBlock === null,
  }
}

function writeVariant({ vintages, assets, run }: ComparedRun): BacktestComparison['variants'][number] {
  const { result, net } = run
  const { metrics, n_rows: rows, n_periods: periods } = result
  const isWithheld = vintages === 'final'
  return {
    vintages,
    meaning: `On each date: ${choiceMeanings[vintages]}`,
    sharpe: metrics.sharpe,
    sharpe_per_period: finiteOrNull(sharpe(net, 1)),
    judged_sharpe: metrics.judged_sharpe,
    cagr: metrics.cagr,
    volatility: metrics.volatility,
    max_drawdown: metrics.max_drawdown,
    avg_turnover: metrics.avg_turnover,
    n_periods: periods,
    n_empty_periods: result.n_empty_periods,
    names_per_period: rows / periods,
    n_assets: assets,
    verdict: isWithheld ? null : result.verdict,
    withheld: isWithheld,
    ...(isWithheld ? { why: whyWithheld } : {}),
  }
}

const level = 0.95

type Difference = BacktestComparison['differences'][number]

function writeDifference(
  { net, result: { periods_per_year: periodsPerYear } }: RecordedRun,
  { net: known }: RecordedRun,
  options: { readonly meanBlock: number; readonly resamples: number; readonly seed: number },
): Omit<Difference, 'vintages' | 'minus'> {
  const [own, other] = [sharpe(net, 1), sharpe(known, 1)]
  const differencePerPeriod = own === null || other === null ? null : own - other
  const interval = sharpeDifference(net, known, { ...options, level })
  const { lowPerPeriod = null, highPerPeriod = null } = interval ?? {}
  const annual = (perPeriod: number | null) =>
    perPeriod === null ? null : finiteOrNull(perPeriod * Math.sqrt(periodsPerYear))
  return {
    sharpe: annual(differencePerPeriod),
    low: annual(lowPerPeriod),
    high: annual(highPerPeriod),
    sharpe_per_period: finiteOrNull(differencePerPeriod),
    low_per_period: finiteOrNull(lowPerPeriod),
    high_per_period: finiteOrNull(highPerPeriod),
    level,
  }
}

import { nameCount } from '../../src/backtest/dataset/dataset.ts'
import { runBatchItems, summariseBatch } from '../../src/backtest/pipeline/batch.ts'
import { runPanelBacktest } from '../../src/backtest/pipeline/runRequest.ts'
import { selectPanelData } from '../../src/backtest/pipeline/selectData.ts'
import { planSweep, simulateSlice } from '../../src/backtest/pipeline/sweepPlan.ts'
import { writeSweepResult } from '../../src/backtest/pipeline/sweepResult.ts'
import { rebalanceDates } from '../../src/backtest/portfolio/rebalanceDates.ts'
import { simulate } from '../../src/backtest/portfolio/simulate.ts'
import type { BacktestConfig } from '../../src/backtest/request.ts'
import type { BacktestVerdict } from '../../src/backtest/resultVerdict.ts'
import { sampleMoments } from '../../src/backtest/statistics/moments.ts'
import type { MarketCosts } from '../../src/markets/costs.ts'
import { makePanel, type PanelSpec } from './panels.ts'
import type { Scenario, Variant } from './scenarios.ts'

/** Runs the engine on generated panels in this thread, and reads the level of each verdict. */

type Level = BacktestVerdict['level']
type RankedPanel = ReturnType<typeof makePanel>

const defaultCosts: MarketCosts = {
  markets: {},
  standard: { roundTripBps: 20, source: 'the default manifest', date: '2010-01-01' },
}

/** The level of each variant of a scenario, on the panel of one seed. */
export function judgeSeed(scenario: Scenario, skills: readonly number[], seed: number): Level[] {
  const panels = new Map<number, RankedPanel>()
  return scenario.variants.map((variant, i) => {
    const panel = panels.get(skills[i]) ?? makePanel({ ...scenario.panel, skill: skills[i] }, seed)
    panels.set(skills[i], panel)
    return judgeVariant(panel, scenario.config, variant)
  })
}

function judgeVariant(panel: RankedPanel, more: BacktestConfig, variant: Variant): Level {
  const { direction, kind } = variant
  const config = { ...more, ...costsOf(variant), direction }
  switch (kind) {
    case 'single':
      return runPanelBacktest(panel, { config, include: [] }, defaultCosts).verdict.level
    case 'sweep':
      return runSweep(panel, config)
    case 'batch':
      return runBatch(panel, config)
    default:
      return kind satisfies never
  }
}

const costsOf = ({ costs }: Variant): BacktestConfig => (costs === 'none' ? { costBps: 0, borrowBps: 0 } : {})

function planOf(panel: RankedPanel, config: BacktestConfig) {
  return planSweep(selectPanelData(panel, config), { config, include: [], sweep: true }, defaultCosts)
}

function runSweep(panel: RankedPanel, config: BacktestConfig): Level {
  const plan = planOf(panel, config)
  const { data, view, tradingCosts } = plan
  const periods = rebalanceDates(view.firstDate, view.endDate, plan.configs[0].step).length
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const series = plan.slices.map(slice => {
    const configs = slice.map(index => plan.configs[index])
    const out = new Float64Array(new SharedArrayBuffer(8 * slice.length * (periods + 1)))
    simulateSlice({ data, view, configs, tradingCosts, series: out, stop })
    return out
  })
  return writeSweepResult(plan, series).verdict.level
}

const levels: readonly Level[] = ['none', 'withheld', 'weak', 'strong']

/** The best level that a reader of the whole answer sees, in any line or in the summary. */
function runBatch(panel: RankedPanel, config: BacktestConfig): Level {
  const { configs } = planOf(panel, config)
  const entries = configs.map(({ portfolio, holdDays }, index) => ({
    index,
    config: { ...config, quantile: portfolio.quantile, weighting: portfolio.weighting, holdDays },
    include: [],
    source: null,
  }))
  const size = entries.length
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const answer = runBatchItems({ data: panel, dataVersion: null, entries, size, costs: defaultCosts, stop })
  const lines = new TextDecoder().decode(answer.lines).trim().split('\n')
  const seen: Level[] = lines.map(line => JSON.parse(line).verdict.level)
  const best = summariseBatch(answer.trials, size).best?.verdict.level
  return levels[Math.max(...[...seen, best ?? 'none'].map(level => levels.indexOf(level)))]
}

const calibrationPanels = 20

/** Finds the skill with which a variant's judged series, before costs, has the scenario's true Sharpe ratio at quantile .1
 * and one period.
 *
 * The mean of that series is proportional to the skill and its deviation does not depend on it, because a panel with skill
 * 1 and the same panel without skill differ only in the skill. Both are measured over 20 panels with 25,200 dates, which
 * determines the deviation to within .5%. */
export function calibrateSkill(scenario: Scenario, { direction }: Variant): number {
  if (scenario.trueSharpe === 0) return 0
  const noise: number[] = []
  let gain = 0
  for (let i = 0; i < calibrationPanels; i++) {
    const seed = 900_000_000 + i
    const without = judgedGross({ ...scenario.panel, skill: 0 }, seed, direction)
    const skilled = judgedGross({ ...scenario.panel, skill: smallSkill }, seed, direction)
    noise.push(...without)
    without.forEach((value, t) => {
      gain += (skilled[t] - value) / smallSkill
    })
  }
  const deviation = sampleMoments(Float64Array.from(noise)).standardDeviation ?? Number.NaN
  const perPeriod = scenario.trueSharpe / Math.sqrt(tradingDays)
  return (perPeriod * deviation) / (gain / noise.length)
}

const smallSkill = 0.1
const tradingDays = 252

function judgedGross(spec: PanelSpec, seed: number, direction: Variant['direction']): Float64Array {
  const panel = makePanel(spec, seed)
  const longShort = direction === 'long_short'
  const portfolio = {
    longShort,
    quantile: 0.1,
    weighting: 'equal' as const,
    tranches: 1,
    gross: 1,
    neutralMarket: false,
    drift: false,
  }
  const free = {
    roundTripOfMarket: new Float64Array(nameCount(panel.markets)),
    borrowPerPeriod: 0,
    periodsPerYear: 252,
  }
  const { gross, universe } = simulate(
    panel,
    rebalanceDates(0, panel.days.length, 1),
    portfolio,
    free,
    false,
  ).series
  return longShort ? gross : gross.map((value, t) => value - universe[t])
}

import { calibrateSkill, judgeSeed } from './judgeSeed.ts'
import { scenarios } from './scenarios.ts'

declare const self: Worker

/** Measures one scenario with one seed at a time, until none is left. */
const skills = new Map<number, number[]>()

self.onmessage = ({ data }: MessageEvent<{ scenario: number; seed: number }>) => {
  const scenario = scenarios[data.scenario]
  const own = skills.get(data.scenario) ?? scenario.variants.map(variant => calibrateSkill(scenario, variant))
  skills.set(data.scenario, own)
  // Scenarios do not share their random numbers.
  const levels = judgeSeed(scenario, own, 1_000_003 * (data.scenario + 1) + data.seed)
  postMessage({ scenario: data.scenario, levels })
}

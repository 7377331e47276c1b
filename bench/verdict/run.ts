import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { isWithinBars, Tally, verdictReport } from './report.ts'
import { scenarios } from './scenarios.ts'

const help = `How often noise gets a verdict, and how often skill is found: bun bench/verdict/run.ts [OPTIONS]

  --seeds     panels of each scenario (default 1000)
  --first     the first seed (default 1): other seeds are other panels
  --only      scenarios whose name contains this text
  --threads   (default: one for each core)
  --minutes   stop after so long, with the seeds that are done (default: no limit)
  --out       a file for the report (Markdown), written every minute; standard output has the last one in any case

Each scenario runs the engine on made panels: see scenarios.ts. Exit code 1: a bar is broken.
`

interface RunOptions {
  readonly seeds: number
  readonly first: number
  readonly only: string
  readonly threads: number
  readonly minutes: number
  /** Called every minute. */
  readonly save: (tallies: readonly Tally[]) => void
}

const saveEveryMs = 60_000

/** Runs all scenarios with one seed after the other, so that a run that is stopped early has about as many seeds of each
 * scenario. */
async function run({ seeds, first, only, threads, minutes, save }: RunOptions): Promise<Tally[]> {
  const chosen = scenarios.flatMap((scenario, index) => (scenario.name.includes(only) ? [index] : []))
  const tallies = scenarios.map(scenario => new Tally(scenario))
  const tasks = seeds * chosen.length
  const end = Date.now() + 60_000 * minutes
  let next = 0
  let saved = Date.now()
  const runLane = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL('./worker.ts', import.meta.url))
      const give = () => {
        if (next >= tasks || Date.now() > end) {
          worker.terminate()
          return resolve()
        }
        const task = next++
        const seed = first + Math.floor(task / chosen.length)
        worker.postMessage({ scenario: chosen[task % chosen.length], seed })
      }
      worker.onmessage = ({ data: { scenario, levels } }) => {
        tallies[scenario].add(levels)
        if (Date.now() - saved >= saveEveryMs) {
          saved = Date.now()
          save(chosen.map(index => tallies[index]))
        }
        give()
      }
      worker.onerror = error => reject(new Error(error.message))
      give()
    })
  await Promise.all(Array.from({ length: threads }, runLane))
  return chosen.map(index => tallies[index])
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    first: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    threads: { type: 'string', default: String(availableParallelism()) },
    minutes: { type: 'string', default: 'Infinity' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(help)
  process.exit(0)
}
const { out } = values
const first = Number(values.first)
const save = (tallies: readonly Tally[]) => {
  if (out !== undefined) writeFileSync(out, verdictReport(tallies, first))
}
const tallies = await run({
  seeds: Number(values.seeds),
  first,
  only: values.only,
  threads: Number(values.threads),
  minutes: Number(values.minutes),
  save,
})
console.log(verdictReport(tallies, first))
save(tallies)
process.exit(tallies.every(isWithinBars) ? 0 : 1)

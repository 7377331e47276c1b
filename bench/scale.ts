import { parseArgs } from 'node:util'
import { isMissed, type ScaleFigure, verdicts } from './scale/bars.ts'
import type { Part } from './scale/Context.ts'
import { crossSection } from './scale/crossSection.ts'
import { facts } from './scale/facts.ts'
import { importWhileServing } from './scale/importWhileServing.ts'
import { checkDropping } from './scale/memory.ts'
import { withContext } from './scale/openContext.ts'
import { parity } from './scale/parity.ts'
import { reads } from './scale/reads.ts'
import { search } from './scale/search.ts'
import { warmStart } from './scale/warmStart.ts'
import { table } from './table.ts'

/** The full scale: what issue 4 asks of 2.75 million entities, measured on a data directory that `asfiled bench-data` filled,
 * through the real server process with its clients in a process of their own. */

const help = `Usage: bun bench/scale.ts --data-dir DIR [--only PART,...] [--seconds N] [--drop-caches] [--json]

Measures a database that \`asfiled bench-data\` filled; DATABASE_URL names one in place of --data-dir. Parity is proved first,
whatever is left out.

  --data-dir DIR   its DATA_DIR; nothing else may be connected to it
  --only PARTS     of reads, crossSection, search, warmStart, facts, importWhileServing; in this order
  --seconds N      of each timed load, 5 to 60 (15)
  --seed TEXT      which companies are drawn; another one each time without it
  --drop-caches    empties the machine's page cache before reads, crossSection, search and each start (root, Linux)
  --json           a line of JSON for each figure, in place of the table

importWhileServing leaves the filings it imported in the database: \`asfiled bench-data\` will not go on with it. Each run
restates the same figures once more.
Exit code: 0 every bar is met, 1 one is missed or not measured.`

/** In the order in which they are measured. What counts all rows, and brings them into memory, comes after what reads some. */
const parts: Readonly<Record<string, Part>> = {
  reads,
  crossSection,
  search,
  warmStart,
  facts,
  importWhileServing,
}
const mostMs = 12 * 60_000
const endMs = 60_000

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    only: { type: 'string' },
    seconds: { type: 'string', default: '15' },
    seed: { type: 'string', default: String(Date.now()) },
    'drop-caches': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const names = values.only?.split(',') ?? Object.keys(parts)
const seconds = Number(values.seconds)
const dataDir = values['data-dir'] ?? null
const faults = [
  ...names.filter(name => !(name in parts)).map(name => `There is no part called ${name}.`),
  ...(seconds >= 5 && seconds <= 60 ? [] : ['--seconds takes 5 to 60.']),
  ...(dataDir === null && !process.env.DATABASE_URL ? ['Name a database: --data-dir or DATABASE_URL.'] : []),
]
if (values.help || faults.length > 0) {
  console.log([...faults, help].join('\n\n'))
  process.exit(faults.length > 0 ? 2 : 0)
}
if (values['drop-caches']) checkDropping()

const say = (line: string) => console.log(values.json ? JSON.stringify({ note: line }) : line)
const over = new AbortController()
const late = setTimeout(() => {
  over.abort(new Error('The time of the whole measurement is over.'))
  // What does not end by itself is left behind.
  setTimeout(() => process.exit(1), endMs)
}, mostMs)
const figures: ScaleFigure[] = []
const unmeasured: string[] = []
say(`seed ${values.seed}, ${new Date().toISOString()}`)
const measuring = withContext(
  {
    ...{ dataDir, seconds, seed: values.seed, dropsCaches: values['drop-caches'], say },
    signal: over.signal,
  },
  async context => {
    await parity(context)
    for (const [name, part] of Object.entries(parts)) {
      if (!names.includes(name)) continue
      console.error(`scale: ${name} ...`)
      try {
        figures.push(...(await part(context)))
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        unmeasured.push(`${name} was NOT MEASURED: ${reason}`)
        await context.stopServer()
      }
    }
  },
)
await measuring.catch(error => {
  unmeasured.push(`the rest was NOT MEASURED: ${error instanceof Error ? error.message : String(error)}`)
})
clearTimeout(late)

const judged = figures.map(figure => ({
  ...figure,
  bound: figure.most === undefined ? undefined : { most: figure.most },
  failed: isMissed(figure),
}))
const found = verdicts(figures)
if (values.json) {
  for (const { bound: _, failed, ...figure } of judged)
    console.log(JSON.stringify(figure.most === undefined ? figure : { ...figure, met: !failed }))
} else {
  console.log(`\n${table(judged)}\n`)
  for (const { text } of found) console.log(text)
}
for (const line of unmeasured) say(line)
process.exit(unmeasured.length > 0 || found.some(({ met }) => !met) ? 1 : 0)

import { parseArgs } from 'node:util'
import { boundResults, isMissed, type ScaleFigure } from './scale/bounds.ts'
import type { Part } from './scale/context.ts'
import { crossSection } from './scale/crossSection.ts'
import { facts } from './scale/facts.ts'
import { importWhileServing } from './scale/importWhileServing.ts'
import { assertCanDropCaches } from './scale/memory.ts'
import { withContext } from './scale/openContext.ts'
import { pages } from './scale/pages.ts'
import { parity } from './scale/parity.ts'
import { reads } from './scale/reads.ts'
import { search } from './scale/search.ts'
import { warmStart } from './scale/warmStart.ts'
import { wholeFilings } from './scale/wholeFilings.ts'
import { table } from './table.ts'

/** The full scale: the targets of issue 4 with 2.75 million entities, measured on a data directory that `asfiled bench-data`
 * filled. The server is the real process, and its clients are a separate one. */

const help = `Usage: bun bench/scale.ts --data-dir DIR [--only PART,...] [--seconds N] [--drop-caches] [--json]

Measures a database that \`asfiled bench-data\` filled. DATABASE_URL can name one instead of --data-dir. Always proves parity first.

  --data-dir DIR   its DATA_DIR; no other process may be connected to it
  --only PARTS     some of reads, wholeFilings, crossSection, search, pages, warmStart, facts, importWhileServing;
                   run in this order
  --seconds N      duration of each timed load, 5 to 60 (15)
  --seed TEXT      seed of the random companies; default: a new one each time
  --drop-caches    empties the machine's page cache before reads, wholeFilings, crossSection, search and each start (root, Linux)
  --json           a line of JSON for each figure instead of the table

importWhileServing leaves its imported filings in the database, so \`asfiled bench-data\` cannot continue with it. Each run
restates the same figures again.
Exit code: 0 all bounds are met, 1 one is missed or not measured.`

/** In the order of measurement. Counting all rows loads them into memory, so that part comes after those that read only
 * some rows. */
const parts: Readonly<Record<string, Part>> = {
  reads,
  wholeFilings,
  crossSection,
  search,
  pages,
  warmStart,
  facts,
  importWhileServing,
}
const maxMs = 12 * 60_000
const shutdownMs = 60_000

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
  ...names.filter(name => !(name in parts)).map(name => `There is no part named ${name}.`),
  ...(seconds >= 5 && seconds <= 60 ? [] : ['--seconds must be 5 to 60.']),
  ...(dataDir === null && !process.env.DATABASE_URL ? ['Name a database: --data-dir or DATABASE_URL.'] : []),
]
if (values.help || faults.length > 0) {
  console.log([...faults, help].join('\n\n'))
  process.exit(faults.length > 0 ? 2 : 0)
}
if (values['drop-caches']) assertCanDropCaches()

const log = (line: string) => console.log(values.json ? JSON.stringify({ note: line }) : line)
const over = new AbortController()
const late = setTimeout(() => {
  over.abort(new Error('The whole measurement took too long.'))
  // Exits even if a part does not end.
  setTimeout(() => process.exit(1), shutdownMs)
}, maxMs)
const figures: ScaleFigure[] = []
const unmeasured: string[] = []
log(`seed ${values.seed}, ${new Date().toISOString()}`)
const measuring = withContext(
  {
    dataDir,
    seconds,
    seed: values.seed,
    dropsCaches: values['drop-caches'],
    log,
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
  bound: figure.max === undefined ? undefined : { max: figure.max },
  failed: isMissed(figure),
}))
const results = boundResults(figures)
if (values.json) {
  // The output names the bound `most`, as earlier records do.
  for (const { bound: _, failed, max, ...figure } of judged)
    console.log(JSON.stringify(max === undefined ? figure : { ...figure, most: max, met: !failed }))
} else {
  console.log(`\n${table(judged)}\n`)
  for (const { text } of results) console.log(text)
}
for (const line of unmeasured) log(line)
process.exit(unmeasured.length > 0 || results.some(({ met }) => !met) ? 1 : 0)

import { parseArgs } from 'node:util'
import { registers } from '../src/ingest/allRegisters.ts'
import { listFiles } from '../src/ingest/import/listFiles.ts'
import { readUnits } from '../src/ingest/import/readFiles.ts'
import { newReadProgress } from '../src/ingest/reading/progress.ts'
import { type CheckedValue, checkFiling } from '../src/standardLines/checkFiling.ts'
import { wholeBySchema } from '../src/standardLines/presentBySchema.ts'
import { standardFiling } from '../src/standardLines/standardFiling.ts'
import type { WholeFiling } from '../src/wholeFilings/wholeFiling.ts'
import { randomOf } from './data/makeEntity.ts'
import { fatesOf, type Shares } from './standardLines.ts'

const help = `Measures which share of the lines of other markets' statements reaches a standard line.

  bun bench/standardLinesOfMarkets.ts MARKET PATH... [--left=N] [--sample=N --seed=SEED]

MARKET is JP, KR, TW, NZ, DK, BE or FR, and PATH a file or folder of its register. Belgian accounts need their references
beside them. As in bench/standardLines.ts, lines that collect the rest and lines with two readings are counted apart. Where a
source presents no statements, the lines are those of the schema that the filing states.

  --left    how many of the most frequent lines to list that reach none, per statement (default 20)
  --sample  prints so many placed lines to be read by eye, as tab-separated values
`

export async function filingsOf(market: string, paths: readonly string[]): Promise<readonly WholeFiling[]> {
  const register = registers.get(market)
  if (register === undefined) throw new Error(`there is no register of ${market}`)
  const files = await listFiles([...paths], register.documentNames)
  const filings: WholeFiling[] = []
  for await (const { wholeFilings } of readUnits(register, files, new Set(), newReadProgress()))
    for (const { whole } of wholeFilings ?? []) filings.push(wholeBySchema(market, whole))
  return filings
}

type Placed =
  ReturnType<typeof standardFiling>['statements'] extends ReadonlyMap<infer _, infer One> ? One : never

/** Every placed line with the value in its first column. */
function placedLines(
  { accession }: WholeFiling,
  placed: Placed,
  values: ReadonlyMap<string, CheckedValue>,
): string[] {
  return placed.placed.flatMap(line => {
    const value = values.get(line.line.name)
    if (value === undefined) return []
    const from = line.rows.map(
      at =>
        `${placed.rows[at].concept} [${placed.rows[at].label ?? ''}] ${placed.rows[at].figures[0]?.value ?? ''}`,
    )
    const { state, identity } = value.check
    return [
      [
        accession,
        placed.kind,
        placed.statement,
        line.line.name,
        value.value,
        from.join(' + '),
        state,
        identity ?? '',
      ].join('\t'),
    ]
  })
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      left: { type: 'string', default: '20' },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  })
  const [market, ...paths] = positionals
  if (values.help || market === undefined || paths.length === 0) {
    console.log(help)
    process.exit(values.help ? 0 : 2)
  }
  const filings = await filingsOf(market, paths)
  const shares = new Map<string, Shares>()
  const left = new Map<string, number>()
  const states = new Map<string, number>()
  const lines: string[] = []
  for (const filing of filings) {
    const standard = standardFiling(filing)
    const checked = checkFiling(filing, standard)
    for (const [statement, placed] of standard.statements) {
      const values = checked.get(statement)?.[0] ?? new Map<string, CheckedValue>()
      const share = shares.get(statement) ?? { lines: 0, named: 0, catchAll: 0, part: 0, twoReadings: 0 }
      shares.set(statement, share)
      lines.push(...placedLines(filing, placed, values))
      for (const { check } of values.values()) {
        const { state } = check
        states.set(`${statement} ${state}`, (states.get(`${statement} ${state}`) ?? 0) + 1)
      }
      for (const [at, fate] of fatesOf(placed).entries()) {
        share.lines++
        if (fate !== 'left') share[fate]++
        const { concept, label } = placed.rows[at]
        const key = `${statement}\t${fate === 'twoReadings' ? '[two readings] ' : ''}${concept} ${label ?? ''}`
        if (fate === 'left' || fate === 'twoReadings') left.set(key, (left.get(key) ?? 0) + 1)
      }
    }
  }
  if (values.sample !== undefined) {
    const random = randomOf(values.seed)
    for (let count = 0; count < Number(values.sample) && lines.length > 0; count++)
      console.log(lines.splice(Math.floor(random() * lines.length), 1)[0])
    return
  }
  console.log(`${market}: ${filings.length} filings\n`)
  console.log('| statement | lines | standard line | other_* | part of one | two readings | left |')
  console.log('|---|---|---|---|---|---|---|')
  for (const [statement, { lines: all, named, catchAll, part, twoReadings }] of shares) {
    const cells = [named, catchAll, part, twoReadings, all - named - catchAll - part - twoReadings]
    console.log(
      `| ${statement} | ${all} | ${cells.map(count => `${((100 * count) / all).toFixed(1)}%`).join(' | ')} |`,
    )
  }
  console.log(
    `\nStates of the first column: ${[...states]
      .sort()
      .map(each => each.join(' '))
      .join(', ')}`,
  )
  for (const statement of shares.keys()) {
    console.log(`\nLeft of ${statement}:`)
    const ofStatement = [...left].filter(([key]) => key.startsWith(`${statement}\t`))
    for (const [key, count] of ofStatement.sort(([, a], [, b]) => b - a).slice(0, Number(values.left)))
      console.log(`${String(count).padStart(5)}  ${key.slice(key.indexOf('\t') + 1)}`)
  }
}

if (import.meta.main) await main()

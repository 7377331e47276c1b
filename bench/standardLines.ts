import { parseArgs } from 'node:util'
import { openZip, readEntry } from '../src/ingest/reading/archives.ts'
import { DataSetFilings } from '../src/ingest/registers/us/wholeDataSets.ts'
import { checkedFigures } from '../src/standardLines/checkedFigures.ts'
import {
  type CompanyKind,
  companyKinds,
  type StandardStatement,
  standardStatements,
} from '../src/standardLines/definition.ts'
import type { PlacedStatement } from '../src/standardLines/placeLines.ts'
import { standardFiling } from '../src/standardLines/standardFiling.ts'
import { isCatchAll } from '../src/standardLines/standardLines.ts'
import { contains } from '../src/standardLines/structure.ts'
import type { WholeFiling } from '../src/wholeFilings/wholeFiling.ts'

const help = `Measures which share of the lines on the face of a data set's statements reaches a standard line.

  bun bench/standardLines.ts ZIP [--half=1|2] [--left=N] [--kind=KIND]
  bun bench/standardLines.ts ZIP --contradicted

ZIP is a Financial Statement Data Set of the SEC with sub.txt, num.txt and pre.txt. The face of a statement is its lines
with a figure of the whole company, not in parentheses. A line reaches a standard line if it is its only source or one
of the lines that are added. Lines that collect the rest (other assets, other financing, ...) are counted apart, and so
are lines that are a part of a placed total (revenue by product) and lines with two readings.

  --half   only one of two halves of the companies: the definitions were developed on 1 alone
  --left   how many of the most frequent tags to list that reach none, per statement (default 20)
  --kind   only companies of this kind: ${companyKinds.join(', ')}
  --contradicted  instead, count the states of all figures that standard lines use, measure the processor time of the
                  checks, and list every identity that does not hold, with the figures that it is about
`

interface Filer {
  readonly filing: WholeFiling
  readonly company: string
  readonly industry: number | null
}

export async function filersOf(path: string): Promise<readonly Filer[]> {
  const zip = await openZip(path)
  const texts = new Map<string, string>()
  for await (const entry of zip.eachEntry())
    if (/^(sub|num|pre)\.txt$/.test(entry.fileName))
      texts.set(entry.fileName, new TextDecoder().decode(await readEntry(zip, entry)))
  zip.close()
  const linesOf = (name: string) => (texts.get(name) ?? '').split(/\r?\n/).filter(line => line !== '')
  const set = new DataSetFilings()
  for (const line of linesOf('sub.txt')) set.readSubmission(line)
  for (const line of linesOf('num.txt')) set.readFigure(line)
  for (const line of linesOf('pre.txt')) set.readLine(line)
  const [header, ...submissions] = linesOf('sub.txt').map(line => line.split('\t'))
  const column = (name: string) => header.indexOf(name)
  const bySubmission = new Map(submissions.map(fields => [fields[column('adsh')], fields]))
  return [...set.take()].map(filing => {
    const fields = bySubmission.get(filing.accession) ?? []
    const industry = Number(fields[column('sic')])
    return { filing, company: fields[column('cik')], industry: industry > 0 ? industry : null }
  })
}

/** Companies whose number has an even checksum were used for development. */
export const halfOf = (company: string): 1 | 2 => (Bun.hash.crc32(company) % 2 === 0 ? 1 : 2)

export interface Shares {
  lines: number
  named: number
  catchAll: number
  part: number
  twoReadings: number
}

const noShares = (): Shares => ({ lines: 0, named: 0, catchAll: 0, part: 0, twoReadings: 0 })

type Fate = Exclude<keyof Shares, 'lines'> | 'left'

export function fatesOf({ rows, structure, placed, missing }: PlacedStatement): readonly Fate[] {
  const lineOf = new Map(placed.flatMap(({ line, rows: used }) => used.map(at => [at, line])))
  const unclear = new Set(missing.flatMap(({ readings }) => readings))
  return rows.map((_, at): Fate => {
    const line = lineOf.get(at)
    if (line !== undefined) return isCatchAll(line) ? 'catchAll' : 'named'
    if (unclear.has(at)) return 'twoReadings'
    const isPart = [...lineOf].some(
      ([total, { name }]) => partable.test(name) && contains(structure, total, at),
    )
    return isPart ? 'part' : 'left'
  })
}

/** Lines whose parts are the same thing in detail; a part of total assets is not. */
const partable =
  /revenue|cost_of_revenue|inventory|intangible|real_estate|property|debt|investments|deposits|interest_expense|change_in|income_tax|premiums/

const percent = (part: number, whole: number) => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)}%`)

function measure(filers: readonly Filer[], onlyKind: string | undefined) {
  const shares = new Map<string, Shares>()
  const left = new Map<StandardStatement, Map<string, number>>(
    standardStatements.map(name => [name, new Map()]),
  )
  const unclear = new Map<string, number>()
  const companies = new Map<CompanyKind, number>()
  for (const { filing, industry } of filers) {
    const { kind, statements } = standardFiling(filing, industry)
    if (onlyKind !== undefined && kind !== onlyKind) continue
    companies.set(kind, (companies.get(kind) ?? 0) + 1)
    for (const [statement, placed] of statements) {
      for (const { line } of placed.missing)
        unclear.set(`${statement} ${line.name}`, (unclear.get(`${statement} ${line.name}`) ?? 0) + 1)
      for (const [at, fate] of fatesOf(placed).entries()) {
        for (const key of [statement, `${statement} ${kind}`]) {
          const of = shares.get(key) ?? noShares()
          shares.set(key, of)
          of.lines++
          if (fate !== 'left') of[fate]++
        }
        const tags = left.get(statement)
        const { name, isOwn, words } = placed.rows[at]
        const tag = `${isOwn ? `own:${name} (${words.slice(0, 70)})` : name}${fate === 'twoReadings' ? ' [two readings]' : ''}`
        if (fate === 'left' || fate === 'twoReadings') tags?.set(tag, (tags.get(tag) ?? 0) + 1)
      }
    }
  }
  return { shares, left, unclear, companies }
}

const dayText = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)

function listContradicted(filers: readonly Filer[]): void {
  const states = new Map<string, number>()
  const found: string[] = []
  const before = process.cpuUsage()
  const checked = filers.map(({ filing, industry }) => checkedFigures(filing, industry))
  const { user, system } = process.cpuUsage(before)
  filers.forEach(({ filing: { accession }, company }, at) => {
    const contradicted = new Map<string, string[]>()
    for (const { statement, line, value, period, check } of checked[at]) {
      states.set(`${statement} ${check.state}`, (states.get(`${statement} ${check.state}`) ?? 0) + 1)
      if (check.state !== 'contradicted') continue
      const key = `${statement}: ${check.identity}, difference ${check.difference}`
      contradicted.set(key, [...(contradicted.get(key) ?? []), `${line} ${value} on ${dayText(period.end)}`])
    }
    const link = `https://www.sec.gov/Archives/edgar/data/${company}/${accession.replaceAll('-', '')}/`
    for (const [identity, figures] of contradicted) found.push([link, identity, ...figures].join('\n  '))
  })
  const perFiling = (user + system) / 1_000 / filers.length
  console.log(`${filers.length} filings, ${perFiling.toFixed(1)} ms of processor time for each\n`)
  for (const [state, count] of [...states].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${String(count).padStart(7)}  ${state}`)
  console.log(`\n${found.length} contradicted identities\n${found.join('\n')}`)
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      half: { type: 'string' },
      left: { type: 'string', default: '20' },
      kind: { type: 'string' },
      contradicted: { type: 'boolean' },
    },
  })
  if (values.help || positionals.length !== 1) {
    console.log(help)
    process.exit(values.help ? 0 : 2)
  }
  const all = await filersOf(positionals[0])
  const filers = all.filter(
    ({ company }) => values.half === undefined || String(halfOf(company)) === values.half,
  )
  if (values.contradicted) return listContradicted(filers)
  const { shares, left, unclear, companies } = measure(filers, values.kind)
  console.log(
    `${filers.length} filings: ${[...companies].map(([kind, count]) => `${count} ${kind}`).join(', ')}\n`,
  )
  console.log('| statement | lines | standard line | other_* | part of one | two readings | left |')
  console.log('|---|---|---|---|---|---|---|')
  for (const [key, { lines, named, catchAll, part, twoReadings }] of [...shares].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    const rest = lines - named - catchAll - part - twoReadings
    const cells = [named, catchAll, part, twoReadings, rest].map(count => percent(count, lines))
    console.log(`| ${key} | ${lines} | ${cells.join(' | ')} |`)
  }
  for (const [statement, tags] of left) {
    console.log(`\nLeft of ${statement}:`)
    for (const [tag, count] of [...tags].sort(([, a], [, b]) => b - a).slice(0, Number(values.left)))
      console.log(`${String(count).padStart(5)}  ${tag}`)
  }
  console.log('\nTwo readings:')
  for (const [line, count] of [...unclear].sort(([, a], [, b]) => b - a).slice(0, Number(values.left)))
    console.log(`${String(count).padStart(5)}  ${line}`)
}

if (import.meta.main) await main()

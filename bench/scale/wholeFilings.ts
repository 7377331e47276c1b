import { addDays, dayNumber, isoDate } from '../../src/dates.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { quartersOf } from '../../src/wholeFilings/layOut.ts'
import type { StatedFiling } from '../../src/wholeFilings/statedFiling.ts'
import type { ReportedFigure } from '../../src/wholeFilings/wholeFiling.ts'
import { type FilingShape, readFilingShapes } from '../data/filingShape.ts'
import { randomOf } from '../data/makeEntity.ts'
import {
  makeReportingCompany,
  planReportingCompany,
  type ReportingCompany,
} from '../data/makeReportingCompany.ts'
import type { ScaleFigure } from './bounds.ts'
import type { Context } from './context.ts'
import { fetchOk } from './fetchOk.ts'
import { loadFigures } from './loadFigures.ts'
import { dropCaches } from './memory.ts'
import { reportingCompanies, shuffle } from './sampleEntities.ts'

const clients = 16
const warmUpMs = 2_000
/** A rate higher than the server can sustain. */
const maxPerSecond = 2_000
const historyRequests = 200
const filingsOfHistory = 60
const frameCompanies = 6_000
const frameRuns = 5
const checkedCompanies = 8
const bounds = { statementP50Ms: 4, statementP99Ms: 15, historyMs: 20, frameMs: 300 }
const bytesBounds = { figure: 8, line: 12 }

const statements = ['income', 'balance', 'cash_flow'] as const
const tag = 'us-gaap:Assets'
/** A frame in which every company has a figure, if it states total assets. */
const frame = { period: 'CY2025Q3I', end: '2025-09-30' }
const maxDaysApart = 20

/**
 * Reads whole filings that `asfiled bench-data --figures` made: statements as known, a tag through 60 filings, and a
 * frame of 6,000 companies. Proves before that answers equal what was made.
 */
export async function wholeFilings(context: Context): Promise<ScaleFigure[]> {
  const { log, seconds } = context
  const random = randomOf(`whole filings ${context.seed}`)
  const shapes = await readFilingShapes()
  if (shapes === null) throw new Error('The real filings (../shared/registers/us) are not on this machine.')
  const companies = await context.withSql(sql => readCompanies(sql, shapes))
  if (companies.length === 0)
    throw new Error('There are no whole filings: add some with `asfiled bench-data --figures`.')
  const sampled = shuffle([...companies], random)
  await context.server()
  for (const company of sampled.slice(0, checkedCompanies)) await proveParity(context, company)
  log(`wholeFilings: ${checkedCompanies} companies' statements and tags equal what was made`)
  const sizes = await context.withSql(measureSizes)

  await context.stopServer()
  if (context.dropsCaches) dropCaches()
  await context.server()
  const requests = sampled.flatMap(({ ticker }) =>
    statements.map(statement => ({ path: `/api/v1/statements?ticker=${ticker}&statement=${statement}` })),
  )
  const warmUps = Math.min(Math.floor(requests.length / 4), Math.round((warmUpMs / 1_000) * maxPerSecond))
  await context.load({ requests: requests.slice(0, warmUps), connections: clients, ms: warmUpMs })
  const ofStatements = shuffle(requests.slice(warmUps), random)
  const outcome = await context.load({ requests: ofStatements, connections: clients, ms: seconds * 1_000 })
  if (outcome.requests > ofStatements.length)
    log(`wholeFilings: ${outcome.requests} requests for ${ofStatements.length} statements: responses repeat`)

  const long = sampled.filter(({ filings }) => filings >= filingsOfHistory).slice(0, historyRequests)
  const histories = long.map(({ ticker }) => ({
    path: `/api/v1/reported?ticker=${ticker}&tag=${tag}&limit=1000`,
  }))
  const ofHistories = await context.load({ requests: histories, once: true, connections: 1, ms: 120_000 })
  const frames = await timeFrames(context, sampled, random)
  return [
    ...loadFigures('wholeFilings.statement', outcome, {
      p50Ms: bounds.statementP50Ms,
      p99Ms: bounds.statementP99Ms,
    }),
    ...loadFigures('wholeFilings.history_of_60', ofHistories, { p50Ms: bounds.historyMs }),
    ...frames,
    ...sizes,
  ]
}

/** The companies that `asfiled bench-data` has loaded. Its receipts tell the seed. */
async function readCompanies(sql: Sql, shapes: readonly FilingShape[]): Promise<readonly ReportingCompany[]> {
  const receipts = await sql<{ name: string }[]>`
    select name from import_file where name like 'bench-data figures %' limit 1`
  const seed = Number(receipts.at(0)?.name.split(' ')[2])
  const rows = await sql<{ number: number }[]>`
    select substr(e.issuer_id, 3)::int as number from entity e where ${reportingCompanies(sql)} order by 1`
  return rows.map(({ number }) => planReportingCompany(shapes, number, seed))
}

/** Compares answers about a company with the filings that were made for it. */
async function proveParity(context: Context, company: ReportingCompany): Promise<void> {
  const { ticker } = company
  const { parsed, wholeFilings: made } = makeReportingCompany(company)
  const filed = new Map(parsed.filings.map(filing => [filing.accession, isoDate(filing.filed)]))
  const known = made.filter(({ whole }) => (filed.get(whole.accession) ?? '') <= context.today)
  const sought = tagOf(known)
  const reported = await fetchJson(context, `/api/v1/reported?ticker=${ticker}&tag=${sought}&limit=5000`)
  const served: string[] = reported.data.map((row: Served & { accession: string; quarters: number }) =>
    [row.accession, row.end, row.quarters, row.unit, row.value].join(' '),
  )
  const wanted = known.slice(-filingsOfHistory).flatMap(({ whole }) =>
    whole.figures
      .filter(({ concept, context: of }) => concept === sought && of.dimensions.length === 0)
      .map(({ context: of, unit, value }) => {
        const quarters = of.start === null && (of.quarters ?? 0) === 0 ? 0 : quartersOf(of)
        return [whole.accession, isoDate(of.end), quarters, unit, value].join(' ')
      }),
  )
  requireEqual(`${sought} of ${ticker}`, served, wanted)
  for (const statement of statements) await proveStatement(context, company, statement, known)
}

interface Served {
  readonly end: string
  readonly unit: string
  readonly value: string | null
}

/** Every cell must be a figure of its filing, and the latest period must have every line of the latest filing. */
async function proveStatement(
  context: Context,
  { ticker }: ReportingCompany,
  statement: (typeof statements)[number],
  known: readonly StatedFiling[],
): Promise<void> {
  const path = `/api/v1/statements?ticker=${ticker}&statement=${statement}`
  const answer = await fetchJson(context, path)
  const kind = { income: 'IS', balance: 'BS', cash_flow: 'CF' }[statement]
  const byAccession = new Map(known.map(({ whole }) => [whole.accession, whole]))
  const latest = known.at(-1)?.whole
  const presented = latest?.statements.find(each => each.kind === kind && !each.parenthetical)
  if (presented !== undefined && answer.data.length === 0) throw new Error(`${path} is empty`)
  const keysOf = new Map<string, ReadonlySet<string>>()
  const figuresOf = (accession: string) => {
    const keys =
      keysOf.get(accession) ??
      new Set((byAccession.get(accession)?.figures ?? []).map(figure => keyOf(figure)))
    keysOf.set(accession, keys)
    return keys
  }
  for (const line of answer.data)
    for (const [at, cell] of line.cells.entries()) {
      if (cell === null) continue
      const period = answer.columns[at].period ?? line.period
      // An opening balance is an instant at the beginning of the period.
      if (line.opening) continue
      const { tag: concept, other_tags: others } = line
      const tags = [concept, ...others.map((other: { tag: string }) => other.tag)]
      if (
        !tags.some(each => figuresOf(cell.accession).has(`${each} ${period.end} ${cell.unit} ${cell.value}`))
      )
        throw new Error(`${path}: ${concept} at ${period.end} is not what ${cell.accession} states`)
    }
}

const keyOf = ({ concept, context, unit, value }: ReportedFigure) =>
  `${concept} ${isoDate(context.end)} ${unit} ${value}`

/** Total assets; for a company that does not state them, the concept that most of its figures have. */
function tagOf(known: readonly StatedFiling[]): string {
  const figures = known.at(-1)?.whole.figures ?? []
  if (figures.some(({ concept }) => concept === tag)) return tag
  const counts = Map.groupBy(figures, ({ concept }) => concept)
  return [...counts].sort(([, a], [, b]) => b.length - a.length)[0][0]
}

/** Distinct texts in any order. */
function requireEqual(what: string, served: readonly string[], wanted: readonly string[]): void {
  const [a, b] = [served, wanted].map(texts => [...new Set(texts)].sort())
  const odd = a.find((text, at) => text !== b[at]) ?? b[a.length]
  if (odd !== undefined) throw new Error(`${what} is not what was made: ${odd}`)
}

/** Reads a page of a frame as of several days, so that no answer comes from a cache. */
async function timeFrames(
  context: Context,
  sampled: readonly ReportingCompany[],
  random: () => number,
): Promise<ScaleFigure[]> {
  const times: number[] = []
  let rows = 0
  for (let run = 0; run < frameRuns; run++) {
    const path = `/api/v1/frames?tag=${tag}&period=${frame.period}&market=US&limit=${frameCompanies}&as_of=${addDays(context.today, -run)}`
    const began = performance.now()
    const { text } = await fetchOk(context, path)
    times.push(performance.now() - began)
    const { data } = JSON.parse(text) as { data: { ticker: string; value: number }[] }
    rows = data.length
    if (run > 0) continue
    const byTicker = new Map(data.map(row => [row.ticker, row.value]))
    const onPage = shuffle(
      sampled.filter(({ ticker }) => byTicker.has(ticker)),
      random,
    )
    for (const company of onPage.slice(0, checkedCompanies)) {
      const last = makeReportingCompany(company).wholeFilings.at(-1)?.whole.figures ?? []
      const wanted = last.filter(
        ({ concept, context: of }) =>
          concept === tag &&
          of.dimensions.length === 0 &&
          // Fiscal quarters of whole weeks end some days earlier.
          Math.abs(of.end - dayNumber(frame.end)) <= maxDaysApart,
      )
      if (!wanted.some(({ value }) => Number(value) === byTicker.get(company.ticker)))
        throw new Error(`${company.ticker} in ${path} is not what was made`)
    }
  }
  const [first, ...later] = times
  const sorted = later.toSorted((a, b) => a - b)
  const spread = `${sorted[0].toFixed(0)} .. ${sorted[sorted.length - 1].toFixed(0)}`
  const isComplete = rows >= frameCompanies
  if (!isComplete)
    context.log(`wholeFilings: the frame has ${rows} companies, too few for the bound of ${frameCompanies}`)
  return [
    { name: 'wholeFilings.frame_first', value: first, unit: 'ms' },
    {
      name: 'wholeFilings.frame',
      value: sorted[sorted.length >> 1],
      unit: 'ms',
      spread,
      ...(isComplete ? { max: bounds.frameMs } : {}),
    },
    { name: 'wholeFilings.frame_rows', value: rows, unit: 'rows' },
  ]
}

/**
 * Bytes of a figure and of a presented line. What a filing's row takes beyond its blocks, and the dictionary, are
 * divided among both by the sizes of the blocks.
 */
async function measureSizes(sql: Sql): Promise<ScaleFigure[]> {
  const [found] = await sql<
    {
      filings: number
      figures: number
      lines: number
      figureBytes: number
      lineBytes: number
      bytes: number
    }[]
  >`
    select count(*)::float8 as filings, sum(figures)::float8 as figures, sum(lines)::float8 as lines,
           sum(length(figure_block))::float8 as "figureBytes", sum(length(statement_block))::float8 as "lineBytes",
           (pg_total_relation_size('whole_filing') + pg_total_relation_size('term'))::float8 as bytes
    from whole_filing`
  const overhead = found.bytes / (found.figureBytes + found.lineBytes)
  const rows = (name: string, value: number) => ({
    name: `wholeFilings.${name}`,
    value,
    unit: 'rows' as const,
  })
  const bytes = (name: string, value: number, max: number) => ({
    name: `wholeFilings.bytes_a_${name}`,
    value: value * overhead,
    unit: 'bytes/row' as const,
    spread: `blocks alone ${value.toFixed(2)}`,
    max,
  })
  return [
    rows('filings', found.filings),
    rows('figures', found.figures),
    bytes('figure', found.figureBytes / found.figures, bytesBounds.figure),
    bytes('line', found.lineBytes / found.lines, bytesBounds.line),
  ]
}

async function fetchJson(context: Context, path: string) {
  return JSON.parse((await fetchOk(context, path)).text)
}

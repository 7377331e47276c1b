import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildEvents, companiesPerBlock, type EventBlock } from '../src/backtest/asOf/figureEvents.ts'
import { readJoinBody } from '../src/backtest/asOf/joinBody.ts'
import { joinRows } from '../src/backtest/asOf/joinTask.ts'
import { type AboutJoin, writeJoin } from '../src/backtest/asOf/writeJoin.ts'
import { registerFormats } from '../src/dates.ts'
import { readVintages } from '../src/features/asOfJoins/queries.ts'
import { findPython, runPython } from '../test/python.ts'
import { insertVintages, makeRows, metrics, vintagesCsv } from './asOfJoin/data.ts'
import type { Figure } from './figure.ts'
import { scratchDatabase } from './scratchDatabase.ts'
import { post, withService } from './service/server.ts'
import { table } from './table.ts'

const today = '2026-01-01'

interface PeerReport {
  readonly polars: number
  readonly pandas?: number
  readonly duckdb?: number
  readonly metrics: readonly string[]
  readonly vintages: number
  readonly trapped: number
  readonly cells: number
}

/** Joins 1.26 million rows (short: a fifth) with 5 metrics, which have 0.43 million vintages of 5,000 companies. Every cell
 * must equal the result of a Polars join that ignores amendments of old years. Then it times the join alone next to that
 * of Polars, and the whole request over HTTP. */
export async function benchAsOfJoin({ short = false } = {}): Promise<Figure[]> {
  registerFormats()
  const dates = short ? 50 : 252
  const runs = short ? 3 : 5
  const rows = makeRows(dates)
  const body = JSON.stringify({ rows, metrics })
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-join-'))
  try {
    return await scratchDatabase(async (sql, url) => {
      await insertVintages(sql)
      const input = { body: new TextEncoder().encode(body), format: 'json', query: {}, today } as const
      const parsed = await readJoinBody(input)
      const blocks: EventBlock[][] = []
      const started = performance.now()
      for (const metric of metrics) blocks.push(await readBlocks(metric))
      const built = performance.now() - started
      const names = Int32Array.from(parsed.rows.names, name => Number(name.slice(1)))
      const companyOfName = Int32Array.from(names, (_, i) => i)
      const task = { ...parsed, companyOfName, slotOfRow: null, kin: [], entities: names, blocks }
      const values = () =>
        joinRows(task).columns.map(({ events, positions }) => {
          const column = new Float64Array(positions.length)
          for (let i = 0; i < column.length; i++)
            column[i] = positions[i] < 0 ? Number.NaN : events.values[positions[i]]
          return column
        })
      const peers = await timePeers(folder, rows, await vintagesCsv(sql), runs)
      if (peers !== null) proveParity(folder, peers, values())
      const ours = best(runs, values)
      const parquet = parquetOf(parsed, task)
      const http = await withService(
        async service => {
          const key = await service.newKey()
          const asJson = { key, body, query: '?format=json' }
          const query = `?format=parquet&metrics=${metrics.join(',')}`
          const asParquet = { key, body: parquet, query, type: 'application/vnd.apache.parquet' }
          const asArrow = { ...asParquet, query: query.replace('format=parquet', 'format=arrow') }
          return {
            json: await bestAnswer(runs, () => post(service, 'as-of', asJson)),
            parquet: await bestAnswer(runs, () => post(service, 'as-of', asParquet)),
            arrow: await bestAnswer(runs, () => post(service, 'as-of', asArrow)),
          }
        },
        { DATABASE_URL: url },
        'none',
      )
      const ms = (name: string, value: number): Figure => ({ name: `as_of_join.${name}`, value, unit: 'ms' })
      return [
        ms('build', built),
        ms('join', ours),
        ...(peers === null
          ? []
          : [
              ms('polars', 1_000 * peers.polars),
              ...(peers.pandas === undefined ? [] : [ms('pandas', 1_000 * peers.pandas)]),
              ...(peers.duckdb === undefined ? [] : [ms('duckdb', 1_000 * peers.duckdb)]),
              {
                name: 'as_of_join.polars_ratio',
                value: (1_000 * peers.polars) / ours,
                unit: 'times' as const,
              },
              {
                name: 'as_of_join.cells_wrong_by_filing_day',
                value: peers.trapped / peers.cells,
                unit: 'times' as const,
              },
            ]),
        ms('http_json', http.json),
        ms('http_parquet', http.parquet),
        ms('http_arrow', http.arrow),
      ]

      async function readBlocks(metric: string): Promise<EventBlock[]> {
        const [{ last }] = await sql<[{ last: number }]>`select max(entity_id) as last from entity`
        const found: EventBlock[] = []
        for (let firstEntity = 0; firstEntity <= last; firstEntity += companiesPerBlock) {
          const vintages = await readVintages(sql, { metric, fp: 'FY', firstEntity })
          found.push(buildEvents({ firstEntity, rows: vintages }))
        }
        return found
      }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The rows as a Parquet file with two columns. */
function parquetOf(
  { rows, plan }: Awaited<ReturnType<typeof readJoinBody>>,
  task: Parameters<typeof joinRows>[0],
): Uint8Array<ArrayBuffer> {
  const about: AboutJoin = {
    object: 'as_of_join',
    fp: 'FY',
    known: '',
    count: rows.count,
    data_version: 0,
    max_age_days: null,
    unknown: [],
    unknown_count: 0,
    attribution: [],
    markets: [],
  }
  const written = writeJoin({
    ...task,
    plan: { ...plan, metrics: [] },
    blocks: [],
    format: 'parquet',
    unitNames: new Map(),
    about,
    limit: 2 ** 30,
  })
  return new Uint8Array(written.bytes)
}

async function timePeers(
  folder: string,
  rows: ReturnType<typeof makeRows>,
  vintages: string,
  runs: number,
): Promise<PeerReport | null> {
  const python = findPython('polars', 'numpy')
  if (python === null) return null
  await Bun.write(join(folder, 'vintages.csv'), vintages)
  const lines = rows.date.map((date, i) => `${date},${rows.ticker[i]}`)
  await Bun.write(join(folder, 'rows.csv'), `date,ticker\n${lines.join('\n')}\n`)
  const script = resolve(import.meta.dir, 'asOfJoin/peers.py')
  return JSON.parse(runPython(python, folder, [script, folder, `${runs}`]))
}

function proveParity(folder: string, peers: PeerReport, columns: readonly Float64Array[]): void {
  if (peers.metrics.join() !== metrics.join()) throw new Error('The peers have other metrics.')
  for (const [i, metric] of metrics.entries()) {
    const { buffer, byteOffset, byteLength } = readFileSync(join(folder, `${metric}.f64`))
    const theirs = new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength))
    const wrong = columns[i].findIndex((value, row) => !Object.is(value, theirs[row]))
    if (theirs.length !== columns[i].length || wrong !== -1)
      throw new Error(`${metric} of row ${wrong} is ${columns[i][wrong]}, and ${theirs[wrong]} by Polars.`)
  }
  if (peers.trapped === 0) throw new Error('No cell shows what a join by filing day alone gets wrong.')
}

function best(runs: number, work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs + 2; run++) {
    const started = performance.now()
    work()
    least = Math.min(least, performance.now() - started)
  }
  return least
}

/** The shortest time from the first byte of the body to the last byte of the answer. */
async function bestAnswer(runs: number, ask: () => Promise<Response>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) {
    const started = performance.now()
    const response = await ask()
    const { length } = await response.bytes()
    least = Math.min(least, performance.now() - started)
    if (response.status !== 200 || length < 100) throw new Error(`A join was answered ${response.status}.`)
  }
  return least
}

if (import.meta.main) {
  const figures = await benchAsOfJoin({ short: process.argv.includes('--short') })
  console.log(table(figures.map(figure => ({ ...figure, failed: false }))))
}

import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isoDate } from '../src/dates.ts'
import { importPrices } from '../src/features/prices/import/importPrices.ts'
import { importSymbols } from '../src/ingest/symbols/importSymbols.ts'
import { loadMarkets } from '../src/markets/markets.ts'
import type { Sql } from '../src/postgres/client.ts'
import { decodePriceBlock } from '../src/prices/priceBlock.ts'
import { findPriceSet } from '../src/prices/priceQueries.ts'
import type { Figure } from './figure.ts'
import { scratchDatabase } from './scratchDatabase.ts'
import { table } from './table.ts'

const securities = 4_000
const dateFirst = 10_957

/** Weekdays from 2000 on. */
function weekdays(count: number): number[] {
  const days: number[] = []
  for (let day = dateFirst; days.length < count; day++) if ((day + 3) % 7 < 5) days.push(day)
  return days
}

/** Writes random walks with volumes, some splits and dividends, in order of date. Returns the sum of all closes in cents. */
function writeFile(path: string, rows: number): { readonly cents: number; readonly rows: number } {
  const days = weekdays(Math.ceil(rows / securities))
  const file = openSync(path, 'w')
  const cents = Float64Array.from({ length: securities }, (_, at) => 1_000 + ((at * 7_919) % 20_000))
  let seed = 12_345
  const random = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return seed / 4_294_967_296
  }
  let sum = 0
  let written = 0
  writeSync(file, 'date,symbol,close,volume,split_factor,dividend\n')
  for (const day of days) {
    const date = isoDate(day)
    const lines: string[] = []
    for (let at = 0; at < securities && written < rows; at++, written++) {
      const step = random() + random() + random() - 1.5
      cents[at] = Math.max(100, Math.round(cents[at] * (1 + step * 0.02)))
      sum += cents[at]
      const volume = Math.round(10_000 + random() * 3_000_000)
      const event = random()
      const split = event < 0.0002 ? '2' : ''
      const dividend = event > 0.984 ? '0.24' : ''
      lines.push(`${date},S${at},${(cents[at] / 100).toFixed(2)},${volume},${split},${dividend}`)
    }
    writeSync(file, `${lines.join('\n')}\n`)
  }
  closeSync(file)
  return { cents: sum, rows: written }
}

/**
 * Imports generated daily prices of 4,000 securities with volumes, splits and dividends, once with symbols that no company
 * has and once with those of companies on record. First proves parity: the sum of
 * all stored closes must be that of the file.
 */
export async function benchPrices({ short = false } = {}): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-prices-'))
  const path = join(folder, 'prices.csv')
  try {
    const expected = writeFile(path, short ? 1_000_000 : 20_000_000)
    const body = { path, bytes: statSync(path).size }
    const markets = await loadMarkets()
    const options = {
      name: 'bench',
      currency: 'USD',
      basis: 'raw' as const,
      known: 'date' as const,
      adjustedOn: null,
      markets,
      now: () => new Date('2026-11-27T12:00:00Z'),
    }
    const unknown = await scratchDatabase(async (sql): Promise<Figure[]> => {
      const began = performance.now()
      const report = await importPrices(sql, { name: 'prices.csv', body }, options)
      const seconds = (performance.now() - began) / 1000
      const peak = process.memoryUsage.rss()
      if (report.stored !== expected.rows)
        throw new Error(`${report.stored} of ${expected.rows} rows were stored`)
      await proveParity(sql, expected.cents)
      const bytes = await storedBytes(sql)
      const again = performance.now()
      const repeated = await importPrices(sql, { name: 'prices.csv', body }, options)
      if (repeated.dataVersion !== null) throw new Error('an equal import changed something')
      return [
        { name: 'prices.rows_imported', value: expected.rows / seconds, unit: 'rows/s' },
        { name: 'prices.bytes_per_row', value: bytes / expected.rows, unit: 'bytes/row' },
        { name: 'prices.second_run', value: (performance.now() - again) / 1000, unit: 's' },
        { name: 'prices.memory_after', value: peak / 1e6, unit: 'MB' },
      ]
    })
    const known = await scratchDatabase(async (sql): Promise<Figure[]> => {
      await insertCompanies(sql)
      const began = performance.now()
      const report = await importPrices(sql, { name: 'prices.csv', body }, options)
      const seconds = (performance.now() - began) / 1000
      if (report.stored !== expected.rows || report.companies !== securities || report.unresolvedRows > 0)
        throw new Error(`${report.stored} rows of ${report.companies} companies were stored`)
      await proveParity(sql, expected.cents)
      return [
        { name: 'prices.known_rows_imported', value: expected.rows / seconds, unit: 'rows/s' },
        {
          name: 'prices.known_bytes_per_row',
          value: (await storedBytes(sql)) / expected.rows,
          unit: 'bytes/row',
        },
      ]
    })
    return [...unknown, ...known]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Companies that have the symbols of the file: half of them from a list that says since when, which takes the longer way. */
async function insertCompanies(sql: Sql): Promise<void> {
  const tickers = Array.from({ length: securities }, (_, at) => `S${at}`)
  await sql`
    with added as (
      insert into entity (market, issuer_id, ticker, name)
      select 'US', lpad(at::text, 10, '0'), ticker, ticker from unnest(${tickers}::text[]) with ordinality as t (ticker, at)
      returning entity_id, ticker)
    insert into entity_ticker (ticker, entity_id) select ticker, entity_id from added`
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-symbols-'))
  const path = join(folder, 'list.csv')
  const lines = tickers
    .slice(0, securities / 2)
    .map((ticker, at) => `${ticker},CIK${String(at + 1).padStart(10, '0')},1990-01-01,`)
  writeFileSync(path, `symbol,id,from,to\n${lines.join('\n')}\n`)
  await importSymbols(sql, { paths: [path], today: '2026-11-27', replaces: false }, () => {})
  rmSync(folder, { recursive: true })
}

async function proveParity(sql: Sql, cents: number): Promise<void> {
  if ((await findPriceSet(sql, 'bench'))?.imports !== 1) throw new Error('the import is not on record')
  let sum = 0
  for await (const blocks of sql<{ bytes: Buffer }[]>`select bytes from price_block`.cursor(1_000))
    for (const { bytes } of blocks)
      for (const close of decodePriceBlock(bytes).closes) sum += Math.round(close * 100)
  if (sum !== cents) throw new Error(`the closes sum up to ${sum} cents, not to ${cents}`)
}

async function storedBytes(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select sum(pg_total_relation_size(relid))::float8 as bytes from pg_stat_user_tables where relname like 'price\\_%'`
  return row.bytes
}

if (import.meta.main) {
  const figures = await benchPrices({ short: process.argv.includes('--short') })
  console.log(table(figures.map(figure => ({ ...figure, failed: false }))))
}

import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { readForwardReturns } from '../../../src/features/prices/forwardReturns.ts'
import { importPrices } from '../../../src/features/prices/import/importPrices.ts'
import { removeSet } from '../../../src/features/prices/setQueries.ts'
import { importSymbols } from '../../../src/ingest/symbols/importSymbols.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import type { Sql, SqlClient } from '../../../src/postgres/client.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { findPriceSet } from '../../../src/prices/priceQueries.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { rounds } from '../../rounds.ts'
import { insertEntity } from '../companies/fixtures.ts'

/* Forward returns as of a day do not change by imports of rows that became known later: neither by corrections nor by closes of
   other securities, which move the trading days, nor by a second class of shares, nor by a successor with the same symbol. */

setDefaultTimeout(180_000)
const fresh = freshDatabases()
const markets = await loadMarkets()
const firstDay = dayNumber('2024-01-01')

interface Row {
  readonly day: number
  readonly known: number
  readonly symbol: string
  readonly close: number
  readonly split: number
  readonly delisting: string
}

const row = fc
  .record({
    day: fc.integer({ min: 0, max: 40 }),
    delay: fc.constantFrom(0, 0, 0, 1, 5, 20),
    symbol: fc.constantFrom('AAA', 'AAA', 'BBB', 'BBBB', 'CCC'),
    close: fc.integer({ min: 1, max: 50 }),
    split: fc.constantFrom(1, 1, 1, 2),
    delisting: fc.constantFrom('', '', '', '', '-0.5'),
  })
  .map(({ delay, ...one }): Row => ({ ...one, known: one.day + delay }))
const rowsOf = fc.uniqueArray(row, {
  selector: ({ day, known, symbol }) => `${day} ${known} ${symbol}`,
  minLength: 5,
  maxLength: 90,
})

const textOf = (rows: readonly Row[]) =>
  [
    'date,symbol,close,split_factor,delisting_return,known',
    ...rows.map(
      ({ day, known, symbol, close, split, delisting }) =>
        `${isoDate(firstDay + day)},${symbol},${close},${split},${delisting},${isoDate(firstDay + known)}`,
    ),
    '',
  ].join('\n')

async function load(sql: Sql, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  await importPrices(
    sql,
    { name: 'prices.csv', body: new TextEncoder().encode(textOf(rows)) },
    {
      name: 'known',
      currency: 'USD',
      basis: 'raw',
      known: null,
      adjustedOn: null,
      markets,
      now: () => new Date('2026-11-27T12:00:00Z'),
    },
  )
}

/** Two companies with a symbol each, one of which has two classes of shares, and a symbol that passes to a third one. */
async function createCompanies(sql: Sql): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  for (const [at, ticker] of ['AAA', 'BBB', 'CCC'].entries())
    ids.set(
      ticker,
      await insertEntity(sql, { market: 'US', issuerId: `000000000${at + 1}`, ticker, name: ticker }),
    )
  // The number of a company names none of its securities.
  ids.set('0000000002', ids.get('BBB') ?? 0)
  await sql`insert into entity_ticker (ticker, entity_id) values ('BBBB', ${ids.get('BBB') ?? 0})`
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-known-'))
  const path = join(folder, 'list.csv')
  writeFileSync(
    path,
    'symbol,id,from,to\nAAA,CIK0000000001,2000-01-01,2024-01-20\nAAA,CIK0000000003,2024-01-21,\n',
  )
  await importSymbols(sql, { paths: [path], today: '2026-11-27', replaces: false }, () => {})
  rmSync(folder, { recursive: true })

  return ids
}

/** The returns of every company on every day, as known on a day. */
async function answer(sql: SqlClient, ids: ReadonlyMap<string, number>, asOf: number) {
  const set = await findPriceSet(sql, 'known')
  if (set === null) return null
  const days: number[] = []
  const tickers: string[] = []
  for (const ticker of ids.keys())
    for (let day = 0; day <= 40; day++) {
      days.push(firstDay + day)
      tickers.push(ticker)
    }
  const rows = {
    count: days.length,
    days: Int32Array.from(days),
    tickers,
    entityIds: Int32Array.from(tickers, ticker => ids.get(ticker) ?? -1),
  }
  const settings = { entryLag: 1, delisting: -0.3, freeLicence: false, horizons: [1, 3] }
  const found = await readForwardReturns(sql, set, rows, { ...settings, asOf: isoDate(firstDay + asOf) })
  return found.data
}

const countReturns = (rows: Awaited<ReturnType<typeof answer>>): number =>
  rows?.filter(({ forward_return }) => forward_return !== null).length ?? 0

test('forward returns as of a day are not changed by rows that became known later', async () => {
  const sql = await fresh()
  const ids = await createCompanies(sql)
  let withReturns = 0
  await fc.assert(
    fc.asyncProperty(rowsOf, rowsOf, fc.integer({ min: 10, max: 45 }), async (first, second, asOf) => {
      await removeSet(sql, 'known')
      await load(sql, first)
      const before = await answer(sql, ids, asOf)
      withReturns += countReturns(before)
      await load(
        sql,
        second.filter(({ known }) => known > asOf),
      )
      expect(await answer(sql, ids, asOf)).toEqual(before)
    }),
    { numRuns: rounds(30, 60) },
  )
  expect(withReturns).toBeGreaterThan(rounds(20, 100))
})

test('forward returns of a data version are not changed by later imports', async () => {
  const sql = await fresh()
  const ids = await createCompanies(sql)
  let withReturns = 0
  let changed = 0
  await fc.assert(
    fc.asyncProperty(rowsOf, rowsOf, fc.integer({ min: 10, max: 65 }), async (first, second, asOf) => {
      await removeSet(sql, 'known')
      await load(sql, first)
      const before = await answer(sql, ids, asOf)
      const version = await readDataVersion(sql)
      withReturns += countReturns(before)
      await load(sql, second)
      if (!Bun.deepEquals(await answer(sql, ids, asOf), before)) changed++
      await sql.begin(async transaction => {
        await transaction`select set_config('asfiled.pin', ${String(version)}, true)`
        await transaction`set local search_path = pinned, public`
        expect(await answer(transaction, ids, asOf)).toEqual(before)
      })
    }),
    { numRuns: rounds(30, 60) },
  )
  expect(withReturns).toBeGreaterThan(rounds(20, 100))
  expect(changed).toBeGreaterThan(rounds(0, 10))
})

import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayNumber } from '../../../src/dates.ts'
import { readForwardReturns } from '../../../src/features/prices/forwardReturns.ts'
import { importPrices } from '../../../src/features/prices/import/importPrices.ts'
import { readSetCompanies } from '../../../src/features/prices/setQueries.ts'
import { importSymbols } from '../../../src/ingest/symbols/importSymbols.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import type { Sql, SqlClient } from '../../../src/postgres/client.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { migrate } from '../../../src/postgres/migrations.ts'
import { findPriceSet } from '../../../src/prices/priceQueries.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { insertEntity } from '../companies/fixtures.ts'

setDefaultTimeout(180_000)
const fresh = freshDatabases()
const markets = await loadMarkets()

const load = (sql: Sql, text: string) =>
  importPrices(
    sql,
    { name: 'prices.csv', body: new TextEncoder().encode(text) },
    {
      name: 'prices',
      currency: 'USD',
      basis: 'raw',
      known: 'date',
      adjustedOn: null,
      markets,
      now: () => new Date('2026-11-27T23:00:00Z'),
    },
  )

/**
 * The symbol that is shown for a row of a company as of a day, with its return over one trading day.
 *
 * @param others companies that are read with it
 */
async function shown(
  sql: SqlClient,
  entityId: number,
  ticker: string,
  asOf: string,
  day = '2024-03-01',
  others: readonly number[] = [],
) {
  const set = await findPriceSet(sql, 'prices')
  if (set === null) throw new Error('there is no set')
  const rows = {
    count: others.length + 1,
    days: Int32Array.from([entityId, ...others], () => dayNumber(day)),
    tickers: [ticker, ...others.map(() => ticker)],
    entityIds: Int32Array.of(entityId, ...others),
  }
  const settings = { horizons: [1], entryLag: 0, delisting: -0.3, freeLicence: false }
  const { data } = await readForwardReturns(sql, set, rows, { ...settings, asOf })
  return [data[0].symbol, data[0].state, data[0].forward_return]
}

test('symbols of prices that were imported before symbols had versions are there from the start, in their order', async () => {
  const sql = await fresh()
  const company = await insertEntity(sql, {
    market: 'US',
    issuerId: '0000000001',
    ticker: 'OLD',
    name: 'One',
  })
  const other = await insertEntity(sql, {
    market: 'US',
    issuerId: '0000000002',
    ticker: 'OTHER',
    name: 'Two',
  })
  await sql`insert into entity_ticker (ticker, entity_id) values ('NEW', ${company})`
  await load(
    sql,
    'date,symbol,close\n2024-03-01,OLD,1\n2024-03-04,OLD,2\n2024-03-01,OTHER,5\n2024-03-04,OTHER,6\n',
  )
  await load(sql, 'date,symbol,close\n2024-03-05,NEW,3\n')
  expect(await shown(sql, company, 'OLD', '2024-03-04')).toEqual(['OLD', 'closes', 1])
  expect(await shown(sql, company, 'NEW', '2024-03-05')).toEqual(['NEW', 'closes', 1])
  const single = await sql`select * from price_symbol where symbol = 'OTHER'`

  await sql.unsafe(`drop table price_symbol; delete from migration where name >= '0057'`)
  expect(await migrate(sql)).toEqual(['0057_known_price_symbols.sql', '0058_fast_search_functions.sql'])
  expect([...(await sql`select symbol from price_symbol order by first_day, symbol`)]).toEqual([
    { symbol: 'OLD' },
    { symbol: 'OTHER' },
    { symbol: 'NEW' },
  ])
  // The only symbol of a security is as it was, but for the data version: no row of an earlier one is there.
  expect([...(await sql`select * from price_symbol where symbol = 'OTHER'`)]).toEqual([
    { ...single[0], data_version: 0 },
  ])
  expect(await shown(sql, other, 'OTHER', '2024-03-04')).toEqual(['OTHER', 'closes', 6 / 5 - 1])
  expect(await shown(sql, company, 'OLD', '2024-03-04')).toEqual(['NEW', 'closes', 1])
})

test('a security that is given its company has the trading days of its market, then and in later imports', async () => {
  const sql = await fresh()
  await load(sql, 'date,symbol,close\n2024-03-01,NEWCO,1\n2024-03-04,NEWCO,2\n')
  const company = await insertEntity(sql, {
    market: 'US',
    issuerId: '0000000001',
    ticker: 'NEWCO',
    name: 'New',
  })
  await load(sql, 'date,symbol,close\n2024-03-05,NEWCO,4\n')
  expect(await shown(sql, company, 'NEWCO', '2024-03-05')).toEqual(['NEWCO', 'closes', 1])
  await load(sql, 'date,symbol,close\n2024-03-06,NEWCO,12\n')
  expect(await shown(sql, company, 'NEWCO', '2024-03-06', '2024-03-05')).toEqual(['NEWCO', 'closes', 2])
})

test('a data version from before a security was given its company has no prices of it, whatever else is read', async () => {
  const sql = await fresh()
  const first = await insertEntity(sql, { market: 'US', issuerId: '0000000001', ticker: 'ONE', name: 'One' })
  const second = await insertEntity(sql, { market: 'US', issuerId: '0000000002', ticker: 'TWO', name: 'Two' })
  await insertEntity(sql, { market: 'US', issuerId: '0000000003', ticker: 'OTHER', name: 'Other' })
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-later-'))
  const path = join(folder, 'list.csv')
  const list = async (lines: readonly string[]) => {
    writeFileSync(path, ['symbol,id,from,to', ...lines, ''].join('\n'))
    await importSymbols(sql, { paths: [path], today: '2026-11-27', replaces: false }, () => {})
  }
  await list(['PASSED,CIK0000000001,2000-01-01,2024-03-04'])
  await load(
    sql,
    `date,symbol,close\n${['01', '04', '05', '06'].map((day, at) => `2024-03-${day},PASSED,${at + 1}\n`).join('')}`,
  )
  const version = await readDataVersion(sql)
  await list(['PASSED,CIK0000000001,2000-01-01,2024-03-04', 'PASSED,CIK0000000002,2024-03-05,'])
  rmSync(folder, { recursive: true })
  expect(await load(sql, 'date,symbol,close\n2024-03-07,PASSED,5\n')).toMatchObject({ adopted: 1 })
  await load(sql, 'date,symbol,close\n2024-03-08,OTHER,5\n')
  const companies = async (own: SqlClient) => {
    const set = await findPriceSet(own, 'prices')
    return (await readSetCompanies(own, set?.priceSetId ?? 0)).map(({ ticker, knownFrom }) => [
      ticker,
      knownFrom,
    ])
  }
  expect(await companies(sql)).toEqual([
    ['ONE', '2024-03-01'],
    ['OTHER', '2024-03-08'],
    ['TWO', '2024-03-05'],
  ])
  const read = (own: SqlClient) => shown(own, second, 'PASSED', '2024-03-07', '2024-03-05', [first])
  expect(await read(sql)).toEqual(['PASSED', 'closes', 4 / 3 - 1])
  await sql.begin(async transaction => {
    await transaction`select set_config('asfiled.pin', ${String(version)}, true)`
    await transaction`set local search_path = pinned, public`
    expect(await read(transaction)).toEqual([null, 'no_prices', null])
    expect(await companies(transaction)).toEqual([['ONE', '2024-03-01']])
  })
})

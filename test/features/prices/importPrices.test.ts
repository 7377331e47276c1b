import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { dayNumber } from '../../../src/dates.ts'
import { choosePrices } from '../../../src/features/asOfJoins/valuationPrices.ts'
import { readSampleExtent } from '../../../src/features/pages/extent/sampleQueries.ts'
import { importPrices } from '../../../src/features/prices/import/importPrices.ts'
import type { PriceImportOptions } from '../../../src/features/prices/import/priceImport.ts'
import { importSymbols } from '../../../src/ingest/symbols/importSymbols.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { advanceDataVersion, readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { symbolsKnownOn } from '../../../src/prices/knownSymbols.ts'
import { findPriceSet, readPriceHistories } from '../../../src/prices/priceQueries.ts'
import { asKnownOn, closeAsTraded, lastPriceDay, priceKnownOn } from '../../../src/prices/priceSeries.ts'
import { demoPrincipal } from '../../../src/rights/licences.ts'
import { Rights } from '../../../src/rights/rights.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { insertEntity } from '../companies/fixtures.ts'

setDefaultTimeout(180_000)

const markets = await loadMarkets()
const fresh = freshDatabases()
const folder = mkdtempSync(join(tmpdir(), 'asfiled-prices-'))
afterAll(() => rmSync(folder, { recursive: true }))

const today = '2026-11-27'
const standard: PriceImportOptions = {
  name: 'prices',
  currency: 'USD',
  basis: 'raw',
  known: 'date',
  adjustedOn: null,
  markets,
  now: () => new Date(`${today}T23:00:00Z`),
}

const importText = (sql: Sql, text: string | Uint8Array, options: Partial<PriceImportOptions> = {}) =>
  importPrices(
    sql,
    { name: 'prices.csv', body: typeof text === 'string' ? new TextEncoder().encode(text) : text },
    { ...standard, ...options },
  )

let files = 0
async function importList(sql: Sql, content: string) {
  const own = join(folder, String(++files))
  mkdirSync(own)
  const path = join(own, 'list.csv')
  writeFileSync(path, content)
  return importSymbols(sql, { paths: [path], today, replaces: false }, () => {})
}

/** The closes of a company as known on a day, by security and day. */
async function closes(sql: Sql, entityId: number, asOf = today, name = 'prices') {
  const set = await findPriceSet(sql, name)
  const found = await readPriceHistories(sql, set?.priceSetId ?? 0, [entityId])
  return (found.get(entityId) ?? []).map(history => {
    const series = asKnownOn(history, lastPriceDay(asOf))
    const days = [...series.days].map(day => new Date(day * 86_400_000).toISOString().slice(0, 10))
    const symbols = symbolsKnownOn(history.symbols, lastPriceDay(asOf))
    return [symbols.join(','), Object.fromEntries(days.map((day, at) => [day, series.closes[at]]))]
  })
}

let sql: Sql
const ids: Record<string, number> = {}
beforeAll(async () => {
  sql = await fresh()
  ids.meta = await insertEntity(sql, {
    market: 'US',
    issuerId: '0001326801',
    ticker: 'META',
    name: 'Meta Platforms',
  })
  ids.first = await insertEntity(sql, {
    market: 'US',
    issuerId: '0000012345',
    ticker: 'CIK0000012345',
    name: 'First Bancorp',
  })
  ids.apple = await insertEntity(sql, {
    market: 'US',
    issuerId: '0000320193',
    ticker: 'AAPL',
    name: 'Apple Inc.',
  })
  ids.tsmc = await insertEntity(sql, { market: 'TW', issuerId: '2330', ticker: '2330.TW', name: 'TSMC' })
  ids.alphabet = await insertEntity(sql, {
    market: 'US',
    issuerId: '0001652044',
    ticker: 'GOOGL',
    name: 'Alphabet',
  })
  await sql`insert into entity_ticker (ticker, entity_id) values ('GOOG', ${ids.alphabet})`
  await sql.begin(transaction =>
    advanceDataVersion(transaction, { source: 'us', entities: 5, factsAdded: 0 }),
  )
  await importList(
    sql,
    'symbol,id,from,to\nFB,CIK0000012345,1997-11-06,2003-03-28\nFB,1326801,2012-05-18,2022-06-08\nMETA,CIK0001326801,2022-06-09,\n',
  )
})

describe('symbols are resolved by the day', () => {
  test('FB becomes META as one security, and the earlier FB is another company', async () => {
    // Closes of Facebook and Meta around the change of the symbol, as traded.
    const report = await importText(
      sql,
      'date,symbol,close\n2000-01-03,FB,21.5\n2022-06-07,FB,195.65\n2022-06-08,FB,196.64\n2022-06-09,META,184.00\n2010-01-04,FB,7\n',
    )
    expect(await closes(sql, ids.meta)).toEqual([
      ['FB,META', { '2022-06-07': 195.65, '2022-06-08': 196.64, '2022-06-09': 184 }],
    ])
    expect(await closes(sql, ids.first)).toEqual([['FB', { '2000-01-03': 21.5 }]])
    expect(report).toMatchObject({ rows: 5, stored: 5, companies: 2, unresolvedRows: 1, refused: 0 })
    expect(report.unresolved).toMatchObject([{ symbol: 'FB', rows: 1, from: '2010-01-04', to: '2010-01-04' }])
    expect(report.unresolved[0].reason).toContain(
      'No source on record says which company was FB from 2003-03-29',
    )
  })

  test('two classes of shares on the same days are two securities', async () => {
    await importText(
      sql,
      'date,ticker,close\n2024-01-02,GOOGL,138.17\n2024-01-02,GOOG,139.56\n2024-01-03,GOOG,140.36\n',
    )
    expect(await closes(sql, ids.alphabet)).toEqual([
      ['GOOGL', { '2024-01-02': 138.17 }],
      ['GOOG', { '2024-01-02': 139.56, '2024-01-03': 140.36 }],
    ])
  })

  test('classes that come in files of their own never replace one another', async () => {
    const set = { name: 'classes' }
    const closesOf = () => closes(sql, ids.alphabet, today, 'classes')
    const stored: [string, Record<string, number>][] = [
      ['GOOG,GOOGL', { '2024-01-05': 137.39, '2024-01-08': 138.84 }],
    ]
    await importText(sql, 'date,symbol,close\n2024-01-05,GOOG,137.39\n', set)
    await importText(sql, 'date,symbol,close\n2024-01-08,GOOGL,138.84\n', set)
    expect(await closesOf()).toEqual(stored)

    // The rows of GOOG that the first file lacked, and those of GOOGL from before the second.
    const later = await importText(
      sql,
      'date,symbol,close\n2024-01-08,GOOG,140.53\n2024-01-09,GOOG,142.56\n2024-01-05,GOOGL,135.73\n',
      set,
    )
    expect(later).toMatchObject({ stored: 0, refused: 3 })
    expect(later.faults.map(({ line }) => line).sort()).toEqual([2, 3, 4])
    expect(later.faults[0].reason).toContain('import all symbols of the company in one file')
    expect(await closesOf()).toEqual(stored)

    // The whole past under the new symbol, as a source gives it that renames, and closes of days of which nothing was known.
    const renamed = await importText(
      sql,
      'date,symbol,close\n2024-01-04,GOOGL,136.39\n2024-01-05,GOOGL,137.39\n2024-01-08,GOOGL,138.85\n',
      set,
    )
    expect(renamed).toMatchObject({ stored: 2, unchanged: 1, refused: 0 })

    // A symbol whose past was stated later is still the one that came second.
    const next = await importText(
      sql,
      'date,symbol,close\n2024-01-09,GOOGL,140.95\n2024-01-10,GOOG,143.8\n',
      set,
    )
    expect(next).toMatchObject({ stored: 1, refused: 1 })
    expect(next.faults[0].line).toBe(3)
  })

  test('what came late between two symbols, says nothing, or comes under both symbols is not refused', async () => {
    const set = { name: 'between' }
    await importText(sql, 'date,symbol,close\n2023-12-28,GOOG,141.28\n', set)
    await importText(sql, 'date,symbol,close\n2024-01-03,GOOGL,138.92\n', set)
    const late = await importText(sql, 'date,symbol,close\n2023-12-29,GOOGL,139.69\n', set)
    expect(late).toMatchObject({ stored: 1, refused: 0 })
    const corrected = await importText(sql, 'date,symbol,close\n2023-12-29,GOOGL,139.7\n', set)
    expect(corrected).toMatchObject({ stored: 1, refused: 0 })
    const before = await importText(
      sql,
      'date,symbol,close\n2023-12-28,GOOGL,140.23\n2023-12-29,GOOG,140.93\n',
      set,
    )
    expect(before).toMatchObject({ stored: 0, refused: 2 })

    // A day off, as a source lists it under the symbol of before; and one correction under both symbols.
    const empty = await importText(sql, 'date,symbol,close\n2024-01-06,GOOG,\n', set)
    expect(empty).toMatchObject({ withoutClose: 1, refused: 0 })
    for (const symbols of [
      ['GOOG', 'GOOGL'],
      ['GOOGL', 'GOOG'],
    ]) {
      const close = symbols[0] === 'GOOG' ? 141.3 : 141.29
      const rows = symbols.map(symbol => `2023-12-28,${symbol},${close}\n`).join('')
      const both = await importText(sql, `date,symbol,close\n2023-12-27,GOOGL,140\n${rows}`, set)
      expect(both).toMatchObject({ repeated: 1, refused: 0 })
    }
    expect(await closes(sql, ids.alphabet, today, 'between')).toEqual([
      ['GOOGL,GOOG', { '2023-12-27': 140, '2023-12-28': 141.29, '2023-12-29': 139.7, '2024-01-03': 138.92 }],
    ])
  })

  test('an adjusted set is stated whole again under the latest symbol', async () => {
    const set = { name: 'restated', basis: 'split_adjusted' } as const
    await importText(sql, 'date,symbol,close\n2024-01-04,GOOG,136.5\n2024-01-05,GOOG,137.5\n', set)
    await importText(sql, 'date,symbol,close\n2024-01-08,GOOGL,140\n', set)
    // Not whole: a day of the earlier symbol would stay as it was before the split.
    const part = await importText(
      sql,
      'date,symbol,close\n2024-01-05,GOOGL,68.75\n2024-01-08,GOOGL,140\n',
      set,
    )
    expect(part).toMatchObject({ stored: 0, unchanged: 1, refused: 1 })
    const whole = await importText(
      sql,
      'date,symbol,close\n2024-01-04,GOOGL,68.25\n2024-01-05,GOOGL,68.75\n2024-01-08,GOOGL,70\n2024-01-09,GOOGL,71\n',
      set,
    )
    expect(whole).toMatchObject({ stored: 4, refused: 0 })
    expect((await closes(sql, ids.alphabet, today, 'restated')).map(([, days]) => days)).toEqual([
      { '2024-01-04': 68.25, '2024-01-05': 68.75, '2024-01-08': 70, '2024-01-09': 71 },
    ])
  })

  test('a market completes the ID, and another market has no such company', async () => {
    const dollars = { name: 'taipei', currency: 'TWD' }
    const report = await importText(
      sql,
      'date,id,market,close\n2024-01-04,2330,TW,580\n2024-01-04,AAPL,TW,1\n',
      dollars,
    )
    expect(await closes(sql, ids.tsmc, today, 'taipei')).toEqual([['2330', { '2024-01-04': 580 }]])
    expect(report.unresolved).toMatchObject([{ symbol: 'AAPL', market: 'TW', rows: 1 }])
  })

  test('rows of an unknown symbol are kept, and belong to the company as soon as it is known', async () => {
    await importText(sql, 'date,symbol,close\n2024-01-02,NEWCO,5\n')
    const newco = await insertEntity(sql, {
      market: 'US',
      issuerId: '0009999999',
      ticker: 'NEWCO',
      name: 'New Co',
    })
    expect(await closes(sql, newco)).toEqual([])
    const report = await importText(sql, 'date,symbol,close\n2024-01-03,NEWCO,6\n')
    expect(report).toMatchObject({ adopted: 1, stored: 1, unresolvedRows: 0 })
    expect(await closes(sql, newco)).toEqual([['NEWCO', { '2024-01-02': 5, '2024-01-03': 6 }]])
  })
})

describe('vintages', () => {
  test('a repeated import stores nothing, and a correction only what changed, known from its own day', async () => {
    const text =
      'date,symbol,close,volume\n2024-02-01,AAPL,186.86,64885400\n2024-02-02,AAPL,185.85,102518000\n'
    expect(await importText(sql, text)).toMatchObject({ stored: 2 })
    const version = await readDataVersion(sql)
    expect(await importText(sql, text)).toMatchObject({ stored: 0, unchanged: 2, dataVersion: null })
    expect(await readDataVersion(sql)).toBe(version)
    const correction =
      'date,symbol,close,known\n2024-02-01,AAPL,186.86,2024-02-10\n2024-02-02,AAPL,185.80,2024-02-10\n'
    expect(await importText(sql, correction, { known: null })).toMatchObject({
      stored: 1,
      unchanged: 1,
      dataVersion: version + 1,
    })
    expect(await closes(sql, ids.apple, '2024-02-09')).toEqual([
      ['AAPL', { '2024-02-01': 186.86, '2024-02-02': 185.85 }],
    ])
    expect(await closes(sql, ids.apple, '2024-02-10')).toEqual([
      ['AAPL', { '2024-02-01': 186.86, '2024-02-02': 185.8 }],
    ])
    // The correction has no volumes, so the one on record stays.
    const set = await findPriceSet(sql, 'prices')
    const [history] = (await readPriceHistories(sql, set?.priceSetId ?? 0, [ids.apple])).get(ids.apple) ?? []
    expect(asKnownOn(history, dayNumber('2024-02-10')).volumes[1]).toBe(102518000)
  })

  test('without a rule, prices are known from the day of the import in their market', async () => {
    await importText(sql, 'date,symbol,close\n2024-03-01,AAPL,179.66\n', { name: 'default', known: null })
    expect(await closes(sql, ids.apple, '2026-11-26', 'default')).toEqual([['', {}]])
    expect(await closes(sql, ids.apple, '2026-11-27', 'default')).toEqual([
      ['AAPL', { '2024-03-01': 179.66 }],
    ])
  })

  test('the close of a day is known at the end of the day, not at an instant of it', async () => {
    await importText(sql, 'date,symbol,close\n2024-03-01,AAPL,179.66\n2024-03-04,AAPL,175.1\n', {
      name: 'instants',
    })
    const set = await findPriceSet(sql, 'instants')
    const [history] = (await readPriceHistories(sql, set?.priceSetId ?? 0, [ids.apple])).get(ids.apple) ?? []
    const at = (asOf: string) => priceKnownOn(history, lastPriceDay(asOf), 10)?.close
    expect(at('2024-03-04')).toBe(175.1)
    expect(at('2024-03-04T23:59:59-05:00')).toBe(179.66)
    expect(at('2024-03-05T00:00:00-05:00')).toBe(175.1)
    expect(at('2024-03-14')).toBe(175.1)
    expect(at('2024-03-15')).toBeUndefined()
  })

  test('a withdrawn close is known until its withdrawal', async () => {
    const own = { name: 'withdrawn', known: null }
    await importText(
      sql,
      'date,symbol,close,known\n2024-03-01,AAPL,179.66,2024-03-01\n2024-03-02,AAPL,9,2024-03-02\n',
      own,
    )
    expect(
      await importText(
        sql,
        'date,symbol,close,known\n2024-03-02,AAPL,,2024-03-05\n2024-03-07,AAPL,,2024-03-07\n',
        own,
      ),
    ).toMatchObject({ stored: 1, withoutClose: 1 })
    expect(await closes(sql, ids.apple, '2024-03-04', 'withdrawn')).toEqual([
      ['AAPL', { '2024-03-01': 179.66, '2024-03-02': 9 }],
    ])
    expect(await closes(sql, ids.apple, '2024-03-05', 'withdrawn')).toEqual([
      ['AAPL', { '2024-03-01': 179.66 }],
    ])
  })

  test('a pinned reader sees the imports of its data version alone', async () => {
    const own = { name: 'pinned' }
    await importText(sql, 'date,symbol,close\n2024-03-01,AAPL,1\n', own)
    const version = await readDataVersion(sql)
    await importText(sql, 'date,symbol,close\n2024-03-04,AAPL,2\n', own)
    await sql.begin(async transaction => {
      await transaction`select set_config('asfiled.pin', ${String(version)}, true)`
      await transaction`set local search_path = pinned, public`
      const set = await findPriceSet(transaction, 'pinned')
      const [history] =
        (await readPriceHistories(transaction, set?.priceSetId ?? 0, [ids.apple])).get(ids.apple) ?? []
      expect([set?.imports, ...history.closes]).toEqual([1, 1])
    })
    // At a data version before its first import there was no set, which is another fault than a set without splits.
    const rights = new Rights({ ...demoPrincipal, licence: 'personal' })
    await sql`update price_set set access = 'licence', licences = array['personal'] where name = 'pinned'`
    const moveImports = (by: number) => sql`
      update price_import set data_version = data_version + ${by}
      where price_set_id = (select price_set_id from price_set where name = 'pinned')`
    await moveImports(1_000)
    const refusal = await choosePrices(sql, rights, null, 'market_cap').catch(error => error.message)
    const named = await choosePrices(sql, rights, 'pinned', 'market_cap').catch(error => error.message)
    await moveImports(-1_000)
    expect(refusal).toContain('there is no set of prices that your key may see')
    expect(named).toContain('prices=pinned is no set of prices that your key may see')
    expect(await closes(sql, ids.apple, today, 'pinned')).toEqual([
      ['AAPL', { '2024-03-01': 1, '2024-03-04': 2 }],
    ])
  })

  test('closes that are adjusted for splits can be undone by stated splits alone', async () => {
    // Apple split 4-for-1 on 2020-08-31: it closed at 499.23 on 2020-08-28, which is 124.8075 adjusted.
    await importText(
      sql,
      'date,symbol,close,split_factor\n2020-08-28,AAPL,124.8075,\n2020-08-31,AAPL,129.04,4\n',
      {
        name: 'adjusted',
        basis: 'split_adjusted',
      },
    )
    const set = await findPriceSet(sql, 'adjusted')
    const [history] = (await readPriceHistories(sql, set?.priceSetId ?? 0, [ids.apple])).get(ids.apple) ?? []
    expect(set && [closeAsTraded(history, 0, set), closeAsTraded(history, 1, set)]).toEqual([499.23, 129.04])
    expect(set && closeAsTraded(history, 0, { ...set, statesSplits: false })).toBeNull()
    expect(closeAsTraded(history, 0, { basis: 'total_return', statesSplits: true })).toBeNull()
  })
})

test('a server that only has the sample says so although prices were imported, too', async () => {
  const own = await fresh()
  const apple = await insertEntity(own, {
    market: 'US',
    issuerId: '0000320193',
    ticker: 'AAPL',
    name: 'Apple',
  })
  await own`insert into filing (accession, entity_id, form, filed) values ('a', ${apple}, '10-K', '2023-11-03')`
  await own.begin(transaction =>
    advanceDataVersion(transaction, { source: 'sample', entities: 1, factsAdded: 0 }),
  )
  const before = await readSampleExtent(own, today)
  expect(before).not.toBeNull()
  expect(await importText(own, 'date,symbol,close\n2024-05-01,AAPL,1\n')).toMatchObject({ stored: 1 })
  expect(await readSampleExtent(own, today)).toEqual(before)
})

describe('files', () => {
  test('each faulty line is refused alone and named', async () => {
    const lines = [
      'date,symbol,close,volume,split_factor,dividend,delisting_return',
      '2024-04-01,AAPL,170.03,1,,,',
      '2024-04-31,AAPL,1,1,,,',
      '2024-04-02,AAPL,-1,1,,,',
      '2024-04-03,AAPL,1e999,1,,,',
      '2024-04-04,AAPL,1,-5,,,',
      '2024-04-05,AAPL,1,1,-2,,',
      '2024-04-08,AAPL,1,1,0,0,',
      '2024-04-09,AAPL,1,1,,,-1.5',
      '2024-04-10,AAPL,1,1',
      '2024-04-11,,1,1,,,',
      '2027-04-11,AAPL,1,1,,,',
      ' 2024-04-12 ,aapl," 168.84",,,,',
      '2024-04-15,AAPL,1,1,,,',
      '2024-04-15,AAPL,2,1,,,',
      '2024-04-16,AAPL,3,1,,,',
      '2024-04-16,AAPL,3,1,,,',
      '',
    ]
    const report = await importText(sql, lines.join('\n'), { name: 'faults' })
    expect(report).toMatchObject({ stored: 4, refused: 11, repeated: 1, contradicting: 2 })
    expect(report.faults.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7, 9, 10, 11, 12, 14])
    expect(report.faults[0].reason).toBe(
      'date is "2024-04-31", but must be a date as YYYY-MM-DD from 1900-01-01 to 2026-11-28',
    )
    expect(await closes(sql, ids.apple, today, 'faults')).toEqual([
      ['AAPL', { '2024-04-01': 170.03, '2024-04-08': 1, '2024-04-12': 168.84, '2024-04-16': 3 }],
    ])
  })

  test('Parquet gives the same as CSV', async () => {
    const bytes = new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'date', data: ['2024-05-01', '2024-05-02', '2024-05-03'], type: 'STRING' },
          { name: 'symbol', data: ['AAPL', 'AAPL', 'AAPL'], type: 'STRING' },
          { name: 'close', data: [169.3, 173.03, -1], type: 'DOUBLE' },
        ],
      }),
    )
    expect(await importText(sql, bytes, { name: 'parquet' })).toMatchObject({ stored: 2, refused: 1 })
    expect(await closes(sql, ids.apple, today, 'parquet')).toEqual([
      ['AAPL', { '2024-05-01': 169.3, '2024-05-02': 173.03 }],
    ])
  })

  test('a fault that is found after reading names the row of the Parquet file', async () => {
    const dates = ['2024-05-01', '2024-05-02', '2024-05-03', '2024-05-03']
    const bytes = new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'date', data: dates, type: 'STRING' },
          { name: 'symbol', data: dates.map(() => 'AAPL'), type: 'STRING' },
          { name: 'close', data: [-1, 173.03, 1, 2], type: 'DOUBLE' },
        ],
      }),
    )
    const { faults } = await importText(sql, bytes, { name: 'parquet-faults' })
    expect(faults.map(({ line }) => line)).toEqual([1, 3])
  })

  test('what cannot be right is refused as a whole, with a way to mend it', async () => {
    const refused = async (text: string, options: Partial<PriceImportOptions> = {}) => {
      try {
        await importText(sql, text, options)
      } catch (error) {
        return error instanceof Error ? error.message : ''
      }
      return null
    }
    const row = '2024-05-01,AAPL,1'
    expect(await refused(`date,symbol,close,open\n${row},1\n`)).toContain('unknown column "open"')
    expect(await refused(`date,symbol\n2024-05-01,AAPL\n`)).toContain('no column close')
    expect(await refused(`date,symbol,close,close\n${row},1\n`)).toContain('twice')
    expect(await refused(`date,symbol,close\n${row}\n`, { currency: 'EUR' })).toContain(
      'is in USD, not in EUR',
    )
    expect(await refused(`date,symbol,close\n${row}\n`, { basis: 'total_return' })).toContain(
      'Import them into a set of their own',
    )
    expect(await refused(`date,symbol,close\n${row}\n`, { name: 'nobody', currency: null })).toContain(
      '--currency USD',
    )
    expect(await refused(`date,symbol,close,known\n${row},2024-05-01\n`)).toContain('Remove one of them')
    expect(await refused(`date,symbol,close\n"${row}\n`)).toContain('not closed')
    expect(await findPriceSet(sql, 'nobody')).toBeNull()
    expect(
      await importText(sql, `date,symbol,close\n${row}\n`, { known: '2024-04-30', name: 'late' }),
    ).toMatchObject({ refused: 1, dataVersion: null })
    expect(
      await importText(sql, `date,symbol,close,known\n${row},2024-04-30\n`, { known: null, name: 'late' }),
    ).toMatchObject({ refused: 1 })
    expect(
      await importText(sql, `date,symbol,close,known\n${row},2026-11-28\n`, { known: null, name: 'late' }),
    ).toMatchObject({ refused: 1 })
    expect(await findPriceSet(sql, 'late')).toBeNull()
  })
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { parquetReadObjects } from 'hyparquet'
import { isIsoDate } from '../../../src/dates.ts'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import { planCompanies, planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import type { FundamentalsQuery, FundamentalsRow } from '../../../src/features/fundamentals/schema.ts'
import { streamCompanies } from '../../../src/features/fundamentals/stream.ts'
import { tableOf } from '../../../src/features/fundamentals/table.ts'
import {
  FundamentalsTable,
  FundamentalsTableBatch,
  fundamentalsTableSheet,
} from '../../../src/features/fundamentals/tableSchema.ts'
import { csvLine } from '../../../src/formats/csv.ts'
import { encodeList } from '../../../src/formats/rows.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { companyDeps, rightsOf } from '../companies/fixtures.ts'

FormatRegistry.Set('date', isIsoDate)

let database: TestDatabase
let deps: CompanyDeps
beforeAll(async () => {
  database = await sampleDatabase()
  deps = companyDeps(database.sql)
}, 120_000)
afterAll(() => database.close(), 60_000)

const me = rightsOf('personal')
const long = async (query: FundamentalsQuery) => readCompany(deps, await planCompany(deps, me, query))

async function wide(query: FundamentalsQuery) {
  const plan = await planCompany(deps, me, { ...query, layout: 'wide' })
  const table = tableOf(await readCompany(deps, plan), plan.columns)
  expect([...Value.Errors(FundamentalsTable, table)]).toEqual([])
  return table
}

test('a row of 10-K/A 0001193125-10-012091: fiscal year 2009 of Apple, as known the day before and after', async () => {
  const query = { ticker: 'AAPL', metric: 'revenue,net_income,eps', fy: '2009', fp: 'FY' }
  const shown = async (as_of: string) =>
    (await wide({ ...query, as_of })).data.map(row => [
      row.end,
      row.filed,
      row.revenue,
      row.net_income,
      row.eps,
    ])
  expect(await shown('2010-01-24')).toEqual([['2009-09-26', '2009-10-27', 36_537e6, 5_704e6, 6.39]])
  expect(await shown('2010-01-25')).toEqual([['2009-09-26', '2010-01-25', 42_905e6, 8_235e6, 9.22]])
})

test('has each figure of the list once, in the row of its period and no other', async () => {
  let checked = 0
  for (const ticker of ['AAPL', 'GOOGL', 'SNOW', '2330.TW', '005930.KS', 'E02367.JP']) {
    for (const vintage of ['first', 'latest'] as const) {
      for (const more of [{}, { fp: 'FY' }, { fp: 'TTM' }, { metric: 'shares_outstanding,revenue' }]) {
        const query = { ticker, vintage, as_of: '2022-06-30', ...more }
        const list = (await long(query)).data
        const table = await wide(query)
        const cells = table.data.flatMap(row =>
          table.metrics.flatMap(metric =>
            row[metric] === null ? [] : [`${metric} ${row.fy} ${row.fp} ${row[metric]}`],
          ),
        )
        const name = (row: FundamentalsRow) => `${row.m} ${row.fy} ${row.fp} ${row.v}`
        expect(cells.toSorted()).toEqual(list.map(name).toSorted())
        for (const row of list.filter(({ m }) => m !== 'shares_outstanding')) {
          const own = table.data.filter(
            ({ fy, fp, end }) => fy === row.fy && fp === row.fp && end === row.end,
          )
          expect(own.map(period => period[row.m])).toEqual([row.v])
          expect(own[0].filed >= row.filed).toBe(true)
          checked++
        }
      }
    }
  }
  expect(checked).toBeGreaterThan(1_000)
})

test('a count on a cover stands in the row of its report', async () => {
  const { data } = await wide({
    ticker: 'AAPL',
    metric: 'revenue,shares_outstanding',
    fp: 'FY',
    fy: '2009',
    as_of: '2010-02-01',
  })
  expect(data.length).toBe(1)
  expect(data[0].end).toBe('2009-09-26')
  expect(data[0].shares_outstanding).toBeGreaterThan(9e8)
})

test('all formats have the same cells, of one company and of several', async () => {
  const query = { metric: 'revenue,roe,net_income', fp: 'FY', as_of: '2016-06-30' } as const
  const table = await wide({ ticker: 'AAPL', ...query })
  const sheet = fundamentalsTableSheet(table.metrics)
  const names = sheet.map(({ name }) => name)
  expect(Object.keys(table.data[0])).toEqual(names)
  const text = async (bytes: Promise<string | Uint8Array>) => Buffer.from(await bytes).toString()
  const lines = (rows: typeof table.data) =>
    csvLine(names) + rows.map(row => csvLine(names.map(name => row[name] ?? null))).join('')
  const ndjson = (rows: typeof table.data) => rows.map(row => `${JSON.stringify(row)}\n`).join('')
  expect(await text(encodeList('csv', sheet, table))).toBe(lines(table.data))
  expect(await text(encodeList('ndjson', sheet, table))).toBe(ndjson(table.data))

  const several = { ticker: 'AAPL,GOOGL', layout: 'wide', ...query } as const
  const stream = async (format: 'json' | 'csv' | 'ndjson' | 'parquet') => {
    const sent = { ...several, format }
    const { body } = await streamCompanies(deps, me, sent, await planCompanies(deps, me, sent))
    return new Response(body)
  }
  const json = await (await stream('json')).json()
  expect([...Value.Errors(FundamentalsTableBatch, json)]).toEqual([])
  expect(json.data).toEqual([...table.data, ...(await wide({ ticker: 'GOOGL', ...query })).data])
  expect(await (await stream('csv')).text()).toBe(lines(json.data))
  expect(await (await stream('ndjson')).text()).toBe(ndjson(json.data))
  const file = await (await stream('parquet')).arrayBuffer()
  const rows = await parquetReadObjects({ file })
  expect(
    rows.map(row => ({
      ...row,
      end: row.end.toISOString().slice(0, 10),
      filed: row.filed.toISOString().slice(0, 10),
    })),
  ).toEqual(json.data)
})

test('what has no single figure a cell is refused with the way to mend it', async () => {
  const message = (query: FundamentalsQuery) =>
    planCompanies(deps, me, { layout: 'wide', ...query }).then(
      () => '',
      error => error.message,
    )
  expect(await message({ ticker: 'AAPL', view: 'latest' })).toContain('Omit one of the two')
  expect(await message({ ticker: 'AAPL', vintage: 'all' })).toContain('vintage=latest or vintage=first')
  expect(await message({ ticker: 'AAPL,GOOGL' })).toContain('requires metric')
  expect(await message({ ticker: 'AAPL', fields: 'until' })).toContain('layout=wide has several')
  expect(await message({ ticker: 'AAPL' })).toBe('')
})

test('no metric has the name of another column', () => {
  const columns = new Set(fundamentalsTableSheet([]).map(({ name }) => name))
  for (const name of ['older', 'split_factor', ...columns]) expect(deps.markets.metrics.has(name)).toBe(false)
})

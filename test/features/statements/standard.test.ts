import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { parquetReadObjects } from 'hyparquet'
import { isoDate } from '../../../src/dates.ts'
import type { StandardStatementAnswer } from '../../../src/features/statements/standardSchema.ts'
import { readFilingPackage } from '../../../src/ingest/registers/us/filingPackage.ts'
import { checkedFigures } from '../../../src/standardLines/checkedFigures.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { readZipFiles } from '../../ingest/registers/us/packages.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { importWhole, realPackages } from './importWhole.ts'

setDefaultTimeout(120_000)

const packages = await realPackages()
let database: TestDatabase
let server: TestServer
let key: string

beforeAll(async () => {
  database = await testDatabase()
  await importWhole(database.sql, packages ?? [])
  server = await testServer(database.sql)
  key = await sellKey(database.sql, { licence: 'personal' })
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

async function get(path: string) {
  const response = await fetch(`${server.url}/api/v1/statements?${path}`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  return { status: response.status, bytes: await response.arrayBuffer() }
}

async function ask(path: string): Promise<StandardStatementAnswer> {
  const { status, bytes } = await get(`${path}&view=standard`)
  const text = new TextDecoder().decode(bytes)
  expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, ''])
  return JSON.parse(text)
}

const firstColumn = ({ data }: StandardStatementAnswer) =>
  Object.fromEntries(
    data.flatMap(({ name, cells: [cell] }) => (cell == null ? [] : [[name, [cell.value, cell.state]]])),
  )

describe.skipIf(packages === null)('real filings', () => {
  // Apple's 10-Q for the quarter to 2025-03-29 (0000320193-25-000057), condensed balance sheet.
  test("Apple's balance sheet, proved by its own calculation", async () => {
    const answer = await ask('ticker=AAPL&statement=balance')
    expect(answer.columns[0]).toMatchObject({ accession: '0000320193-25-000057', kind: 'industrial' })
    expect(firstColumn(answer)).toMatchObject({
      cash: ['28162000000', 'proved'],
      short_term_investments: ['20336000000', 'proved'],
      receivables: ['26136000000', 'proved'],
      inventory: ['6269000000', 'proved'],
      other_current_assets: ['14109000000', 'proved'],
      current_assets: ['118674000000', 'proved'],
      long_term_investments: ['84424000000', 'proved'],
      property_plant_equipment: ['46876000000', 'proved'],
      assets: ['331233000000', 'proved'],
      payables: ['54126000000', 'proved'],
      deferred_revenue: ['8976000000', 'proved'],
      commercial_paper: ['5982000000', 'proved'],
      long_term_debt_current: ['13638000000', 'proved'],
      current_liabilities: ['144571000000', 'proved'],
      long_term_debt_noncurrent: ['78566000000', 'proved'],
      liabilities: ['264437000000', 'proved'],
      equity: ['66796000000', 'proved'],
      liabilities_and_equity: ['331233000000', 'proved'],
    })
  })

  // The same filing, statements of cash flows, six months: money paid is positive under names of payments.
  test("Apple's cash flows have one sign convention", async () => {
    const answer = await ask('ticker=AAPL&statement=cash_flow')
    expect(firstColumn(answer)).toMatchObject({
      operating_cash_flow: ['53887000000', 'proved'],
      capital_expenditure: ['6011000000', 'proved'],
      dividends_paid: ['7614000000', 'proved'],
      share_repurchases: ['49504000000', 'proved'],
    })
  })

  test('a filing is checked as at its import, with the other statements and the notes', async () => {
    const files = await readZipFiles('filings/msft-10k_2015.zip')
    const { filing } = readFilingPackage('msft-10k_2015.zip', files ?? [])
    const imported = nonEmpty(checkedFigures(filing)).filter(({ statement }) => statement === 'income')
    const answer = await ask('ticker=MSFT&statement=income&filings=1')
    const cells = answer.data.flatMap(({ name, cells }) =>
      cells.flatMap((cell, at) =>
        cell === null
          ? []
          : [[name, answer.columns[at].period.end, cell.state, cell.identity, cell.difference]],
      ),
    )
    expect(cells).toHaveLength(imported.length)
    for (const { line, period, check } of imported)
      expect(cells).toContainEqual([line, isoDate(period.end), check.state, check.identity, check.difference])
  })

  test('an earlier day has the earlier filing alone', async () => {
    const before = await ask('ticker=NFLX&statement=income&as_of=2024-01-25')
    expect(before.filings.map(({ accession }) => accession)).toEqual(['0001193125-10-036181'])
    // Netflix's 10-K for 2009: revenues of 1,670,269 thousand.
    expect(firstColumn(before).revenue[0]).toBe('1670269000')
    const after = await ask('ticker=NFLX&statement=income&as_of=2024-01-26')
    // Its 10-K for 2023: 33,723,297 thousand.
    expect(firstColumn(after).revenue[0]).toBe('33723297000')
    expect(after.columns.map(({ period }) => period.fy)).toEqual([2023, 2022, 2021, 2009, 2008, 2007])
  })

  test('Parquet and CSV have the cells of JSON, a row each', async () => {
    const answer = await ask('ticker=MSFT&statement=income')
    const cells = nonEmpty(answer.data.flatMap(line => line.cells.filter(cell => cell !== null)))
    const { bytes } = await get('ticker=MSFT&statement=income&view=standard&format=parquet')
    const rows = await parquetReadObjects({ file: bytes })
    expect(rows.filter(({ missing }) => missing == null).map(({ value, state }) => [value, state])).toEqual(
      cells.map(({ value, state }) => [value, state]),
    )
    const { bytes: csv } = await get('ticker=MSFT&statement=income&view=standard&format=csv')
    const [header, ...lines] = new TextDecoder().decode(csv).trim().split('\r\n')
    expect(header.split(',').slice(0, 3)).toEqual(['ticker', 'statement', 'name'])
    expect(lines).toHaveLength(cells.length + answer.missing.length)
  })

  test('refuses statements without standard lines, and one filing by its number', async () => {
    for (const [path, words] of [
      ['ticker=AAPL&statement=equity&view=standard', 'income, balance and cash_flow'],
      ['ticker=AAPL&statement=income&view=standard&accession=0000320193-25-000057', 'Send view=as_filed'],
    ]) {
      const { status, bytes } = await get(path)
      expect([path, status, new TextDecoder().decode(bytes)]).toEqual([
        path,
        400,
        expect.stringContaining(words),
      ])
    }
  })
})

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { StatementAnswer } from '../../../src/features/statements/statementSchema.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { dayOfPage, rowsOfPage } from '../../ingest/registers/us/rendering.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sharedPath } from '../../shared.ts'
import { importWhole, realPackages } from './importWhole.ts'

setDefaultTimeout(120_000)

/* Apple's 10-Q of 2025-05-02 as the SEC's own renderer shows it, and as the route serves it. */

const folder = sharedPath('registers/us/filings/0000320193-25-000057-rendered')
const packages = await realPackages()
let database: TestDatabase
let server: TestServer
let key: string

beforeAll(async () => {
  database = await testDatabase()
  await importWhole(database.sql, packages ?? [])
  server = await testServer(database.sql)
  key = await sellKey(database.sql)
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

async function ask(query: string): Promise<StatementAnswer> {
  const response = await fetch(`${server.url}/api/v1/statements?${query}`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(response.status).toBe(200)
  return response.json()
}

type Line = StatementAnswer['data'][number]

/** The number as the renderer writes it: in the scale that the title names, negative ones in parentheses. */
function shownOnPage(cell: Line['cells'][number], title: string): string {
  if (cell === null || cell.shown === null) return ''
  const name = cell.unit === 'USD' ? '\\$' : cell.unit
  const words = title.match(new RegExp(`${name} in (\\w+)`))?.[1]
  const scale = words === 'Millions' ? 1e6 : words === 'Thousands' ? 1e3 : 1
  const digits = cell.unit === 'USD/shares' ? { minimumFractionDigits: 2 } : {}
  const plain = (Math.abs(Number(cell.shown)) / scale).toLocaleString('en-US', digits)
  return cell.shown.startsWith('-') ? `(${plain})` : plain
}

const withoutDollar = (cells: readonly string[]) => cells.map(cell => cell.replace(/^\$ /, ''))

describe.skipIf(folder === null || packages === null)('the rendering of 0000320193-25-000057', () => {
  test.each([
    ['R2', 'income'],
    ['R3', 'comprehensive'],
    ['R4', 'balance'],
    ['R7', 'cash_flow'],
  ])('%s is %s: every cell, label, order and sign', async (page, statement) => {
    const { rows, title } = rowsOfPage(readFileSync(`${folder}/${page}.htm`, 'utf8'))
    const { data, columns } = await ask(
      `ticker=AAPL&statement=${statement}&view=as_filed&accession=0000320193-25-000057`,
    )
    const days = nonEmpty(
      rows
        .filter(({ isHead }) => isHead)
        .at(-1)
        ?.cells.filter(cell => /\d{4}$/.test(cell)),
    )
    expect(columns.map(({ period }) => dayOfPage(Date.parse(period?.end ?? '') / 86_400_000))).toEqual([
      ...days,
    ])
    const body = rows.filter(({ isHead }) => !isHead)
    // Of headings that follow one another the renderer shows the last one, and it shows none above a table of members.
    const hasTable = data.some(({ dimensions }) => dimensions.length > 0)
    const ours = data.filter(
      ({ heading, depth }, at) => !heading || (!(hasTable && depth === 0) && !data[at + 1]?.heading),
    )
    const theirs = body.filter(({ concept }) => !concept.includes('='))
    expect(
      ours.map(({ label, cells }) => [
        label,
        ...columns.map((_, at) => shownOnPage(cells[at] ?? null, title)),
      ]),
    ).toEqual(theirs.map(({ cells: [label, ...cells] }) => [label, ...withoutDollar(cells)]))
    const members = body.filter(({ concept }) => concept.includes('=')).map(({ cells: [label] }) => label)
    const presented = ours.flatMap(({ dimensions }) => dimensions.map(({ label }) => label))
    expect([...new Set(presented)]).toEqual(members)
    // Each line is the company's own, and names the filing.
    expect(new Set(data.map(({ accession }) => accession))).toEqual(new Set(['0000320193-25-000057']))
  })

  test('R6, the statement of equity: every cell, label, order and sign of the rows with figures', async () => {
    const { rows, title } = rowsOfPage(readFileSync(`${folder}/R6.htm`, 'utf8'))
    const { data, columns } = await ask('ticker=AAPL&statement=equity')
    const heads = columns.map(({ dimensions }) => dimensions[0]?.label ?? 'Total')
    expect([title, ...heads]).toEqual([...rows[0].cells])
    const ours = data
      .filter(({ heading }) => !heading)
      .map(({ label, tag, opening, period, cells }) => {
        const day = Date.parse((opening ? period?.start : period?.end) ?? '') / 86_400_000 - (opening ? 1 : 0)
        const at = tag === 'us-gaap:StockholdersEquity' ? ` at ${dayOfPage(day)}` : ''
        return [`${label}${at}`, ...cells.map(cell => shownOnPage(cell, title))]
      })
    const theirs = rows.slice(1).filter(({ concept }) => !/RollForward$/.test(concept))
    expect(ours).toEqual(theirs.map(({ cells }) => withoutDollar(cells)))
  })

  test('depths are those of the presentation linkbase, and totals those of the calculation linkbase', async () => {
    const { data } = await ask('ticker=AAPL&statement=balance')
    const line = (tag: string) => data.find(each => each.tag === tag)
    expect(line('us-gaap:StatementOfFinancialPositionAbstract')).toMatchObject({
      depth: 0,
      heading: true,
      cells: [],
    })
    expect(line('us-gaap:CashAndCashEquivalentsAtCarryingValue')).toMatchObject({ depth: 3, total: false })
    expect(line('us-gaap:AssetsCurrent')).toMatchObject({ depth: 3, total: true })
    expect(line('us-gaap:Assets')).toMatchObject({ depth: 2, total: true, accession: '0000320193-25-000057' })
  })
})

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { readZipFiles, recordsOf } from '../../ingest/registers/us/packages.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { importWhole, realDataSet, realPackages } from '../statements/importWhole.ts'
import { readRawInstance } from '../statements/rawInstance.ts'
import {
  type AuditAnswer,
  type SourceFigure,
  type SourceVintage,
  stateOf,
  vintagesOf,
} from './statedStates.ts'

setDefaultTimeout(180_000)

const packages = await realPackages()
const files = await readZipFiles('fsds/2009q3.zip')
const hasFiles = packages !== null && files !== null

const day = (compact: string) => dayNumber(compact.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'))

/** A standard line and the one tag under which the filings of the test present it. */
const lines = [
  { line: 'goodwill', tag: 'Goodwill', statement: 'BS', fp: 'Q', others: /^Goodwill./ },
  {
    line: 'inventory',
    tag: 'InventoryNet',
    statement: 'BS',
    fp: 'Q',
    others: /Inventor(y|ies)(?!Net$)|Supplies|Materials|Fuel/,
  },
  { line: 'eps', tag: 'EarningsPerShareBasic', statement: 'IS', fp: 'Q', others: /^EarningsPerShareBasic./ },
] as const

interface Presented {
  readonly issuerId: string
  readonly figures: readonly SourceFigure[]
}

const submissions = new Map(recordsOf(files ?? [], 'sub.txt').map(sub => [sub.adsh, sub]))
const presentations = Map.groupBy(recordsOf(files ?? [], 'pre.txt'), ({ adsh }) => adsh)
const numbers = Map.groupBy(recordsOf(files ?? [], 'num.txt'), ({ adsh }) => adsh)

/** The figures of a tag in the columns of the statement that presents it, in filings that have the line once. */
function presentedIn({ tag, statement, others }: (typeof lines)[number], adsh: string): Presented | null {
  const sub = submissions.get(adsh)
  const face = (presentations.get(adsh) ?? []).filter(
    ({ stmt, inpth }) => stmt === statement && inpth === '0',
  )
  const names = face.map(row => row.tag)
  if (sub === undefined || names.filter(name => name === tag).length !== 1) return null
  // Two statements of a kind would leave open which one counts, and others may be parts of the line.
  if (new Set(face.map(({ report }) => report)).size > 1 || names.some(name => others.test(name))) return null
  const onFace = (numbers.get(adsh) ?? []).filter(
    row => row.coreg === '' && row.segments === '' && row.value !== '' && names.includes(row.tag),
  )
  const isBalance = statement === 'BS'
  const tagsOf = new Map<string, Set<string>>()
  for (const row of onFace) {
    if ((row.qtrs === '0') !== isBalance) continue
    const period = `${row.ddate} ${row.qtrs}`
    tagsOf.set(period, (tagsOf.get(period) ?? new Set()).add(row.tag))
  }
  const fullest = Math.max(...[...tagsOf.values()].map(({ size }) => size))
  const figures = onFace.flatMap((row): SourceFigure[] => {
    const kind = ({ '0': 'instant', '1': 'quarter', '4': 'year' } as const)[row.qtrs]
    // A period with few lines is not a column of the statement.
    const isColumn = (tagsOf.get(`${row.ddate} ${row.qtrs}`)?.size ?? 0) >= 0.25 * fullest
    if (row.tag !== tag || kind === undefined || !isColumn) return []
    const order = `1 ${sub.accepted} ${adsh}`
    return [
      { accession: adsh, filed: day(sub.filed), order, kind, end: day(row.ddate), value: Number(row.value) },
    ]
  })
  return { issuerId: sub.cik.padStart(10, '0'), figures }
}

/** By line, the companies all of whose filings in the data set present it once. */
const byLine = new Map(
  lines.map(one => {
    const found = new Map<string, SourceFigure[]>()
    const unclear = new Set<string>()
    for (const [adsh, { cik }] of submissions) {
      const issuerId = cik.padStart(10, '0')
      if (packages?.some(given => given.issuerId === issuerId)) continue
      const presented = presentedIn(one, adsh)
      if (presented === null || presented.figures.length === 0) unclear.add(issuerId)
      else found.set(issuerId, [...(found.get(issuerId) ?? []), ...presented.figures])
    }
    return [one.line, [...found].filter(([id]) => !unclear.has(id)).slice(0, 40)] as const
  }),
)

let database: TestDatabase
let server: TestServer
let key: string

beforeAll(async () => {
  database = await testDatabase()
  const wanted = new Set([...byLine.values()].flat().map(([issuerId]) => issuerId))
  const given = hasFiles ? ((await realDataSet('2009q3.zip')) ?? []) : []
  await importWhole(database.sql, [
    ...given.filter(({ issuerId }) => wanted.has(issuerId)),
    ...(packages ?? []),
  ])
  server = await testServer(database.sql)
  key = await sellKey(database.sql, { licence: 'personal' })
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

async function audit(body: object): Promise<AuditAnswer> {
  const response = await fetch(`${server.url}/api/v1/audits`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
  return JSON.parse(text)
}

describe.skipIf(!hasFiles)('standard lines of real files', () => {
  for (const { line, fp } of lines) {
    test(`states of ${line} are those of a reader of the data set`, async () => {
      const cells: { ticker: string; date: string; value: number; vintages: SourceVintage[] }[] = []
      for (const [ticker, figures] of nonEmpty(byLine.get(line) ?? [])) {
        const vintages = vintagesOf(figures)
        const ofKind = vintages.filter(({ kind }) => kind !== 'year')
        for (const { value, filed } of ofKind)
          for (const days of [-100, 0, 1, 40])
            cells.push({ ticker, date: isoDate(filed + days), value, vintages })
        cells.push({ ticker, date: '2010-01-04', value: 123_456_789.25, vintages })
      }
      const { rows, columns } = await audit({
        rows: {
          date: cells.map(({ date }) => date),
          ticker: cells.map(({ ticker }) => ticker),
          x: cells.map(({ value }) => value),
        },
        columns: { x: { line, fp, scale: 1, sign: 1, splits: 'as_filed' } },
        with: ['filing'],
      })
      expect(columns[0].reading).toMatchObject({ line, recognised: 'sent', fp })
      const found = cells.map(({ ticker, date, value }, row) => [
        ticker,
        date,
        value,
        rows.x_state[row],
        rows.x_known[row],
        rows.x_state[row] === 'no_match' ? null : rows.x_filing[row],
      ])
      const expected = cells.map(({ ticker, date, value, vintages }) => {
        const { state, known, filing } = stateOf(vintages, ['quarter', 'instant'], value, dayNumber(date))
        return [ticker, date, value, state, known, filing]
      })
      expect(found).toEqual(expected)
      expect(new Set(expected.map(([ticker]) => ticker)).size).toBeGreaterThanOrEqual(15)
      const states = new Set(expected.map(([, , , state]) => state))
      expect([...states].sort()).toEqual(expect.arrayContaining(['early', 'known', 'no_match', 'stale']))
    })
  }

  test('the line of a filing has the values that its own documents state, and is known by its name', async () => {
    const documents = (await readZipFiles('filings/msft-10k_2015.zip')) ?? []
    const instance = documents.find(({ name }) => /^msft-\d+\.xml$/.test(name))
    const facts = readRawInstance(new TextDecoder().decode(instance?.bytes))
    const [latest] = nonEmpty(
      facts
        .filter(({ tag, dimensions }) => tag === 'us-gaap:InventoryNet' && dimensions.length === 0)
        .sort((a, b) => (a.end < b.end ? 1 : -1)),
    )
    const millions = Number(latest.value) / 1e6
    const { rows, columns } = await audit({
      rows: {
        date: ['2015-07-31', '2015-08-01', '2015-08-01'],
        ticker: ['MSFT', 'MSFT', 'MSFT'],
        short_term_investments: [90_931, 90_931, 1],
        stock: [millions, millions, 1],
      },
      columns: {
        stock: { line: 'inventory', scale: 1e6 },
        short_term_investments: { scale: 1e6 },
      },
    })
    expect(rows.stock_state).toEqual(['early', 'known', 'no_match'])
    expect(rows.stock_known).toEqual([null, millions, millions])
    // The balance sheet of the same 10-K has 90,931 million.
    expect(columns.map(({ reading: { line, recognised } }) => [line, recognised])).toEqual([
      ['short_term_investments', 'name'],
      ['inventory', 'sent'],
    ])
    expect(rows.short_term_investments_state).toEqual(['early', 'known', 'no_match'])
  })
})

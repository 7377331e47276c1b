import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { addDays, dayNumber, isoDate, nearestMonthEnd } from '../../../src/dates.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { readZipFiles, recordsOf } from '../../ingest/registers/us/packages.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sharedPath } from '../../shared.ts'
import {
  type AuditAnswer,
  kindOfDays,
  type SourceFigure,
  type SourceVintage,
  stateOf,
  vintagesOf,
} from './statedStates.ts'

setDefaultTimeout(180_000)

const paths = ['companyfacts', 'fsds/2010q1.zip', 'company_tickers.json'].map(path =>
  sharedPath(`registers/us/${path}`),
)
const hasFiles = !paths.includes(null)

let database: TestDatabase
let server: TestServer
let key: string
let entities: ReadonlyMap<string, number>

beforeAll(async () => {
  database = await testDatabase()
  if (hasFiles) {
    const found = paths.filter(path => path !== null)
    await importRegister(database.sql, usRegister, { paths: found, observedOn: '2026-06-20' }, () => {})
  }
  server = await testServer(database.sql)
  key = await sellKey(database.sql, { licence: 'personal' })
  const rows = await database.sql<{ id: number; ticker: string }[]>`
    select entity_id as id, ticker from entity`
  entities = new Map(rows.map(({ id, ticker }) => [ticker, id]))
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

async function send(body: object): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${server.url}/api/v1/audits`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

async function audit(body: object): Promise<AuditAnswer> {
  const { status, text } = await send(body)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return JSON.parse(text)
}

async function refusal(body: object): Promise<[number, string, string]> {
  const { status, text } = await send(body)
  const { code, message } = JSON.parse(text).error
  return [status, code, message]
}

interface Fact {
  readonly start?: string
  readonly end: string
  readonly val: number
  readonly accn: string
  readonly filed: string
}

/** The figures of a tag as the files of the register state them: data sets where they have the filing. */
async function sourceFigures(
  file: string,
  cik: string,
  taxonomy: string,
  tag: string,
): Promise<SourceFigure[]> {
  const { facts } = await Bun.file(sharedPath(`registers/us/companyfacts/${file}`) ?? '').json()
  const units: Record<string, Fact[]> = facts[taxonomy][tag].units
  const figures: SourceFigure[] = []
  const ofSet = await readDataSet(cik, tag)
  for (const fact of Object.values(units).flat()) {
    const kind = kindOfDays(fact.start ?? null, fact.end)
    if (kind === null || ofSet.accessions.has(fact.accn)) continue
    figures.push({
      accession: fact.accn,
      filed: dayNumber(fact.filed),
      // Without a time, after those of the day that have one.
      order: `9 ${fact.accn}`,
      kind,
      end: dayNumber(fact.end),
      value: fact.val,
    })
  }
  // Data sets round the ends of periods to the ends of months.
  const ends = new Map(figures.map(({ kind, end }) => [`${kind} ${nearestMonthEnd(end)}`, end]))
  for (const figure of ofSet.figures)
    figures.push({ ...figure, end: ends.get(`${figure.kind} ${figure.end}`) ?? figure.end })
  return figures
}

const dataSet = hasFiles ? await readZipFiles('fsds/2010q1.zip') : null
const day = (compact: string) => dayNumber(compact.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'))

async function readDataSet(cik: string, tag: string) {
  const submissions = new Map(
    recordsOf(dataSet ?? [], 'sub.txt')
      .filter(sub => sub.cik === cik)
      .map(sub => [sub.adsh, sub]),
  )
  const figures = recordsOf(dataSet ?? [], 'num.txt').flatMap((row): SourceFigure[] => {
    const sub = submissions.get(row.adsh)
    const kind = ({ '0': 'instant', '1': 'quarter', '4': 'year' } as const)[row.qtrs]
    if (sub === undefined || kind === undefined || row.tag !== tag) return []
    if (row.coreg !== '' || row.segments !== '' || row.value === '' || row.version === row.adsh) return []
    const order = `1 ${sub.accepted} ${sub.adsh}`
    return [
      {
        accession: sub.adsh,
        filed: day(sub.filed),
        order,
        kind,
        end: day(row.ddate),
        value: Number(row.value),
      },
    ]
  })
  return { accessions: new Set(submissions.keys()), figures }
}

/** Reproducible numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const companies = [
  { ticker: 'AAPL', file: 'CIK0000320193.json', cik: '320193' },
  { ticker: 'GOOGL', file: 'CIK0001652044.json', cik: '1652044' },
  { ticker: 'SNOW', file: 'CIK0001640147_snow.json', cik: '1640147' },
] as const

const kindsOf = { FY: ['year'], Q: ['quarter', 'instant'] } as const

describe.skipIf(!hasFiles)('tags of real files', () => {
  test('the companies are on record', () => {
    for (const { ticker } of companies) expect([ticker, entities.has(ticker)]).toEqual([ticker, true])
  })

  for (const [tag, fp, seed] of [
    ['WeightedAverageNumberOfSharesOutstandingBasic', 'FY', 1],
    ['WeightedAverageNumberOfSharesOutstandingBasic', 'Q', 2],
    ['EarningsPerShareBasic', 'FY', 3],
    ['PropertyPlantAndEquipmentNet', 'Q', 4],
    ['IncreaseDecreaseInAccountsPayable', 'FY', 5],
    ['IncomeTaxExpenseBenefit', 'Q', 6],
  ] as const) {
    test(`states of us-gaap:${tag}, ${fp}, are those of a reader of the files`, async () => {
      const random = randomFrom(seed)
      const cells: { ticker: string; date: string; value: number; vintages: SourceVintage[] }[] = []
      for (const { ticker, file, cik } of companies) {
        const vintages = vintagesOf(await sourceFigures(file, cik, 'us-gaap', tag))
        const ofKind = nonEmpty(vintages.filter(({ kind }) => kindsOf[fp].some(one => one === kind)))
        for (let at = 0; at < 250; at++) {
          const { value, filed } = ofKind[Math.floor(random() * ofKind.length)]
          // On and about the days of filings, where states change, and far from them.
          const days = random() < 0.5 ? Math.floor(random() * 5) - 2 : Math.floor(random() * 1_400) - 700
          const isOther = random() < 0.1
          const date = isoDate(Math.min(filed + days, dayNumber('2026-07-01')))
          cells.push({ ticker, date, value: isOther ? value + 987_654_321.5 : value, vintages })
        }
      }
      const { rows, columns } = await audit({
        rows: {
          date: cells.map(({ date }) => date),
          ticker: cells.map(({ ticker }) => ticker),
          x: cells.map(({ value }) => value),
        },
        columns: { x: { tag: `us-gaap:${tag}`, fp, scale: 1, sign: 1, splits: 'as_filed' } },
        with: ['filing'],
      })
      expect(columns[0].reading).toMatchObject({ tag: `us-gaap:${tag}`, recognised: 'sent', fp })
      const found = cells.map((cell, row) => [
        cell.ticker,
        cell.date,
        cell.value,
        rows.x_state[row],
        rows.x_known[row],
        rows.x_state[row] === 'no_match' ? null : rows.x_filing[row],
      ])
      const expected = cells.map(({ ticker, date, value, vintages }) => {
        const { state, known, filing } = stateOf(vintages, kindsOf[fp], value, dayNumber(date))
        return [ticker, date, value, state, known, filing]
      })
      expect(found).toEqual(expected)
      const states = new Set(expected.map(([, , , state]) => state))
      expect([...states].sort()).toContain('early')
      expect(states.size).toBeGreaterThanOrEqual(4)
    })
  }

  // The 10-K of 2009-10-27 has basic earnings of 5.48 per share for the year to 2008-09-27; the 10-K/A of 2010-01-25 has 6.94.
  test('a value that only a later filing states of a known period is restated, with that filing', async () => {
    const body = {
      rows: {
        date: ['2009-10-27', '2009-10-28', '2010-01-25', '2010-01-26', '2009-10-28'],
        ticker: Array.from({ length: 5 }, () => 'AAPL'),
        basic: [6.39, 6.39, 6.39, 9.22, 6.94],
      },
      columns: { basic: { tag: 'us-gaap:EarningsPerShareBasic', fp: 'FY', scale: 1, sign: 1 } },
      with: ['filing', 'end'],
    }
    const { rows, worst } = await audit(body)
    expect(rows.basic_state).toEqual(['early', 'known', 'known', 'known', 'restated'])
    expect(rows.basic_known).toEqual([null, 6.39, 6.39, 9.22, 6.39])
    expect(rows.basic_filing).toEqual([
      '0001193125-09-214859',
      '0001193125-09-214859',
      '0001193125-09-214859',
      '0001193125-10-012091',
      '0001193125-10-012091',
    ])
    expect(rows.basic_end).toEqual(['2009-09-26', '2009-09-26', '2009-09-26', '2009-09-26', '2008-09-27'])
    expect(worst.map(({ row, state, filed, days }) => [row, state, filed, days])).toEqual([
      [5, 'restated', '2010-01-25', 89],
      [1, 'early', '2009-10-27', 0],
    ])
  })

  test('the short form is a tag, and scale and sign of a tag are found', async () => {
    const vintages = vintagesOf(
      await sourceFigures('CIK0000320193.json', '320193', 'us-gaap', 'PaymentsOfDividends'),
    ).filter(({ kind }) => kind === 'year')
    const cells = nonEmpty(
      vintages.map(({ filed, value }) => ({ date: isoDate(filed + 1), value: -value / 1e6 })),
    )
    const { columns } = await audit({
      rows: {
        date: cells.map(({ date }) => date),
        ticker: cells.map(() => 'AAPL'),
        paid: cells.map(({ value }) => value),
      },
      columns: { paid: 'us-gaap:PaymentsOfDividends' },
    })
    expect(columns[0].reading).toMatchObject({
      tag: 'us-gaap:PaymentsOfDividends',
      fp: 'FY',
      scale: 1e6,
      sign: -1,
      units: ['USD'],
      matched_share: 1,
    })
  })

  test('columns that are called like a tag are recognised, after metrics', async () => {
    const date = ['2010-02-01', '2010-02-01']
    const { columns, ignored } = await audit({
      rows: {
        date,
        ticker: ['AAPL', 'GOOGL'],
        'us-gaap:InventoryNet': [1, 2],
        IncreaseDecreaseInAccountsPayable: [1, 2],
        Assets: [1, 2],
        'other:Thing': [3.512_345_7, 4.512_345_9],
      },
    })
    expect(
      columns.map(({ name, reading: { tag, metric, recognised } }) => [name, tag ?? metric, recognised]),
    ).toEqual([
      ['us-gaap:InventoryNet', 'us-gaap:InventoryNet', 'name'],
      ['IncreaseDecreaseInAccountsPayable', 'us-gaap:IncreaseDecreaseInAccountsPayable', 'name'],
      ['Assets', 'assets', 'name'],
    ])
    expect(ignored).toEqual(['other:Thing'])
  })

  test('a company of another taxonomy has its own tags', async () => {
    const { facts } = await Bun.file(
      sharedPath('registers/us/companyfacts/CIK0001997711_lpa_ifrs.json') ?? '',
    ).json()
    const [first] = nonEmpty<Fact>(facts['ifrs-full'].InvestmentProperty.units.USD)
    const before = addDays(first.filed, -30)
    const { rows } = await audit({
      rows: { date: [before, '2026-06-01'], ticker: ['0001997711', '0001997711'], x: [first.val, first.val] },
      columns: { x: { tag: 'ifrs-full:InvestmentProperty', scale: 1 } },
    })
    expect(rows.x_state[0]).toBe('not_covered')
    expect(['known', 'stale']).toContain(String(rows.x_state[1]))
  })

  test('what cannot be exact is refused, with what to send instead', async () => {
    const rows = { date: ['2010-02-01'], ticker: ['AAPL'], x: [1] }
    const tag = 'us-gaap:InventoryNet'
    const timed = { time: ['2010-02-01T12:00:00Z'], ticker: ['AAPL'], x: [1] }
    for (const [body, part] of [
      [{ rows, columns: { x: { tag, fp: 'TTM' } } }, 'no trailing twelve months'],
      [{ rows, columns: { x: { line: 'inventories' } } }, 'Did you mean inventory'],
      [{ rows, columns: { x: { tag: 'NoSuchTagAtAll' } } }, 'with its prefix, such as us-gaap:InventoryNet'],
      [{ rows: timed, columns: { x: { tag } } }, 'send date in place of time'],
      [{ rows, columns: { x: 'minority_interest' } }, 'send {"line": "minority_interest"}'],
      [{ rows, columns: { x: { tag, line: 'inventory' } } }, 'Send one'],
    ] as const) {
      const [status, code, message] = await refusal(body)
      expect([status, code]).toEqual([400, 'parameter_invalid'])
      expect(message).toContain(part)
    }
  })

  test('an import between two reads of filings starts the audit again, on one data version', async () => {
    const body = {
      rows: {
        date: ['2024-01-01', '2024-01-01', '2024-01-01'],
        ticker: companies.map(({ ticker }) => ticker),
        x: [1, 2, 3],
      },
      columns: { x: { tag: 'us-gaap:Goodwill' } },
    }
    const before = await audit(body)
    await database.sql`update data_version set version = version + 1`
    const after = await audit(body)
    expect(after.data_version).toBe(before.data_version + 1)
    expect(after.rows).toEqual(before.rows)
  })
})

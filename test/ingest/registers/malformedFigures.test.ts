import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isoDate } from '../../../src/dates.ts'
import { registerOf, registers } from '../../../src/ingest/allRegisters.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { reference } from './be/documents.ts'

setDefaultTimeout(180_000)

/* Real documents of each register with one figure or one day damaged: the report of the import names it with its place. */

const folder = mkdtempSync(join(tmpdir(), 'asfiled-malformed-'))
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Damage {
  readonly what: string
  /** What the document states, and what stands in its place. */
  readonly change: readonly [string, string]
  /** The fault that is named; of a place that states nothing, the reason for which it is left out, or null. */
  readonly named: string | { readonly leftOut: string | null }
}

interface Case {
  readonly market: string
  readonly fixture: string
  /** The name that the register gives the file, where the fixture has another one. */
  readonly name?: string
  /** Other documents that it needs. */
  readonly others?: Readonly<Record<string, unknown>>
  /** A filing of the document, and its day. */
  readonly filing: readonly [accession: string, filed: string]
  readonly damages: readonly Damage[]
}

const nothing = { leftOut: null }
const jpReport = 'jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28'
const jpSales =
  'NetSalesSummaryOfBusinessResults contextRef="CurrentYearDuration" decimals="-6" unitRef="JPY">1671865000000<'
const jpNil = jpSales.replace(/>\d+</, ' xsi:nil="true"><')
const jpPlace = 'jpcrp_cor:NetSalesSummaryOfBusinessResults 2023-04-01..2024-03-31'
const krPlace = 'receipt 20230307000542, BS ifrs-full_CurrentAssets, thstrm_amount'
const dkRevenue = 'contextRef="c1" unitRef="u1" decimals="-5">5073800000<'

const cases: readonly Case[] = [
  {
    market: 'US',
    fixture: 'companyfacts-aapl-fy2009.json',
    filing: ['0001193125-09-214859', '2009-10-27'],
    damages: [
      {
        what: '1e400',
        change: ['"val": 32479000000', '"val": 1e400'],
        named:
          'us-gaap:SalesRevenueNet USD, figure 1: val is a number beyond 1.8e308, not a finite number (0001193125-09-214859)',
      },
      {
        what: 'a text',
        change: ['"val": 32479000000', '"val": "32.479.000.000"'],
        named:
          'us-gaap:SalesRevenueNet USD, figure 1: val is "32.479.000.000", not a finite number (0001193125-09-214859)',
      },
      {
        what: 'null',
        change: ['"val": 32479000000', '"val": null'],
        named:
          'us-gaap:SalesRevenueNet USD, figure 1: val is null, not a finite number (0001193125-09-214859)',
      },
      {
        what: 'a day that is none',
        change: ['"end": "2008-09-27"', '"end": "2024-13-45"'],
        named: 'us-gaap:SalesRevenueNet USD, figure 1: end is "2024-13-45", not a day (0001193125-09-214859)',
      },
    ],
  },
  {
    market: 'JP',
    fixture: `${jpReport}.xbrl`,
    filing: [`JP:${jpReport}`, '2024-06-28'],
    damages: [
      {
        what: '1e400',
        change: [jpSales, jpSales.replace('1671865000000', '1e400')],
        named: `${jpPlace}: "1e400" is not a finite number`,
      },
      {
        what: 'a text',
        change: [jpSales, jpSales.replace('1671865000000', '1,671,865')],
        named: `${jpPlace}: "1,671,865" is not a finite number`,
      },
      { what: 'nil', change: [jpSales, jpNil], named: { leftOut: 'a figure stated as nil' } },
      {
        what: 'a day that is none',
        change: ['<xbrli:instant>2021-03-31<', '<xbrli:instant>2024-13-45<'],
        named: 'in context Prior3YearInstant: "2024-13-45" is not a day',
      },
    ],
  },
  {
    market: 'KR',
    fixture: '005930.jsonl',
    others: { 'company.json': { status: '000', corp_code: '00126380', corp_cls: 'Y', acc_mt: '12' } },
    filing: ['KR:20230307000542', '2023-03-07'],
    damages: [
      {
        what: '1e400',
        change: ['"218470581000000"', '1e400'],
        named: `${krPlace}: a number beyond 1.8e308 is not a finite number`,
      },
      {
        what: 'a text',
        change: ['"218470581000000"', '"218,470,581"'],
        named: `${krPlace}: "218,470,581" is not a finite number`,
      },
      { what: 'null', change: ['"218470581000000"', 'null'], named: nothing },
      {
        what: 'a receipt of a day that is none',
        change: ['"20230307000542"', '"20241345000542"'],
        named: 'receipt 20241345000542: "20241345", its filing day, is not a day',
      },
    ],
  },
  {
    market: 'TW',
    fixture: 't187ap06_L_ci.json',
    filing: ['TW:1101:2026Q2', '2026-08-14'],
    damages: [
      {
        what: '1e400',
        change: ['"71289957.00"', '1e400'],
        named: '1101, 2026 Q2, 營業收入: a number beyond 1.8e308 is not a finite number',
      },
      {
        what: 'a text',
        change: ['"71289957.00"', '"71,289,957"'],
        named: '1101, 2026 Q2, 營業收入: "71,289,957" is not a finite number',
      },
      { what: 'null', change: ['"71289957.00"', 'null'], named: nothing },
      {
        what: 'a day that is none',
        change: ['"出表日期": "1150817"', '"出表日期": "1131345"'],
        named: 'row 1: 出表日期 is "1131345", not a day',
      },
    ],
  },
  {
    market: 'TW',
    fixture: 'income_2023-2024.csv',
    filing: ['TW:1101:2023Q1', '2023-05-15'],
    damages: [
      {
        what: '1e400',
        change: ['26295929', '1e400'],
        named: '1101, 2023 Q1, 營業收入: "1e400" is not a finite number',
      },
      {
        what: 'a text',
        change: ['26295929', 'unknown'],
        named: '1101, 2023 Q1, 營業收入: "unknown" is not a finite number',
      },
      { what: 'nothing', change: ['26295929', ''], named: nothing },
      {
        what: 'a day that is none',
        change: ['2023-01-01,2023-03-31,26295929', '2023-01-01,2024-13-45,26295929'],
        named: 'line 2: period_end is "2024-13-45", not a day',
      },
    ],
  },
  {
    market: 'FR',
    fixture: 'bilan-saisi-377708425.json',
    filing: ['FR:9201-2023B000001-2023-99-20211231', '2023-01-02'],
    damages: [
      {
        what: '1e400',
        change: ['"m3": "000000000000180"', '"m3": 1e400'],
        named:
          'FR:9201-2023B000001-2023-99-20211231, page 1, line CF, column 3: "a number beyond 1.8e308" is not a whole number',
      },
      {
        what: 'a text',
        change: ['"m3": "000000000000180"', '"m3": "1.234"'],
        named:
          'FR:9201-2023B000001-2023-99-20211231, page 1, line CF, column 3: "1.234" is not a whole number',
      },
      { what: 'null', change: ['"m3": "000000000000180"', '"m3": null'], named: nothing },
      {
        what: 'a day that is none',
        change: ['"dateDepot": "2023-01-02T00:00:00+01:00"', '"dateDepot": "2024-13-45T00:00:00+01:00"'],
        named: 'the deposit of 377708425, date_depot: "2024-13-45T00:00:00+01:00" is not a day',
      },
    ],
  },
  {
    market: 'BE',
    fixture: 'npo-0410682657-2016.xbrl',
    name: '2017-00000001.xbrl',
    others: { 'references.json': [reference()] },
    filing: ['BE:2017-00000001', '2017-06-28'],
    damages: [
      {
        what: '1e400',
        change: ['"CurrentDuration">21726317<', '"CurrentDuration">1e400<'],
        named: '2017-00000001, rubric 70 of N: "1e400" is not a number',
      },
      {
        what: 'a text',
        change: ['"CurrentDuration">21726317<', '"CurrentDuration">21.726.317<'],
        named: '2017-00000001, rubric 70 of N: "21.726.317" is not a number',
      },
      { what: 'nothing', change: ['"CurrentDuration">21726317<', '"CurrentDuration"><'], named: nothing },
      {
        what: 'a day that is none',
        change: ['<xbrli:instant>2015-12-31<', '<xbrli:instant>2024-13-45<'],
        named: 'Assets in context PrecedingInstant: "2024-13-45" is not a day',
      },
      {
        what: 'a deposit date that is none',
        change: ['"DepositDate":"2017-06-28"', '"DepositDate":"2024-13-45"'],
        named: 'reference "2017-00000001", DepositDate: "2024-13-45" is not a day',
      },
    ],
  },
  {
    market: 'DK',
    fixture: 'kmd-2016.xml',
    others: { 'index.json': 'index.json' },
    filing: ['DK:26911745/kmd-2016', '2017-03-31'],
    damages: [
      {
        what: '1e400',
        change: [dkRevenue, dkRevenue.replace('5073800000', '1e400')],
        named: 'fsa:Revenue in context c1: "1e400" is not a finite number',
      },
      {
        what: 'a text',
        change: [dkRevenue, dkRevenue.replace('5073800000', '5.073,8')],
        named: 'fsa:Revenue in context c1: "5.073,8" is not a finite number',
      },
      {
        what: 'nil',
        change: [
          dkRevenue,
          dkRevenue.replace(
            '>5073800000<',
            ' xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"><',
          ),
        ],
        named: { leftOut: 'a figure that is nil' },
      },
      {
        what: 'a day that is none',
        change: ['<x:instant>2015-12-31<', '<x:instant>2024-13-45<'],
        named: 'fsa:Assets in context c4: "2024-13-45" is not a day',
      },
      {
        what: 'a day of publication that is none',
        change: ['"2017-03-30T22:00:00.000Z"', '"2024-13-45T22:00:00.000Z"'],
        named: 'hit 3: offentliggoerelsesTidspunkt is "2024-13-45T22:00:00.000Z", not a time with its zone',
      },
    ],
  },
  {
    market: 'NZ',
    fixture: 'returns.json',
    filing: ['NZ:000420137', '2026-01-05'],
    damages: [
      {
        what: '1e400',
        change: ['"TotalAssets": 1914923000', '"TotalAssets": 1e400'],
        named: 'return 420137, TotalAssets: a number beyond 1.8e308 is not a number',
      },
      {
        what: 'a text',
        change: ['"TotalAssets": 1914923000', '"TotalAssets": "1.914.923.000"'],
        named: 'return 420137, TotalAssets: "1.914.923.000" is not a number',
      },
      { what: 'null', change: ['"TotalAssets": 1914923000', '"TotalAssets": null'], named: nothing },
      {
        what: 'a day that is none',
        change: ['"YearEnded": "2025-06-30T00:00:00Z"', '"YearEnded": "2024-13-45T00:00:00Z"'],
        named: 'return 420137, YearEnded: "2024-13-45T00:00:00Z" is not a day',
      },
      {
        what: 'a day of filing that is none',
        change: [
          '"YearEnded": "2025-06-30T00:00:00Z"',
          '"YearEnded": "2025-06-30T00:00:00Z", "ModifiedOn": "2025-13-45T00:00:00Z"',
        ],
        named: 'return 420137, ModifiedOn: "2025-13-45T00:00:00Z" is not a day',
      },
    ],
  },
]

let folders = 0

/** Imports the documents of a case with one place of them changed. */
async function importChanged(
  { market, fixture, name = fixture, others = {} }: Case,
  change: Damage['change'] | null,
  observedOn: string,
) {
  const fixtures = join(import.meta.dir, market.toLowerCase(), 'fixtures')
  const documents: Record<string, string> = { [name]: await Bun.file(join(fixtures, fixture)).text() }
  for (const [other, document] of Object.entries(others)) {
    documents[other] =
      typeof document === 'string'
        ? await Bun.file(join(fixtures, document)).text()
        : JSON.stringify(document)
  }
  const path = join(folder, `${folders++}`)
  mkdirSync(path)
  let changed = 0
  for (const [file, text] of Object.entries(documents)) {
    const damaged = change === null ? text : text.replaceAll(...change)
    if (damaged !== text) changed++
    writeFileSync(join(path, file), damaged)
  }
  expect(changed).toBe(change === null ? 0 : 1)
  const { read } = await importRegister(db.sql, registerOf(market), { paths: [path], observedOn }, () => {})
  expect(read.skipped).toEqual([])
  return read
}

test('every register is looked at', () => {
  expect(new Set(cases.map(({ market }) => market))).toEqual(new Set(registers.keys()))
})

for (const one of cases) {
  describe(`${one.market}, ${one.fixture}`, () => {
    test('whole, it has no malformed figure, and a filing of a later day than today is named', async () => {
      const [accession, filed] = one.filing
      const before = await importChanged(one, null, '2000-01-01')
      expect([before.malformed, before.faults.named]).toEqual([0, []])
      expect([...before.futureFilings].map(([name, day]) => [name, isoDate(day)])).toContainEqual([
        accession,
        filed,
      ])
      expect((await importChanged(one, null, '2026-11-23')).futureFilings.size).toBe(0)
    })

    for (const { what, change, named } of one.damages) {
      test(`${what}: ${typeof named === 'string' ? 'is named with its place' : 'states nothing'}`, async () => {
        const { faults, malformed, leftOut } = await importChanged(one, change, '2026-11-23')
        expect(malformed).toBe(faults.count)
        if (typeof named === 'string') {
          expect(faults.named.join('\n')).toContain(named)
          return
        }
        expect(faults.named).toEqual([])
        if (named.leftOut !== null) expect(leftOut.get(named.leftOut)).toBeGreaterThan(0)
      })
    }
  })
}

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { addDays } from '../../../src/dates.ts'
import type { StandardStatementAnswer } from '../../../src/features/statements/standardSchema.ts'
import { beRegister } from '../../../src/ingest/registers/be/register.ts'
import { dkRegister } from '../../../src/ingest/registers/dk/register.ts'
import { frRegister } from '../../../src/ingest/registers/fr/register.ts'
import { jpRegister } from '../../../src/ingest/registers/jp/register.ts'
import { krRegister } from '../../../src/ingest/registers/kr/register.ts'
import { nzRegister } from '../../../src/ingest/registers/nz/register.ts'
import { twRegister } from '../../../src/ingest/registers/tw/register.ts'
import { microReference, reference } from '../../ingest/registers/be/documents.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sharedPath } from '../../shared.ts'
import { registerServers, type Service } from './registerServer.ts'

setDefaultTimeout(120_000)

/* Standard lines of the other registers, from their files in the tests. Each value is that of the file beside it. */

const serve = registerServers()
const folder = mkdtempSync(join(tmpdir(), 'asfiled-standard-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const fixture = (path: string) =>
  new URL(`../../ingest/registers/${path.replace('/', '/fixtures/')}`, import.meta.url).pathname

/** A fixture under the name that its register gives it. */
function named(path: string, name: string): string {
  cpSync(fixture(path), join(folder, name))
  return join(folder, name)
}

const ask = ({ ask: get }: Service, ticker: string, statement: string, more = '') =>
  get<StandardStatementAnswer>(`statements?ticker=${ticker}&statement=${statement}&view=standard${more}`)

/** The values and states of the latest column. */
const latest = ({ data }: StandardStatementAnswer) =>
  Object.fromEntries(
    data.flatMap(({ name, cells: [cell] }) => (cell == null ? [] : [[name, [cell.value, cell.state]]])),
  )

test('Denmark: instances without statements, the group before its parent company', async () => {
  const files = ['index.json', 'kmd-2016.xml', 'netcompany-2014.xml'].map(name => fixture(`dk/${name}`))
  const service = await serve(dkRegister, files)
  // kmd-2016.xml, contexts c1 and c3. The report is public on 31 March 2017, Danish time.
  const income = await ask(service, '26911745.DK', 'income')
  expect(latest(income)).toMatchObject({
    revenue: ['5073800000', 'unchecked'],
    net_income: ['244400000', 'unchecked'],
  })
  expect(latest(await ask(service, '26911745.DK', 'balance'))).toMatchObject({
    assets: ['3706100000', 'unchecked'],
    equity: ['1164600000', 'unchecked'],
  })
  const before = await ask(service, '26911745.DK', 'income', '&as_of=2017-03-30')
  expect([before.columns, before.data, before.filings]).toEqual([[], [], []])
  // netcompany-2014.xml: group (g, ge) and parent company (p, pe), whose assets are 157,777 thousand.
  expect(latest(await ask(service, '21783684.DK', 'balance'))).toEqual({
    assets: ['378948000', 'proved'],
    liabilities: ['166356000', 'proved'],
    equity: ['212592000', 'proved'],
  })
  expect(latest(await ask(service, '21783684.DK', 'income'))).toEqual({
    revenue: ['629211000', 'unchecked'],
    gross_profit: ['492360000', 'unchecked'],
    net_income: ['134404000', 'unchecked'],
  })
})

test('Belgium: rubrics of elements and of dimensions', async () => {
  await Bun.write(join(folder, 'references.json'), JSON.stringify([reference(), microReference]))
  const service = await serve(beRegister, [
    join(folder, 'references.json'),
    named('be/npo-0410682657-2016.xbrl', '2017-00000001.xbrl'),
    named('be/micro-0925590628-2022.xbrl', '2023-00000002.xbrl'),
  ])
  // npo-0410682657-2016.xbrl: pfs:Assets, Equity, AmountsPayable, EquityLiabilities, CurrentsAssets, FixedAssets, CashBankHand.
  expect(latest(await ask(service, '0410682657.BE', 'balance'))).toEqual({
    assets: ['127331481', 'proved'],
    equity: ['28642939', 'proved'],
    liabilities: ['98688542', 'proved'],
    liabilities_and_equity: ['127331481', 'proved'],
    current_assets: ['118624419', 'proved'],
    noncurrent_assets: ['8707062', 'proved'],
    cash: ['9605508', 'unchecked'],
  })
  // pfs:Turnover, OperatingIncome, OperatingProfitLoss, GainLossPeriod.
  expect(latest(await ask(service, '0410682657.BE', 'income'))).toEqual({
    revenue: ['21726317', 'unchecked'],
    total_operating_revenue: ['21828644', 'unchecked'],
    operating_income: ['2878575', 'unchecked'],
    net_income: ['2784757', 'unchecked'],
  })
  // micro-0925590628-2022.xbrl: rubrics 9900, 9901, 9904 and 62 of the year (prd:m1).
  expect(latest(await ask(service, '0925590628.BE', 'income'))).toEqual({
    gross_profit: ['48786.15', 'unchecked'],
    compensation: ['20070.09', 'unchecked'],
    operating_income: ['3434.19', 'unchecked'],
    net_income: ['1672.05', 'unchecked'],
  })
})

// The fixture is an excerpt, whose totals do not hold.
const deposit = sharedPath(
  'registers/fr/inpi_xml_bundles/comptes/PUB_CA_483935326_1303_2013D00195_2015_1048.donnees.xml',
)

test.skipIf(deposit === null)('France: the codes of the form, and its totals', async () => {
  if (deposit === null) throw new Error('skipped without it')
  const service = await serve(frRegister, [deposit])
  // Codes FJ m3, FR, GF, GG, HK, HN. All totals of the deposit hold.
  expect(latest(await ask(service, '483935326.FR', 'income'))).toMatchObject({
    revenue: ['4549159', 'proved'],
    total_operating_revenue: ['4607002', 'proved'],
    operating_expenses: ['3683706', 'proved'],
    operating_income: ['923296', 'proved'],
    income_tax: ['332348', 'proved'],
    net_income: ['648828', 'proved'],
  })
  // Codes CO m3, DL, EC, AH, DD and DG.
  const balance = await ask(service, '483935326.FR', 'balance')
  expect(latest(balance)).toMatchObject({
    assets: ['4102554', 'proved'],
    equity: ['2525814', 'proved'],
    liabilities: ['1576740', 'proved'],
    goodwill: ['2411539', 'proved'],
    reserves: ['471987', 'proved'],
  })
  // A line that the form has and the deposit leaves empty is absent.
  expect([balance.missing, balance.data.filter(({ name }) => name === 'inventory')]).toEqual([[], []])
})

test('Taiwan: two tables of one quarter', async () => {
  const tables = ['06', '07'].map(table => fixture(`tw/t187ap${table}_L_ci.json`))
  const service = await serve(twRegister, tables, '2026-09-01')
  // t187ap06_L_ci.json, 1101, in thousands: 營業收入, 營業成本, 本期淨利（淨損）, 淨利（淨損）歸屬於母公司業主, 基本每股盈餘（元）.
  expect(latest(await ask(service, '1101.TW', 'income'))).toMatchObject({
    revenue: ['71289957000', 'proved'],
    cost_of_revenue: ['58298233000', 'proved'],
    net_income_including_minority_interest: ['4569799000', 'proved'],
    net_income: ['3279780000', 'proved'],
    eps: ['0.38', 'unchecked'],
  })
  // t187ap07_L_ci.json, 1101: 資產總計, 庫藏股票, 歸屬於母公司業主之權益合計, 權益總計.
  expect(latest(await ask(service, '1101.TW', 'balance'))).toMatchObject({
    assets: ['596016531000', 'proved'],
    treasury_stock: ['979439000', 'proved'],
    equity: ['237429168000', 'proved'],
    equity_including_minority_interest: ['299322066000', 'proved'],
  })
})

test('Korea and Japan: codes, names and elements', async () => {
  const korean = await serve(krRegister, [
    fixture('kr/CORPCODE.xml'),
    fixture('kr/fnlttSinglAcntAll_00164779_2020_11011_CFS.json'),
  ])
  // SK hynix, receipt 20210330000776: ifrs-full_Revenue, GrossProfit, dart_OperatingIncomeLoss, ProfitLoss, EPS.
  expect(latest(await ask(korean, '000660.KS', 'income'))).toEqual({
    revenue: ['31900418000000', 'unchecked'],
    gross_profit: ['10810629000000', 'unchecked'],
    operating_income: ['5012624000000', 'unchecked'],
    net_income_including_minority_interest: ['4758914000000', 'unchecked'],
    eps: ['6952', 'unchecked'],
    eps_diluted: ['6950', 'unchecked'],
  })
  const name = 'jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl'
  await Bun.write(join(folder, `S100TMMG/${name}`), Bun.file(fixture(`jp/${name}`)))
  const japanese = await serve(jpRegister, [join(folder, `S100TMMG/${name}`)])
  // Nintendo: jppfs_cor:NetSales, GrossProfit, OperatingIncome and ProfitLoss of CurrentYearDuration.
  expect(latest(await ask(japanese, 'E02367', 'income'))).toMatchObject({
    revenue: ['1671865000000', 'unchecked'],
    gross_profit: ['954335000000', 'unchecked'],
    operating_income: ['528941000000', 'unchecked'],
    net_income: ['490602000000', expect.anything()],
  })
  // jppfs_cor:Assets, Liabilities and NetAssets of CurrentYearInstant: 3,151,394 = 546,396 + 2,604,998 million.
  expect(latest(await ask(japanese, 'E02367', 'balance'))).toMatchObject({
    assets: ['3151394000000', 'proved'],
    liabilities: ['546396000000', 'proved'],
    equity_including_minority_interest: ['2604998000000', 'proved'],
  })
})

test('New Zealand: as of any day, what a plain reader finds in the returns of that day', async () => {
  const path = fixture('nz/returns.json')
  const service = await serve(nzRegister, [path])
  const rows: Record<string, string | number>[] = (await Bun.file(path).json()).d.results
  // A return of this charity without a currency is on record from the day on which the register was read, 2026-06-01.
  const returns = nonEmpty(rows.filter(row => row.ReportingCurrency === 'AUD'))
  const fieldOfLine = {
    revenue: 'TotalGrossIncome',
    costs_and_expenses: 'TotalExpenditure',
    net_income: 'SurplusDeficit',
  }
  let cells = 0
  // They do not state the day of their last change, so each is public six months after its year, at the end of December.
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2024, max: 2026 }),
      fc.integer({ min: 20, max: 340 }),
      async (year, day) => {
        const asOf = addDays(`${year}-01-01`, day)
        fc.pre(asOf < '2026-06-01')
        const known = returns
          .filter(row => `${String(row.YearEnded).slice(0, 4)}-12-31` < asOf)
          .sort((a, b) => String(b.YearEnded).localeCompare(String(a.YearEnded)))
        const { columns, data } = await ask(service, 'CC40675.NZ', 'income', `&as_of=${asOf}`)
        expect([asOf, columns.map(({ period }) => period.end)]).toEqual([
          asOf,
          known.map(row => String(row.YearEnded).slice(0, 10)),
        ])
        for (const [name, field] of Object.entries(fieldOfLine)) {
          const found = data.find(line => line.name === name)?.cells.map(cell => cell?.value) ?? []
          expect([asOf, name, found]).toEqual([asOf, name, known.map(row => String(row[field]))])
          cells += found.length
        }
      },
    ),
    { numRuns: 40, seed: 3 },
  )
  expect(cells).toBeGreaterThan(40)
})

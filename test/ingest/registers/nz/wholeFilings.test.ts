import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IsoDate } from '../../../../src/dates.ts'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { readNewZealandReport } from '../../../../src/ingest/registers/nz/readDocument.ts'
import { nzRegister } from '../../../../src/ingest/registers/nz/register.ts'
import type { Sql } from '../../../../src/postgres/client.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { sharedPath } from '../../../shared.ts'
import { knownFilings, spellFigure, storedWholeFilings } from '../../knownFilings.ts'

setDefaultTimeout(180_000)

const shared = sharedPath('registers/nz')
const returnsFile = 'TestFinancialCharityData.json'
const fixturePath = new URL('fixtures/returns.json', import.meta.url)

const read = (text: string) =>
  readNewZealandReport({ name: 'returns.json', bytes: new TextEncoder().encode(text) })

/** The numbers of a raw row, without those that identify it or say when its years end. */
const countFigures = (row: Record<string, unknown>) =>
  Object.entries(row).filter(
    ([field, value]) =>
      typeof value === 'number' && !['EndOfYearDayofMonth', 'EndOfYearMonth'].includes(field),
  ).length

describe.skipIf(shared === null)('the real files', () => {
  const names = shared === null ? [] : nonEmpty(readdirSync(shared))

  test.each(names)('%s: each return has as many figures as its row', async name => {
    const text = await Bun.file(`${shared}/${name}`).text()
    const rows: (Record<string, unknown> & { __metadata: { uri: string } })[] = JSON.parse(text).d
    const { wholeFilings = [], parsed } = read(text)
    // A return without the end of its year cannot be dated.
    const dated = nonEmpty(rows).filter(row => typeof row.YearEnded === 'string')
    const counts = dated.map(row => {
      const number = /AnnualReturnId=(\d+)/.exec(row.__metadata.uri)?.[1] ?? ''
      return `NZ:${number.padStart(9, '0')} ${countFigures(row)}`
    })
    expect(wholeFilings.map(({ whole }) => `${whole.accession} ${whole.figures.length}`).sort()).toEqual(
      counts.sort(),
    )
    const filings = new Set(
      parsed.flatMap(({ reportedFacts, filings }) =>
        [...reportedFacts.map(({ filing }) => filing), ...filings].map(({ accession }) => accession),
      ),
    )
    for (const { whole } of wholeFilings) {
      expect(filings).toContain(whole.accession)
      expect(whole.statements.map(({ lines }) => lines.length)).toEqual([whole.figures.length])
    }
  })

  test('17 returns of St John Of God state 440 figures', async () => {
    // 474 numbers, of which each row has two that are the day and the month of the end of its years.
    const { wholeFilings = [], leftOut } = read(await Bun.file(`${shared}/${returnsFile}`).text())
    const figures = wholeFilings.reduce((sum, { whole }) => sum + whole.figures.length, 0)
    expect([wholeFilings.length, figures]).toEqual([17, 474 - 2 * 17])
    expect(Object.keys(leftOut ?? {})).toEqual([
      'a return without a currency, of a charity that also names one other than NZD',
    ])
  })

  test('return 395815, lines 50 to 101: units and periods, in the order of its fields', async () => {
    const { wholeFilings = [] } = read(await Bun.file(`${shared}/${returnsFile}`).text())
    const stated = wholeFilings.find(({ whole }) => whole.accession === 'NZ:000395815')
    expect(stated).toMatchObject({ market: 'NZ', issuerId: 'CC40675', source: 'dataSet', periodEnd: 19_904 })
    const spelled = nonEmpty(stated?.whole.figures ?? []).map(spellFigure)
    // Lines 63, 67, 69, 71, 84 and 101.
    expect(spelled).toEqual(
      expect.arrayContaining([
        'PercentageSpentOverseas 2023-07-01..2024-06-30 0 percent',
        'AvgAllPaidHoursPerWeek 2023-07-01..2024-06-30 379862 hours',
        'AvgNoVolunteersPerWeek 2023-07-01..2024-06-30 14 people',
        'CashAndBankBalances ..2024-06-30 33834000 AUD',
        'TotalAssets ..2024-06-30 1771593000 AUD',
        'SurplusDeficit 2023-07-01..2024-06-30 -42775000 AUD',
      ]),
    )
    const { figures = [], statements = [] } = stated?.whole ?? {}
    const [{ kind, title, lines }] = nonEmpty(statements)
    expect([kind, title]).toEqual([null, null])
    expect(lines.slice(0, 3).map(({ concept }) => concept)).toEqual([
      'PercentageSpentOverseas',
      'AllOtherExpenditure',
      'AllOtherFixedAssets',
    ])
    expect(lines.map(({ concept }) => concept)).toEqual(figures.map(({ concept }) => concept))
  })
})

describe('a return in full', () => {
  const row = {
    CharityRegistrationNumber: 'CC10000',
    AnnualReturnId: 1000,
    YearEnded: '2024-06-30T00:00:00Z',
    TotalAssets: 10,
  }
  const list = (...changes: object[]) => JSON.stringify({ d: changes.map(change => ({ ...row, ...change })) })
  const figuresOf = (text: string) =>
    read(text).wholeFilings?.map(({ whole }) => whole.figures.map(spellFigure)) ?? []

  test('without a currency beside one in AUD says that its currency is not stated', () => {
    const earlier = { AnnualReturnId: 999, YearEnded: '2023-06-30T00:00:00Z', DonationsKoha: 5 }
    const text = list({ ReportingCurrency: 'AUD' }, earlier)
    expect(figuresOf(text)).toEqual([
      ['TotalAssets ..2024-06-30 10 AUD'],
      [
        'TotalAssets ..2023-06-30 10 unstated currency',
        'DonationsKoha 2022-07-01..2023-06-30 5 unstated currency',
      ],
    ])
  })

  test('keeps every digit', () => {
    const text = list({ TotalAssets: 'long', MembershipFees: 0.1 }).replace('"long"', '9007199254740993.01')
    expect(figuresOf(text)).toEqual([
      ['TotalAssets ..2024-06-30 9007199254740993.01 NZD', 'MembershipFees 2023-07-01..2024-06-30 0.1 NZD'],
    ])
  })

  test('leaves out numbers whose unit and period are not known, and names what is not a number', () => {
    const { wholeFilings, leftOut, faults } = read(list({ Tides: 3, ReportingTierId: 2, Land: 'much' }))
    expect(leftOut).toEqual({ 'a number under a name whose unit and period are not known': 1 })
    expect(faults?.named).toEqual(['return 1000, Land: "much" is not a number'])
    expect(wholeFilings?.map(({ whole }) => whole.figures.map(spellFigure))).toEqual([
      ['TotalAssets ..2024-06-30 10 NZD'],
    ])
  })
})

describe('as known on a day', () => {
  const fresh = freshDatabases()
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-nz-whole-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  async function pull(sql: Sql, observedOn: IsoDate, content: string) {
    const path = join(folder, `${observedOn}.json`)
    await Bun.write(path, content)
    await importRegister(sql, nzRegister, { paths: [path], observedOn, isDayKnown: true }, () => {})
  }
  const known = (sql: Sql, asOf: IsoDate) => knownFilings(sql, 'NZ', 'CC40675', asOf)
  async function assets(sql: Sql, number: string, asOf: IsoDate) {
    const filing = (await known(sql, asOf)).get(`NZ:${number.padStart(9, '0')}`)
    return filing?.whole.figures.find(({ concept }) => concept === 'TotalAssets')?.value ?? null
  }

  test('a later pull shows from its day on, in any order of import', async () => {
    const text = await Bun.file(fixturePath).text()
    const edited = text.replaceAll('1771593000', '1771000000')
    const pulls = [
      ['2025-03-01', text],
      ['2025-05-01', edited],
      // The register returns to its earlier state.
      ['2025-06-01', text],
      ['2025-08-01', text.replaceAll('1771593000', '1772000000').replaceAll('=395815', '=400001')],
    ] as const
    const inOrder = await fresh()
    for (const [day, content] of pulls) await pull(inOrder, day, content)
    const days = ['2025-01-02', '2025-01-03', '2025-04-30', '2025-05-01', '2025-05-31', '2025-06-01'] as const
    expect(await Promise.all(days.map(day => assets(inOrder, '395815', day)))).toEqual([
      null,
      '1771593000',
      '1771593000',
      '1771000000',
      '1771000000',
      '1771593000',
    ])
    // The return that replaces it is a filing of the day on which it was first observed.
    expect([
      await assets(inOrder, '400001', '2025-07-31'),
      await assets(inOrder, '400001', '2025-08-01'),
    ]).toEqual([null, '1772000000'])
    const rows = nonEmpty(await storedWholeFilings(inOrder))
    for (const order of [pulls.toReversed(), [pulls[2], pulls[0], pulls[3], pulls[1]]]) {
      const other = await fresh()
      for (const [day, content] of order) await pull(other, day, content)
      expect(await storedWholeFilings(other)).toEqual(rows)
    }
  })

  test('a return without a currency counts from the first day on which it was observed', async () => {
    const text = await Bun.file(fixturePath).text()
    const days = ['2025-05-01', '2025-03-01', '2025-08-01'] as const
    const sql = await fresh()
    for (const day of days) await pull(sql, day, text)
    expect(await assets(sql, '185968', '2025-02-28')).toBeNull()
    expect(await assets(sql, '185968', '2025-03-01')).toBe('17695732')
    const other = await fresh()
    for (const day of days.toReversed()) await pull(other, day, text)
    expect(await storedWholeFilings(other)).toEqual(await storedWholeFilings(sql))
    const filed = 'select accession, filed::text from filing order by accession'
    expect(await other.unsafe(filed)).toEqual(await sql.unsafe(filed))
  })
})

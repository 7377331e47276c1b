import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { IsoDate } from '../../../../src/dates.ts'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { twRegister } from '../../../../src/ingest/registers/tw/register.ts'
import type { Sql } from '../../../../src/postgres/client.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { sharedPath } from '../../../shared.ts'
import { knownFilings, spellFigure, storedWholeFilings } from '../../knownFilings.ts'
import { fixture, read } from './documents.ts'

setDefaultTimeout(180_000)

const shared = sharedPath('registers/tw')

/** The document with the figures of each filing as they were handed over. */
function handedOver(name: string, bytes: Uint8Array) {
  const { wholeFilings = [], parsed } = twRegister.readDocument({ name: name.replace(/\.gz$/, ''), bytes })
  const dated = new Set(
    parsed.flatMap(({ reportedFacts, filings }) =>
      [...reportedFacts.map(({ filing }) => filing), ...filings].map(({ accession }) => accession),
    ),
  )
  for (const { whole } of wholeFilings) expect(dated).toContain(whole.accession)
  return new Map(wholeFilings.map(({ whole }) => [whole.accession, whole]))
}

/** How many figures each row of a raw file states, by company and quarter. */
function countFigures(name: string, text: string): Map<string, number> {
  const counts = new Map<string, number>()
  if (name.includes('.csv')) {
    const [head, ...lines] = text.trimEnd().split('\n')
    expect(head.split(',').slice(6)).toEqual([
      'revenue',
      'cost_of_revenue',
      'operating_income',
      'net_income',
      'total_comprehensive_income',
      'eps',
    ])
    for (const line of lines) {
      const [, company, year, quarter, , , ...figures] = line.trimEnd().split(',')
      const count = figures.filter(figure => figure !== '').length
      if (count > 0) counts.set(`TW:${company}:${year}Q${quarter}`, count)
    }
    return counts
  }
  for (const row of JSON.parse(text)) {
    const { 年度: year, 季別: quarter, 公司代號: company, 公司名稱: _name, 出表日期: _day, ...figures } = row
    const suffix = '每股參考淨值' in row ? ':balance' : ''
    const count = Object.values(figures).filter(figure => figure !== '').length
    counts.set(`TW:${company}:${Number(year) + 1911}Q${quarter}${suffix}`, count)
  }
  return counts
}

describe.skipIf(shared === null)('the real files', () => {
  const names = shared === null ? [] : nonEmpty(readdirSync(shared).filter(name => /^(t187|tw_)/.test(name)))

  test.each(names)('%s: each filing has as many figures as its row', async name => {
    const raw = await Bun.file(`${shared}/${name}`).bytes()
    const bytes = name.endsWith('.gz') ? gunzipSync(raw) : raw
    const counts = countFigures(name, new TextDecoder().decode(bytes))
    const filings = handedOver(name, bytes)
    expect(nonEmpty([...counts]).length).toBe(filings.size)
    for (const [accession, count] of counts) {
      const whole = filings.get(accession)
      expect([accession, whole?.figures.length]).toEqual([accession, count])
      expect(whole?.statements.map(({ lines }) => lines.length)).toEqual([count])
    }
  })

  test('the archive states 85,112 figures', async () => {
    // 14,968 lines of six columns, of which 4,696 cells are empty: line 4250 has nothing but empty ones.
    const name = 'tw_income_stmt_cumulative_2023-2024.csv.gz'
    const filings = handedOver(name, gunzipSync(await Bun.file(`${shared}/${name}`).bytes()))
    const figures = [...filings.values()].reduce((sum, whole) => sum + whole.figures.length, 0)
    expect([filings.size, figures]).toEqual([14_967, 85_112])
  })
})

describe('a row in full', () => {
  test('of income: lines 78 to 105 of the table, of the first half of 2026', async () => {
    const { wholeFilings = [] } = await fixture('t187ap06_L_ci.json')
    const stated = wholeFilings.find(({ issuerId }) => issuerId === '2330')
    expect(stated).toMatchObject({ market: 'TW', source: 'dataSet', periodEnd: 20_634, seenOn: 20_682 })
    const { accession, figures, statements } = stated?.whole ?? {}
    expect(accession).toBe('TW:2330:2026Q2')
    const spelled = figures?.map(spellFigure)
    // Line 78, thousands of dollars: "2404483690.00".
    expect(spelled).toContain('營業收入 2026-01-01..2026-06-30 2404483690000 TWD')
    // Line 104: "-86498.00".
    expect(spelled).toContain('綜合損益總額歸屬於非控制權益 2026-01-01..2026-06-30 -86498000 TWD')
    // Line 105, dollars: "49.33".
    expect(spelled).toContain('基本每股盈餘（元） 2026-01-01..2026-06-30 49.33 TWD/shares')
    const [{ kind, title, lines }] = nonEmpty(statements ?? [])
    expect([kind, title]).toEqual(['IS', '綜合損益表'])
    // The columns that have a figure, counted from the first column after the name of the company.
    expect(lines.map(({ order, label }) => `${order} ${label}`)).toEqual([
      '0 營業收入',
      '1 營業成本',
      '4 營業毛利（毛損）',
      '7 營業毛利（毛損）淨額',
      '8 營業費用',
      '9 其他收益及費損淨額',
      '10 營業利益（損失）',
      '11 營業外收入及支出',
      '12 稅前淨利（淨損）',
      '13 所得稅費用（利益）',
      '14 繼續營業單位本期淨利（淨損）',
      '17 本期淨利（淨損）',
      '18 其他綜合損益（淨額）',
      '20 本期綜合損益總額',
      '21 淨利（淨損）歸屬於母公司業主',
      '23 淨利（淨損）歸屬於非控制權益',
      '24 綜合損益總額歸屬於母公司業主',
      '26 綜合損益總額歸屬於非控制權益',
      '27 基本每股盈餘（元）',
    ])
  })

  test('of a balance sheet: money in thousands, shares one by one, value per share in dollars', async () => {
    const { wholeFilings = [] } = await fixture('t187ap07_L_ci.json')
    const stated = wholeFilings.find(({ issuerId }) => issuerId === '1101')
    const spelled = stated?.whole.figures.map(spellFigure)
    expect([stated?.whole.accession, stated?.whole.statements[0]?.kind]).toEqual([
      'TW:1101:2026Q2:balance',
      'BS',
    ])
    // Lines 19, 27 and 28: "-979439.00", "30000000.00" and "30.86".
    expect(spelled).toContain('庫藏股票 ..2026-06-30 -979439000 TWD')
    expect(spelled).toContain(
      '母公司暨子公司所持有之母公司庫藏股股數（單位：股） ..2026-06-30 30000000 shares',
    )
    expect(spelled).toContain('每股參考淨值 ..2026-06-30 30.86 TWD/shares')
  })

  test('of an archive: its columns under the names of the register', async () => {
    const { wholeFilings = [], parsed } = await fixture('income_2023-2024.csv')
    const stated = wholeFilings.find(({ whole }) => whole.accession === 'TW:1101:2023Q2')
    expect([stated?.source, 'seenOn' in (stated ?? {})]).toEqual(['figures', false])
    // Line 3: 53964171,45509992,3534315,5212327,1142361,0.64
    expect(stated?.whole.figures.map(spellFigure)).toEqual([
      '營業收入 2023-01-01..2023-06-30 53964171000 TWD',
      '營業成本 2023-01-01..2023-06-30 45509992000 TWD',
      '營業利益（損失） 2023-01-01..2023-06-30 3534315000 TWD',
      '本期淨利（淨損） 2023-01-01..2023-06-30 5212327000 TWD',
      '本期綜合損益總額 2023-01-01..2023-06-30 1142361000 TWD',
      '基本每股盈餘（元） 2023-01-01..2023-06-30 0.64 TWD/shares',
    ])
    const concepts = new Set(wholeFilings.flatMap(({ whole }) => whole.figures.map(({ concept }) => concept)))
    for (const { tag } of nonEmpty(parsed.flatMap(({ reportedFacts }) => reportedFacts)))
      expect(concepts).toContain(tag)
  })

  const row = { 出表日期: '1150817', 年度: '115', 季別: '2', 公司代號: '1101', 公司名稱: '台泥' }
  const table = (figures: object) => JSON.stringify([{ ...row, 每股參考淨值: '', ...figures }])

  test('keeps every digit, also of a number that a double does not hold', () => {
    const text = table({ 股本: 'long', 資本公積: '0.001' }).replace('"long"', '9007199254740993')
    const { wholeFilings = [] } = read('t187ap07_L_ci.json', text)
    expect(wholeFilings[0].whole.figures.map(spellFigure)).toEqual([
      '股本 ..2026-06-30 9007199254740993000 TWD',
      '資本公積 ..2026-06-30 1 TWD',
    ])
  })

  test('names a cell that is not a number, whether it has a metric or not', () => {
    const { wholeFilings = [], faults } = read('t187ap07_L_ci.json', table({ 股本: '-', 資產總計: '1,0' }))
    expect(faults?.named).toEqual([
      'row 1: 1101, 2026 Q2, 股本: "-" is not a finite number',
      'row 1: 1101, 2026 Q2, 資產總計: "1,0" is not a finite number',
    ])
    expect(wholeFilings).toEqual([])
  })
})

describe('as known on a day', () => {
  const fresh = freshDatabases()
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-tw-whole-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const fixturePath = (name: string) => `${import.meta.dir}/fixtures/${name}`
  const load = (sql: Sql, ...paths: string[]) =>
    importRegister(sql, twRegister, { paths, observedOn: '2026-11-20' }, () => {})

  /** The income statements as if the table had been made on another day, with another revenue of Taiwan Cement. */
  async function editedTable(made: string, revenue: string): Promise<string> {
    const text = await Bun.file(fixturePath('t187ap06_L_ci.json')).text()
    const path = join(folder, `t187ap06_L_ci_${made}.json`)
    await Bun.write(path, text.replaceAll('1150817', made).replace('71289957.00', revenue))
    return path
  }

  async function revenue(sql: Sql, asOf: IsoDate) {
    const filing = (await knownFilings(sql, 'TW', '1101', asOf)).get('TW:1101:2026Q2')
    const figure = filing?.whole.figures.find(({ concept }) => concept === '營業收入')
    return figure === undefined ? null : figure.value
  }

  test('income statement and balance sheet are public from the deadline on', async () => {
    const sql = await fresh()
    await load(sql, ...['t187ap06_L_ci.json', 't187ap07_L_ci.json'].map(fixturePath))
    expect((await knownFilings(sql, 'TW', '2330', '2026-08-13')).size).toBe(0)
    for (const day of ['2026-08-14', '2026-08-15', '2027-01-01'] as const) {
      const filings = await knownFilings(sql, 'TW', '2330', day)
      expect([...filings.keys()].sort()).toEqual(['TW:2330:2026Q2', 'TW:2330:2026Q2:balance'])
      const income = filings.get('TW:2330:2026Q2')
      expect(income?.known).toMatchObject({
        filed: '2026-08-14',
        periodEnd: '2026-06-30',
        source: 'dataSet',
        figures: 19,
        lines: 19,
      })
      expect(income?.whole.figures.map(spellFigure)).toContain(
        '營業收入 2026-01-01..2026-06-30 2404483690000 TWD',
      )
    }
  })

  test('a later table shows from its day on, and a return to the first one, too, in any order of import', async () => {
    const tables = [
      fixturePath('t187ap06_L_ci.json'),
      await editedTable('1150831', '71289950.00'),
      await editedTable('1150901', '71289957.00'),
      await editedTable('1150915', '71289957.00'),
    ]
    const inOrder = await fresh()
    for (const path of tables) await load(inOrder, path)
    const days = ['2026-08-13', '2026-08-14', '2026-08-30', '2026-08-31', '2026-09-01', '2027-01-01'] as const
    const seen = await Promise.all(days.map(day => revenue(inOrder, day)))
    const [first, second] = ['71289957000', '71289950000']
    expect(seen).toEqual([null, first, first, second, first, first])
    const rows = nonEmpty(await storedWholeFilings(inOrder))
    const orders = [
      [3, 2, 1, 0],
      [0, 3, 1, 2],
    ]
    for (const order of orders) {
      const other = await fresh()
      for (const at of order) await load(other, tables[at])
      expect(await storedWholeFilings(other)).toEqual(rows)
    }
    const together = await fresh()
    await load(together, ...tables)
    expect(await storedWholeFilings(together)).toEqual(rows)
  })

  test('an archive that is read after a table of the same quarter hides none of its lines', async () => {
    const archive = join(folder, 'income_2026.csv')
    const [head] = (await Bun.file(fixturePath('income_2023-2024.csv')).text()).split('\n')
    await Bun.write(archive, `${head}\n1,1101,2026,2,2026-01-01,2026-06-30,71289957,,,,,0.38\n`)
    const table = fixturePath('t187ap06_L_ci.json')
    const rows = []
    for (const paths of [
      [table, archive],
      [archive, table],
    ]) {
      const sql = await fresh()
      for (const path of paths) await load(sql, path)
      const filing = (await knownFilings(sql, 'TW', '1101', '2027-01-01')).get('TW:1101:2026Q2')
      expect(filing?.known).toMatchObject({ source: 'dataSet', seenOn: '2026-08-17' })
      rows.push(await storedWholeFilings(sql))
    }
    expect(nonEmpty(rows[1])).toEqual(rows[0])
  })
})

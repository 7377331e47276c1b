import { expect, setDefaultTimeout, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { isoDate } from '../../../src/dates.ts'
import { listFiles } from '../../../src/ingest/import/listFiles.ts'
import { readUnits } from '../../../src/ingest/import/readFiles.ts'
import { openZip, readEntry } from '../../../src/ingest/reading/archives.ts'
import { newReadProgress } from '../../../src/ingest/reading/progress.ts'
import { jpRegister } from '../../../src/ingest/registers/jp/register.ts'
import { krRegister } from '../../../src/ingest/registers/kr/register.ts'
import { nzRegister } from '../../../src/ingest/registers/nz/register.ts'
import type { Register } from '../../../src/ingest/registers/registerInterface.ts'
import { twRegister } from '../../../src/ingest/registers/tw/register.ts'
import { layOutStatement } from '../../../src/wholeFilings/layOut.ts'
import type { StatedFiling } from '../../../src/wholeFilings/statedFiling.ts'
import type { FigureContext, ReportedFigure } from '../../../src/wholeFilings/wholeFiling.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { isLong } from '../../rounds.ts'
import { sharedPath } from '../../shared.ts'

setDefaultTimeout(120_000)

const folder = sharedPath('registers')

async function read(register: Register, paths: readonly string[]): Promise<readonly StatedFiling[]> {
  const files = await listFiles(
    paths.map(path => `${folder}/${path}`),
    register.documentNames,
  )
  const progress = newReadProgress()
  const stated: StatedFiling[] = []
  for await (const unit of readUnits(register, files, new Set(), progress))
    stated.push(...(unit.wholeFilings ?? []))
  expect([progress.skipped, progress.malformed]).toEqual([[], 0])
  return stated
}

const figuresIn = (stated: readonly StatedFiling[]) =>
  stated.reduce((sum, { whole }) => sum + whole.figures.length, 0)

const filingOf = (stated: readonly StatedFiling[], accession: string) =>
  nonEmpty(stated.filter(({ whole }) => whole.accession === accession))[0]

async function textOfFile(path: string): Promise<string> {
  const bytes = await Bun.file(`${folder}/${path}`).bytes()
  return new TextDecoder().decode(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
}

const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length

const daysOf = ({ start, end }: FigureContext) =>
  start === null ? isoDate(end) : `${isoDate(start)}..${isoDate(end)}`

/** `2024-03-31 JPY -6 3151394000000`, with members before the value. */
const spelled = ({ context, unit, decimals, value }: ReportedFigure) =>
  [daysOf(context), unit, decimals, ...context.dimensions.map(({ member }) => member), value].join(' ')

const ofConcept = ({ whole }: StatedFiling, concept: string) =>
  nonEmpty(whole.figures.filter(figure => figure.concept === concept)).map(spelled)

test.skipIf(folder === null)('Japanese instances hand over every fact with a unit', async () => {
  for (const stem of [
    'jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28',
    'jpcrp030000-asr-001_E05563-000_2024-04-30_01_2024-07-30',
  ]) {
    const path = `jp/xbrl_instances/${stem}.xbrl.gz`
    const stated = await read(jpRegister, [path])
    const text = await textOfFile(path)
    expect(stated.map(({ source }) => source)).toEqual(['dataSet'])
    expect(figuresIn(stated)).toBe(count(text, / unitRef="/g))
    expect(figuresIn(stated)).toBeGreaterThan(1_000)
    const nil = stated[0].whole.figures.filter(({ value }) => value === null)
    expect(nil.length).toBe(count(text, / unitRef="[^>]* xsi:nil="true"/g))
  }
})

test.skipIf(folder === null)('Nintendo states what its instance says on lines 2768 to 3127', async () => {
  const [nintendo] = await read(jpRegister, [
    'jp/xbrl_instances/jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl.gz',
  ])
  expect(isoDate(nintendo.periodEnd ?? 0)).toBe('2024-03-31')
  expect(ofConcept(nintendo, 'jppfs_cor:Assets').toSorted()).toEqual([
    '2023-03-31 JPY -6 2854284000000',
    '2023-03-31 JPY -6 jppfs_cor:NonConsolidatedMember 2000964000000',
    '2024-03-31 JPY -6 3151394000000',
    '2024-03-31 JPY -6 jppfs_cor:NonConsolidatedMember 2071105000000',
  ])
  expect(ofConcept(nintendo, 'jppfs_cor:NetSales')).toContain('2023-04-01..2024-03-31 JPY -6 1671865000000')
  // Line 2956.
  expect(ofConcept(nintendo, 'jppfs_cor:NetAssets')).toContain(
    '2024-03-31 JPY -6 jppfs_cor:TreasuryStockMember -271033000000',
  )
  // Line 2369: a nil fact.
  expect(ofConcept(nintendo, 'jpcrp_cor:DilutedEarningsPerShareSummaryOfBusinessResults')).toContain(
    '2023-04-01..2024-03-31 JPY/shares  ',
  )
})

test.skipIf(folder === null)(
  'Toyota: all inline figures, and statements as its linkbases present them',
  async () => {
    const path = 'jp/type1_xbrl/S100VWVY_toyota_FY2025.zip'
    const [toyota, ...others] = await read(jpRegister, [path])
    expect(others).toEqual([])
    expect([toyota.source, isoDate(toyota.periodEnd ?? 0)]).toEqual(['documents', '2025-03-31'])
    const zip = await openZip(`${folder}/${path}`)
    let inline = 0
    let arcs = 0
    for await (const entry of zip.eachEntry()) {
      const bytes = await readEntry(zip, entry)
      if (entry.fileName.endsWith('_ixbrl.htm'))
        inline += count(new TextDecoder().decode(bytes), /<ix:nonFraction /g)
      // The auditor's reports (`AuditDoc`) present no figures.
      if (/PublicDoc.*_pre\.xml$/.test(entry.fileName))
        arcs += count(new TextDecoder().decode(bytes), /<link:presentationArc /g)
    }
    zip.close()
    expect(figuresIn([toyota])).toBe(inline)
    expect(inline).toBeGreaterThan(1_000)
    // A tree has one line more than it has arcs.
    const { statements } = toyota.whole
    expect(statements.reduce((sum, { lines }) => sum + lines.length, 0)).toBe(arcs + statements.length)
    const kinds = statements.filter(({ kind }) => kind !== null)
    expect(
      kinds.map(({ kind, dimensions }) => `${kind}${dimensions === undefined ? '' : ' separate'}`),
    ).toEqual(['BS', 'IS', 'CI', 'EQ', 'CF', 'BS separate', 'IS separate', 'EQ separate'])
    // 0105010, lines 357 and 359; 0105310, lines 529 and 531: 28,161,955 and 29,046,699 million yen.
    const rowOf = (index: number, concept: string) => {
      const { columns, rows } = layOutStatement(toyota.whole, kinds[index])
      const [row] = nonEmpty(rows.filter(({ line }) => line.concept === concept))
      return columns.map(({ period }, at) => [isoDate(period?.end ?? 0), row.cells[at]?.value])
    }
    expect(rowOf(0, 'jpigp_cor:AssetsIFRS')).toEqual([
      ['2025-03-31', '93601350000000'],
      ['2024-03-31', '90114296000000'],
    ])
    expect(rowOf(5, 'jppfs_cor:Assets')).toEqual([
      ['2025-03-31', '29046699000000'],
      ['2024-03-31', '28161955000000'],
    ])
    const own = nonEmpty(kinds[1].lines.filter(({ concept }) => concept.endsWith(':TotalNetRevenuesIFRS')))[0]
    expect([own.concept, own.label]).toEqual([
      'jpcrp030000-asr_E02144-000:TotalNetRevenuesIFRS',
      '営業収益合計',
    ])
  },
)

test.skipIf(folder === null)('reports that are no accounts of a company hand over nothing', async () => {
  expect(await read(jpRegister, ['jp/type5_csv_zips'])).toEqual([])
})

test.skipIf(folder === null)('Korean files hand over every amount', async () => {
  const all = ['*.json', 'fnlttSinglAcntAll/*.jsonl.gz'].flatMap(pattern => [
    ...new Bun.Glob(pattern).scanSync(`${folder}/kr`),
  ])
  // CI reads every third file.
  const files = all.sort().filter((_, place) => isLong || place % 3 === 0)
  for (const file of nonEmpty(files)) {
    const stated = await read(krRegister, [`kr/${file}`])
    const amounts = count(await textOfFile(`kr/${file}`), /_amount": *"[^"]*\d[^"]*"/g)
    expect([file, figuresIn(stated)]).toEqual([file, amounts])
    expect(amounts).toBeGreaterThan(100)
    const twice = Map.groupBy(stated, ({ whole }) => whole.accession)
    expect(twice.size).toBe(stated.length)
  }
})

test.skipIf(folder === null)(
  'a Korean line shows its own figures, and no line those of another',
  async () => {
    const stated = await read(krRegister, ['kr/fnlttSinglAcntAll/000270.jsonl.gz'])
    let cells = 0
    for (const { whole } of nonEmpty(stated)) {
      const values = new Map<string, string>()
      for (const { concept, context, value } of whole.figures) {
        const key = `${concept} ${JSON.stringify(context)}`
        expect(values.get(key) ?? value).toBe(value)
        values.set(key, value ?? '')
        cells++
      }
    }
    expect(cells).toBeGreaterThan(30_000)
    // Line 2 of the file: Kia's separate accounts of 2016, 유동자산, ord 1.
    const kia = filingOf(stated, 'KR:20211210000438')
    const separate = nonEmpty(kia.whole.statements.filter(({ role }) => role === 'OFS/BS'))[0]
    expect(separate.dimensions).toEqual([
      {
        axis: 'ifrs-full:ConsolidatedAndSeparateFinancialStatementsAxis',
        member: 'ifrs-full:SeparateMember',
      },
    ])
    const { columns, rows } = layOutStatement(kia.whole, separate)
    expect(columns.map(({ period }) => isoDate(period?.end ?? 0))).toEqual([
      '2016-12-31',
      '2015-12-31',
      '2014-12-31',
    ])
    expect([rows[0].line.concept, rows[0].line.label, ...rows[0].cells.map(cell => cell?.value)]).toEqual([
      'ifrs-full:CurrentAssets',
      '유동자산',
      '13405152000000',
      '12275521000000',
      '10913812000000',
    ])
  },
)

test.skipIf(folder === null)(
  'SK hynix: columns of nine months, opening balances, components of equity',
  async () => {
    const [hynix] = await read(krRegister, ['kr/fnlttSinglAcntAll_00164779_2020_11014_CFS.json'])
    expect([hynix.source, isoDate(hynix.periodEnd ?? 0)]).toEqual(['dataSet', '2020-09-30'])
    expect(hynix.whole.statements.map(({ kind, role }) => [kind, role])).toContainEqual(['EQ', 'CFS/SCE'])
    // Line 19 of the file, and line 22 for the end of the prior year.
    expect(ofConcept(hynix, 'ifrs-full:CurrentAssets')).toEqual([
      '2020-09-30 KRW  17036210000000',
      '2019-12-31 KRW  14457602000000',
    ])
    const opening = ofConcept(hynix, 'dart:EquityAtBeginningOfPeriod')
    expect(opening).toContain('2019-12-31 KRW  47943195000000')
    expect(opening).toContain('2018-12-31 KRW  자본 [member]|비지배지분 [member] 6612000000')
  },
)

test.skipIf(folder === null)('opening balances of Korea are in the columns that they open', async () => {
  const [hynix] = await read(krRegister, ['kr/fnlttSinglAcntAll_00164779_2020_11011_CFS.json'])
  const cashFlow = nonEmpty(hynix.whole.statements.filter(({ role }) => role === 'CFS/CF'))[0]
  const { columns, rows } = layOutStatement(hynix.whole, cashFlow)
  expect(columns.map(({ period }) => isoDate(period?.end ?? 0))).toEqual([
    '2020-12-31',
    '2019-12-31',
    '2018-12-31',
  ])
  const cash = rows.filter(({ line }) => /^기[초말]현금및현금성자산$/.test(line.label ?? ''))
  // 기초현금및현금성자산 and 기말현금및현금성자산 of the file, thstrm_amount to bfefrmtrm_amount.
  expect(cash.map(({ atBeginning, cells }) => [atBeginning, ...cells.map(cell => cell?.value)])).toEqual([
    [true, '2306070000000', '2349319000000', '2949991000000'],
    [false, '2975989000000', '2306070000000', '2349319000000'],
  ])
})

test.skipIf(folder === null)(
  'Korean figures per share have a unit of their own, whatever their code',
  async () => {
    const stated = await read(krRegister, ['kr/fnlttSinglAcntAll/005380.jsonl.gz'])
    const figures = stated.flatMap(({ whole }) => whole.figures)
    const unitsOf = (concept: RegExp) => [
      ...new Set(figures.filter(figure => concept.test(figure.concept)).map(({ unit }) => unit)),
    ]
    // Hyundai Motor states them for preference shares and, without a code, as 1우선주 희석주당이익.
    expect(unitsOf(/^dart:BasicEarningsLossPerSharePreferredStock/)).toEqual(['KRW/shares'])
    expect(unitsOf(/주당/)).toEqual(['KRW/shares'])
    expect(unitsOf(/^ifrs-full:(ProfitLoss|Revenue|Assets|NumberOfShares)/)).toEqual(['KRW'])
  },
)

test.skipIf(folder === null)('Taiwanese tables hand over every cell, in dollars', async () => {
  const archive = 'tw/tw_income_stmt_cumulative_2023-2024.csv.gz'
  const [, ...lines] = (await textOfFile(archive)).split(/\r?\n/).filter(line => line !== '')
  const cells = lines.reduce((sum, line) => sum + line.split(',').slice(6).filter(Boolean).length, 0)
  const filled = lines.filter(line => line.split(',').slice(6).some(Boolean))
  const history = await read(twRegister, [archive])
  expect([history.length, figuresIn(history)]).toEqual([filled.length, cells])
  expect(cells).toBeGreaterThan(80_000)
  // Line 2521.
  const tsmc = filingOf(history, 'TW:2330:2023Q1')
  expect([tsmc.seenOn, tsmc.periodEnd]).toEqual([undefined, 19_447])
  expect(tsmc.whole.figures.map(figure => `${figure.concept} ${spelled(figure)}`)).toEqual([
    '營業收入 2023-01-01..2023-03-31 TWD  508632973000',
    '營業成本 2023-01-01..2023-03-31 TWD  222132581000',
    '營業利益（損失） 2023-01-01..2023-03-31 TWD  231238157000',
    '本期淨利（淨損） 2023-01-01..2023-03-31 TWD  206949036000',
    '本期綜合損益總額 2023-01-01..2023-03-31 TWD  203653263000',
    '基本每股盈餘（元） 2023-01-01..2023-03-31 TWD/shares  7.98',
  ])
  for (const name of ['t187ap06_L_ci_sample.json', 't187ap07_L_ci_sample.json']) {
    const stated = await read(twRegister, [`tw/${name}`])
    const text = await textOfFile(`tw/${name}`)
    // Five cells of a row are no figures: day, year, quarter, code and name.
    expect(figuresIn(stated)).toBe(count(text, /": "[^"]+"/g) - 5 * count(text, /"公司代號"/g))
    expect(stated.map(({ seenOn }) => isoDate(seenOn ?? 0))).toEqual(stated.map(() => '2026-08-17'))
  }
  const [, honHai] = await read(twRegister, ['tw/t187ap07_L_ci_sample.json'])
  // Lines 38, 55 and 56 of the balance sheets.
  expect(ofConcept(honHai, '資產總計')).toEqual(['2026-06-30 TWD  5622576474000'])
  expect(ofConcept(honHai, '母公司暨子公司所持有之母公司庫藏股股數（單位：股）')).toEqual([
    '2026-06-30 shares  1483078',
  ])
  expect(ofConcept(honHai, '每股參考淨值')).toEqual(['2026-06-30 TWD/shares  136.02'])
})

test.skipIf(folder === null)('annual returns of New Zealand hand over every number of the form', async () => {
  const text = await textOfFile('nz/TestFinancialCharityData.json')
  const stated = await read(nzRegister, ['nz/TestFinancialCharityData.json'])
  expect(stated.length).toBe(count(text, /"YearEnded": "/g))
  expect(figuresIn(stated)).toBe(
    count(text, /"\w+": -?\d/g) - count(text, /"(EndOfYearDayofMonth|EndOfYearMonth)": \d/g),
  )
  const latest = filingOf(stated, 'NZ:000420137')
  // Lines 33 to 55 of the file.
  expect(ofConcept(latest, 'TotalAssets')).toEqual(['2025-06-30 AUD  1914923000'])
  expect(ofConcept(latest, 'TotalGrossIncome')).toEqual(['2024-07-01..2025-06-30 AUD  2214381000'])
  expect(ofConcept(latest, 'SurplusDeficit')).toEqual(['2024-07-01..2025-06-30 AUD  -25025000'])
  expect(ofConcept(latest, 'NumberOfFulltimeEmployees')).toEqual(['2024-07-01..2025-06-30 people  2998'])
  // The lists of the largest charities do not state the year, so nothing in them has a day.
  expect(await read(nzRegister, ['nz/top10assets.json'])).toEqual([])
})

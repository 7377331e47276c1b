import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isoDate } from '../../src/dates.ts'
import type { ReportedFact } from '../../src/facts/reportedFact.ts'
import { registers } from '../../src/ingest/allRegisters.ts'
import { listFiles } from '../../src/ingest/import/listFiles.ts'
import { readUnits } from '../../src/ingest/import/readFiles.ts'
import { newReadProgress } from '../../src/ingest/reading/progress.ts'
import { lineValue } from '../../src/standardLines/lineValues.ts'
import { wholeBySchema } from '../../src/standardLines/presentBySchema.ts'
import { standardFiling } from '../../src/standardLines/standardFiling.ts'
import { taxonomies } from '../../src/standardLines/taxonomies/taxonomies.ts'
import type { WholeFiling } from '../../src/wholeFilings/wholeFiling.ts'
import { microReference, reference } from '../ingest/registers/be/documents.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { isLong, rounds } from '../rounds.ts'
import { sharedPath } from '../shared.ts'

setDefaultTimeout(240_000)

/* Where a metric and a standard line have one meaning, every real file must give both the same value. */

const folder = sharedPath('registers')
const scratch = mkdtempSync(join(tmpdir(), 'asfiled-standard-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** The lines that may have the meaning of a metric; the first one that a filing has counts. */
const linesOfMetric: Readonly<Record<string, readonly string[]>> = {
  net_income: ['net_income'],
  minority_interests: ['minority_interest'],
  expenses: ['costs_and_expenses'],
}
/** Metrics of the whole group, minority interests included. */
const ofGroup = {
  net_income: ['net_income_including_minority_interest', 'net_income'],
  equity: ['equity_including_minority_interest', 'equity'],
}
const linesInMarket: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  KR: ofGroup,
  DK: ofGroup,
  JP: { equity: ofGroup.equity },
  // The owners' profit, or that of the group in tables that do not state the owners'.
  TW: { equity: ofGroup.equity, net_income: ['net_income', 'net_income_including_minority_interest'] },
}

/** Facts of other accounts of the same filing, and of summaries, which are no statements. */
const isOnStatements = ({ tag }: ReportedFact) => !/^OFS:|^jpcrp|_NonConsolidatedMember$/.test(tag)

async function read(market: string, paths: readonly string[]) {
  const register = registers.get(market)
  if (register === undefined) throw new Error(market)
  const files = await listFiles([...paths], register.documentNames)
  const filings: WholeFiling[] = []
  const facts: ReportedFact[] = []
  for await (const { parsed, wholeFilings } of readUnits(register, files, new Set(), newReadProgress())) {
    filings.push(...(wholeFilings ?? []).map(({ whole }) => wholeBySchema(market, whole)))
    facts.push(...parsed.flatMap(({ reportedFacts }) => reportedFacts))
  }
  return { filings, facts }
}

interface Compared {
  equal: number
  readonly different: string[]
}

function compare(market: string, filings: readonly WholeFiling[], facts: readonly ReportedFact[]): Compared {
  const byFiling = Map.groupBy(facts.filter(isOnStatements), ({ filing }) => filing.accession)
  const result: Compared = { equal: 0, different: [] }
  for (const whole of filings) {
    const statements = [...standardFiling(whole).statements.values()]
    for (const { metric, tag, start, end, value } of byFiling.get(whole.accession) ?? []) {
      const plain = metric.replace(/^consolidated_/, '')
      const names = linesInMarket[market]?.[plain] ?? linesOfMetric[plain] ?? [plain]
      const found = statements.flatMap(placed => {
        const at = placed.columns.findIndex(
          ({ period }) => period !== null && period.end === end && (period.start ?? start) === start,
        )
        const line = names
          .map(name => placed.placed.find(each => each.line.name === name))
          .find(each => each !== undefined)
        const cell = at < 0 || line === undefined ? null : lineValue(placed, line, at)
        return cell === null || (placed.statement === 'cash_flow') !== (metric === 'operating_cash_flow')
          ? []
          : [cell.value]
      })
      for (const cell of found)
        if (Number(cell) === value) result.equal++
        else
          result.different.push(`${whole.accession} ${metric} ${tag} ${isoDate(end)}: ${value}, not ${cell}`)
    }
  }
  return result
}

const belgianFiles = async () => {
  await Bun.write(join(scratch, 'references.json'), JSON.stringify([reference(), microReference]))
  const copies = [
    ['belgian-npo_0410682657_FY2016.xbrl', '2017-00000001.xbrl'],
    ['nbb-cbso_m87-micro-example.xbrl', '2023-00000002.xbrl'],
  ]
  for (const [from, to] of copies) await Bun.write(join(scratch, to), Bun.file(`${folder}/be/${from}`))
  return [scratch]
}

/** CI reads every third company of Korea. */
const someKoreanFiles = () =>
  [...new Bun.Glob('fnlttSinglAcntAll/*.jsonl.gz').scanSync(`${folder}/kr`)]
    .sort()
    .filter((_, place) => place % 3 === 0)
    .map(name => `${folder}/kr/${name}`)

/**
 * Two Danish reports state the cash of their statement of cash flows, less overdrafts, as CashAndCashEquivalents, which is the
 * metric. The balance sheet shows Cash, which is the standard line: with it the current assets of deloitte-ifrs add up.
 */
const otherCash = [
  'DK:33963556/deloitte-ifrs cash ifrs-full:CashAndCashEquivalents 2017-05-31: -162200000, not 18300000',
  'DK:33963556/deloitte-ifrs cash ifrs-full:CashAndCashEquivalents 2016-05-31: -56000000, not 40500000',
  'DK:36213728/orsted_2019Q4 cash ifrs-full:CashAndCashEquivalents 2019-09-30: 4743000000, not 5371000000',
  'DK:36213728/orsted_2019Q4 cash ifrs-full:CashAndCashEquivalents 2018-09-30: 1740000000, not 1976000000',
]

/** How many comparisons the files at hand allow, at least. */
const cases: readonly (readonly [market: string, comparisons: number, different: readonly string[]])[] = [
  ['JP', 60, []],
  ['KR', rounds(3_000, 12_000), []],
  ['TW', 55_000, []],
  ['NZ', 14, []],
  ['DK', 350, otherCash],
  ['BE', 20, []],
  ['FR', 24, []],
]

test.skipIf(folder === null).each([...cases])(
  'metrics and standard lines of %s agree',
  async (market, comparisons, expected) => {
    const paths =
      market === 'BE'
        ? await belgianFiles()
        : market === 'KR' && !isLong
          ? someKoreanFiles()
          : [`${folder}/${market.toLowerCase()}`]
    const { filings, facts } = await read(market, paths)
    const { equal, different } = compare(market, filings, facts)
    expect(different).toEqual([...expected])
    expect(equal).toBeGreaterThanOrEqual(comparisons)
  },
)

// Receipt 20171019000325, the consolidated statement of cash flows of 2015 of company 042660, `thstrm_amount`: payments are
// negative among operating items and positive below the negative totals of investing and financing.
test.skipIf(folder === null)('one sign convention for payments that a filing states in two', async () => {
  const { filings } = await read('KR', [`${folder}/kr/fnlttSinglAcntAll/042660.jsonl.gz`])
  const [filing] = nonEmpty(filings.filter(({ accession }) => accession === 'KR:20171019000325'))
  const placed = standardFiling(filing).statements.get('cash_flow')
  if (placed === undefined) throw new Error('no statement of cash flows')
  const values = Object.fromEntries(
    placed.placed.map(line => [line.line.name, lineValue(placed, line, 0)?.value ?? null]),
  )
  expect(values).toMatchObject({
    operating_cash_flow: '-843000007803',
    cash_from_operations: '-480037727159',
    interest_paid: '249773761961',
    interest_received: '19683721328',
    income_taxes_paid: '134153312403',
    capital_expenditure: '182034403487',
    disposals: '305243065917',
    intangibles_bought: '13891527050',
    investing_outflows: '231060106841',
    investing_inflows: '403176205687',
    // 1,647,857,104,843 + 1,005,684,414,400 + 357,599,600,000 + 451,593,855,614
    debt_issued: '3462734974857',
    // 485,843,461,106 + 862,201,197,294 + 449,867,858 + 505,000,000,000 + 235,000,000,000
    debt_repaid: '2088494526258',
    stock_issued: '412243689860',
    treasury_stock_sold: '15663098756',
    dividends_paid: '29066093200',
    // The line before the effect of exchange rates, although its tag is IncreaseDecreaseInCashAndCashEquivalents:
    // 138,783,054,603 + 1,102,023,273,938 - 4,875,269,493 = 1,235,931,059,048.
    cash_change_before_exchange: '1102023273938',
    exchange_rate_effect: '-4875269493',
    cash_at_beginning: '138783054603',
    cash_at_end: '1235931059048',
  })
  expect(values.cash_change).toBeUndefined()
})

// The exchange's own description of its tables, of all industries.
test.skipIf(folder === null)("the Taiwanese schema has every column of the exchange's tables", async () => {
  const { paths } = await Bun.file(`${folder}/tw/twse_openapi_swagger.json`).json()
  const tables = nonEmpty(Object.keys(paths).filter(path => /t187ap0[67]_/.test(path)))
  const heads = ['出表日期', '年度', '季別', '公司代號', '公司名稱', '空格']
  for (const path of tables) {
    const { schema } = paths[path].get.responses['200']
    const properties: string[] = Object.keys((schema.items ?? schema).properties)
    const { income, balance } = taxonomies.TW.statements
    const { meanings } = path.includes('t187ap06') ? income : balance
    const amounts = properties.filter(name => !heads.includes(name) && !/股數|每股參考淨值/.test(name))
    expect(amounts.length).toBeGreaterThan(10)
    expect([path, amounts.filter(name => !meanings.has(name))]).toEqual([path, []])
  }
})

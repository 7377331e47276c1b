import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { connectTools, type Structured, type ToolClient, type ToolReply, ways } from './toolClient.ts'

setDefaultTimeout(180_000)

/** Twenty questions of an analyst, each answered by at most three calls of less than 8,000 characters. Every figure is one of a
 * filing, which stands next to it. */

const maxCalls = 3
const maxCharacters = 8_000
const million = 1_000_000

interface Question {
  readonly question: string
  readonly answer: (ask: Ask) => Promise<void>
}
type Ask = (name: string, args: object) => Promise<ToolReply>

const rowsOf = ({ structured }: ToolReply): Structured[] => structured.data
const values = (reply: ToolReply) => rowsOf(reply).map(({ v }) => v)
const only = (reply: ToolReply): Structured => {
  expect(rowsOf(reply)).toHaveLength(1)
  return rowsOf(reply)[0]
}

// Apple's fiscal 2009: 10-K 0001193125-09-214859 of 2009-10-27, amended by 10-K/A 0001193125-10-012091 of 2010-01-25.
const asFirstFiled = { revenue: 36_537 * million, net_income: 5_704 * million, equity: 27_832 * million }
const asAmended = { revenue: 42_905 * million, net_income: 8_235 * million }
const amendment = '0001193125-10-012091'

const questions: readonly Question[] = [
  {
    question: 'Which ID does Apple have?',
    answer: async ask => {
      const { structured } = await ask('search_companies', { q: 'apple' })
      expect(structured.results[0]).toEqual({ ticker: 'AAPL', name: 'Apple Inc.', market: 'US' })
    },
  },
  {
    question: 'What was the revenue of Samsung Electronics in 2022?',
    // Annual report KR:20230307000542 of 2023-03-07.
    answer: async ask => {
      const found = await ask('search_companies', { q: '삼성전자' })
      const tickers = [found.structured.results[0].ticker]
      const reply = await ask('get_fundamentals_history', {
        tickers,
        metrics: ['revenue'],
        fp: 'FY',
        fy: '2022',
      })
      expect(only(reply)).toMatchObject({ v: 302_231_360 * million, u: 'KRW', filed: '2023-03-07' })
    },
  },
  {
    question: 'What is on record for SEC number 1652044?',
    answer: async ask => {
      const { structured } = await ask('get_coverage', { tickers: ['1652044'] })
      expect(structured.companies).toEqual([
        expect.objectContaining({ ticker: 'GOOGL', name: 'Alphabet Inc.', market: 'US' }),
      ])
    },
  },
  {
    question: 'Which revenue did Apple first report for fiscal 2009?',
    answer: async ask => {
      const args = { tickers: ['AAPL'], metrics: ['revenue'], fp: 'FY', fy: '2009', vintage: 'first' }
      const row = only(await ask('get_fundamentals_history', { ...args, with_filing: true }))
      expect(row).toMatchObject({
        v: asFirstFiled.revenue,
        filed: '2009-10-27',
        accession: '0001193125-09-214859',
      })
    },
  },
  {
    question: 'And which one holds today?',
    answer: async ask => {
      const args = { tickers: ['AAPL'], metrics: ['revenue'], fp: 'FY', fy: '2009', vintage: 'latest' }
      const row = only(await ask('get_fundamentals_history', { ...args, with_filing: true }))
      expect(row).toMatchObject({
        v: asAmended.revenue,
        filed: '2010-01-25',
        accession: amendment,
        form: '10-K/A',
      })
      expect(row.until).toBeUndefined()
    },
  },
  {
    question: 'Who looked on the last day of 2009: what did they see?',
    answer: async ask => {
      const args = { tickers: ['AAPL'], metrics: ['revenue', 'net_income'], fp: 'FY', as_of: '2009-12-31' }
      const reply = await ask('get_latest_fundamentals', args)
      expect(rowsOf(reply).map(({ m, v, filed }) => [m, v, filed])).toEqual([
        ['net_income', asFirstFiled.net_income, '2009-10-27'],
        ['revenue', asFirstFiled.revenue, '2009-10-27'],
      ])
    },
  },
  {
    question: 'What did the filings of January 2010 change in the year, and which one was it?',
    answer: async ask => {
      const days = { since: '2009-12-31', as_of: '2010-01-31' }
      const args = { tickers: ['AAPL'], ...days, metrics: ['revenue', 'net_income'], change: 'restated' }
      const reply = await ask('compare_as_of', args)
      const year = rowsOf(reply).filter(({ end, fp }) => end === '2009-09-26' && fp === 'FY')
      const seen = year.map(({ m, before, after }) => [m, before.v, after.v, after.accession])
      expect(seen).toEqual([
        ['net_income', asFirstFiled.net_income, asAmended.net_income, amendment],
        ['revenue', asFirstFiled.revenue, asAmended.revenue, amendment],
      ])
      const forms = reply.structured.filings.map((filing: Structured) => `${filing.form} ${filing.filed}`)
      expect(forms.toSorted()).toEqual(['10-K/A 2010-01-25', '10-Q 2010-01-25'])
    },
  },
  {
    question: 'How did that move the net margin of the year?',
    answer: async ask => {
      const days = { since: '2009-12-31', as_of: '2010-01-31' }
      const reply = await ask('compare_as_of', { tickers: ['AAPL'], ...days, metrics: ['net_margin'] })
      const year = rowsOf(reply).find(({ end, fp }) => end === '2009-09-26' && fp === 'FY')
      expect(year?.before.v).toBeCloseTo(asFirstFiled.net_income / asFirstFiled.revenue, 15)
      expect(year?.after.v).toBeCloseTo(asAmended.net_income / asAmended.revenue, 15)
    },
  },
  {
    question: 'What were the trailing twelve months of revenue on 21 April 2010?',
    // Year 42,905 (10-K/A), half-year 29,182 (10-Q 0001193125-10-088957), half-year before as restated 20,964: one generation.
    answer: async ask => {
      const args = { tickers: ['AAPL'], metrics: ['revenue'], fp: 'TTM', as_of: '2010-04-21' }
      const { v, end } = only(await ask('get_latest_fundamentals', args))
      expect([v, end]).toEqual([(42_905 + 29_182 - 20_964) * million, '2010-03-27'])
    },
  },
  {
    question: 'What was the return on equity of fiscal 2009 as first filed?',
    answer: async ask => {
      const args = { tickers: ['AAPL'], metrics: ['roe'], fp: 'FY', fy: '2009', vintage: 'first' }
      const { v, kind } = only(await ask('get_fundamentals_history', args))
      expect(v).toBeCloseTo(asFirstFiled.net_income / asFirstFiled.equity, 15)
      expect(kind).toBe('derived')
    },
  },
  {
    question: 'Earnings per share fell from 40.03 to 5.72: what happened to fiscal 2013?',
    // 10-K 0001193125-13-416534 states 40.03, and 10-K 0001193125-14-383437 states 5.72, after the split of 7 to 1.
    answer: async ask => {
      const filed = await ask('get_restatements', {
        tickers: ['AAPL'],
        metrics: ['eps'],
        since: '2013-12-31',
      })
      const year = rowsOf(filed).find(({ fp, fy }) => fp === 'FY' && fy === 2013)
      expect(year).toMatchObject({ value_before: 40.03, value: 5.72, accession: '0001193125-14-383437' })
      const args = { tickers: ['AAPL'], metrics: ['eps'], fp: 'FY', fy: '2013', vintage: 'first' }
      const adjusted = { ...args, adjust_splits: true, as_of: '2014-12-31' }
      expect(only(await ask('get_fundamentals_history', adjusted))).toMatchObject({
        split_factor: 7,
        v: 40.03 / 7,
      })
    },
  },
  {
    question: 'Who had more revenue in the last full year, Apple or Alphabet?',
    // 10-K 0000320193-25-000079 and 10-K 0001652044-26-000018.
    answer: async ask => {
      const args = { tickers: ['AAPL', 'GOOGL'], metrics: ['revenue'], fp: 'FY' }
      const reply = await ask('get_latest_fundamentals', args)
      expect(rowsOf(reply).map(({ ticker, v, fy }) => [ticker, v, fy])).toEqual([
        ['AAPL', 416_161 * million, 2025],
        ['GOOGL', 402_836 * million, 2025],
      ])
    },
  },
  {
    question: 'How did the revenue of Snowflake grow?',
    // 10-Ks 0001640147-21-000073, -22-000023, -23-000030, -24-000101 and -25-000052.
    answer: async ask => {
      const found = await ask('search_companies', { q: 'snowflake' })
      const tickers = [found.structured.results[0].ticker]
      const args = { tickers, metrics: ['revenue'], fp: 'FY', fy: '2021..2025', vintage: 'latest' }
      const thousands = [592_049, 1_219_327, 2_065_659, 2_806_489, 3_626_396]
      expect(values(await ask('get_fundamentals_history', args))).toEqual(
        thousands.map(value => 1_000 * value),
      )
    },
  },
  {
    question: 'What did Nintendo earn from operations in the year to March 2024?',
    // Annual securities report JP:S100TMMG of 2024-06-28.
    answer: async ask => {
      const found = await ask('search_companies', { q: 'Nintendo' })
      const tickers = [found.structured.results[0].ticker]
      const row = only(
        await ask('get_latest_fundamentals', { tickers, metrics: ['operating_income'], fp: 'FY' }),
      )
      expect(row).toMatchObject({ v: 528_941 * million, u: 'JPY', end: '2024-03-31', filed: '2024-06-28' })
    },
  },
  {
    question: 'What was the fourth quarter of Samsung in 2022, which it does not state?',
    // 302,231,360 of the year less 231,766,785 of nine months (KR:20221114001832), as Samsung published it: 70.46 trillion won.
    answer: async ask => {
      const args = { tickers: ['005930.KS'], metrics: ['revenue'], fp: 'Q4', fy: '2022' }
      expect(only(await ask('get_fundamentals_history', args))).toMatchObject({
        v: 70_464_575 * million,
        kind: 'derived',
        filed: '2023-03-07',
      })
    },
  },
  {
    question: 'From which day on could one know the revenue of TSMC for 2023?',
    // TW:2330:2023Q4, due on 31 March 2024, a Sunday.
    answer: async ask => {
      const args = { tickers: ['2330.TW'], metrics: ['revenue'], fp: 'FY', fy: '2023' }
      expect(only(await ask('get_fundamentals_history', args))).toMatchObject({
        filed: '2024-04-01',
        v: 2_161_735_841_000,
      })
      const before = await ask('get_fundamentals_history', { ...args, as_of: '2024-03-31' })
      expect(rowsOf(before)).toEqual([])
    },
  },
  {
    question: 'Why are there no figures of Xerius?',
    answer: async ask => {
      const { structured } = await ask('get_coverage', { tickers: ['0410682657.BE'] })
      const [xerius] = structured.companies
      expect([structured.count, xerius.first_filed]).toEqual([0, null])
      expect(xerius.note).toContain('Belgian accounts do not say on which day they were deposited.')
    },
  },
  {
    question: 'Who restated revenue in the first quarter of 2010?',
    // Apple's 10-K/A, and AES in 10-K 0001193125-10-041006: 2008 was 16,070 in 8-K 0001193125-09-191566.
    answer: async ask => {
      const days = { since: '2009-12-31', as_of: '2010-03-31' }
      const reply = await ask('get_restatements', { market: 'US', metrics: ['revenue'], ...days })
      expect([...new Set(rowsOf(reply).map(({ ticker }) => ticker))]).toEqual(['AAPL', 'AES'])
      const aes = rowsOf(reply).find(({ ticker, fy }) => ticker === 'AES' && fy === 2008)
      expect(aes).toMatchObject({
        value_before: 16_070 * million,
        value: 15_358 * million,
        filed: '2010-02-26',
      })
    },
  },
  {
    question: 'Which were the largest companies by revenue, as known at the end of March 2010?',
    // 10-Ks 0001193125-10-071652, 0000950123-10-016846, 0000040545-10-000010 and 0000950123-10-017187. Canon's yen do not count as dollars.
    answer: async ask => {
      const args = { market: 'US', metrics: ['revenue'], sort_by: 'revenue', limit: 4, as_of: '2010-03-31' }
      const reply = await ask('screen', args)
      expect(rowsOf(reply).map(({ ticker, values, unit }) => [ticker, values.revenue, unit])).toEqual([
        ['WMT', 408_214 * million, 'USD'],
        ['CVX', 171_636 * million, 'USD'],
        ['GE', 156_783 * million, 'USD'],
        ['COP', 149_341 * million, 'USD'],
      ])
      expect(reply.structured.note).toContain('amounts in another currency are left out')
    },
  },
  {
    question: 'Which large companies earned more than half of their equity?',
    // IBM's 10-K 0001047469-10-001151: 13,425 over 22,637.
    answer: async ask => {
      const filters = [
        { metric: 'roe', min: 0.5, max: 1 },
        { metric: 'revenue', min: 50_000 * million },
      ]
      const args = { market: 'US', metrics: ['roe', 'net_income'], filters, as_of: '2010-03-31' }
      const reply = await ask('screen', args)
      const ibm = rowsOf(reply).find(({ ticker }) => ticker === 'IBM')
      expect(ibm?.values).toEqual({ roe: 13_425 / 22_637, net_income: 13_425 * million })
      for (const { values } of nonEmpty(rowsOf(reply))) expect(values.roe).toBeGreaterThanOrEqual(0.5)
    },
  },
]

test('there are twenty questions', () => expect(questions).toHaveLength(20))

let server: RealServer
let key: string
beforeAll(async () => {
  server = await realServer({ today: () => '2026-11-20' })
  key = await sellKey(server.sql, { licence: 'commercial' })
})
afterAll(() => server.stop())

for (const way of ways) {
  describe(`each question is answered by at most three calls under 8,000 characters: ${way}`, () => {
    let tools: ToolClient
    beforeAll(async () => {
      tools = await connectTools(way, { url: server.url, key })
      // The client checks each structured answer by the schemas of this list.
      expect((await tools.client.listTools()).tools).toHaveLength(11)
    })
    afterAll(() => tools.close())

    for (const { question, answer } of questions) {
      test(question, async () => {
        let calls = 0
        await answer(async (name, args) => {
          calls++
          const reply = await tools.call(name, args)
          expect([reply.isError, reply.isError ? reply.text : '']).toEqual([false, ''])
          expect(reply.characters).toBeLessThan(maxCharacters)
          return reply
        })
        expect(calls).toBeLessThanOrEqual(maxCalls)
      })
    }
  })
}

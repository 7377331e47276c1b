import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { inToolWords } from '../../../src/features/agentTools/words.ts'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { connectTools, type Structured, type ToolClient } from './toolClient.ts'

setDefaultTimeout(120_000)

/** The tool list: its size, which every conversation pays for, its promises and its wording. */

/** Of the list with the schemas of answers: 8,925 tokens of four characters. */
const maxCharacters = 8_925 * 4

let server: RealServer
let tools: ToolClient
let key: string
let listed: Structured[]
let size: number
beforeAll(async () => {
  server = await realServer({ today: () => '2026-11-20' })
  key = await sellKey(server.sql, { licence: 'oem', quant: true, perMinute: 9_000_000 })
  tools = await connectTools('http auto', { url: server.url, key })
  const list = await rawList()
  listed = list.tools
  size = JSON.stringify(list).length
  await tools.client.listTools()
})
afterAll(async () => {
  await tools.close()
  await server.stop()
})

/** As it goes over the wire, and not as the client has read it. */
async function rawList(): Promise<Structured> {
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
  })
  const text = await response.text()
  return JSON.parse(text.startsWith('{') ? text : text.replace(/^[\s\S]*?data: /, '')).result
}

describe('the list of tools', () => {
  test('costs at most 8,925 tokens, output schemas included', () => {
    expect(listed).toHaveLength(11)
    for (const { name, outputSchema } of listed) expect([name, outputSchema.type]).toEqual([name, 'object'])
    expect(size).toBeLessThanOrEqual(maxCharacters)
  })

  test('explains every argument, also of objects, and every field at the top of an answer', () => {
    const unexplained: string[] = []
    const look = (at: string, schema: Structured) => {
      for (const [name, field] of Object.entries<Structured>(schema.properties ?? {})) {
        if (typeof field.description !== 'string' && !at.includes('.sweep')) unexplained.push(`${at}.${name}`)
        look(`${at}.${name}`, field)
      }
    }
    for (const { name, inputSchema, outputSchema } of listed) {
      look(name, inputSchema)
      look(name, { properties: outputSchema.properties })
    }
    expect(unexplained).toEqual([])
  })

  test('has one spelling, form and meaning of an argument over all tools', () => {
    const forms = new Map<string, Set<string>>()
    for (const { inputSchema } of listed) {
      for (const [name, { type, items }] of Object.entries<Structured>(inputSchema.properties)) {
        const form = JSON.stringify([type, items?.type])
        forms.set(name, (forms.get(name) ?? new Set()).add(form))
      }
    }
    expect(nonEmpty(forms).filter(([, of]) => of.size > 1)).toEqual([])
    const names = [...forms.keys()]
    for (const rival of ['ticker', 'id', 'metric', 'day', 'date', 'top', 'from_day', 'to_day', 'from', 'to'])
      expect(names).not.toContain(rival)
    expect(names.filter(name => !/^[a-z][a-z_]*$/.test(name))).toEqual([])
    expect(names).toEqual(expect.arrayContaining(['tickers', 'metrics', 'market', 'as_of', 'since', 'limit']))
  })

  test('has no address of the API in it', () => {
    expect(JSON.stringify(listed)).not.toMatch(/\/api\/|\b(GET|POST) \//)
  })
})

type Call = readonly [string, object]
const days = { since: '2009-12-31', as_of: '2010-03-31' }
const revenueTag = 'us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax'
const calls: Call[] = [
  ['search_companies', { q: 'apple' }],
  ['search_companies', { q: 'no such company at all', limit: 1 }],
  ['get_latest_fundamentals', { tickers: ['AAPL'] }],
  [
    'get_latest_fundamentals',
    { tickers: ['AAPL', '2330.TW'], fp: 'TTM', with_filing: true, max_age_days: 550 },
  ],
  ['get_fundamentals_history', { tickers: ['AAPL'], metrics: ['eps'], fp: 'FY', adjust_splits: true }],
  ['get_fundamentals_history', { tickers: ['AAPL', 'AES'], metrics: ['revenue', 'free_cash_flow'] }],
  ['get_coverage', {}],
  ['get_coverage', { market: 'DK' }],
  ['get_coverage', { tickers: ['AAPL'] }],
  ['get_coverage', { tickers: ['AAPL', '0410682657.BE'], metrics: ['revenue'] }],
  ['compare_as_of', { tickers: ['AAPL'], ...days }],
  ['compare_as_of', { tickers: ['AAPL', 'AES'], ...days, metrics: ['revenue', 'net_income'] }],
  ['get_restatements', { tickers: ['AAPL', 'AES'], ...days }],
  ['get_restatements', { market: 'US', metrics: ['revenue'], ...days }],
  ['get_statement', { tickers: ['AAPL'], statement: 'balance' }],
  ['get_statement', { tickers: ['AAPL'], statement: 'equity', as_of: '2025-05-02' }],
  ['get_statement', { tickers: ['BAC'], statement: 'income', as_of: '2009-12-31', fp: 'Q2', fy: '2009' }],
  ['get_statement', { tickers: ['AAPL'], statement: 'income', as_of: '2009-07-01' }],
  ['get_tag', { tag: 'us-gaap:NetIncomeLoss', tickers: ['AAPL'], dimensions: 'all' }],
  ['get_tag', { tag: 'us-gaap:Assets', market: 'US', period: 'CY2009Q2I', as_of: '2009-08-31' }],
  ['get_tag', { tickers: ['AAPL'], tag: revenueTag, split_by: 'product' }],
  ['get_tag', { tickers: ['AAPL'], tag: 'us-gaap:Nothing', split_by: 'geography' }],
  ['screen', { market: 'US', metrics: ['roe', 'revenue'], as_of: '2010-03-31' }],
  ['screen', { market: 'US', metrics: ['revenue'], sort_by: 'revenue', limit: 5 }],
  ['screen', { market: 'JP', metrics: ['roe'], filters: [{ metric: 'roe', min: 9 }] }],
  ['audit_rows', { rows: { date: ['2009-10-28'], ticker: ['AAPL'], revenue: [42_905] } }],
  ['run_backtest', { source: { horizon: '7d' }, include: ['positions', 'ic', 'spa'] }],
]

test('every structured answer is what the published schema says, in every field that it names', async () => {
  const validator = new AjvJsonSchemaValidator()
  for (const [name, args] of calls) {
    const reply = await tools.call(name, args)
    expect([name, args, reply.isError ? reply.text : '']).toEqual([name, args, ''])
    const { outputSchema } = listed.find(tool => tool.name === name) ?? expect.unreachable()
    const { valid, errorMessage } = validator.getValidator(outputSchema)(reply.structured)
    expect([name, valid, errorMessage]).toEqual([name, true, undefined])
    expect([name, undocumented(reply.structured, outputSchema)]).toEqual([name, []])
  }
})

/** Fields of an answer, at its top and in its rows, that the schema does not have. */
function undocumented(answer: Structured, { properties }: Structured): string[] {
  const known = (row: Structured, fields: Structured) => Object.keys(row).filter(name => !(name in fields))
  const rows: Structured[] = answer.data ?? []
  const ofRows = rows.flatMap(row => known(row, properties.data.items.properties))
  return [...new Set([...known(answer, properties), ...ofRows])]
}

describe('names stand beside IDs', () => {
  const namesIn = async (name: string, args: object): Promise<(string | null)[]> => {
    const { structured, text } = await tools.call(name, args)
    const named: Structured[] = structured.companies ?? structured.results ?? structured.data
    for (const { name: company } of nonEmpty(named.slice(0, 3))) expect(text).toContain(company)
    return named.map(row => row.name)
  }

  const cases: Call[] = [
    ['search_companies', { q: 'apple' }],
    ['get_latest_fundamentals', { tickers: ['AAPL', 'AES'], metrics: ['revenue'] }],
    ['get_fundamentals_history', { tickers: ['AAPL'], metrics: ['revenue'], fp: 'FY' }],
    ['get_coverage', { tickers: ['AAPL'] }],
    ['compare_as_of', { tickers: ['AAPL'], ...days }],
    ['get_restatements', { tickers: ['AAPL'], metrics: ['revenue'] }],
    ['get_restatements', { market: 'US', metrics: ['revenue'], ...days }],
    ['get_tag', { tag: 'us-gaap:Assets', market: 'US', period: 'CY2009Q2I', as_of: '2009-08-31' }],
    ['get_tag', { tag: 'us-gaap:NetIncomeLoss', tickers: ['AAPL'] }],
    ['screen', { market: 'US', metrics: ['revenue'], as_of: '2010-03-31' }],
    ['screen', { market: 'US', metrics: ['revenue'], sort_by: 'revenue', max_characters: 40_000 }],
  ]
  for (const [name, args] of cases) {
    test(`${name} ${JSON.stringify(args)}`, async () => {
      const names = await namesIn(name, args)
      expect(names.length).toBeGreaterThan(0)
      expect(names.filter(one => typeof one !== 'string' || one === '')).toEqual([])
    })
  }

  test('also on the second page of a ranking', async () => {
    const args = { market: 'US', metrics: ['revenue'], sort_by: 'revenue' }
    const { structured } = await tools.call('screen', args)
    const names = await namesIn('screen', { ...args, cursor: structured.next })
    expect(names).not.toContain(null)
  })

  test('and next to what a backtest of the archive holds', async () => {
    const { structured } = await tools.call('run_backtest', {
      source: { horizon: '7d', market: 'US' },
      include: ['positions'],
      max_characters: 40_000,
    })
    const apple = structured.result.positions.filter(({ name }: Structured) => typeof name === 'string')
    expect(apple.length).toBeGreaterThan(0)
  })
})

describe('whole filings', () => {
  // Apple's 10-Q of 2025-05-02: 0000320193-25-000057.
  const accession = '0000320193-25-000057'

  test('a statement as known on a day, line by line with exact values, and never a later one', async () => {
    const args = { tickers: ['AAPL'], statement: 'cash_flow', as_of: '2025-05-02', max_characters: 40_000 }
    const { structured, text } = await tools.call('get_statement', args)
    expect(structured.filings.map(({ accession: one }: Structured) => one)).toEqual([accession])
    expect(structured.columns.map(({ period }: Structured) => period)).toEqual([
      '6 months to 2025-03-29',
      '6 months to 2024-03-30',
    ])
    // Shown as (7,614) and (7,535) million.
    const dividends = structured.data.find(({ tag }: Structured) => tag === 'us-gaap:PaymentsOfDividends')
    expect(dividends).toMatchObject({ values: ['-7614000000', '-7535000000'], u: 'USD' })
    expect(text).toContain(`${dividends.label}: -7614000000 | -7535000000 USD`)
    const before = await tools.call('get_statement', { ...args, as_of: '2025-05-01' })
    expect(before.structured.filings[0]).toMatchObject({
      accession: '0001193125-09-153165',
      filed: '2009-07-22',
    })
    const filed = await tools.call('get_statement', {
      tickers: ['AAPL'],
      statement: 'income',
      accession: '0001193125-09-153165',
    })
    expect(filed.structured.data[0]).toMatchObject({ line: 1, label: 'Net sales' })
    expect(filed.structured.data[0].values[0]).toBe('8337000000')
  })

  test('a long statement continues at its next line, within its size', async () => {
    const args = { tickers: ['AAPL'], statement: 'balance', max_characters: 3_000 }
    const lines: number[] = []
    let cursor: string | undefined
    for (let calls = 0; calls < 20; calls++) {
      const reply = await tools.call('get_statement', {
        ...args,
        ...(cursor === undefined ? {} : { cursor }),
      })
      expect([reply.isError, reply.characters <= 3_000]).toEqual([false, true])
      lines.push(...reply.structured.data.map(({ line }: Structured) => line))
      cursor = reply.structured.next ?? undefined
      if (cursor === undefined) break
    }
    expect(lines.length).toBeGreaterThan(30)
    expect(lines).toEqual(lines.map((_, at) => at + 1))
  })

  test('a tag of a company through time, of a market for a period, and a breakdown', async () => {
    const ofCompany = await tools.call('get_tag', { tag: 'us-gaap:NetIncomeLoss', tickers: ['AAPL'] })
    expect(ofCompany.structured.data[0]).toMatchObject({
      filed: '2025-05-02',
      value: '24780000000',
      accession,
    })
    // Total assets of 2009-06-27: 48,140 million.
    const market = { tag: 'us-gaap:Assets', market: 'us', period: 'CY2009Q2I', as_of: '2009-08-31' }
    const ofMarket = await tools.call('get_tag', { ...market, max_characters: 40_000 })
    const apple = ofMarket.structured.data.find(({ ticker }: Structured) => ticker === 'AAPL')
    expect(apple).toMatchObject({ name: 'Apple Inc.', value: '48140000000', filed: '2009-07-22' })
    const args = { tickers: ['AAPL'], tag: revenueTag, split_by: 'product', as_of: '2025-05-02' }
    const { structured, text } = await tools.call('get_tag', { ...args, max_characters: 20_000 })
    expect(structured.data.find(({ label }: Structured) => label === 'iPhone')).toMatchObject({
      period: '3 months to 2025-03-29',
      value: '46841000000',
      total: '95359000000',
      difference: '0',
      accession,
    })
    expect(text).toContain('3 months to 2025-03-29, iPhone: 46841000000 of 95359000000 USD')
  })
})

test('get_coverage says what each metric means, of the service and of a company', async () => {
  for (const args of [{ market: 'US' }, { tickers: ['AAPL'] }, { tickers: ['AAPL'], metrics: ['revenue'] }]) {
    const { structured, text } = await tools.call('get_coverage', { ...args, max_characters: 40_000 })
    const revenue = structured.data.find(({ m }: Structured) => m === 'revenue')
    expect([revenue.unit, revenue.meaning.startsWith('Turnover.')]).toEqual(['currency', true])
    expect(text).toContain(revenue.meaning)
    for (const { meaning, unit } of nonEmpty<Structured>(structured.data))
      expect([meaning !== '', unit !== '']).toEqual([true, true])
  }
})

describe('arguments as models remember them are understood', () => {
  const same: [string, object, object][] = [
    ['get_latest_fundamentals', { tickers: ['AAPL'] }, { ticker: 'AAPL' }],
    ['get_latest_fundamentals', { tickers: ['AAPL', 'AES'] }, { tickers: 'AAPL, AES' }],
    ['get_coverage', { tickers: ['AAPL'] }, { id: 'AAPL' }],
    ['get_restatements', { tickers: ['AAPL'], metrics: ['revenue'] }, { ticker: 'AAPL', metric: 'revenue' }],
    ['screen', { market: 'US', metrics: ['roe'] }, { market: 'us', metric: ['roe'] }],
    [
      'run_backtest',
      { source: { horizon: '7d' }, config: { hold_days: 14, return_days: 7 } },
      { source: { horizon: '7d' }, config: { holdDays: 14, returnDays: 7 } },
    ],
  ]
  for (const [name, args, remembered] of same) {
    test(`${name} ${JSON.stringify(remembered)}`, async () => {
      const [expected, reply] = [await tools.call(name, args), await tools.call(name, remembered)]
      expect([reply.isError, reply.text]).toEqual([false, expected.text])
    })
  }

  test('but one argument under two names is refused', async () => {
    const reply = await tools.call('get_latest_fundamentals', { tickers: ['AAPL'], ticker: 'AES' })
    expect([reply.isError, reply.text]).toEqual([true, expect.stringContaining('has no argument ticker')])
  })
})

/** Words of addresses, and of parameters in them. */
const ofHttp = /\/api\/|\b(GET|POST|PUT|DELETE) \/|[?&]\w+=|\b[a-z_]+=[^\s=]|\bheaders?\b|query parameter/

describe('refusals are in the words of tools', () => {
  const refused: Call[] = [
    ['search_companies', { q: ' ' }],
    ['get_latest_fundamentals', { tickers: ['NOSUCH'] }],
    ['get_latest_fundamentals', { tickers: ['APAL', 'NOSUCH'] }],
    ['get_latest_fundamentals', { tickers: ['AAPL', 'aapl'] }],
    ['get_latest_fundamentals', { tickers: ['AA PL'] }],
    ['get_latest_fundamentals', { tickers: ['AAPL'], metrics: ['revenues'] }],
    ['get_latest_fundamentals', { tickers: ['AAPL'], as_of: '2999-01-01' }],
    ['get_latest_fundamentals', { tickers: ['AAPL'], as_of: '2024-02-30' }],
    ['get_latest_fundamentals', { tickers: ['AAPL'], fp: 'Q9' }],
    ['get_latest_fundamentals', { tickers: ['AAPL'], fy: '2020..2010' }],
    ['get_latest_fundamentals', { tickers: ['AAPL'], data_version: 999_999 }],
    ['get_latest_fundamentals', { tickers: [] }],
    ['get_latest_fundamentals', {}],
    ['get_latest_fundamentals', { tickers: ['AAPL'], max_characters: 1 }],
    ['get_fundamentals_history', { tickers: ['AAPL'], ends_from: '2024-13-01' }],
    ['get_fundamentals_history', { tickers: ['AAPL'], vintage: 'newest' }],
    ['get_fundamentals_history', { tickers: ['AAPL'], fp: 'TTM,FY' }],
    ['get_coverage', { tickers: ['NOSUCH'] }],
    ['get_coverage', { market: 'XX' }],
    ['compare_as_of', { tickers: ['AAPL'], since: '2010-01-01', as_of: '2009-01-01' }],
    ['compare_as_of', { tickers: ['AAPL'], since: '2010-01-01', as_of: '2999-01-01' }],
    ['get_restatements', { market: 'US' }],
    ['get_restatements', { market: 'US', metrics: ['revenues'] }],
    ['get_restatements', { market: 'XX', metrics: ['revenue'] }],
    ['get_statement', { tickers: ['AAPL'], statement: 'profit' }],
    ['get_statement', { tickers: ['NOSUCH'], statement: 'income' }],
    ['get_statement', { tickers: ['AAPL', 'AES'], statement: 'income' }],
    [
      'get_statement',
      { tickers: ['AAPL'], statement: 'income', accession: '0000320193-25-000057', fp: 'Q2' },
    ],
    ['get_statement', { tickers: ['AAPL'], statement: 'income', accession: '1' }],
    [
      'get_statement',
      { tickers: ['AAPL'], statement: 'income', accession: '0000320193-25-000057', filings: 2 },
    ],
    ['get_statement', { tickers: ['AAPL'], statement: 'income', fy: '2009..2010' }],
    ['get_tag', { tag: 'us-gaap:Assets' }],
    ['get_tag', { tag: 'us-gaap:Assets', tickers: ['AAPL'], market: 'US' }],
    ['get_tag', { tag: 'us-gaap:Assets', market: 'US', period: '2009' }],
    ['get_tag', { tag: 'Assets of Apple', tickers: ['AAPL'] }],
    ['get_tag', { tag: 'us-gaap:Assets', tickers: ['AAPL'], dimensions: 'no axis' }],
    ['get_tag', { tag: 'us-gaap:Assets', market: 'XX', period: 'CY2009' }],
    ['get_tag', { tag: 'us-gaap:Assets', market: 'US', period: 'CY2009', split_by: 'product' }],
    ['get_tag', { tag: 'us-gaap:Assets', tickers: ['AAPL'], split_by: 'no axis' }],
    ['screen', { market: 'US', metrics: ['revenues'] }],
    ['screen', { market: 'US', metrics: ['roe'], filters: [{ metric: 'roes', min: 1 }] }],
    ['screen', { market: 'US', metrics: ['roe'], filters: [{ metric: 'roe', min: 2, max: 1 }] }],
    ['screen', { market: 'US', metrics: ['roe'], sector: 'software' }],
    ['screen', { market: 'US', metrics: ['roe'], fp: 'TTM', data_version: 999_999 }],
    ['run_backtest', { source: { market: 'FR' } }],
    ['run_backtest', { source: { horizon: '7d' }, config: { hold_days: 10 } }],
    ['run_backtest', { source: { horizon: '7d', max_age_days: 100 } }],
    ['run_backtest', { source: { score: 'roe' } }],
    ['run_backtest', { source: { market: 'US', score: 'roes' } }],
    ['run_backtest', { source: { from: '2020-01-01', to: '2019-01-01' } }],
    ['run_backtest', { panel: '00000000-0000-4000-8000-000000000000' }],
    ['run_backtest', { job_id: '019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55' }],
    ['run_backtest', { source: {}, config: { nothing: 1 } }],
  ]
  for (const [name, args] of refused) {
    test(`${name} ${JSON.stringify(args)}`, async () => {
      const { isError, text } = await tools.call(name, args)
      expect([isError, text]).toEqual([true, expect.not.stringMatching(ofHttp)])
      expect(text).not.toMatch(/\b(holdDays|returnDays|maxAgeDays|testGroups|meanBlock)\b/)
      expect(text).not.toContain('The service refused this call.')
      expect(text).toMatch(/[A-Za-z].*\(code: [a-z_]+/)
    })
  }

  test('those of keys and limits, too', async () => {
    const limited = await sellKey(server.sql, { licence: 'oem', perMinute: 1 })
    const others = await connectTools('http auto', { url: server.url, key: limited })
    const demo = await connectTools('http auto', { url: server.url, key: 'demo' })
    await others.call('get_latest_fundamentals', { tickers: ['AAPL'], metrics: ['revenue'] })
    const replies = [
      await others.call('get_latest_fundamentals', { tickers: ['AAPL'], metrics: ['revenue'] }),
      await demo.call('get_latest_fundamentals', { tickers: ['SNOW'], as_of: '2020-01-01' }),
      await demo.call('screen', { market: 'US', metrics: ['roe'], as_of: '2020-01-01' }),
      await demo.call('run_backtest', { source: {} }),
    ]
    for (const { isError, text } of replies)
      expect([isError, text]).toEqual([true, expect.not.stringMatching(ofHttp)])
    await others.close()
    await demo.close()
  })

  test('a sentence that only a caller of the API can follow is left out, and never the whole', () => {
    expect(inToolWords('as_of=2030-01-01 is in the future. See GET /api/v1/me for more.')).toBe(
      'as_of 2030-01-01 is in the future.',
    )
    expect(inToolWords('Send GET /api/v1/me.')).toContain('The service refused this call.')
    expect(inToolWords('PHI = 0.5, w (1 + r) / (1 + R)')).toBe('PHI = 0.5, w (1 + r) / (1 + R)')
  })

  test('notes of answers, too', async () => {
    const noted: Call[] = [
      ['screen', { market: 'NZ', metrics: ['eps'] }],
      ['get_restatements', { market: 'NZ', metrics: ['eps'] }],
      ['get_restatements', { market: 'BE', metrics: ['revenue'] }],
      ['get_latest_fundamentals', { tickers: ['0410682657.BE'] }],
      ['get_statement', { tickers: ['AAPL'], statement: 'income', as_of: '2009-07-01' }],
      ['get_statement', { tickers: ['AAPL'], statement: 'income', fp: 'FY', fy: '1999' }],
      ['get_tag', { tickers: ['AAPL'], tag: 'us-gaap:NetIncomeLos' }],
      ['get_tag', { market: 'US', tag: 'us-gaap:Assetss', period: 'CY2009Q2I' }],
      ['get_tag', { tickers: ['AAPL'], tag: 'us-gaap:Assets', split_by: 'segment' }],
      ['get_latest_fundamentals', { tickers: ['AAPL'], metrics: ['consolidated_cash'] }],
    ]
    for (const [name, args] of noted) {
      const { isError, text, structured } = await tools.call(name, args)
      const { attribution: _, ...rest } = structured
      expect([name, isError, text]).toEqual([name, false, expect.not.stringMatching(ofHttp)])
      expect(JSON.stringify(rest)).not.toMatch(ofHttp)
    }
  })
})

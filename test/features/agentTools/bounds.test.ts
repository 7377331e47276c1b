import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { connectTools, type Structured, type ToolClient, type ToolReply } from './toolClient.ts'

setDefaultTimeout(120_000)

let server: RealServer
let key: string
let tools: ToolClient
beforeAll(async () => {
  server = await realServer({ today: () => '2026-11-20' })
  key = await sellKey(server.sql, { licence: 'oem', quant: true, perMinute: 9_000_000 })
  tools = await connectTools('http auto', { url: server.url, key })
  await tools.client.listTools()
})
afterAll(async () => {
  await tools.close()
  await server.stop()
})

async function api(path: string): Promise<Structured> {
  const response = await fetch(server.url + path, { headers: { Authorization: `Bearer ${key}` } })
  return Object(await response.json())
}

/** All pages of an answer; each has at most `size` characters and says where it is cut. */
async function pages(name: string, args: object, size = 8_000): Promise<ToolReply[]> {
  const all: ToolReply[] = []
  let cursor: string | null = null
  do {
    const reply: ToolReply = await tools.call(name, { ...args, ...(cursor === null ? {} : { cursor }) })
    expect([reply.isError, reply.isError ? reply.text : '']).toEqual([false, ''])
    expect(reply.characters).toBeLessThan(size)
    cursor = reply.structured.next
    if (cursor !== null) expect(reply.structured.left_out).toContain('call again with cursor')
    all.push(reply)
  } while (cursor !== null && all.length < 500)
  return all
}

const rowsOf = (replies: readonly ToolReply[]): Structured[] =>
  replies.flatMap(({ structured }) => structured.data)

describe('an answer is bounded, says what it leaves out, and its pages are the whole', () => {
  test('a history of 8,000 rows: every row of the API once, in its order', async () => {
    const replies = await pages(
      'get_fundamentals_history',
      { tickers: ['AAPL'], max_characters: 40_000 },
      40_000,
    )
    const { data } = await api('/api/v1/fundamentals?ticker=AAPL')
    expect(data.length).toBeGreaterThan(3_000)
    expect(replies[0]?.structured.total).toBe(data.length)
    expect(rowsOf(replies).map(({ m, end, fp, filed, v }) => [m, end, fp, filed, v])).toEqual(
      data.map((row: Structured) => [row.m, row.end, row.fp, row.filed, row.v]),
    )
  })

  test('the latest figures of ten companies', async () => {
    const { tickers } = await api('/api/v1/fundamentals?market=US&limit=10')
    const ids = tickers.data.map(({ ticker }: Structured) => ticker)
    const replies = await pages('get_latest_fundamentals', { tickers: ids })
    const { data } = await api(`/api/v1/fundamentals?ticker=${ids.join(',')}&view=latest`)
    expect(rowsOf(replies).map(({ ticker, m, v }) => [ticker, m, v])).toEqual(
      data.map((row: Structured) => [row.ticker, row.m, row.v]),
    )
  })

  test('two filters of one metric both hold', async () => {
    const args = { market: 'US', metrics: ['roe'], max_characters: 40_000 }
    const roe = { metric: 'roe' }
    const wide = { ...args, filters: [{ ...roe, min: 0.1, max: 0.3 }] }
    const parts = {
      ...args,
      filters: [
        { ...roe, min: 0.1 },
        { ...roe, max: 0.3 },
        { ...roe, min: -1 },
      ],
    }
    const rows = rowsOf(await pages('screen', parts, 40_000))
    expect(rows.length).toBeGreaterThan(10)
    expect(rows).toEqual(rowsOf(await pages('screen', wide, 40_000)))
  })

  test('limit and order without sort_by are refused: the first rows would look like the best', async () => {
    for (const sent of [{ limit: 5 }, { order: 'ascending' }]) {
      const reply = await tools.call('screen', { market: 'US', metrics: ['roe'], ...sent })
      expect([reply.isError, reply.text]).toEqual([true, expect.stringContaining('needs sort_by')])
    }
  })

  test('a market without a ranking: pages of the API, cut again, lose no company', async () => {
    const args = {
      market: 'US',
      metrics: ['roe', 'revenue', 'net_margin'],
      as_of: '2010-03-31',
      max_characters: 5_000,
    }
    const replies = await pages('screen', args, 5_000)
    const { data } = await api(
      '/api/v1/cross-section?metric=roe,revenue,net_margin&market=US&as_of=2010-03-31&limit=10000',
    )
    expect(data.length).toBeGreaterThan(300)
    expect(rowsOf(replies).map(({ ticker, values }) => [ticker, values.roe, values.revenue])).toEqual(
      data.map((row: Structured) => [row.ticker, row.roe, row.revenue]),
    )
  })

  test('a ranking of a ratio has every company that has it, in order', async () => {
    const args = { market: 'US', metrics: ['roe'], sort_by: 'roe', order: 'ascending', as_of: '2010-03-31' }
    const rows = rowsOf(await pages('screen', args))
    const { data } = await api('/api/v1/cross-section?metric=roe&market=US&as_of=2010-03-31&limit=10000')
    const expected = data.map((row: Structured) => row.value).toSorted((a: number, b: number) => a - b)
    expect(rows.map(({ values }) => values.roe)).toEqual(expected)
  })

  test('changes, restatements and coverage', async () => {
    // Larger answers: each page of a market reads it again.
    const max_characters = 40_000
    const days = { since: '2009-01-01', as_of: '2026-01-01' }
    await pages('compare_as_of', { tickers: ['AAPL'], ...days, max_characters }, max_characters)
    const market = { market: 'US', metrics: ['net_income'], max_characters }
    const restated = rowsOf(await pages('get_restatements', market, max_characters))
    const first = await api('/api/v1/restatements?market=US&metric=net_income&limit=5000')
    expect(restated.map(({ ticker, filed, value }) => [ticker, filed, value])).toEqual(
      first.data.map((row: Structured) => [row.ticker, row.filed, row.value]),
    )
    const metrics = rowsOf(await pages('get_coverage', {}))
    expect(metrics).toHaveLength((await api('/api/v1/fundamentals?limit=1')).metrics.length)
  })

  test('every resource stays within what it promises', async () => {
    for (const uri of ['company://AAPL', 'manifest://BE', 'manifest://US', 'metrics://catalogue']) {
      const read = JSON.stringify(await tools.client.readResource({ uri }))
      expect([uri, read.length < 24_000]).toEqual([uri, true])
    }
  })
})

describe('the restatements of one company are those of its market', () => {
  for (const metric of ['revenue', 'eps', 'net_margin']) {
    test(metric, async () => {
      const { data } = await api(`/api/v1/restatements?market=US&metric=${metric}&limit=5000`)
      const ofApple = data.filter(({ ticker }: Structured) => ticker === 'AAPL')
      const rows = rowsOf(await pages('get_restatements', { tickers: ['AAPL'], metrics: [metric] }))
      const seen = (row: Structured) =>
        `${row.end} ${row.fp} ${row.filed} ${row.value_before} ${row.value} ${row.filed_before}`
      expect(rows.map(seen).toSorted()).toEqual(ofApple.map(seen).toSorted())
      expect(rows.length).toBeGreaterThan(0)
    })
  }
})

describe('what changed between two days is the difference of the two days', () => {
  test('on random days', async () => {
    const day = fc.date({ min: new Date('2009-08-01'), max: new Date('2026-02-01'), noInvalidDate: true })
    const seen = async (asOf: string) => {
      const { data } = await api(
        `/api/v1/fundamentals?ticker=AAPL&as_of=${asOf}&metric=revenue,net_income,roe,assets`,
      )
      const current = new Map<string, string>()
      for (const { m, end, fp, v, u, until } of data)
        if (until === null) current.set(`${m} ${end} ${fp}`, `${v} ${u}`)
      return current
    }
    await fc.assert(
      fc.asyncProperty(day, day, async (one, two) => {
        const [since = '', as_of = ''] = [one, two].map(date => date.toISOString().slice(0, 10)).toSorted()
        fc.pre(since < as_of)
        const [before, after] = [await seen(since), await seen(as_of)]
        const expected = [...new Set([...before.keys(), ...after.keys()])].filter(
          period => before.get(period) !== after.get(period),
        )
        const metrics = ['revenue', 'net_income', 'roe', 'assets']
        const args = { tickers: ['AAPL'], since, as_of, metrics, max_characters: 40_000 }
        const rows = rowsOf(await pages('compare_as_of', args, 40_000))
        expect(rows.map(({ m, end, fp }) => `${m} ${end} ${fp}`).toSorted()).toEqual(expected.toSorted())
        for (const { m, end, fp, before: was, after: is } of rows) {
          const period = `${m} ${end} ${fp}`
          expect(before.get(period)).toBe(was === undefined ? undefined : `${was.v} ${was.u}`)
          expect(after.get(period)).toBe(is === undefined ? undefined : `${is.v} ${is.u}`)
        }
      }),
      { numRuns: process.env.LONG === undefined ? 5 : 40 },
    )
  })
})

/** Waits until the server has heard of a data version. Answers that it reads from the database know it earlier. */
async function isServed(version: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { structured } = await tools.call('get_restatements', { market: 'US', metrics: ['revenue'] })
    if (structured.data_version >= version) return
    await Bun.sleep(50)
  }
  throw new Error(`The server has not heard of data version ${version}.`)
}

describe('a cursor', () => {
  const args = { tickers: ['AAPL'], metrics: ['revenue'] }

  test('continues only the call that it came with', async () => {
    const { structured } = await tools.call('get_fundamentals_history', { ...args, max_characters: 3_000 })
    const { next } = structured
    const other = await tools.call('get_fundamentals_history', { ...args, fp: 'FY', cursor: next })
    expect(other.text).toContain('cursor belongs to a call with other arguments')
    const wider = await tools.call('get_fundamentals_history', {
      ...args,
      cursor: next,
      max_characters: 9_000,
    })
    expect(wider.isError).toBe(false)
    for (const odd of ['x', '', next.slice(1), `${next}AA`, 'a'.repeat(700), '__proto__', '%00'])
      expect([odd, (await tools.call('get_fundamentals_history', { ...args, cursor: odd })).isError]).toEqual(
        [odd, true],
      )
  })

  test('of other data is refused, so that no row is skipped or seen twice', async () => {
    const { structured } = await tools.call('get_fundamentals_history', { ...args, max_characters: 3_000 })
    await server.sql`update data_version set version = version + 1`
    await server.sql`select pg_notify('asfiled_data', (select version::text from data_version))`
    await isServed(structured.data_version + 1)
    const reply = await tools.call('get_fundamentals_history', { ...args, cursor: structured.next })
    expect(reply.text).toContain(
      `Call again without cursor, or send cursor with data_version ${structured.data_version}`,
    )
    const pinned = { ...args, cursor: structured.next, data_version: structured.data_version }
    const onward = await tools.call('get_fundamentals_history', pinned)
    expect([onward.isError, onward.structured.data_version]).toEqual([false, structured.data_version])
  })
})

test('an answer is given again by its data_version, whatever was corrected since', async () => {
  const calls: [string, Record<string, unknown>][] = [
    ['get_latest_fundamentals', { tickers: ['AAPL'], metrics: ['revenue', 'roe'] }],
    ['get_fundamentals_history', { tickers: ['AAPL', 'GOOGL'], metrics: ['revenue'], fp: 'FY' }],
    ['compare_as_of', { tickers: ['AAPL'], since: '2009-12-31', as_of: '2010-01-31', metrics: ['revenue'] }],
    ['get_restatements', { tickers: ['AAPL'], metrics: ['revenue'] }],
    ['get_restatements', { market: 'US', metrics: ['revenue'] }],
    ['screen', { market: 'US', metrics: ['revenue', 'roe'], sort_by: 'revenue', limit: 10 }],
  ]
  const before = await Promise.all(calls.map(([name, args]) => tools.call(name, args)))
  const { data_version } = before[0]?.structured ?? {}
  const { sql } = server
  await sql.begin(async transaction => {
    const [{ version }] = await transaction`select next_data_version() as version`
    await transaction`update fact set value = value + 1000 where entity_id =
      (select entity_id from entity where ticker = 'AAPL') and metric_id = (select metric_id from metric where name = 'revenue')`
    await transaction`update data_version set version = ${version}`
    await transaction`select pg_notify('asfiled_data', ${String(version)})`
  })
  await isServed(data_version + 1)
  for (const [place, [name, args]] of calls.entries()) {
    const [now, then] = [await tools.call(name, args), await tools.call(name, { ...args, data_version })]
    expect([name, then.text]).toEqual([name, before[place]?.text ?? ''])
    expect(then.structured).toEqual(before[place]?.structured ?? {})
    expect([name, now.text === then.text]).toEqual([name, false])
  }
})

describe('hostile arguments', () => {
  const names = [
    'search_companies',
    'get_latest_fundamentals',
    'get_fundamentals_history',
    'get_coverage',
    'compare_as_of',
    'get_restatements',
    'get_statement',
    'get_tag',
    'screen',
    'audit_rows',
    'run_backtest',
    'no_such_tool',
  ]
  const argumentNames = [
    ...[
      'q',
      'tickers',
      'ticker',
      'metrics',
      'as_of',
      'fp',
      'fy',
      'from',
      'id',
      'market',
      'filters',
      'sort_by',
    ],
    ...[
      'cursor',
      'max_characters',
      'top',
      'since',
      'tickers',
      'job_id',
      'source',
      'config',
      'tag',
      'statement',
      'split_by',
      'period',
      'rows',
      'columns',
      '__proto__',
      'constructor',
    ],
  ]
  const oddText = fc.constantFrom(
    ...[
      '',
      '..',
      '../../admin',
      '%2e%2e%2f',
      '\u0000',
      "'; drop table fact; --",
      '<script>alert(1)</script>',
      '\ud800',
    ],
    ...[
      'AAPL',
      'US',
      'revenue',
      'income',
      'us-gaap:Assets',
      'CY2009Q2I',
      '2010-01-01',
      '9999-12-31',
      '0000-00-00',
      'FY',
      'TTM',
      'a'.repeat(5_000),
      '🂡',
      'AAPL,SNOW',
    ],
  )
  const oddValue = fc.oneof(
    ...[oddText, fc.string({ unit: 'binary' }), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)],
    fc.array(oddText, { maxLength: 12 }),
    fc.jsonValue({ maxDepth: 3 }),
  )
  const oddArguments = fc.array(fc.tuple(fc.constantFrom(...argumentNames), oddValue), { maxLength: 5 })

  test('get an answer of the promised form or a refusal in our words, and never an exception', async () => {
    const said: string[] = []
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), oddArguments, async (name, entries) => {
        const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{${entries
          .map(([field, value]) => `${JSON.stringify(field)}:${JSON.stringify(value)}`)
          .join(',')}}}}`
        const response = await fetch(`${server.url}/mcp`, {
          method: 'POST',
          body,
          headers: {
            Authorization: `Bearer ${key}`,
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
          },
        })
        const text = await response.text()
        expect(response.status).toBe(200)
        if (text.includes('"isError":true')) said.push(text)
        expect(text).not.toMatch(
          /code: internal|Input validation|Output validation|TypeError|SyntaxError|node_modules|\bat .*:\d+:\d+/,
        )
      }),
      {
        examples: [['get_coverage', [['tickers', '\ud800']]]],
        numRuns: Number(process.env.FUZZ_CASES ?? 200),
      },
    )
    expect(said.length).toBeGreaterThan(100)
  })
})

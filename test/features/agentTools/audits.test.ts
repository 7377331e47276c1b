import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { connectTools, type Structured, type ToolClient } from './toolClient.ts'

setDefaultTimeout(120_000)

/**
 * audit_rows. Apple's revenue of fiscal 2009 was 36,537 million in the 10-K of 2009-10-27 (0001193125-09-214859), and
 * 42,905 million in the 10-K/A of 2010-01-25 (0001193125-10-012091); that of fiscal 2008 was 32,479 million.
 */

let server: RealServer
let tools: ToolClient
beforeAll(async () => {
  server = await realServer()
  const key = await sellKey(server.sql, { licence: 'personal' })
  tools = await connectTools('http auto', { url: server.url, key })
})
afterAll(async () => {
  await tools.close()
  await server.stop()
})

const rows = {
  date: ['2009-09-26', '2009-10-28', '2009-10-28', '2009-10-28'],
  ticker: ['AAPL', 'AAPL', 'AAPL', 'AAPL'],
  sales: [36537, 36537, 42905, 32479],
}
const columns = { sales: { metric: 'revenue', fp: 'FY', scale: 1e6 } }
const counts = { known: 1, stale: 1, restated: 1, early: 1 }

describe('audit_rows', () => {
  test('answers counts, readings and the worst cells with their filings, and not the rows', async () => {
    const { isError, structured, text } = await tools.call('audit_rows', { rows, columns })
    expect([isError, structured.rows]).toEqual([false, undefined])
    expect(structured.counts).toEqual(counts)
    expect(structured.columns).toEqual([
      {
        name: 'sales',
        metric: 'revenue',
        ...{ recognised: 'sent', fp: 'FY', scale: 1e6, sign: 1, splits: 'as_filed', matched_share: 1 },
        counts,
      },
    ])
    const worst = structured.worst.map(({ row, state, days, filing }: Structured) => [
      row,
      state,
      days,
      filing,
    ])
    expect(worst).toEqual([
      [3, 'restated', 89, '0001193125-10-012091'],
      [1, 'early', 31, '0001193125-09-214859'],
    ])
    expect(text).toStartWith(
      'Known is what was filed before the date. 1 known, 1 stale, 1 restated, 1 early.',
    )
    expect(text).toContain(
      'Row 3, 2009-10-28 AAPL sales 42905: restated, 89 days; filed 2010-01-25 (0001193125-10-012091); known was 36537',
    )
    expect(structured.attribution[0]).toContain('EDGAR')
  })

  test('takes a metric by its name, and inclusive', async () => {
    const eve = { date: ['2009-10-27'], ticker: ['AAPL'], sales: [36537] }
    const args = { rows: eve, columns: { sales: 'revenue' } }
    const before = await tools.call('audit_rows', args)
    const on = await tools.call('audit_rows', { ...args, inclusive: true })
    expect([before.structured.counts, on.structured.counts]).toEqual([{ early: 1 }, { known: 1 }])
  })

  test('stays within its size and says what it leaves out', async () => {
    const times = 60
    const many = Object.fromEntries(
      Object.entries(rows).map(([name, values]) => [
        name,
        Array.from({ length: times }, () => values).flat(),
      ]),
    )
    const odd = Array.from({ length: 4 * times }, (_, at) => 7.77 + at)
    const args = { rows: { ...many, odd }, max_characters: 3_000 }
    const reply = await tools.call('audit_rows', args)
    expect([reply.isError, reply.characters <= 3_000]).toEqual([false, true])
    expect(reply.structured.left_out).toMatch(
      /name them in columns\): odd\. Shown: \d+ of the 100 worst cells\./,
    )
    expect(reply.text).toContain(reply.structured.left_out)
    expect(reply.structured.worst.length).toBeGreaterThan(1)
    expect(reply.structured.counts.early).toBe(times)
  })

  const refused: [object, string][] = [
    [{}, 'audit_rows needs rows, which is missing'],
    [{ rows: { ...rows, sales: [1] } }, 'sales'],
    [{ rows: { date: rows.date, ticker: rows.ticker } }, 'no column of numbers'],
    [{ rows, columns: { turnover: 'revenue' } }, 'columns names "turnover", which the rows do not have'],
    [{ rows, columns: { sales: 'revenues' } }, 'Did you mean revenue?'],
    [{ rows, columns: { sales: { metric: 'revenue', fp: 'H1' } } }, 'columns'],
    [{ rows: { date: Array.from({ length: 1001 }, () => '2010-01-01') } }, 'rows'],
  ]
  for (const [args, message] of refused) {
    test(`refuses ${JSON.stringify(args).slice(0, 80)}`, async () => {
      const { isError, text } = await tools.call('audit_rows', args)
      expect([isError, text]).toEqual([true, expect.stringContaining(message)])
      expect(text).not.toMatch(/\/api\/|code: internal/)
    })
  }

  test('is the same under the demo key, whose limits apply', async () => {
    const demo = await connectTools('http auto', { url: server.url, key: 'demo' })
    const own = await demo.call('audit_rows', { rows, columns })
    expect(own.isError ? own.text : own.structured.licence).toMatch(/[Ff]ree|licen/)
    await demo.close()
  })
})

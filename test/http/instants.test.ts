import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'
import { callers } from './callers.ts'
import { realServer } from './realServer.ts'

setDefaultTimeout(120_000)

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const keys = await callers(server.sql)

const get = (path: string) =>
  fetch(`${server.url}/api/v1/${path}`, { headers: { Authorization: keys.personal ?? '' } })

/* Apple's 10-Q 0001193125-10-012085 was accepted on 2010-01-25 at 16:24 in New York (sub.txt of 2010q1). */
const afterwards = 'ticker=AAPL&metric=revenue&fp=Q1&fy=2010&as_of=2010-01-25T16:26&tz=America/New_York'
const before = afterwards.replace('16:26', '16:23')

test('every format says by which rule a row counts at an instant, and none has the row before', async () => {
  for (const format of ['json', 'csv', 'ndjson', 'parquet']) {
    const rows = async (query: string) => {
      const answer = await get(`fundamentals?${query}&format=${format}`)
      expect([format, answer.status]).toEqual([format, 200])
      if (format === 'parquet') return parquetReadObjects({ file: await answer.arrayBuffer() })
      const text = await answer.text()
      if (format === 'json') return JSON.parse(text).data
      if (format === 'ndjson')
        return text
          .trim()
          .split('\n')
          .flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
          .filter(line => line.metric !== undefined || line.m !== undefined)
      return parse(text, { columns: true })
    }
    const found = await rows(afterwards)
    expect([format, found.map((row: Record<string, unknown>) => row.known_by)]).toEqual([format, ['time']])
    expect([format, await rows(before)]).toEqual([format, []])
  }
})

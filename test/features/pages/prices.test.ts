import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { importPrices } from '../../../src/features/prices/import/importPrices.ts'
import { changeAccess } from '../../../src/features/prices/setQueries.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import { findPriceSet } from '../../../src/prices/priceQueries.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'

setDefaultTimeout(180_000)

let server: RealServer
const markets = await loadMarkets()
beforeAll(async () => {
  server = await realServer()
  for (const name of ['open', 'closed'])
    await importPrices(
      server.sql,
      {
        name: 'secret-file.csv',
        body: new TextEncoder().encode(
          'date,symbol,close\n2013-01-02,AAPL,549.03\n2013-01-03,AAPL,542.1\n2014-01-02,AAPL,553.13\n2014-01-02,NOSUCH,1\n',
        ),
      },
      {
        name,
        currency: 'USD',
        basis: 'raw',
        known: 'date',
        adjustedOn: null,
        markets,
        now: () => new Date('2026-07-01T12:00:00Z'),
      },
    )
})
afterAll(() => server.stop(), 60_000)

const page = async (path: string) => {
  const response = await fetch(server.url + path, { headers: { Accept: 'text/html' } })
  return { status: response.status, text: await response.text(), headers: response.headers }
}
const show = async (name: string, licences: readonly string[]) => {
  const set = await findPriceSet(server.sql, name)
  if (set === null) throw new Error(`There is no set ${name}.`)
  await changeAccess(server.sql, set, { licences, allowed: [], denied: [] })
}

test('a set is on the pages of those who may see it, and its right ends at once', async () => {
  expect((await page('/prices')).text).toContain('There is no price set that you may see.')
  await show('open', ['demo'])
  const list = await page('/prices')
  expect(list.text).toContain('<a href="/prices/open">open</a>')
  expect(list.text).not.toContain('closed')
  expect(list.headers.get('cache-control')).toBe('private, no-store')
  const closed = await page('/prices/closed')
  const unknown = await page('/prices/nosuch')
  expect([closed.status, unknown.status]).toEqual([404, 404])
  expect(closed.text.replaceAll('closed', 'nosuch').replace(/[0-9a-f]{16}-\w+/g, '')).toBe(
    unknown.text.replace(/[0-9a-f]{16}-\w+/g, ''),
  )
  await show('open', [])
  expect((await page('/prices/open')).status).toBe(404)
})

test('what a set covers is counted by year and by security', async () => {
  await show('open', ['demo'])
  const { status, text } = await page('/prices/open')
  expect(status).toBe(200)
  const cells = [...text.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) =>
    cell.replace(/<[^>]*>/g, ''),
  )
  expect(cells.join('|')).toContain('2014|US|1|1|1')
  expect(cells.join('|')).toContain('2013|US|2|2|1')
  expect(cells.join('|')).toContain('AAPL|AAPL|2013-01-02|2014-01-02|3')
  expect(cells.join('|')).toContain('unknown|NOSUCH|2014-01-02|2014-01-02|1')
  // Names of files are the operator's.
  expect(text).not.toContain('secret-file')
})

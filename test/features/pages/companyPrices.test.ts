import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chartedCloses, type PriceRow, tickText } from '../../../src/features/pages/companyPrices/chart.ts'
import { importPrices } from '../../../src/features/prices/import/importPrices.ts'
import type { PriceImportOptions } from '../../../src/features/prices/import/priceImport.ts'
import { changeAccess } from '../../../src/features/prices/setQueries.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import { findPriceSet } from '../../../src/prices/priceQueries.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { type Member, memberWith } from '../account/members.ts'

setDefaultTimeout(180_000)

let server: RealServer
let reader: Member
let capped: Member
const markets = await loadMarkets()

const load = (name: string, text: string, change: Partial<PriceImportOptions> = {}) =>
  importPrices(
    server.sql,
    { name: 'prices.csv', body: new TextEncoder().encode(text) },
    {
      name,
      currency: 'USD',
      basis: 'raw',
      known: 'date',
      adjustedOn: null,
      markets,
      now: () => new Date('2026-07-01T12:00:00Z'),
      ...change,
    },
  )

const show = async (name: string, licences: readonly string[], allowed: readonly number[] = []) => {
  const set = await findPriceSet(server.sql, name)
  if (set === null) throw new Error(`There is no set ${name}.`)
  await changeAccess(server.sql, set, {
    licences,
    allowed: allowed.map(keyId => ({ keyId, email: null })),
    denied: [],
  })
}

beforeAll(async () => {
  server = await realServer()
  // Apple's closes around its split 4-for-1 and the dividend of 0.205 on 2020-11-06.
  await load(
    'open',
    [
      'date,symbol,close,split_factor,dividend,volume',
      '2020-08-27,AAPL,500.04,,,38888100',
      '2020-08-28,AAPL,499.23,,,46907500',
      '2020-08-31,AAPL,129.04,4,,225702700',
      '2020-09-01,AAPL,134.18,,,151948100',
      '2020-11-06,AAPL,118.69,,0.205,114457900',
      '',
    ].join('\n'),
  )
  await load('closed', 'date,symbol,close\n2020-08-28,AAPL,1.5\n')
  // A correction that became known two days after its day.
  await load('open', 'date,symbol,close,known\n2020-08-27,AAPL,500.05,2020-08-29\n', { known: null })
  await show('open', [])
  reader = await memberWith(server, server.sql, { licence: 'personal' })
  capped = await memberWith(server, server.sql, { licence: 'evaluation' })
  await server.sql`update key_grant set entity_cap = 1, expires_at = null where key_id = ${capped.keyId}`
})
afterAll(() => server.stop(), 60_000)

async function page(path: string, cookie = '') {
  const response = await fetch(server.url + path, {
    headers: { Accept: 'text/html', ...(cookie === '' ? {} : { Cookie: cookie }) },
  })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

/** Tables as rows of cells. */
const tables = (text: string) =>
  [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)]
      .map(([, cell]) => cell.replace(/<[^>]*>/g, ''))
      .join('|'),
  )

const withoutNonces = (text: string) => text.replace(/[0-9a-f]{16}-\w+/g, '')

describe('the prices of a company on its pages', () => {
  test('exist for those who may see a set, and end at once', async () => {
    const tab = 'href="/companies/AAPL/prices"'
    const nobody = await page('/companies/AAPL/prices')
    expect([nobody.status, nobody.text.includes('There is no price set that you may see.')]).toEqual([
      200,
      true,
    ])
    expect(nobody.text).not.toContain('500.0')
    expect((await page('/companies/AAPL')).text).not.toContain(tab)

    await show('open', [], [reader.keyId])
    await Bun.sleep(500)
    for (const path of ['', '/statements', '/segments']) {
      // First the reader, whose page must not come from a cache to others, and then the other way round.
      expect((await page(`/companies/AAPL${path}`, reader.cookie)).text).toContain(tab)
      expect((await page(`/companies/AAPL${path}`)).text).not.toContain(tab)
      expect((await page(`/companies/AAPL${path}`, reader.cookie)).text).toContain(tab)
    }
    const own = await page('/companies/AAPL/prices', reader.cookie)
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect(own.text).toContain('<strong>118.69 USD</strong> on 2020-11-06')
    expect(own.text).not.toContain('closed')
    expect((await page('/companies/AAPL/prices')).text).not.toContain('118.69')

    const closed = await page('/companies/AAPL/prices?set=closed', reader.cookie)
    const unknown = await page('/companies/AAPL/prices?set=nosuch', reader.cookie)
    expect([closed.status, unknown.status]).toEqual([404, 404])
    expect(withoutNonces(closed.text.replaceAll('closed', 'nosuch'))).toBe(withoutNonces(unknown.text))

    const set = await findPriceSet(server.sql, 'open')
    if (set === null) throw new Error('There is no set.')
    await changeAccess(server.sql, set, {
      licences: null,
      allowed: [],
      denied: [{ keyId: reader.keyId, email: null }],
    })
    expect((await page('/companies/AAPL/prices', reader.cookie)).text).not.toContain('118.69')
  })

  test('show closes, splits, dividends and when each was known, as known on the day of the page', async () => {
    await show('open', ['demo'])
    const today = await page('/companies/AAPL/prices')
    expect(tables(today.text)).toEqual([
      'Day|Close|Volume|Known',
      '2020-11-06|118.69|114,457,900|2020-11-06',
      '2020-09-01|134.18|151,948,100|2020-09-01',
      '2020-08-31|129.04|225,702,700|2020-08-31',
      '2020-08-28|499.23|46,907,500|2020-08-28',
      // Its file has no column of volumes, so that of the first one stays.
      '2020-08-27|500.05|38,888,100|2020-08-29',
      'Day|New shares for one|Dividend per share|Known',
      '2020-11-06||0.205|2020-11-06',
      '2020-08-31|4||2020-08-31',
    ])
    // 500.05 / 4 in the shares after the split.
    expect(today.text).toContain('From 125.01 on 2020-08-27 to 118.69 USD on 2020-11-06.')
    expect(today.text.match(/<svg class="chart (wide|narrow)"/g)).toHaveLength(2)
    const before = await page('/companies/AAPL/prices?as_of=2020-08-28')
    expect(tables(before.text)).toEqual([
      'Day|Close|Volume|Known',
      '2020-08-28|499.23|46,907,500|2020-08-28',
      '2020-08-27|500.04|38,888,100|2020-08-27',
    ])
    // Nobody knew the split on that day.
    expect(before.text).toContain('From 500.04 on 2020-08-27 to 499.23 USD on 2020-08-28.')
    expect(before.text).toContain('As known on 2020-08-28.')
    for (const later of ['118.69', '129.04', '500.05']) expect(before.text).not.toContain(later)
    // An instant of a day sees the days that had ended.
    const noon = await page('/companies/AAPL/prices?as_of=2020-08-28T12:00&tz=America/New_York')
    expect([noon.status, noon.text.includes('500.04'), noon.text.includes('499.23')]).toEqual([
      200,
      true,
      false,
    ])
    const early = await page('/companies/AAPL/prices?as_of=2020-08-01')
    expect(early.text).toContain('No price of AAPL was known then.')
    // The pages of a day lead to the prices of that day.
    expect((await page('/companies/AAPL?as_of=2020-08-28')).text).toContain(
      'href="/companies/AAPL/prices?as_of=2020-08-28"',
    )
    expect(before.text).toContain('href="/companies/AAPL?as_of=2020-08-28"')
  })

  test('of a single day have no chart, and no sentence about one', async () => {
    await show('open', ['demo'])
    const { text } = await page('/companies/AAPL/prices?as_of=2020-08-27')
    expect(text).toContain('>Latest close</h3>')
    for (const absent of ['The chart shows', '1 days', '<svg class="chart', 'Another set'])
      expect(text).not.toContain(absent)
  })

  test('of two securities that ended on one day are in the order of the API', async () => {
    await load(
      'classes',
      'date,symbol,close\n2020-08-28,GOOG,2\n2020-08-28,GOOGL,1\n2020-08-31,GOOG,2\n2020-08-31,GOOGL,1\n',
    )
    await show('classes', ['demo'])
    const { text } = await page('/companies/GOOGL/prices?set=classes')
    const api = await fetch(`${server.url}/api/v1/prices/classes?ticker=GOOGL`, {
      headers: { Authorization: 'Bearer demo' },
    })
    const { data } = (await api.json()) as { data: { symbol: string }[] }
    expect([...text.matchAll(/<h2 id="security-\d+">(.*?)</g)].map(([, symbol]) => symbol)).toEqual([
      ...new Set(data.map(({ symbol }) => symbol)),
    ])
  })

  test('are those of the API, and bad requests say what is wrong', async () => {
    await show('open', ['demo'])
    const api = await fetch(`${server.url}/api/v1/prices/open?ticker=AAPL&as_of=2020-09-01`, {
      headers: { Authorization: 'Bearer demo' },
    })
    const { data } = (await api.json()) as { data: { date: string; close: number }[] }
    const shown = await page('/companies/AAPL/prices?as_of=2020-09-01')
    for (const { date, close } of data)
      expect(tables(shown.text).some(row => row.startsWith(`${date}|${close}|`))).toBe(true)
    for (const [path, status, words] of [
      ['/companies/NOTHING/prices', 404, 'NOTHING'],
      ['/companies/AAPL/prices?as_of=2999-01-01', 400, 'future'],
      ['/companies/AAPL/prices?as_of=yesterday', 400, 'as_of'],
      ['/companies/AAPL/prices?set=No%20name', 400, 'set'],
      ['/companies/AAPL/prices?fp=FY', 400, 'fp'],
    ] as const) {
      const refused = await page(path)
      expect([path, refused.status, refused.text.includes(words)]).toEqual([path, status, true])
    }
  })

  test('count the company against a cap before a price is read', async () => {
    await show('open', ['evaluation'])
    expect((await page('/companies/AAPL/prices', capped.cookie)).text).toContain('118.69')
    const other = await page('/companies/SNOW/prices', capped.cookie)
    expect([other.status, other.text.includes('entity_cap_reached')]).toEqual([403, true])
  })
})

test('charted closes are divided by the splits after them, and by none where the closes as traded are unknown', () => {
  const row = (date: string, close: number | null, factor = 1, traded = close): PriceRow => ({
    date,
    ticker: 'X',
    symbol: 'X',
    close,
    close_as_traded: traded,
    volume: null,
    split_factor: factor,
    dividend: 0,
    delisting_return: null,
    known: date,
  })
  const rows = [
    row('2020-01-01', 800),
    row('2020-01-02', null, 2),
    row('2020-01-03', 410),
    row('2020-01-04', 100, 4),
    row('2020-01-05', 101),
  ]
  expect(chartedCloses(rows)).toEqual({ isAdjusted: true, closes: [100, null, 102.5, 100, 101] })
  // A set adjusted for splits states 100 where 800 was paid.
  const adjusted = [row('2020-01-01', 100, 1, 800), row('2020-01-02', 101, 8, 101)]
  expect(chartedCloses(adjusted)).toEqual({ isAdjusted: true, closes: [100, 101] })
  const total = [row('2020-01-01', 90, 1, null), row('2020-01-02', 100, 2, null)]
  expect(chartedCloses(total)).toEqual({ isAdjusted: false, closes: [90, 100] })
})

test('ticks of a price chart are exact and short enough for its margin', () => {
  const ticks = (step: number, values: readonly number[]) => values.map(value => tickText(value, step))
  expect(ticks(20, [0, 40, 1_240])).toEqual(['0', '40', '1,240'])
  expect(ticks(0.5, [10.5, 11])).toEqual(['10.5', '11.0'])
  expect(ticks(20_000, [0, 680_000, 1_000_000])).toEqual(['0', '680K', '1M'])
  expect(ticks(500, [99_500, 100_000, 700_500])).toEqual(['99,500', '100K', '700.5K'])
  expect(ticks(0.0002, [0, 0.0012])).toEqual(['0', '0.0012'])
  expect(ticks(0.00001, [0.00009, 0.00012])).toEqual(['9E-5', '1.2E-4'])
})

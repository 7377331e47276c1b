import { test } from 'bun:test'
import { importPrices } from '../src/features/prices/import/importPrices.ts'
import { changeAccess } from '../src/features/prices/setQueries.ts'
import { loadMarkets } from '../src/markets/markets.ts'
import { findPriceSet } from '../src/prices/priceQueries.ts'
import { chromiumPath, openChromium } from './chromium.ts'
import { realServer } from './http/realServer.ts'

test('shots', async () => {
  const server = await realServer()
  const lines = ['date,symbol,close,split_factor,dividend']
  for (let day = Date.parse('2010-01-04'); day < Date.parse('2017-01-01'); day += 86400000) {
    const d = new Date(day)
    if (d.getUTCDay() % 6 === 0) continue
    for (const [i, s] of ['AAPL', 'GOOG', 'MSFT', 'NOSUCH'].entries())
      lines.push(
        `${d.toISOString().slice(0, 10)},${s},${(100 + i * 20 + 30 * Math.sin(day / 1e10 + i)).toFixed(2)},1,0`,
      )
  }
  for (const name of ['daily-us', 'vendor-b']) {
    await importPrices(
      server.sql,
      { name: 'x.csv', body: new TextEncoder().encode(lines.join('\n')) },
      {
        name,
        currency: 'USD',
        basis: 'raw',
        known: 'date',
        adjustedOn: null,
        markets: await loadMarkets(),
        now: () => new Date('2026-07-01T12:00:00Z'),
      },
    )
    const set = await findPriceSet(server.sql, name)
    if (set && (name === 'daily-us' || process.env.BOTH))
      await changeAccess(server.sql, set, { licences: ['demo'], allowed: [], denied: [] })
  }
  const browser = await openChromium(chromiumPath() ?? '')
  for (const scheme of ['light', 'dark'] as const)
    for (const width of [1200, 390]) {
      const page = await browser.newPage({ viewport: { width, height: 1100 }, colorScheme: scheme })
      for (const [name, path] of (process.env.PATHS ?? 'list=/prices,set=/prices/daily-us')
        .split(',')
        .map(x => x.split('='))) {
        await page.goto(server.url + path)
        await page.screenshot({
          path: `/tmp/shot-${name}-${scheme}-${width}.png`,
          fullPage: process.env.FULL === '1',
        })
        const wide = await page.evaluate('document.documentElement.scrollWidth')
        console.log(name, scheme, width, wide)
      }
      await page.close()
    }
  await browser.close()
  await server.stop()
}, 180000)

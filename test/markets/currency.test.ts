import { expect, test } from 'bun:test'
import { unitOf } from '../../src/features/backtests/score.ts'
import { currencyOf } from '../../src/markets/currency.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import { nonEmpty } from '../nonEmpty.ts'

test('every market has a currency of its own, which is the unit of its amounts', async () => {
  const markets = await loadMarkets()
  const currencies = Object.fromEntries(markets.manifests.map(one => [one.code, currencyOf(one)]))
  // ISO 4217, by country.
  expect(currencies).toEqual({
    ...{ BE: 'EUR', DK: 'DKK', FR: 'EUR', JP: 'JPY', KR: 'KRW', NZ: 'NZD', TW: 'TWD', US: 'USD' },
  })
  const [revenue, eps] = ['revenue', 'eps'].map(name => markets.metrics.get(name))
  for (const manifest of nonEmpty(markets.manifests)) {
    if (revenue === undefined || eps === undefined) throw new Error('no such metric')
    expect(unitOf(revenue, manifest)).toBe(currencies[manifest.code] ?? '')
    expect(unitOf(eps, manifest)).toBe(`${currencies[manifest.code]}/shares`)
  }
})

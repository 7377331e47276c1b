import { expect, test } from 'bun:test'
import { concepts, usRules, usUses } from '../../../../src/ingest/registers/us/concepts.ts'
import { loadMarkets } from '../../../../src/markets/markets.ts'
import { canonicalMetrics } from '../../../../src/markets/metrics.ts'

test('the table maps tags to exactly the metrics that the manifest promises, of the same kind and unit', async () => {
  const manifest = (await loadMarkets()).get('US')
  const promised = [...canonicalMetrics, ...(manifest?.metrics ?? [])]
  expect(Object.keys(concepts).sort()).toEqual(promised.map(metric => metric.name).sort())
  const units = { money: 'currency', perShare: 'currency/share', shares: 'shares' } as const
  for (const metric of promised) {
    const { kind, unitKind } = concepts[metric.name]
    expect([metric.name, kind === 'flow' ? 'flow' : 'stock', units[unitKind]]).toEqual([
      metric.name,
      metric.kind,
      metric.unit,
    ])
  }
})

test('the manifest lists every flow as one that may be stated year to date', async () => {
  const manifest = (await loadMarkets()).get('US')
  const flows = Object.entries(concepts).filter(([, concept]) => concept.kind === 'flow')
  expect([...(manifest?.year_to_date ?? [])].sort()).toEqual(flows.map(([name]) => name).sort())
})

test('tags stand in the order of preference that the register table names', () => {
  const ranks = [
    'RevenueFromContractWithCustomerExcludingAssessedTax',
    'Revenues',
    'SalesRevenueNet',
    'InterestAndDividendIncomeOperating',
  ].map(tag => usRules.rank('revenue', `us-gaap:${tag}`))
  expect(ranks).toEqual([...ranks].sort((a, b) => a - b))
  expect(usRules.group('revenue', 'us-gaap:SalesRevenueNet')).toBe(0)
  expect(usRules.group('revenue', 'us-gaap:InterestAndDividendIncomeOperating')).toBeGreaterThan(0)
  expect(usUses('us-gaap:NoSuchTag')).toBeUndefined()
})

test('no difference is taken of shares and per-share figures', () => {
  for (const name of ['eps', 'eps_diluted', 'dividends_per_share', 'shares_basic', 'shares_outstanding']) {
    expect(usRules.rule(name).additive).toBe(false)
  }
})

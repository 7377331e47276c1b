import { expect, test } from 'bun:test'
import { concepts, usesOfTag } from '../../../../src/ingest/registers/us/concepts.ts'
import { usRegister } from '../../../../src/ingest/registers/us/register.ts'
import { loadMarkets } from '../../../../src/markets/markets.ts'
import { canonicalMetrics, computedMetrics } from '../../../../src/markets/metrics.ts'
import { nonEmpty } from '../../../nonEmpty.ts'

test('the table maps tags to exactly the metrics that the manifest promises, of the same kind and unit', async () => {
  const manifest = (await loadMarkets()).get('US')
  // A computed metric that some filers state.
  const both = computedMetrics.filter(({ name }) => name in concepts)
  const promised = [...canonicalMetrics, ...(manifest?.metrics ?? []), ...both]
  expect(Object.keys(concepts).sort()).toEqual(promised.map(metric => metric.name).sort())
  const units = { money: 'currency', perShare: 'currency/share', shares: 'shares' } as const
  for (const metric of nonEmpty(promised)) {
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

test('tags are in order of preference', () => {
  const ranks = [
    'RevenueFromContractWithCustomerExcludingAssessedTax',
    'Revenues',
    'SalesRevenueNet',
    'InterestAndDividendIncomeOperating',
  ].map(tag => usRegister.rules.rank('revenue', `us-gaap:${tag}`))
  expect(ranks).toEqual([...ranks].sort((a, b) => a - b))
  expect(usRegister.rules.group('revenue', 'us-gaap:SalesRevenueNet')).toBe(0)
  expect(usRegister.rules.group('revenue', 'us-gaap:InterestAndDividendIncomeOperating')).toBeGreaterThan(0)
  expect(usesOfTag('us-gaap:NoSuchTag')).toBeUndefined()
})

test('shares and per-share figures are not additive', () => {
  for (const name of ['eps', 'eps_diluted', 'dividends_per_share', 'shares_basic', 'shares_outstanding']) {
    expect(usRegister.rules.rule(name).additive).toBe(false)
  }
})

import { expect, test } from 'bun:test'
import { concepts, usesOfTag } from '../../../../src/ingest/registers/jp/concepts.ts'
import { jpRegister } from '../../../../src/ingest/registers/jp/register.ts'
import { loadMarkets } from '../../../../src/markets/markets.ts'
import { canonicalMetrics } from '../../../../src/markets/metrics.ts'

test('the table has exactly the metrics that the manifest promises, of the same kind and unit', async () => {
  const manifest = (await loadMarkets()).get('JP')
  const unstated = new Set(manifest?.unstated)
  const promised = [...canonicalMetrics, ...(manifest?.metrics ?? [])].filter(
    ({ name }) => !unstated.has(name),
  )
  const units = { money: 'currency', perShare: 'currency/share', shares: 'shares' } as const
  const mapped = Object.entries(concepts).map(([name, { kind, unitKind }]) => ({
    name,
    kind: kind === 'flow' ? 'flow' : 'stock',
    unit: units[unitKind],
  }))
  expect(mapped.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
    promised
      .map(({ name, kind, unit }) => ({ name, kind: String(kind), unit }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)) as typeof mapped,
  )
  expect(manifest?.status).toBe('served')
})

// ../shared/registers/README.md names these elements for each metric.
test('the preferred elements of each metric', () => {
  const table: Record<string, string> = {
    revenue: 'jppfs_cor:NetSales jpigp_cor:RevenueIFRS',
    gross_profit: 'jppfs_cor:GrossProfit jpigp_cor:GrossProfitIFRS',
    operating_income: 'jppfs_cor:OperatingIncome jpigp_cor:OperatingProfitLossIFRS',
    net_income:
      'jppfs_cor:ProfitLossAttributableToOwnersOfParent jpigp_cor:ProfitLossAttributableToOwnersOfParentIFRS',
    assets: 'jppfs_cor:Assets jpigp_cor:AssetsIFRS jpcrp_cor:TotalAssetsUSGAAPSummaryOfBusinessResults',
    liabilities: 'jppfs_cor:Liabilities jpigp_cor:LiabilitiesIFRS',
    equity: 'jppfs_cor:NetAssets jpigp_cor:EquityIFRS',
    current_assets: 'jppfs_cor:CurrentAssets jpigp_cor:CurrentAssetsIFRS',
    cash: 'jppfs_cor:CashAndDeposits jpigp_cor:CashAndCashEquivalentsIFRS',
    eps: 'jpcrp_cor:BasicEarningsLossPerShareSummaryOfBusinessResults jpcrp_cor:BasicEarningsLossPerShareIFRSSummaryOfBusinessResults',
  }
  for (const [metric, tags] of Object.entries(table)) {
    for (const tag of tags.split(' ')) {
      expect(usesOfTag(tag)?.map(use => use.metric)).toContain(metric)
      expect(jpRegister.rules.group(metric, tag)).toBe(0)
    }
  }
})

test("the company's own figure is used where the group has none and never replaces the group's", () => {
  expect(jpRegister.rules.group('revenue', 'jppfs_cor:NetSales_NonConsolidatedMember')).toBe(1)
  // The profit of a group includes that of minority interests; the company alone has none.
  expect(usesOfTag('jppfs_cor:ProfitLoss')).toBeUndefined()
  expect(jpRegister.rules.group('net_income', 'jppfs_cor:ProfitLoss_NonConsolidatedMember')).toBe(1)
})

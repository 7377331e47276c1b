import { type Concept, conceptTable, flow, perShare, stock } from '../../reading/conceptTable.ts'

const pfs = (names: string) => names.split(/\s+/).map(name => `jppfs_cor:${name}`)
const igp = (names: string) => names.split(/\s+/).map(name => `jpigp_cor:${name}`)
/** Rows of the five-year summary, the only figures that a report states for its older years. */
const summary = (names: string) => names.split(/\s+/).map(name => `jpcrp_cor:${name}SummaryOfBusinessResults`)

/** The tag of a figure of the company alone, with the suffix of the register's context IDs. */
export const soloTag = (tag: string) => `${tag}_NonConsolidatedMember`

/** Figures of the company alone are used if the group has none, and never replace the group's. */
const groupThenSolo = (
  make: (...tagGroups: (readonly string[])[]) => Concept,
  group: readonly string[],
  solo: readonly string[] = group,
) => make(group, solo.map(soloTag))

/**
 * Elements of EDINET's taxonomies by metric. Toyota states its revenue, 営業収益, under its own elements, which
 * were checked against its report S100VWVY.
 */
export const concepts = {
  revenue: groupThenSolo(flow, [
    ...pfs('NetSales'),
    ...igp('RevenueIFRS NetSalesIFRS Revenue2IFRS'),
    'jpcrp030000-asr_E02144-000:TotalNetRevenuesIFRS',
    ...summary('NetSales RevenueIFRS RevenuesUSGAAP'),
    'jpcrp030000-asr_E02144-000:OperatingRevenuesIFRSKeyFinancialData',
  ]),
  gross_profit: groupThenSolo(flow, [...pfs('GrossProfit'), ...igp('GrossProfitIFRS')]),
  operating_income: groupThenSolo(flow, [
    ...pfs('OperatingIncome'),
    ...igp('OperatingProfitLossIFRS'),
    ...summary('OperatingProfitLossIFRS OperatingIncomeLossUSGAAP'),
  ]),
  net_income: groupThenSolo(
    flow,
    [
      ...pfs('ProfitLossAttributableToOwnersOfParent'),
      ...igp('ProfitLossAttributableToOwnersOfParentIFRS'),
      ...summary('ProfitLossAttributableToOwnersOfParent ProfitLossAttributableToOwnersOfParentIFRS'),
      ...summary('NetIncomeLossAttributableToOwnersOfParentUSGAAP'),
    ],
    [...pfs('ProfitLoss'), ...igp('ProfitLossIFRS'), ...summary('NetIncomeLoss')],
  ),
  eps: groupThenSolo(perShare, [
    ...igp('BasicEarningsLossPerShareIFRS BasicAndDilutedEarningsLossPerShareIFRS'),
    ...summary('BasicEarningsLossPerShare BasicEarningsLossPerShareIFRS BasicEarningsLossPerShareUSGAAP'),
  ]),
  eps_diluted: groupThenSolo(perShare, [
    ...igp('DilutedEarningsLossPerShareIFRS BasicAndDilutedEarningsLossPerShareIFRS'),
    ...summary('DilutedEarningsPerShare DilutedEarningsLossPerShareIFRS DilutedEarningsLossPerShareUSGAAP'),
  ]),
  assets: groupThenSolo(stock, [
    ...pfs('Assets'),
    ...igp('AssetsIFRS'),
    ...summary('TotalAssets TotalAssetsIFRS TotalAssetsUSGAAP'),
  ]),
  current_assets: groupThenSolo(stock, [...pfs('CurrentAssets'), ...igp('CurrentAssetsIFRS')]),
  // The summary's cash under Japanese GAAP is that of the cash flow statement, not 現金及び預金 of the balance
  // sheet.
  cash: groupThenSolo(stock, [
    ...pfs('CashAndDeposits'),
    ...igp('CashAndCashEquivalentsIFRS'),
    ...summary('CashAndCashEquivalentsIFRS CashAndCashEquivalentsUSGAAP'),
  ]),
  liabilities: groupThenSolo(stock, [...pfs('Liabilities'), ...igp('LiabilitiesIFRS')]),
  current_liabilities: groupThenSolo(stock, [
    ...pfs('CurrentLiabilities'),
    ...igp('TotalCurrentLiabilitiesIFRS'),
  ]),
  // The whole group's equity including minority interests, so that it adds up with the liabilities. The IFRS
  // summary's figure for the parent's owners alone is a different one.
  equity: groupThenSolo(stock, [
    ...pfs('NetAssets'),
    ...igp('EquityIFRS'),
    ...summary('NetAssets TotalEquityIFRS'),
    ...summary('EquityIncludingPortionAttributableToNonControllingInterestUSGAAP'),
  ]),
  operating_cash_flow: groupThenSolo(flow, [
    ...pfs('NetCashProvidedByUsedInOperatingActivities'),
    ...igp('NetCashProvidedByUsedInOperatingActivitiesIFRS'),
    ...summary('NetCashProvidedByUsedInOperatingActivities CashFlowsFromUsedInOperatingActivitiesIFRS'),
    ...summary('CashFlowsFromUsedInOperatingActivitiesUSGAAP'),
  ]),
} as const

// Forms are EDINET's document types: 120 for an annual securities report, 130 for its amendment.
export const { rules, usesOfTag } = conceptTable(concepts, {
  annualForm: /^1[23]0$/,
  quarterlyForm: /^$/,
})

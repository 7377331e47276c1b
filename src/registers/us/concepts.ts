import type { MetricRule, MetricRules } from '../../model/statement.ts'

export type UnitKind = 'money' | 'perShare' | 'shares'

export interface Concept extends MetricRule {
  readonly unitKind: UnitKind
  /** Groups of tags that mean the same, each in order of preference; a later group stands in for a missing
   * earlier one and never replaces it. */
  readonly tagGroups: readonly (readonly string[])[]
}

const gaap = (names: string) => names.split(/\s+/).map(name => `us-gaap:${name}`)
const ifrs = (names: string) => names.split(/\s+/).map(name => `ifrs-full:${name}`)

const concept = (kind: 'flow' | 'instant', unitKind: UnitKind, ...tagGroups: string[][]): Concept => ({
  kind,
  unitKind,
  additive: unitKind === 'money',
  tagGroups,
})
const flow = (...tagGroups: string[][]) => concept('flow', 'money', ...tagGroups)
const stock = (...tagGroups: string[][]) => concept('instant', 'money', ...tagGroups)

/** Which tags of us-gaap, ifrs-full and dei say which metric. */
export const concepts: Readonly<Record<string, Concept>> = {
  revenue: flow(
    [
      ...gaap('RevenueFromContractWithCustomerExcludingAssessedTax Revenues SalesRevenueNet'),
      ...gaap('RevenueFromContractWithCustomerIncludingAssessedTax'),
      ...ifrs('Revenue'),
    ],
    gaap('RevenuesNetOfInterestExpense SalesRevenueGoodsNet SalesRevenueServicesNet'),
    gaap('RealEstateRevenueNet HealthCareOrganizationRevenue RegulatedAndUnregulatedOperatingRevenue'),
    gaap('UtilityRevenue ElectricUtilityRevenue OilAndGasRevenue RevenueMineralSales'),
    gaap('InterestAndDividendIncomeOperating'),
    ifrs('RevenueFromContractsWithCustomers RentalIncomeFromInvestmentProperty RevenueFromInterest'),
  ),
  gross_profit: flow([...gaap('GrossProfit'), ...ifrs('GrossProfit')]),
  operating_income: flow([...gaap('OperatingIncomeLoss'), ...ifrs('ProfitLossFromOperatingActivities')]),
  net_income: flow(
    [...gaap('NetIncomeLoss'), ...ifrs('ProfitLoss')],
    gaap('ProfitLoss'),
    gaap('NetIncomeLossAvailableToCommonStockholdersBasic'),
    ifrs('ProfitLossAttributableToOwnersOfParent'),
  ),
  eps: concept(
    'flow',
    'perShare',
    [
      ...gaap('EarningsPerShareBasic EarningsPerShareBasicAndDiluted'),
      ...ifrs('BasicEarningsLossPerShare BasicAndDilutedEarningsLossPerShare'),
    ],
    gaap('IncomeLossFromContinuingOperationsPerBasicShare'),
  ),
  eps_diluted: concept(
    'flow',
    'perShare',
    [
      ...gaap('EarningsPerShareDiluted EarningsPerShareBasicAndDiluted'),
      ...ifrs('DilutedEarningsLossPerShare BasicAndDilutedEarningsLossPerShare'),
    ],
    gaap('IncomeLossFromContinuingOperationsPerDilutedShare'),
  ),
  assets: stock([...gaap('Assets'), ...ifrs('Assets')]),
  current_assets: stock([...gaap('AssetsCurrent'), ...ifrs('CurrentAssets')]),
  cash: stock(
    [...gaap('CashAndCashEquivalentsAtCarryingValue'), ...ifrs('CashAndCashEquivalents')],
    gaap('CashAndDueFromBanks Cash'),
  ),
  liabilities: stock([...gaap('Liabilities'), ...ifrs('Liabilities')]),
  current_liabilities: stock([...gaap('LiabilitiesCurrent'), ...ifrs('CurrentLiabilities')]),
  equity: stock(
    [...gaap('StockholdersEquity'), ...ifrs('Equity')],
    gaap('StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest'),
    gaap('PartnersCapital MembersEquity PartnersCapitalIncludingPortionAttributableToNoncontrollingInterest'),
    ifrs('EquityAttributableToOwnersOfParent'),
  ),
  operating_cash_flow: flow(
    [
      ...gaap('NetCashProvidedByUsedInOperatingActivities'),
      ...ifrs('CashFlowsFromUsedInOperatingActivities'),
    ],
    gaap('NetCashProvidedByUsedInOperatingActivitiesContinuingOperations'),
    ifrs('CashFlowsFromUsedInOperations'),
  ),
  shares_outstanding: concept('instant', 'shares', [
    'dei:EntityCommonStockSharesOutstanding',
    ...gaap('CommonStockSharesOutstanding'),
    ...ifrs('NumberOfSharesOutstanding'),
  ]),
  cost_of_revenue: flow(
    [...gaap('CostOfRevenue CostOfGoodsAndServicesSold CostOfGoodsSold'), ...ifrs('CostOfSales')],
    gaap('CostOfServices'),
  ),
  research_and_development: flow([
    ...gaap('ResearchAndDevelopmentExpense ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost'),
    ...ifrs('ResearchAndDevelopmentExpense'),
  ]),
  selling_general_administrative: flow([
    ...gaap('SellingGeneralAndAdministrativeExpense'),
    ...ifrs('SellingGeneralAndAdministrativeExpense'),
  ]),
  operating_expenses: flow([...gaap('OperatingExpenses'), ...ifrs('OperatingExpense')]),
  interest_expense: flow(
    [...gaap('InterestExpense'), ...ifrs('InterestExpense')],
    gaap('InterestExpenseNonoperating InterestAndDebtExpense InterestExpenseDebt'),
    ifrs('FinanceCosts'),
  ),
  income_tax: flow([...gaap('IncomeTaxExpenseBenefit'), ...ifrs('IncomeTaxExpenseContinuingOperations')]),
  pretax_income: flow(
    [
      ...gaap('IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest'),
      ...ifrs('ProfitLossBeforeTax'),
    ],
    gaap(
      'IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments',
    ),
  ),
  inventory: stock([...gaap('InventoryNet'), ...ifrs('Inventories')]),
  receivables: stock(
    [...gaap('AccountsReceivableNetCurrent'), ...ifrs('CurrentTradeReceivables')],
    [...gaap('ReceivablesNetCurrent AccountsNotesAndLoansReceivableNetCurrent')],
    ifrs('TradeAndOtherCurrentReceivables'),
  ),
  payables: stock(
    [...gaap('AccountsPayableCurrent AccountsPayableTradeCurrent')],
    gaap('AccountsPayable AccountsPayableCurrentAndNoncurrent AccountsPayableAndAccruedLiabilitiesCurrent'),
    ifrs('TradeAndOtherCurrentPayables TradeAndOtherPayables'),
  ),
  property_plant_equipment: stock(
    [...gaap('PropertyPlantAndEquipmentNet'), ...ifrs('PropertyPlantAndEquipment')],
    gaap(
      'PropertyPlantAndEquipmentAndFinanceLeaseRightOfUseAssetAfterAccumulatedDepreciationAndAmortization',
    ),
  ),
  goodwill: stock([...gaap('Goodwill'), ...ifrs('Goodwill')]),
  long_term_debt: stock(
    [...gaap('LongTermDebtNoncurrent'), ...ifrs('LongtermBorrowings')],
    gaap('LongTermDebtAndCapitalLeaseObligations LongTermDebt'),
    ifrs('NoncurrentPortionOfNoncurrentBorrowings'),
  ),
  retained_earnings: stock([...gaap('RetainedEarningsAccumulatedDeficit'), ...ifrs('RetainedEarnings')]),
  investing_cash_flow: flow(
    [
      ...gaap('NetCashProvidedByUsedInInvestingActivities'),
      ...ifrs('CashFlowsFromUsedInInvestingActivities'),
    ],
    gaap('NetCashProvidedByUsedInInvestingActivitiesContinuingOperations'),
  ),
  financing_cash_flow: flow(
    [
      ...gaap('NetCashProvidedByUsedInFinancingActivities'),
      ...ifrs('CashFlowsFromUsedInFinancingActivities'),
    ],
    gaap('NetCashProvidedByUsedInFinancingActivitiesContinuingOperations'),
  ),
  capital_expenditure: flow(
    [
      ...gaap('PaymentsToAcquirePropertyPlantAndEquipment'),
      ...ifrs('PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities'),
    ],
    gaap('PaymentsToAcquireProductiveAssets'),
  ),
  depreciation_amortization: flow(
    [
      ...gaap('DepreciationDepletionAndAmortization'),
      ...gaap('DepreciationAmortizationAndAccretionNet DepreciationAndAmortization'),
      ...ifrs('DepreciationAndAmortisationExpense AdjustmentsForDepreciationAndAmortisationExpense'),
    ],
    gaap('Depreciation'),
  ),
  stock_based_compensation: flow(
    [...gaap('ShareBasedCompensation'), ...ifrs('AdjustmentsForSharebasedPayments')],
    gaap('AllocatedShareBasedCompensationExpense'),
  ),
  dividends_paid: flow(
    [...gaap('PaymentsOfDividends'), ...ifrs('DividendsPaidClassifiedAsFinancingActivities')],
    gaap('PaymentsOfDividendsCommonStock'),
  ),
  share_repurchases: flow([
    ...gaap('PaymentsForRepurchaseOfCommonStock'),
    ...ifrs('PaymentsToAcquireOrRedeemEntitysShares'),
  ]),
  shares_basic: concept('flow', 'shares', [
    ...gaap('WeightedAverageNumberOfSharesOutstandingBasic'),
    ...gaap('WeightedAverageNumberOfShareOutstandingBasicAndDiluted'),
    ...ifrs('WeightedAverageShares'),
  ]),
  shares_diluted: concept('flow', 'shares', [
    ...gaap('WeightedAverageNumberOfDilutedSharesOutstanding'),
    ...gaap('WeightedAverageNumberOfShareOutstandingBasicAndDiluted'),
    ...ifrs('AdjustedWeightedAverageShares'),
  ]),
  dividends_per_share: concept(
    'flow',
    'perShare',
    [...gaap('CommonStockDividendsPerShareDeclared'), ...ifrs('DividendsPaidOrdinarySharesPerShare')],
    gaap('CommonStockDividendsPerShareCashPaid'),
  ),
}

export interface TagUse {
  /** The tag itself, the same string every time: a piece cut from a file would keep the file in memory. */
  readonly tag: string
  readonly metric: string
  readonly concept: Concept
}

interface Place {
  readonly rank: number
  readonly group: number
}

const uses = new Map<string, TagUse[]>()
const places = new Map<string, Map<string, Place>>()
for (const [metric, entry] of Object.entries(concepts)) {
  const ofMetric = new Map<string, Place>()
  places.set(metric, ofMetric)
  for (const [group, tags] of entry.tagGroups.entries()) {
    for (const tag of tags) {
      ofMetric.set(tag, { rank: ofMetric.size, group })
      const known = uses.get(tag)
      if (known) known.push({ tag, metric, concept: entry })
      else uses.set(tag, [{ tag, metric, concept: entry }])
    }
  }
}

/** The metrics that a tag (`us-gaap:Revenues`) can say; none for a tag that the service does not carry. */
export const usesOfTag = (tag: string): readonly TagUse[] | undefined => uses.get(tag)

const unknownPlace: Place = { rank: Number.MAX_SAFE_INTEGER, group: Number.MAX_SAFE_INTEGER }
const placeOf = (metric: string, tag: string) => places.get(metric)?.get(tag) ?? unknownPlace

/** The table above as deriving facts asks for it. */
export const usRules: MetricRules = {
  rule: metric => concepts[metric],
  rank: (metric, tag) => placeOf(metric, tag).rank,
  group: (metric, tag) => placeOf(metric, tag).group,
}

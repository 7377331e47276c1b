import {
  averageShares,
  type Concepts,
  conceptTable,
  flow,
  perShare,
  sharesOnDay,
  stock,
} from '../../reading/conceptTable.ts'

const gaap = (names: string) => names.split(/\s+/).map(name => `us-gaap:${name}`)
const ifrs = (names: string) => names.split(/\s+/).map(name => `ifrs-full:${name}`)

/** Tags of us-gaap, ifrs-full and dei by metric. */
export const concepts: Concepts = {
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
  eps: perShare(
    [
      ...gaap('EarningsPerShareBasic EarningsPerShareBasicAndDiluted'),
      ...ifrs('BasicEarningsLossPerShare BasicAndDilutedEarningsLossPerShare'),
    ],
    gaap('IncomeLossFromContinuingOperationsPerBasicShare'),
  ),
  eps_diluted: perShare(
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
  shares_outstanding: sharesOnDay([
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
  // No IFRS tag is mapped here: Logistic Properties states all of its debt, including the current part, as
  // LongtermBorrowings.
  long_term_debt_noncurrent: stock(
    gaap('LongTermDebtNoncurrent'),
    gaap('LongTermDebtAndCapitalLeaseObligations'),
  ),
  long_term_debt_current: stock(
    gaap('LongTermDebtCurrent'),
    gaap('LongTermDebtAndCapitalLeaseObligationsCurrent'),
  ),
  short_term_borrowings: stock(gaap('ShortTermBorrowings')),
  commercial_paper: stock(gaap('CommercialPaper')),
  other_short_term_borrowings: stock(
    gaap('OtherShortTermBorrowings ShortTermBankLoansAndNotesPayable NotesPayableCurrent'),
    gaap('LinesOfCreditCurrent NotesAndLoansPayableCurrent LoansPayableCurrent ConvertibleDebtCurrent'),
  ),
  current_debt: stock(gaap('DebtCurrent')),
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
  // Apple (2017), Valero and NYSE Euronext state the cash flow statement's total under the first tag and
  // smaller amounts under the others.
  depreciation_amortization: flow(
    gaap('DepreciationAmortizationAndAccretionNet'),
    [
      ...gaap('DepreciationDepletionAndAmortization DepreciationAndAmortization'),
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
  shares_basic: averageShares([
    ...gaap('WeightedAverageNumberOfSharesOutstandingBasic'),
    ...gaap('WeightedAverageNumberOfShareOutstandingBasicAndDiluted'),
    ...ifrs('WeightedAverageShares'),
  ]),
  shares_diluted: averageShares([
    ...gaap('WeightedAverageNumberOfDilutedSharesOutstanding'),
    ...gaap('WeightedAverageNumberOfShareOutstandingBasicAndDiluted'),
    ...ifrs('AdjustedWeightedAverageShares'),
  ]),
  dividends_per_share: perShare(
    [...gaap('CommonStockDividendsPerShareDeclared'), ...ifrs('DividendsPaidOrdinarySharesPerShare')],
    gaap('CommonStockDividendsPerShareCashPaid'),
  ),
}

export const { rules, usesOfTag } = conceptTable(concepts, {
  annualForm: /^(10-K|20-F|40-F|N-CSR)/,
  quarterlyForm: /^10-Q/,
  transitionForm: /^10-[KQ]T/,
  coverCount: { metric: 'shares_outstanding', tags: /^dei:EntityCommonStockSharesOutstanding$/ },
  // All equity tags: even those that include minority interests exclude temporary equity.
  partialTags: /^us-gaap:\w*(Equity|Capital)|^ifrs-full:EquityAttributableToOwnersOfParent$/,
  // HP and Cigna switch between this tag and those of the next group and mean the same.
  broadTags: /^us-gaap:DepreciationAmortizationAndAccretionNet$/,
})

import type { StandardStatement } from '../../../src/standardLines/definition.ts'

/** A line of a peer and our line with the same meaning. */
export interface Pair {
  readonly statement: StandardStatement
  readonly theirs: string
  /** Our lines in order of preference: some peers fall back to the next total if a statement lacks the first. */
  readonly ours: readonly string[]
  /** True if the peer counts what we call positive as negative. */
  readonly reversed: boolean
}

export const peers = ['secfsdstools', 'edgartools'] as const
export type Peer = (typeof peers)[number]

/** `theirs = ours`, or `theirs = -ours` if the signs are opposite by definition; `ours|next` if the peer falls back. */
function pairsOf(statement: StandardStatement, texts: string): readonly Pair[] {
  return texts
    .trim()
    .split('\n')
    .map(text => {
      const [theirs, ours] = text.trim().split(' = ')
      const reversed = ours.startsWith('-')
      return { statement, theirs, ours: (reversed ? ours.slice(1) : ours).split('|'), reversed }
    })
}

export const pairs: Readonly<Record<Peer, readonly Pair[]>> = {
  secfsdstools: [
    ...pairsOf(
      'income',
      `
      Revenues = revenue
      CostOfRevenue = cost_of_revenue
      GrossProfit = gross_profit
      OperatingExpenses = operating_expenses
      OperatingIncomeLoss = operating_income
      IncomeLossFromContinuingOperationsBeforeIncomeTaxExpenseBenefit = pretax_income
      AllIncomeTaxExpenseBenefit = income_tax
      IncomeLossFromContinuingOperations = income_continuing_operations
      IncomeLossFromDiscontinuedOperationsNetOfTax = discontinued_operations
      ProfitLoss = net_income_including_minority_interest|net_income
      NetIncomeLossAttributableToNoncontrollingInterest = minority_interest_income
      NetIncomeLoss = net_income
      OutstandingShares = shares_basic
      EarningsPerShare = eps`,
    ),
    ...pairsOf(
      'balance',
      `
      Assets = assets
      AssetsCurrent = current_assets
      Cash = cash
      Liabilities = liabilities
      LiabilitiesCurrent = current_liabilities
      LiabilitiesNoncurrent = noncurrent_liabilities
      HolderEquity = equity_including_minority_interest|equity
      RetainedEarnings = retained_earnings
      AdditionalPaidInCapital = additional_paid_in_capital
      TreasuryStockValue = -treasury_stock
      LiabilitiesAndEquity = liabilities_and_equity`,
    ),
    ...pairsOf(
      'cash_flow',
      `
      NetCashProvidedByUsedInOperatingActivities = operating_cash_flow
      NetCashProvidedByUsedInInvestingActivities = investing_cash_flow
      NetCashProvidedByUsedInFinancingActivities = financing_cash_flow
      EffectOfExchangeRateFinal = exchange_rate_effect
      CashPeriodIncreaseDecreaseIncludingExRateEffectFinal = cash_change
      CashAndCashEquivalentsEndOfPeriod = cash_at_end
      DepreciationDepletionAndAmortization = depreciation_amortization
      DeferredIncomeTaxExpenseBenefit = deferred_income_tax
      ShareBasedCompensation = stock_based_compensation
      IncreaseDecreaseInAccountsPayable = change_in_payables
      IncreaseDecreaseInAccruedLiabilities = change_in_accrued_liabilities
      InterestPaidNet = interest_paid
      IncomeTaxesPaidNet = income_taxes_paid
      PaymentsToAcquirePropertyPlantAndEquipment = -capital_expenditure
      ProceedsFromSaleOfPropertyPlantAndEquipment = disposals
      PaymentsToAcquireInvestments = -investments_bought
      ProceedsFromSaleOfInvestments = investments_sold
      PaymentsToAcquireBusinessesNetOfCashAcquired = -acquisitions
      PaymentsToAcquireIntangibleAssets = -intangibles_bought
      PaymentsForRepurchaseOfCommonStock = -share_repurchases
      ProceedsFromIssuanceOfDebt = debt_issued
      RepaymentsOfDebt = -debt_repaid
      PaymentsOfDividends = -dividends_paid`,
    ),
  ],
  edgartools: [
    ...pairsOf(
      'income',
      `
      Revenue = revenue
      CostOfGoodsAndServicesSold = cost_of_revenue
      GrossProfit = gross_profit
      ResearchAndDevelopmentExpenses = research_and_development
      SellingGeneralAndAdminExpenses = selling_general_administrative
      MarketingExpenses = selling_expense
      AmortizationOfIntangibles = amortization_of_intangibles
      DepreciationExpense = depreciation_and_amortization_expense
      TotalOperatingExpenses = operating_expenses
      CostsSubtotal = costs_and_expenses
      OperatingIncomeLoss = operating_income
      InterestExpense = interest_expense
      InterestAndDividendIncome = interest_and_investment_income
      EquityMethodInvestmentIncome = equity_method_income
      PretaxIncomeLoss = pretax_income
      IncomeTaxes = income_tax
      IncomeLossContinuingOperations = income_continuing_operations
      DiscontinuedOperationsIncome = discontinued_operations
      ProfitLoss = net_income_including_minority_interest
      MinorityInterestIncomeExpense = minority_interest_income
      NetIncome = net_income
      NetIncomeToCommonShareholders = net_income_common
      PreferredDividendExpense = preferred_dividends
      NetInterestIncome = net_interest_income
      NetInterestIncomeAfterProvision = net_interest_income_after_provision
      ProvisionForCreditLosses = provision_for_loan_losses
      NonInterestIncome = noninterest_income
      NonInterestExpense = noninterest_expense
      PolicyBenefitsAndClaims = claims
      EarningsPerShareBasic = eps
      EarningsPerShareDiluted = eps_diluted
      SharesAverage = shares_basic
      SharesFullyDilutedAverage = shares_diluted
      CommonDividendsPerShare = dividends_per_share`,
    ),
    ...pairsOf(
      'balance',
      `
      ShortTermInvestments = short_term_investments
      TradeReceivables = receivables
      Inventories = inventory
      PrepaidExpenses = prepaid_expenses
      CurrentAssetsTotal = current_assets
      PlantPropertyEquipmentNet = property_plant_equipment
      GrossPropertyPlantEquipment = property_plant_equipment_gross
      AccumulatedDepreciation = accumulated_depreciation
      Goodwill = goodwill
      IntangibleAssets = intangible_assets
      InvestmentsEquityMethod = equity_method_investments
      Assets = assets
      TradePayables = payables
      CurrentPortionOfLongTermDebt = long_term_debt_current
      CurrentLiabilitiesTotal = current_liabilities
      LongTermDebt = long_term_debt_noncurrent|long_term_debt
      DeferredTaxNoncurrentAssets = deferred_tax_assets
      DeferredTaxNonCurrentLiabilities = deferred_tax_liabilities
      PensionObligations = pension_liabilities
      NonCurrentLiabilitiesTotal = noncurrent_liabilities
      Liabilities = liabilities
      PreferredStock = preferred_stock
      AdditionalPaidInCapital = additional_paid_in_capital
      RetainedEarnings = retained_earnings
      AccumulatedOtherComprehensiveIncome = accumulated_other_comprehensive_income
      TreasuryShares = treasury_stock
      MinorityInterestBalance = minority_interest
      AllEquityBalance = equity
      AllEquityBalanceIncludingMinorityInterest = equity_including_minority_interest
      LiabilitiesAndEquity = liabilities_and_equity
      TotalDeposits = deposits
      NetLoansAndLeases = loans
      LoanLossReserve = allowance_for_loan_losses
      DeferredPolicyAcquisitionCosts = deferred_policy_acquisition_costs`,
    ),
    ...pairsOf(
      'cash_flow',
      `
      NetCashFromOperatingActivities = operating_cash_flow
      NetCashFromInvestingActivities = investing_cash_flow
      NetCashFromFinancingActivities = financing_cash_flow
      NetChangeInCash = cash_change
      ForeignExchangeEffectOnCash = exchange_rate_effect
      DepreciationExpense = depreciation_amortization
      StockBasedCompensationExpense = stock_based_compensation
      DeferredIncomeTaxCF = deferred_income_tax
      ChangeInReceivables = -change_in_receivables
      ChangeInInventory = -change_in_inventory
      ChangeInPayables = change_in_payables
      ChangeInAccruedLiabilities = change_in_accrued_liabilities
      ChangeInDeferredRevenue = change_in_deferred_revenue
      CapitalExpenses = capital_expenditure
      ProceedsFromSaleOfPPE = disposals
      AcquisitionsNet = acquisitions
      InvestmentPurchases = investments_bought
      InvestmentProceeds = investments_sold
      PurchaseOfIntangibleAssets = intangibles_bought
      DebtProceeds = debt_issued
      DebtRepayments = debt_repaid
      StockIssuanceProceeds = stock_issued
      StockRepurchasePayments = share_repurchases
      CommonDividendsPaid = dividends_paid
      PaymentsOfDebtIssuanceCosts = debt_issuance_costs`,
    ),
  ],
}

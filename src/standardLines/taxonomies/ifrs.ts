import { readTable } from './taxonomy.ts'

/** Elements of the IFRS taxonomy (`ifrs-full`) that several registers use, and the sums of its calculation linkbase. */
const prefixes = { '': 'ifrs-full' }

export const ifrsBalance = readTable(
  `
  property_plant_equipment  PropertyPlantAndEquipment
  land_and_buildings        LandAndBuildings
  investment_property       InvestmentProperty
  right_of_use_assets       RightofuseAssets
  goodwill                  Goodwill
  goodwill_and_intangible_assets IntangibleAssetsAndGoodwill
  intangible_assets         IntangibleAssetsOtherThanGoodwill
  .                         OtherIntangibleAssets
  equity_method_investments InvestmentAccountedForUsingEquityMethod | InvestmentsInAssociates InvestmentsInSubsidiariesJointVenturesAndAssociates
  .                         InvestmentsInSubsidiaries
  financial_assets_noncurrent NoncurrentFinancialAssets
  .                         NoncurrentFinancialAssetsAtAmortisedCost NoncurrentFinancialAssetsMeasuredAtFairValueThroughOtherComprehensiveIncome NoncurrentFinancialAssetsAtFairValueThroughProfitOrLossMandatorilyMeasuredAtFairValue NoncurrentFinancialAssetsAtFairValueThroughProfitOrLossDesignatedUponInitialRecognition
  other_financial_assets_noncurrent OtherNoncurrentFinancialAssets
  receivables_noncurrent    NoncurrentTradeReceivables NoncurrentReceivables
  .                         OtherNoncurrentReceivables NoncurrentReceivablesDueFromRelatedParties
  pension_assets            NoncurrentRecognisedAssetsDefinedBenefitPlan
  deferred_tax_assets       DeferredTaxAssets
  derivative_assets         CurrentDerivativeFinancialAssets + NoncurrentDerivativeFinancialAssets
  other_assets              OtherNoncurrentAssets OtherNoncurrentNonfinancialAssets
  noncurrent_assets         NoncurrentAssets
  inventory                 Inventories
  receivables               CurrentTradeReceivables | TradeAndOtherCurrentReceivables
  other_receivables         OtherCurrentReceivables
  related_party_receivables TradeAndOtherCurrentReceivablesDueFromRelatedParties
  unbilled_receivables      CurrentContractAssets
  tax_receivables           CurrentTaxAssets CurrentTaxAssetsCurrent
  prepaid_expenses          CurrentPrepayments CurrentPrepaidExpenses
  .                         CurrentFinancialAssetsAtAmortisedCost CurrentFinancialAssetsAtFairValueThroughProfitOrLossDesignatedUponInitialRecognition CurrentFinancialAssetsAtFairValueThroughProfitOrLossMandatorilyMeasuredAtFairValue CurrentFinancialAssets
  other_financial_assets_current OtherCurrentFinancialAssets
  short_term_investments    ShorttermDepositsNotClassifiedAsCashEquivalents
  assets_held_for_sale      NoncurrentAssetsOrDisposalGroupsClassifiedAsHeldForSale NoncurrentAssetsOrDisposalGroupsClassifiedAsHeldForSaleOrAsHeldForDistributionToOwners
  other_current_assets      OtherCurrentAssets OtherCurrentNonfinancialAssets
  cash                      Cash | CashAndCashEquivalents
  current_assets            CurrentAssets
  assets                    Assets
  common_stock              IssuedCapital
  additional_paid_in_capital SharePremium
  treasury_stock            TreasuryShares
  other_equity              OtherReserves
  accumulated_other_comprehensive_income AccumulatedOtherComprehensiveIncome
  retained_earnings         RetainedEarnings
  equity                    EquityAttributableToOwnersOfParent
  minority_interest         NoncontrollingInterests
  equity_including_minority_interest Equity
  pension_liabilities       NoncurrentRecognisedLiabilitiesDefinedBenefitPlan | NoncurrentProvisionsForEmployeeBenefits
  provisions_noncurrent     NoncurrentProvisions | OtherLongtermProvisions LongtermMiscellaneousOtherProvisions
  deferred_tax_liabilities  DeferredTaxLiabilities
  long_term_debt_noncurrent LongtermBorrowings
  .                         NoncurrentPortionOfNoncurrentBondsIssued NoncurrentPortionOfNoncurrentLoansReceived
  capital_leases            NoncurrentLeaseLiabilities NoncurrentFinanceLeaseLiabilities
  deferred_revenue_noncurrent NoncurrentContractLiabilities
  other_payables_noncurrent OtherNoncurrentPayables NoncurrentPayables
  other_financial_liabilities_noncurrent OtherNoncurrentFinancialLiabilities
  derivative_liabilities    CurrentDerivativeFinancialLiabilities + NoncurrentDerivativeFinancialLiabilities
  other_liabilities         OtherNoncurrentLiabilities OtherNoncurrentNonfinancialLiabilities
  noncurrent_liabilities    NoncurrentLiabilities
  provisions_current        CurrentProvisions | OtherShorttermProvisions
  .                         CurrentProvisionsForEmployeeBenefits
  payables                  TradeAndOtherCurrentPayablesToTradeSuppliers | TradeAndOtherCurrentPayables
  other_payables            OtherCurrentPayables
  related_party_payables    TradeAndOtherCurrentPayablesToRelatedParties
  taxes_payable             CurrentTaxLiabilities CurrentTaxLiabilitiesCurrent
  accrued_liabilities       AccrualsClassifiedAsCurrent
  deferred_revenue_current  CurrentContractLiabilities
  short_term_borrowings     ShorttermBorrowings
  long_term_debt_current    CurrentPortionOfLongtermBorrowings + CurrentBondsIssuedAndCurrentPortionOfNoncurrentBondsIssued
  current_debt              CurrentBorrowingsAndCurrentPortionOfNoncurrentBorrowings
  capital_leases_current    CurrentLeaseLiabilities CurrentFinanceLeaseLiabilities
  .                         CurrentFinancialLiabilities CurrentAccruedExpensesAndOtherCurrentLiabilities
  other_financial_liabilities_current OtherCurrentFinancialLiabilities
  liabilities_held_for_sale LiabilitiesIncludedInDisposalGroupsClassifiedAsHeldForSale
  other_current_liabilities OtherCurrentLiabilities OtherCurrentNonfinancialLiabilities
  current_liabilities       CurrentLiabilities
  liabilities               Liabilities
  liabilities_and_equity    EquityAndLiabilities

  Assets = NoncurrentAssets + CurrentAssets
  Equity = EquityAttributableToOwnersOfParent + NoncontrollingInterests
  Liabilities = NoncurrentLiabilities + CurrentLiabilities
  EquityAndLiabilities = Equity + Liabilities
  `,
  prefixes,
)

export const ifrsIncome = readTable(
  `
  revenue                   Revenue
  revenue_goods             RevenueFromSaleOfGoods
  revenue_services          RevenueFromRenderingOfServices
  .                         RevenueFromConstructionContracts RevenueFromRoyalties
  other_revenue             OtherRevenue
  cost_of_revenue           CostOfSales
  gross_profit              GrossProfit
  other_operating_income    OtherIncome
  selling_expense           DistributionCosts SalesAndMarketingExpense
  general_administrative    AdministrativeExpense GeneralAndAdministrativeExpense
  selling_general_administrative SellingGeneralAndAdministrativeExpense
  research_and_development  ResearchAndDevelopmentExpense
  compensation              EmployeeBenefitsExpense
  depreciation_and_amortization_expense DepreciationAndAmortisationExpense
  operating_expenses        OperatingExpense
  other_operating_expense   OtherExpenseByNature OtherExpenseByFunction
  operating_income          ProfitLossFromOperatingActivities
  finance_income            FinanceIncome
  finance_costs             FinanceCosts
  equity_method_income      ShareOfProfitLossOfAssociatesAndJointVenturesAccountedForUsingEquityMethod
  .                         OtherIncomeExpenseFromSubsidiariesJointlyControlledEntitiesAndAssociates
  pretax_income             ProfitLossBeforeTax
  income_tax                IncomeTaxExpenseContinuingOperations
  income_continuing_operations ProfitLossFromContinuingOperations
  discontinued_operations   ProfitLossFromDiscontinuedOperations
  net_income_including_minority_interest ProfitLoss
  net_income                ProfitLossAttributableToOwnersOfParent
  minority_interest_income  ProfitLossAttributableToNoncontrollingInterests
  other_comprehensive_income OtherComprehensiveIncome
  comprehensive_income      ComprehensiveIncome
  .                         ComprehensiveIncomeAttributableToOwnersOfParent ComprehensiveIncomeAttributableToNoncontrollingInterests
  eps                       BasicEarningsLossPerShare | BasicAndDilutedEarningsLossPerShare
  eps_diluted               DilutedEarningsLossPerShare
  eps_continuing            BasicEarningsLossPerShareFromContinuingOperations
  eps_continuing_diluted    DilutedEarningsLossPerShareFromContinuingOperations
  eps_discontinued          BasicEarningsLossPerShareFromDiscontinuedOperations
  eps_discontinued_diluted  DilutedEarningsLossPerShareFromDiscontinuedOperations

  GrossProfit = Revenue - CostOfSales
  ProfitLossFromContinuingOperations = ProfitLossBeforeTax - IncomeTaxExpenseContinuingOperations
  ProfitLoss = ProfitLossFromContinuingOperations + ProfitLossFromDiscontinuedOperations
  ProfitLoss = ProfitLossBeforeTax - IncomeTaxExpenseContinuingOperations
  ProfitLoss = ProfitLossAttributableToOwnersOfParent + ProfitLossAttributableToNoncontrollingInterests
  ComprehensiveIncome = ProfitLoss + OtherComprehensiveIncome
  `,
  prefixes,
)

export const ifrsCashFlow = readTable(
  `
  net_income_including_minority_interest ProfitLoss
  adjustments               AdjustmentsForReconcileProfitLoss
  depreciation_amortization AdjustmentsForDepreciationAndAmortisationExpense
  depreciation              AdjustmentsForDepreciationExpense
  amortization              AdjustmentsForAmortisationExpense
  .                         AdjustmentsForProvisions AdjustmentsForIncomeTaxExpense AdjustmentsForInterestIncome AdjustmentsForDividendIncome AdjustmentsForUndistributedProfitsOfInvestmentsAccountedForUsingEquityMethod
  change_in_inventory       AdjustmentsForDecreaseIncreaseInInventories
  change_in_receivables     AdjustmentsForDecreaseIncreaseInTradeAccountReceivable | AdjustmentsForDecreaseIncreaseInTradeAndOtherReceivables
  .                         AdjustmentsForDecreaseIncreaseInOtherOperatingReceivables AdjustmentsForDecreaseIncreaseInOtherCurrentAssets
  change_in_payables        AdjustmentsForIncreaseDecreaseInTradeAccountPayable | AdjustmentsForIncreaseDecreaseInTradeAndOtherPayables
  change_in_other_working_capital AdjustmentsForIncreaseDecreaseInOtherCurrentLiabilities
  change_in_working_capital IncreaseDecreaseInWorkingCapital
  cash_from_operations      CashFlowsFromUsedInOperations
  interest_paid             InterestPaidClassifiedAsOperatingActivities
  interest_received         InterestReceivedClassifiedAsOperatingActivities
  dividends_received        DividendsReceivedClassifiedAsOperatingActivities
  .                         DividendsReceivedClassifiedAsInvestingActivities
  income_taxes_paid         IncomeTaxesPaidRefundClassifiedAsOperatingActivities | IncomeTaxesPaidClassifiedAsOperatingActivities
  .                         IncomeTaxesRefundClassifiedAsOperatingActivities
  operating_cash_flow       CashFlowsFromUsedInOperatingActivities
  capital_expenditure       PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities
  disposals                 ProceedsFromSalesOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities
  intangibles_bought        PurchaseOfIntangibleAssetsClassifiedAsInvestingActivities
  intangibles_sold          ProceedsFromSalesOfIntangibleAssetsClassifiedAsInvestingActivities
  acquisitions              CashFlowsUsedInObtainingControlOfSubsidiariesOrOtherBusinessesClassifiedAsInvestingActivities
  divestitures              CashFlowsFromLosingControlOfSubsidiariesOrOtherBusinessesClassifiedAsInvestingActivities
  affiliates_bought         PurchaseOfInterestsInInvestmentsAccountedForUsingEquityMethod
  affiliates_sold           ProceedsFromSalesOfInvestmentsAccountedForUsingEquityMethod
  .                         ProceedsFromGovernmentGrantsClassifiedAsInvestingActivities PurchaseOfFinancialInstrumentsClassifiedAsInvestingActivities OtherCashReceiptsFromSalesOfEquityOrDebtInstrumentsOfOtherEntitiesClassifiedAsInvestingActivities
  investing_inflows         InflowsOfCashFromInvestingActivities
  investing_outflows        OutflowsOfCashFromInvestingActivities
  other_investing           OtherInflowsOutflowsOfCashClassifiedAsInvestingActivities
  investing_cash_flow       CashFlowsFromUsedInInvestingActivities
  debt_issued               ProceedsFromBorrowingsClassifiedAsFinancingActivities
  debt_repaid               RepaymentsOfBorrowingsClassifiedAsFinancingActivities
  leases_repaid             PaymentsOfLeaseLiabilitiesClassifiedAsFinancingActivities PaymentsOfFinanceLeaseLiabilitiesClassifiedAsFinancingActivities
  dividends_paid            DividendsPaidClassifiedAsFinancingActivities
  .                         ProceedsFromChangesInOwnershipInterestsInSubsidiaries PaymentsFromChangesInOwnershipInterestsInSubsidiaries
  share_repurchases         PaymentsToAcquireOrRedeemEntitysShares
  stock_issued              ProceedsFromIssuingShares
  other_financing           OtherInflowsOutflowsOfCashClassifiedAsFinancingActivities
  financing_cash_flow       CashFlowsFromUsedInFinancingActivities
  exchange_rate_effect      EffectOfExchangeRateChangesOnCashAndCashEquivalents
  cash_change_before_exchange IncreaseDecreaseInCashAndCashEquivalentsBeforeEffectOfExchangeRateChanges
  cash_change               IncreaseDecreaseInCashAndCashEquivalents
  cash_at_end               CashAndCashEquivalents

  IncreaseDecreaseInCashAndCashEquivalents = CashFlowsFromUsedInOperatingActivities + CashFlowsFromUsedInInvestingActivities + CashFlowsFromUsedInFinancingActivities + EffectOfExchangeRateChangesOnCashAndCashEquivalents
  IncreaseDecreaseInCashAndCashEquivalentsBeforeEffectOfExchangeRateChanges = CashFlowsFromUsedInOperatingActivities + CashFlowsFromUsedInInvestingActivities + CashFlowsFromUsedInFinancingActivities
  IncreaseDecreaseInCashAndCashEquivalents = IncreaseDecreaseInCashAndCashEquivalentsBeforeEffectOfExchangeRateChanges + EffectOfExchangeRateChangesOnCashAndCashEquivalents
  `,
  prefixes,
)

import { ifrsBalance, ifrsCashFlow, ifrsIncome } from './ifrs.ts'
import { joined, readTable, type Taxonomy } from './taxonomy.ts'

/**
 * Elements of the Danish Business Authority's taxonomy (`fsa`), and those that it adds to IFRS (`ifrs-dk-cor`). The forms of
 * the Financial Statements Act state provisions beside liabilities, not among them.
 */
const prefixes = { '': 'fsa', dk: 'ifrs-dk-cor' }

const balance = readTable(
  `
  .                         CompletedDevelopmentProjects DevelopmentProjectsInProgress AcquiredIntangibleAssets AcquiredOtherSimilarRights
  goodwill                  Goodwill
  goodwill_and_intangible_assets IntangibleAssets
  land_and_buildings        LandAndBuildings
  machinery_equipment       PlantAndMachinery
  fixtures_and_fittings     FixturesFittingsToolsAndEquipment
  leasehold_improvements    LeaseholdImprovements
  property_plant_equipment  PropertyPlantAndEquipment
  .                         LongtermInvestmentsInGroupEnterprises
  equity_method_investments LongtermInvestmentsInAssociates
  .                         OtherLongtermInvestments LongtermReceivablesFromGroupEnterprises OtherLongtermReceivables DepositsLongtermInvestmentsAndReceivables
  financial_assets_noncurrent LongtermInvestmentsAndReceivables
  noncurrent_assets         NoncurrentAssets
  .                         RawMaterialsAndConsumables ManufacturedGoodsAndGoodsForResale
  inventory                 Inventories
  receivables               ShorttermTradeReceivables
  contract_work_in_progress ContractWorkInProgress
  related_party_receivables ShorttermReceivablesFromGroupEnterprises
  .                         ShorttermReceivablesFromAssociates ShorttermReceivablesFromOwnersAndManagement
  deferred_tax_assets       CurrentDeferredTaxAssets
  tax_receivables           ShorttermTaxReceivables
  other_receivables         OtherShorttermReceivables
  prepaid_expenses          DeferredIncomeAssets
  .                         ShorttermReceivables
  short_term_investments    ShorttermInvestments OtherShorttermInvestments
  cash                      CashAndCashEquivalents
  current_assets            CurrentAssets
  assets                    Assets
  common_stock              ContributedCapital
  .                         PaidContributedCapital
  revaluation_surplus       RevaluationReserve
  .                         ReserveForNetRevaluationAccordingToEquityMethod ReserveForDevelopmentExpenditure HedgeFund OtherReserves
  retained_earnings         RetainedEarnings
  proposed_dividend         ProposedDividendRecognisedInEquity
  minority_interest         MinorityInterests
  equity_including_minority_interest Equity
  .                         ProvisionsForDeferredTax ProvisionsForPensionsAndSimilarLiabilities OtherProvisions
  provisions                Provisions
  .                         LongtermDebtToOtherCreditInstitutions LongtermDebtToBanks LongtermPayablesToGroupEnterprises LongtermTaxPayables OtherLongtermPayables LongtermDeferredIncome
  .                         OtherProvisionsLiabilitiesLongterm OtherPayablesIncludingTaxPayablesLiabilitiesOtherThanProvisionsLongterm
  noncurrent_liabilities    LongtermLiabilitiesOtherThanProvisions
  bank_debt_current         ShorttermDebtToBanks + ShorttermDebtToOtherCreditInstitutions
  customer_deposits         ShorttermPrepaymentsReceivedFromCustomers
  contract_work_in_progress_liabilities ShorttermContractWorkInProgressLiabilities ShorttermPrepaymentsOfWorkInProgress
  payables                  ShorttermTradePayables
  related_party_payables    ShorttermPayablesToGroupEnterprises
  .                         ShorttermPayablesToAssociates ShorttermPayablesToShareholdersAndManagement
  taxes_payable             ShorttermTaxPayables
  other_payables            OtherShorttermPayables
  .                         OtherProvisionsLiabilitiesShortterm OtherPayablesIncludingTaxPayablesLiabilitiesOtherThanProvisionsShortterm
  .                         ShorttermMortgageDebt OtherShorttermDebtRaisedByIssuanceOfBonds ConvertibleProfitYieldingOrDividendYieldingShorttermDebtInstruments ShorttermBillsOfExchangePayable ShorttermEquityLoan ShorttermNegativeGoodwill ShorttermLeaseCommitments DepositsShorttermLiabilitiesOtherThanProvisions
  deferred_revenue_current  ShorttermDeferredIncome
  current_liabilities       ShorttermLiabilitiesOtherThanProvisions
  liabilities               LiabilitiesOtherThanProvisions
  liabilities_and_equity    LiabilitiesAndEquity
  fixtures_and_fittings     dk:OtherPlantEquipmentAndFixtures
  leasehold_improvements    dk:LeaseholdImprovements
  .                         dk:IntangibleRights dk:CompletedDevelopmentProjects dk:ProductionFacility dk:OtherInvestmentsInSubsidiariesJointVenturesAndAssociates
  construction_in_progress  dk:PropertyPlantAndEquipmentInProgress
  contract_work_in_progress dk:WorkInProgressForThirdPartiesAssets
  .                         dk:ReceivablesFromSalesAndServices dk:OtherSecuritiesAndInvestments
  short_term_investments    dk:CurrentSecurities
  bank_debt_noncurrent      dk:NoncurrentPayablesToCreditInstitutions
  bank_debt_current         dk:CurrentPayablesToCreditInstitutions
  customer_deposits         dk:CurrentPrepaymentsFromCustomers
  liabilities_held_for_sale dk:LiabilitiesAssociatedWithAssetsHeldForSale

  Assets = NoncurrentAssets + CurrentAssets
  NoncurrentAssets = IntangibleAssets + PropertyPlantAndEquipment + LongtermInvestmentsAndReceivables
  CurrentAssets = Inventories + ShorttermReceivables + ShorttermInvestments + CashAndCashEquivalents
  LiabilitiesOtherThanProvisions = LongtermLiabilitiesOtherThanProvisions + ShorttermLiabilitiesOtherThanProvisions
  LiabilitiesAndEquity = Equity + MinorityInterests + Provisions + LiabilitiesOtherThanProvisions
  LiabilitiesAndEquity = Equity + Provisions + LiabilitiesOtherThanProvisions
  Assets = LiabilitiesAndEquity
  `,
  prefixes,
)

const income = readTable(
  `
  revenue                   Revenue | dk:NetSales
  cost_of_revenue           CostOfSales CostOfProduction
  external_expenses         OtherExternalExpenses ExternalExpenses
  gross_profit              GrossProfitLoss GrossResult
  selling_expense           DistributionCosts
  general_administrative    AdministrativeExpenses
  other_operating_income    OtherOperatingIncome
  .                         WagesAndSalaries SocialSecurityContributions PostemploymentBenefitExpense OtherEmployeeExpense
  compensation              EmployeeBenefitsExpense
  depreciation_and_amortization_expense DepreciationAmortisationExpenseAndImpairmentLossesOfPropertyPlantAndEquipmentAndIntangibleAssetsRecognisedInProfitOrLoss
  .                         DepreciationOfPropertyPlantAndEquipment
  other_operating_expense   OtherOperatingExpenses
  operating_income          ProfitLossFromOrdinaryOperatingActivities
  .                         IncomeFromInvestmentsInGroupEnterprises
  equity_method_income      IncomeFromInvestmentsInAssociates
  .                         IncomeFromOtherLongtermInvestmentsAndReceivables InterestIncomeFromGroupEnterprises OtherInterestIncome
  finance_income            OtherFinanceIncome
  .                         InterestExpenseAssignedToGroupEnterprises OtherInterestExpenses RestOfOtherFinanceExpenses ExchangeRateAdjustmentsOtherFinanceExpenses
  finance_costs             OtherFinanceExpenses
  financial_result          ResultsFromNetFinancials
  pretax_income             ProfitLossFromOrdinaryActivitiesBeforeTax
  .                         ExtraordinaryProfitLossBeforeTax
  current_income_tax        CurrentTaxExpense
  deferred_income_tax       AdjustmentsForDeferredTax
  income_tax                TaxExpense | TaxExpenseOnOrdinaryActivities
  .                         AdjustmentsForCurrentTaxOfPriorPeriod ProfitLossFromOrdinaryActivitiesAfterTax
  income_continuing_operations ProfitLossFromContinuingOperations
  net_income_including_minority_interest ProfitLoss

  external_expenses         dk:OtherExternalExpenses
  .                         dk:SpecialItems dk:ProfitLossInSubsidiaries dk:ProfitLossInSubsidiariesJointVenturesAndAssociates dk:ProfitLossFromOperatingActivitiesBeforeDeprecitionAndAmortisationExpenses
  depreciation_and_amortization_expense dk:DepreciationAmortisationExpenseAndImpairmentLossesOfPropertyPlantAndEquipmentAndIntangibleAssetsRecognisedInProfitOrLoss

  ProfitLoss = ProfitLossFromOrdinaryActivitiesBeforeTax - TaxExpense
  `,
  prefixes,
)

const cashFlow = readTable(
  `
  depreciation_amortization dk:AdjustmentsForDepreciationAndImpairmentLoss
  change_in_working_capital dk:AdjustmentsForDecreaseIncreaseInWorkingCapital
  operating_cash_flow       CashFlowsFromUsedInOperatingActivities
  .                         dk:PurchaseSaleOfTreasuryAssets
  investing_cash_flow       CashFlowsFromUsedInInvestingActivities
  financing_cash_flow       CashFlowsFromUsedInFinancingActivities
  discontinued_cash_flow    dk:CashFlowsFromDiscontinuedOperations
  `,
  prefixes,
)

export const denmark: Taxonomy = {
  defines: tag => /^(fsa|ifrs-dk-cor):/.test(tag),
  extentOf: () => 'partial',
  ownersHaveAll: () => true,
  statements: {
    income: joined(income, ifrsIncome),
    balance: joined(balance, ifrsBalance),
    cash_flow: joined(cashFlow, ifrsCashFlow),
  },
}

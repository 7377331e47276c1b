import { emptySchema, readTable, type Taxonomy } from './taxonomy.ts'

/**
 * Fields of an annual return of the Charities Register. A return has the fields of the form that the charity's size
 * requires, so most lines are alternatives of several forms, and the register does not say which of its fields a total adds.
 */
const income = readTable(
  `
  donations                 DonationsKoha + Bequests | DonationsKohaBequestsAndSimilarRevenue | DonationsKohaGrantsFundraisingAndOtherSimilarRevenue
  grants_received           GovtGrantsContracts | GrantsRevenueFromLocalOrCentralGovernment + GrantsRevenueFromOtherSources | GeneralGrantsReceived
  revenue_services          ServiceTradingIncome | RevenueFromProvidingGoodsAndServices
  .                         RevenueFromProvidingGoodsAndServicesFromOtherSources RevenueFromCommercialActivities
  membership_fees           MembershipFees FeesSubscriptionsIncludingDonationsFromMembers
  .                         NewZealandDividends
  interest_and_investment_income InterestOfDividendsReceived InterestDividendsAndOtherInvestmentRevenue InterestOfDividendsReceivedFromInvestments
  .                         OtherInvestmentIncome AllOtherGrantsAndSponsorship CapitalGrantsAndDonations
  .                         GovernmentServiceDeliveryGrantsContracts NonGovernmentServiceDeliveryGrantsContracts
  .                         ServiceDeliveryContractRevenueFromLocalOrCentralGovernment
  .                         OtherRevenueFromExchangeTransactions OtherRevenueFromNonExchangeTransactions
  .                         OtherRevenueFromExchangeTransactionsIncludingFeesSubscriptionsAndDonationsFromMembers
  other_revenue             AllOtherIncome OtherRevenue
  revenue                   TotalGrossIncome
  compensation              SalariesAndWages WagesSalariesAndOtherEmployeeCosts EmployeeRemunerationAndOtherRelatedExpenses
  .                         VolunteerAndEmployeeRelatedCosts VolunteerRelatedExpenses
  cost_of_services          CostOfServiceProvision
  .                         CostOfTradingOperations CostsRelatedToProvidingGoodsAndServices ExpensesRelatedToCommercialActivities
  fundraising_costs         FundRaisingExpenses ExpensesRelatedToFundraising
  grants_made               GrantsPaidWithinNZ + GrantsPaidOutsideNZ | GrantsOrDonationsPaid GrantsAndDonationsMade GrantsorDonationsPaid
  interest_expense          InterestPaid
  finance_costs             FinanceCosts
  depreciation_and_amortization_expense Depreciation DepreciationAmortisationAndImpairmentExpenses
  .                         MaterialExpense1 MaterialExpense2 MaterialExpense3 MaterialExpense4 OperatingAndAdministrativeExpenses
  .                         OtherExpensesRelatedToServiceDelivery OtherRelatedToDeliveryOfEntityObjectives AllOtherExpenditure
  other_operating_expense   OtherExpenses
  costs_and_expenses        TotalExpenditure
  net_income                NetSurplusDeficitForTheYear | SurplusDeficit
  other_comprehensive_income OtherComprehensiveIncome
  comprehensive_income      TotalComprehensiveIncome

  NetSurplusDeficitForTheYear = TotalGrossIncome - TotalExpenditure
  SurplusDeficit = TotalGrossIncome - TotalExpenditure
  `,
  {},
)

const balance = readTable(
  `
  cash                      CashAndBankBalances | CashAndShortTermDeposits
  .                         CashOnHand
  receivables               ReceivablesFromExchangeTransactionsAndRecoverableFromNonExchange MoneyOwedToTheEntity
  .                         DebtorsAndPrepayments
  inventory                 Inventory
  .                         OtherCurrentAssets AllCurrentAssets
  current_assets            TotalCurrentAssets CurrentAssets
  land                      Land
  buildings                 Buildings
  .                         LandAndBuildings MotorVehicles Vehicles ComputersAndOfficeEquipment
  property_plant_equipment  PropertyPlantAndEquipment PropertyPlantAndEquipmment
  .                         AllOtherFixedAssets
  investment_property       InvestmentProperty
  intangible_assets         IntangibleAssets
  .                         Investments
  .                         OtherNonCurrentAssets AllNonCurrentAssets OtherAssets
  noncurrent_assets         TotalNonCurrentAssets NonCurrentAssets
  assets                    TotalAssets
  .                         BankOverdraft
  .                         CreditorsAndAccruedExpenses
  payables                  MoneyPayableByTheEntity
  accrued_compensation      EmployeeCostsPayable
  .                         MoneyHeldOnBehalfOfOthers OtherCurrentLiabilities AllCurrentLiabilities
  current_liabilities       TotalCurrentLiabilities CurrentLiabilities
  .                         Loans
  .                         OtherNonCurrentLiabilities AllNonCurrentLiabilities OtherLiabilities
  noncurrent_liabilities    TotalNonCurrentLiabilities NonCurrentLiabilities
  liabilities               TotalLiabilities
  .                         CapitalContributedByOwnersOrMembers AccumulatedFunds GeneralAccumulatedFunds
  retained_earnings         AccumulatedSurplusesOrDeficits
  reserves                  Reserves
  .                         RestrictedReserves RestrictedFunds EndowmentFunds
  minority_interest         MinorityInterest
  equity                    TotalEquity
  .                         TotalAssetsLessTotalLiabilities
  liabilities_and_equity    TotalLiabilitiesAndEquity

  TotalAssets = TotalLiabilities + TotalEquity
  TotalAssetsLessTotalLiabilities = TotalAssets - TotalLiabilities
  `,
  {},
)

const fields = new Set([...income.meanings.keys(), ...balance.meanings.keys()])

export const newZealand: Taxonomy = {
  defines: tag => fields.has(tag),
  extentOf: () => 'complete',
  ownersHaveAll: () => false,
  statements: { income, balance, cash_flow: emptySchema },
}

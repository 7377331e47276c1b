import { readTable, type Taxonomy } from './taxonomy.ts'

/**
 * Elements of the Financial Services Agency's taxonomies for Japanese standards (`jppfs_cor`) and IFRS (`jpigp_cor`). Japanese
 * ones end in their place: CA, NCL, SGA, NOI (nonoperating income), OpeCF. Cash flows are stated as they change cash.
 */
const prefixes = { '': 'jppfs_cor', i: 'jpigp_cor' }

const balance = readTable(
  `
  cash                      CashAndDeposits
  receivables               AccountsReceivableTrade | NotesAndAccountsReceivableTrade NotesAndAccountsReceivableTradeAndContractAssets
  short_term_investments    ShortTermInvestmentSecurities
  inventory                 Inventories | MerchandiseAndFinishedGoods + WorkInProcess + RawMaterialsAndSupplies + Merchandise + FinishedGoods + RawMaterials + Supplies
  prepaid_expenses          PrepaidExpenses
  other_current_assets      OtherCA
  receivables_allowance     -AllowanceForDoubtfulAccountsCA
  current_assets            CurrentAssets
  .                         Buildings BuildingsAndStructures AccumulatedDepreciationBuildings AccumulatedDepreciationBuildingsAndStructures
  buildings                 BuildingsNet BuildingsAndStructuresNet
  machinery_equipment       MachineryAndEquipmentNet MachineryEquipmentAndVehiclesNet
  .                         MachineryAndEquipment MachineryEquipmentAndVehicles ToolsFurnitureAndFixtures AccumulatedDepreciationToolsFurnitureAndFixtures AccumulatedDepreciationMachineryEquipmentAndVehicles
  fixtures_and_fittings     ToolsFurnitureAndFixturesNet
  land                      Land
  construction_in_progress  ConstructionInProgress
  .                         OtherNetPPE
  property_plant_equipment  PropertyPlantAndEquipment
  software                  Software
  .                         SoftwareInProgress OtherIA
  goodwill                  Goodwill
  goodwill_and_intangible_assets IntangibleAssets
  long_term_investments     InvestmentSecurities
  guarantee_deposits        LeaseAndGuaranteeDeposits GuaranteeDeposits
  deferred_tax_assets       DeferredTaxAssets
  pension_assets            RetirementBenefitAsset
  .                         LongTermLoansReceivable AllowanceForDoubtfulAccountsIOA OtherIOA
  investments_and_other_assets InvestmentsAndOtherAssets
  noncurrent_assets         NoncurrentAssets
  .                         DeferredAssets
  assets                    Assets
  payables                  AccountsPayableTrade | NotesAndAccountsPayableTrade
  short_term_borrowings     ShortTermLoansPayable
  long_term_debt_current    CurrentPortionOfLongTermLoansPayable + CurrentPortionOfBonds
  other_payables            AccountsPayableOther
  accrued_liabilities       AccruedExpenses
  taxes_payable             IncomeTaxesPayable
  accrued_compensation      ProvisionForBonuses
  .                         ProvisionForShareBasedRemunerationCL ProvisionForSalesPromotionExpenses
  customer_deposits         AdvancesReceived
  .                         ContractLiabilities
  withholdings              DepositsReceived
  other_current_liabilities OtherCL
  current_liabilities       CurrentLiabilities
  notes_and_bonds           BondsPayable
  long_term_borrowings      LongTermLoansPayable
  capital_leases            LeaseObligationsNCL
  pension_liabilities       NetDefinedBenefitLiability RetirementBenefitLiability
  asset_retirement_obligations AssetRetirementObligationsNCL
  deferred_tax_liabilities  DeferredTaxLiabilities
  other_liabilities         OtherNCL
  noncurrent_liabilities    NoncurrentLiabilities
  liabilities               Liabilities
  common_stock              CapitalStock
  capital_surplus           CapitalSurplus
  retained_earnings         RetainedEarnings
  treasury_stock            -TreasuryStock
  shareholders_capital      ShareholdersEquity
  .                         ValuationDifferenceOnAvailableForSaleSecurities DeferredGainsOrLossesOnHedges ForeignCurrencyTranslationAdjustment RemeasurementsOfDefinedBenefitPlans
  accumulated_other_comprehensive_income ValuationAndTranslationAdjustments
  share_subscription_rights SubscriptionRightsToShares ShareAcquisitionRights
  minority_interest         NonControllingInterests
  equity_including_minority_interest NetAssets
  liabilities_and_equity    LiabilitiesAndNetAssets
  cash                      i:CashAndCashEquivalentsIFRS
  receivables               i:TradeReceivablesCAIFRS | i:TradeAndOtherReceivablesCAIFRS
  other_financial_assets_current i:OtherFinancialAssetsCAIFRS
  inventory                 i:InventoriesCAIFRS
  tax_receivables           i:IncomeTaxesReceivableCAIFRS
  other_current_assets      i:OtherCurrentAssetsCAIFRS
  current_assets            i:CurrentAssetsIFRS
  equity_method_investments i:InvestmentsAccountedForUsingEquityMethodIFRS
  other_financial_assets_noncurrent i:OtherFinancialAssetsNCAIFRS
  land                      i:LandAcquisitionCostIFRS
  buildings                 i:BuildingsAcquisitionCostIFRS
  machinery_equipment       i:MachineryAndEquipmentAcquisitionCostIFRS
  construction_in_progress  i:ConstructionInProgressAcquisitionCostIFRS
  leased_equipment          賃貸用車両及び器具
  property_plant_equipment_gross i:PropertyPlantAndEquipmentAcquisitionCostIFRS
  accumulated_depreciation  -i:PropertyPlantAndEquipmentAccumulatedDepreciationAndImpairmentLossesIFRS
  property_plant_equipment  i:PropertyPlantAndEquipmentIFRS
  right_of_use_assets       i:RightOfUseAssetsIFRS
  goodwill                  i:GoodwillIFRS
  intangible_assets         i:IntangibleAssetsIFRS
  goodwill_and_intangible_assets i:GoodwillAndIntangibleAssetsIFRS
  deferred_tax_assets       i:DeferredTaxAssetsIFRS
  other_assets              i:OtherNonCurrentAssetsNCAIFRS
  financing_receivables_current 金融事業に係る債権@current_assets
  financing_receivables_noncurrent 金融事業に係る債権@noncurrent_assets
  noncurrent_assets         i:NonCurrentAssetsIFRS
  assets                    i:AssetsIFRS
  payables                  i:TradePayablesCLIFRS | i:TradeAndOtherPayablesCLIFRS
  current_debt              i:InterestBearingLiabilitiesCLIFRS
  accrued_liabilities       i:AccruedExpensesCLIFRS
  other_financial_liabilities_current i:OtherFinancialLiabilitiesCLIFRS
  taxes_payable             i:IncomeTaxesPayableCLIFRS
  .                         品質保証に係る負債
  other_current_liabilities i:OtherCurrentLiabilitiesCLIFRS
  current_liabilities       i:TotalCurrentLiabilitiesIFRS
  long_term_debt_noncurrent i:InterestBearingLiabilitiesNCLIFRS
  other_financial_liabilities_noncurrent i:OtherFinancialLiabilitiesNCLIFRS
  pension_liabilities       i:RetirementBenefitLiabilityNCLIFRS
  deferred_tax_liabilities  i:DeferredTaxLiabilitiesIFRS
  other_liabilities         i:OtherNonCurrentLiabilitiesNCLIFRS
  noncurrent_liabilities    i:NonCurrentLabilitiesIFRS
  liabilities               i:LiabilitiesIFRS
  common_stock              i:ShareCapitalIFRS
  capital_surplus           i:CapitalSurplusIFRS
  retained_earnings         i:RetainedEarningsIFRS
  other_equity              i:OtherComponentsOfEquityIFRS
  treasury_stock            -i:TreasurySharesIFRS
  equity                    i:EquityAttributableToOwnersOfParentIFRS
  minority_interest         i:NonControllingInterestsIFRS
  equity_including_minority_interest i:EquityIFRS
  liabilities_and_equity    i:LiabilitiesAndEquityIFRS

  Assets = CurrentAssets + NoncurrentAssets + DeferredAssets
  NoncurrentAssets = PropertyPlantAndEquipment + IntangibleAssets + InvestmentsAndOtherAssets
  Liabilities = CurrentLiabilities + NoncurrentLiabilities
  NetAssets = ShareholdersEquity + ValuationAndTranslationAdjustments + SubscriptionRightsToShares + NonControllingInterests
  ShareholdersEquity = CapitalStock + CapitalSurplus + RetainedEarnings + TreasuryStock
  LiabilitiesAndNetAssets = Liabilities + NetAssets
  Assets = Liabilities + NetAssets
  `,
  prefixes,
)

const income = readTable(
  `
  revenue                   NetSales | OperatingRevenue1 OperatingRevenue2
  cost_of_revenue           CostOfSales
  gross_profit              GrossProfit
  selling_general_administrative SellingGeneralAndAdministrativeExpenses
  operating_income          OperatingIncome
  .                         InterestIncomeNOI DividendsIncomeNOI CommissionFeeNOI GainOnInvestmentsInPartnershipNOI InsurancePremiumsRefundedCancellationNOI MiscellaneousIncomeNOI
  nonoperating_income       NonOperatingIncome
  interest_expense          InterestExpensesNOE
  .                         CommissionFeeNOE LossOnInvestmentsInPartnershipNOE CommissionForPurchaseOfTreasuryStockNOE MiscellaneousLossNOE
  nonoperating_expense      NonOperatingExpenses
  ordinary_income           OrdinaryIncome
  extraordinary_income      ExtraordinaryIncome
  .                         ImpairmentLossEL SettlementPackageEL
  extraordinary_loss        ExtraordinaryLoss
  pretax_income             IncomeBeforeIncomeTaxes
  current_income_tax        IncomeTaxesCurrent
  deferred_income_tax       IncomeTaxesDeferred
  income_tax                IncomeTaxes
  net_income_including_minority_interest ProfitLoss
  minority_interest_income  ProfitLossAttributableToNonControllingInterests
  net_income                ProfitLossAttributableToOwnersOfParent
  comprehensive_income      ComprehensiveIncome
  .                         ComprehensiveIncomeAttributableToOwnersOfTheParent
  revenue                   i:RevenueIFRS i:NetSalesIFRS i:Revenue2IFRS | 営業収益合計
  revenue_goods             商品・製品売上収益
  revenue_financing         金融事業に係る金融収益
  cost_of_revenue           i:CostOfSalesIFRS
  cost_of_financing         金融事業に係る金融費用
  gross_profit              i:GrossProfitIFRS
  selling_general_administrative i:SellingGeneralAndAdministrativeExpensesIFRS
  costs_and_expenses        売上原価並びに販売費及び一般管理費合計
  other_operating_income    i:OtherIncomeIFRS
  other_operating_expense   i:OtherExpensesIFRS
  operating_income          i:OperatingProfitLossIFRS
  equity_method_income      i:ShareOfProfitLossOfInvestmentsAccountedForUsingEquityMethodIFRS
  finance_income            i:FinanceIncomeIFRS
  finance_costs             i:FinanceCostsIFRS
  other_finance_income      i:OtherFinanceIncomeIFRS
  other_finance_costs       i:OtherFinanceCostsIFRS
  foreign_exchange          為替差損益
  other_nonoperating        その他
  pretax_income             i:ProfitLossBeforeTaxIFRS
  income_tax                i:IncomeTaxExpenseIFRS
  net_income_including_minority_interest i:ProfitLossIFRS
  net_income                i:ProfitLossAttributableToOwnersOfParentIFRS
  minority_interest_income  i:ProfitLossAttributableToNonControllingInterestsIFRS
  eps                       i:BasicEarningsLossPerShareIFRS i:BasicAndDilutedEarningsLossPerShareIFRS
  eps_diluted               i:DilutedEarningsLossPerShareIFRS

  GrossProfit = NetSales - CostOfSales
  OperatingIncome = GrossProfit - SellingGeneralAndAdministrativeExpenses
  OrdinaryIncome = OperatingIncome + NonOperatingIncome - NonOperatingExpenses
  IncomeBeforeIncomeTaxes = OrdinaryIncome + ExtraordinaryIncome - ExtraordinaryLoss
  IncomeTaxes = IncomeTaxesCurrent + IncomeTaxesDeferred
  ProfitLoss = IncomeBeforeIncomeTaxes - IncomeTaxes
  ProfitLoss = ProfitLossAttributableToOwnersOfParent + ProfitLossAttributableToNonControllingInterests
  `,
  prefixes,
)

const cashFlow = readTable(
  `
  depreciation_amortization DepreciationAndAmortizationOpeCF
  .                         AmortizationOfGoodwillOpeCF
  stock_based_compensation  ShareBasedCompensationExpensesOpeCF
  impairments               ImpairmentLossOpeCF
  provision_for_losses      IncreaseDecreaseInAllowanceForDoubtfulAccountsOpeCF
  .                         InterestAndDividendsIncomeOpeCF InterestExpensesOpeCF LossGainOnInvestmentsInPartnershipOpeCF
  change_in_receivables     DecreaseIncreaseInNotesAndAccountsReceivableTradeOpeCF
  change_in_inventory       DecreaseIncreaseInInventoriesOpeCF
  change_in_payables        IncreaseDecreaseInNotesAndAccountsPayableTradeOpeCF
  change_in_prepaid         DecreaseIncreaseInPrepaidExpensesOpeCF
  change_in_customer_deposits IncreaseDecreaseInAdvancesReceivedOpeCF
  .                         IncreaseDecreaseInDepositsReceivedOpeCF DecreaseIncreaseInConsumptionTaxesReceivablePayableOpeCF OtherNetOpeCF
  cash_from_operations      SubtotalOpeCF
  interest_paid             InterestExpensesPaidOpeCFFinCF
  .                         InterestAndDividendsIncomeReceivedOpeCFInvCF IncomeTaxesRefundOpeCF
  income_taxes_paid         IncomeTaxesPaidOpeCF
  operating_cash_flow       NetCashProvidedByUsedInOperatingActivities
  capital_expenditure       PurchaseOfPropertyPlantAndEquipmentInvCF
  disposals                 ProceedsFromSalesOfPropertyPlantAndEquipmentInvCF
  intangibles_bought        PurchaseOfIntangibleAssetsInvCF
  investments_bought        PurchaseOfInvestmentSecuritiesInvCF
  investments_sold          ProceedsFromSalesOfInvestmentSecuritiesInvCF
  .                         ProceedsFromDistributionOfInvestmentInPartnershipsInvCF PaymentsForLeaseAndGuaranteeDepositsInvCF ProceedsFromCollectionOfLeaseAndGuaranteeDepositsInvCF OtherNetInvCF
  investing_cash_flow       NetCashProvidedByUsedInInvestmentActivities
  debt_issued               ProceedsFromLongTermLoansPayableFinCF + ProceedsFromIssuanceOfBondsFinCF
  debt_repaid               RepaymentOfLongTermLoansPayableFinCF + RedemptionOfBondsFinCF
  debt_net                  NetIncreaseDecreaseInShortTermLoansPayableFinCF
  dividends_paid            CashDividendsPaidFinCF
  stock_issued              ProceedsFromIssuanceOfStockResultingFromExerciseOfSubscriptionRightsToSharesFinCF
  share_repurchases         PurchaseOfTreasuryStockFinCF
  treasury_stock_sold       ProceedsFromDisposalOfTreasuryStockFinCF
  other_financing           OtherNetFinCF
  financing_cash_flow       NetCashProvidedByUsedInFinancingActivities
  exchange_rate_effect      EffectOfExchangeRateChangeOnCashAndCashEquivalents
  cash_change               NetIncreaseDecreaseInCashAndCashEquivalents
  cash_at_end               CashAndCashEquivalents
  net_income_including_minority_interest i:ProfitLossIFRS
  depreciation_amortization i:DepreciationAndAmortizationOpeCFIFRS
  equity_method_income      i:ShareOfLossProfitOfInvestmentsAccountedForUsingEquityMethodOpeCFIFRS
  .                         i:IncomeTaxExpenseOpeCFIFRS
  change_in_working_capital 資産及び負債の増減ほか
  change_in_receivables     i:DecreaseIncreaseInTradeAndOtherReceivablesOpeCFIFRS
  change_in_inventory       i:DecreaseIncreaseInInventoriesOpeCFIFRS
  change_in_payables        i:IncreaseDecreaseInTradeAndOtherPayablesOpeCFIFRS
  pension                   i:IncreaseDecreaseInRetirementBenefitLiabilityOpeCFIFRS
  change_in_other_working_capital i:OtherChangesInWorkingCapitalOpeCFIFRS
  interest_received         i:InterestReceivedOpeCFIFRS
  dividends_received        i:DividendsReceivedOpeCFIFRS
  interest_paid             i:InterestPaidOpeCFIFRS
  income_taxes_paid         i:IncomeTaxesPaidOpeCFIFRS
  operating_cash_flow       i:NetCashProvidedByUsedInOperatingActivitiesIFRS
  capital_expenditure       i:PurchaseOfPropertyPlantAndEquipmentInvCFIFRS | 有形固定資産の購入
  leased_equipment_bought   賃貸資産の購入
  leased_equipment_sold     賃貸資産の売却
  disposals                 i:ProceedsFromSalesOfPropertyPlantAndEquipmentInvCFIFRS | 有形固定資産の売却
  intangibles_bought        i:PurchaseOfIntangibleAssetsInvCFIFRS | 無形資産の取得
  investments_bought        公社債及び株式の購入
  investments_sold          公社債及び株式の売却 + 公社債の満期償還
  other_investing           i:OtherInvCFIFRS
  investing_cash_flow       i:NetCashProvidedByUsedInInvestingActivitiesIFRS
  debt_net                  短期有利子負債の純増減額
  debt_issued               長期有利子負債の増加
  debt_repaid               長期有利子負債の返済
  dividends_paid            i:DividendsPaidToOwnersOfParentFinCFIFRS i:DividendsPaidFinCFIFRS
  minority_interest_paid    i:DividendsPaidToNonControllingInterestsFinCFIFRS
  share_repurchases_net     自己株式の取得及び処分
  other_financing           i:OtherFinCFIFRS
  financing_cash_flow       i:NetCashProvidedByUsedInFinancingActivitiesIFRS
  exchange_rate_effect      i:EffectOfExchangeRateChangesOnCashAndCashEquivalentsIFRS
  cash_change               i:NetIncreaseDecreaseInCashAndCashEquivalentsIFRS
  cash_at_end               i:CashAndCashEquivalentsIFRS

  NetCashProvidedByUsedInOperatingActivities = SubtotalOpeCF + InterestAndDividendsIncomeReceivedOpeCFInvCF + InterestExpensesPaidOpeCFFinCF + IncomeTaxesPaidOpeCF + IncomeTaxesRefundOpeCF
  NetIncreaseDecreaseInCashAndCashEquivalents = NetCashProvidedByUsedInOperatingActivities + NetCashProvidedByUsedInInvestmentActivities + NetCashProvidedByUsedInFinancingActivities + EffectOfExchangeRateChangeOnCashAndCashEquivalents
  `,
  prefixes,
)

export const japan: Taxonomy = {
  defines: tag => /^(jppfs_cor|jpigp_cor):/.test(tag),
  extentOf: () => 'partial',
  // Net assets contain share subscription rights. Groups need not show on an income statement whose the profit is.
  ownersHaveAll: (statement, isAlone) => isAlone && statement === 'income',
  statements: { income, balance, cash_flow: cashFlow },
}

import { anyOf, linesOf, type Section } from './definition.ts'

const line = linesOf('income', { sign: 'signed', sections: ['pretax'] })

const aboveNetIncome: readonly Section[] = ['pretax', 'after_tax']
const anyProfit: readonly Section[] = [...aboveNetIncome, 'attributed']
const perShare = { unit: 'currency/share', sections: ['per_share'], sign: 'signed' } as const
const shares = { unit: 'shares', sections: ['per_share'], sign: 'amount' } as const
const revenue = { parent: 'revenue', sign: 'amount', adds: true } as const
const cost = { sign: 'cost', adds: true } as const

const revenues = [
  line('revenue', 'Revenue', {
    sign: 'amount',
    tags: 'RevenueFromContractWithCustomerExcludingAssessedTax Revenues SalesRevenueNet RevenueFromContractWithCustomerIncludingAssessedTax Revenue',
    orElse: [
      'RevenuesNetOfInterestExpense SalesRevenueGoodsNet SalesRevenueServicesNet',
      'RealEstateRevenueNet HealthCareOrganizationRevenue RegulatedAndUnregulatedOperatingRevenue',
      'UtilityRevenue ElectricUtilityRevenue OilAndGasRevenue RevenueMineralSales',
    ],
    words:
      /^(total )?(net )?(operating )?(revenues?|sales|net sales|sales and revenues|revenues net of interest expense|sales and other operating revenues|net revenues?)( net| including .*)?$/,
    unlike: /other income|non ?operating income|revenues? and other$/,
  }),
  line('revenue_goods', 'Revenue from goods', {
    ...revenue,
    kinds: ['industrial'],
    alike:
      /^(SalesRevenueGoods(Net|Gross)?|EquipmentSalesRevenue\w*|SuppliesRevenue|ProductRevenue\w*|FoodAndBeverageRevenue|OilAndGas(Sales)?Revenue|OilAndCondensateRevenue|NaturalGas(Production|Sales)?Revenues?|RefiningAndMarketingRevenue)$/,
    words:
      /^(oil|gas|natural gas|oil and gas|natural gas liquids|oil and condensate)( production)?( sales| revenues?)$|^(net )?(product|products|goods|equipment|merchandise|company restaurants?|manufactured products|systems?|hardware)( sales| revenues?| and supplies)*( net)?$/,
    unlike:
      /operating revenues|unrelated|^total|licen[sc]|sourcing|service|outside sales|gathering|marketing/,
  }),
  line('revenue_services', 'Revenue from services, fees and royalties', {
    ...revenue,
    kinds: ['industrial', 'reit'],
    alike:
      /^(SalesRevenueServices(Net|Gross)?|TechnologyServicesRevenue|MaintenanceRevenue|LicenseAndMaintenanceRevenue|LicenseAndServicesRevenue|SubscriptionRevenue|AdvertisingRevenue|ContractsRevenue|HealthCareOrganizationPatientServiceRevenue|PassengerRevenue|FinancialServicesRevenue|RevenueOilAndGasServices|FranchiseRevenue|RoyaltyRevenue|CargoAndFreightRevenue|ManagementFeesRevenue|LicensesServicesRevenue|OccupancyRevenue|RevenueFromFranchis\w*|RoyaltyRevenues\w*|AdvertisingRevenues\w*)$/,
    words:
      /^(net )?(services?|subscriptions?|maintenance|advertising|royalt(y|ies)|franchise( royalties and fees)?|management fees?|rentals?|passenger|support and maintenance|contract|fees|contracts|financial services|licensing)( and other)?( sales| revenues?| fees)*( net)?$/,
    unlike: /investment income|operating revenues|^other$|^software$|specialty/,
  }),
  line('electric_revenue', 'Revenue from electricity', {
    ...revenue,
    kinds: ['utility'],
    alike:
      /^(Electric\w*Revenue|ElectricalTransmissionAndDistributionRevenue|ElectricUtilityRevenue|RegulatedOperatingRevenueElectric\w*)$/,
    words: /^(electric(ity)?|electric utility)( operating)?( revenues?| sales)?$/,
    unlike: /unregulated|^utility( operations)?$/,
  }),
  line('gas_revenue', 'Revenue from gas', {
    ...revenue,
    kinds: ['utility'],
    alike: /^(Gas\w*Revenue|RegulatedOperatingRevenue(Gas|Natural)\w*|NaturalGas\w*Revenue\w*)$/,
    words: /^(natural )?gas( utility| operating| distribution)?( revenues?| sales)?$/,
    unlike: /liquids|pipeline/,
  }),
  line('rental_revenue', 'Revenue from rent', {
    ...revenue,
    kinds: ['reit'],
    alike:
      /^(OperatingLeasesIncomeStatement(Lease|Minimum|Contingent)\w*|RevenueFromLeaseOrRental\w*|MinimumRents|RealEstateRevenueNet|PercentageRent|OperatingLeaseLeaseIncome|LeaseIncome|RentalRevenue\w*|RentalIncome\w*)$/,
    words:
      /^(property |minimum |base |percentage )?(rents?|rental|rentals|lease)( and other property| and leasing)?( revenues?| income)?$|^(minimum|base|overage) rents?$/,
  }),
  line('tenant_reimbursements', 'Reimbursements by tenants', {
    ...revenue,
    kinds: ['reit'],
    alike: /^(TenantReimbursements|ExpenseReimbursements\w*)$/,
    words: /^((tenant|expense) (expense )?(reimbursements?|recoveries)|recoveries from tenants)$/,
  }),
  line('premiums', 'Premiums earned', {
    ...revenue,
    kinds: ['industrial', 'insurer'],
    alike:
      /^(PremiumsEarnedNet\w*|PremiumsEarned|HealthCareOrganizationPremiumRevenue|InsurancePremium\w*|HealthCareOrganizationPremiumRevenue\w*)$/,
    words: /^(net )?(earned )?premiums?( earned)?( net)?$/,
  }),
  line('policy_fees', 'Policy charges and fees', {
    ...revenue,
    kinds: ['insurer'],
    alike: /^(InsuranceCommissionsAndFees|PolicyCharges\w*|UniversalLife\w*|FeesAndOtherIncome)$/,
    words:
      /^(policy charges?( and fee income)?|fees and other revenues?|fee income|contract charges|(product|policy) fees|universal life and investment type product policy fees)$/,
  }),
  line('net_investment_income', 'Net investment income', {
    ...revenue,
    kinds: ['insurer'],
    alike:
      /^(NetInvestmentIncome|InvestmentIncomeNet|InvestmentIncomeInterestAndDividend|InvestmentIncomeInterest|GrossInvestmentIncomeOperating)$/,
    words: /^(net )?investment income$/,
  }),
  line('investment_gains', 'Gains and losses on investments', {
    kinds: ['bank', 'insurer'],
    sections: ['pretax'],
    adds: true,
    alike:
      /^(RealizedInvestmentGainsLosses|(Realized)?(Marketable|AvailableFor)\w*(Gain|Gains)\w*|GainLossOn(Investments\w*|SaleOf(Securities|DebtInvestments|OtherInvestments|Investments|EquityInvestments|EquityMethod|StockInSubsidiary|Interest)\w*)|PrincipalInvestmentGainsLosses|GainsLossesOnInvestments|InvestmentGains\w*|DebtAndEquitySecuritiesGainLoss|EquitySecuritiesFvNiGainLoss\w*|DebtSecuritiesAvailableForSaleRealizedGainLoss\w*|GainLossOnSecurities)$/,
    words:
      /^(net )?(realized |total realized )?(investment )?(gains?|losses|gain loss|gains losses)( losses)?( net)?( on| from)( sales? of)? (investments?|securities|sale of investments|sales of investments|marketable securities|investment securities)( net)?$|^(net )?realized( capital| investment)? gains( losses)?( net)?$|^(net )?(securities|investment) gains( losses)?( net)?$/,
    unlike: /impairment|repurchase|extinguish|\bnotes\b|subsidiary stock|hedges/,
  }),
  line('investment_impairments', 'Impairments of investments', {
    ...cost,
    kinds: ['bank', 'insurer'],
    alike:
      /^(ImpairmentOfInvestments|OtherThanTemporaryImpairment\w*|NetOtherThanTemporaryImpairments|EquityMethodInvestmentOtherThanTemporaryImpairment|NetImpairmentLossesRecognizedInEarnings|OtherThanTemporaryImpairments)$/,
    words:
      /^(net )?((other than temporary )?impairments?( losses)?( charges?)? ?(on|of) (investments?|securities).*|other than temporary impairments?( losses)?|(net )?impairment losses recognized in earnings)$/,
    unlike: /portion|other comprehensive|goodwill/,
  }),
]

const banking = [
  line('interest_income', 'Total interest income', {
    sign: 'amount',
    parent: 'net_interest_income',
    kinds: ['bank'],
    tags: 'InterestAndDividendIncomeOperating',
    words: /^total interest (and dividend )?income$/,
  }),
  line('interest_income_loans', 'Interest and fees on loans', {
    kinds: ['bank'],
    sign: 'amount',
    parent: 'interest_income',
    adds: true,
    alike: /^(InterestAndFeeIncomeLoans\w*|InterestIncomeLoans\w*)$/,
    words: /^interest (and fees )?on loans( and leases)?( including fees.*| held for sale)?$/,
  }),
  line('interest_income_securities', 'Interest and dividends on securities', {
    kinds: ['bank'],
    sign: 'amount',
    parent: 'interest_income',
    adds: true,
    alike:
      /^(InterestAndDividendIncomeSecurities\w*|InterestIncomeSecurities(?!Purchased)\w*|InterestIncomeDebtSecurities\w*)$/,
    words:
      /^(interest on |interest and dividends on )(investment |trading )?securities( available for sale| held to maturity| taxable| tax exempt)?$/,
  }),
  line('interest_expense_deposits', 'Interest on deposits', {
    kinds: ['bank'],
    sign: 'cost',
    parent: 'interest_expense',
    adds: true,
    alike: /^InterestExpense(Deposits|DomesticDeposit|TimeDeposits|SavingsDeposits)\w*$/,
    words: /^interest on deposits$/,
  }),
  line('interest_expense_borrowings', 'Interest on borrowings', {
    sign: 'cost',
    parent: 'interest_expense',
    kinds: ['bank'],
    adds: true,
    alike:
      /^(InterestExpense(ShortTerm|LongTerm|Borrowings|Federal|OtherLong|OtherShort|Securities|JuniorSub|Subordinated|Trust|Other)\w*|OtherInterestExpense)$/,
    words:
      /^interest on ((other )?(short|long) term (borrowings|debt)|borrowings|federal funds purchased.*|subordinated .*|federal home loan bank .*)$/,
    unlike: /^other( interest expense)?$/,
  }),
  line('net_interest_income', 'Net interest income', {
    kinds: ['bank'],
    tags: 'InterestIncomeExpenseNet',
    words: /^net interest income( expense)?$/,
  }),
  line('provision_for_loan_losses', 'Provision for loan losses', {
    kinds: ['bank'],
    sign: 'cost',
    adds: true,
    alike: /^(ProvisionFor(Loan|LoanLease|LoanAndLease|Credit|Loans)\w*|ProvisionForLoanLossesExpensed)$/,
    words:
      /^(total )?provisions? for (loan|credit|loan and lease|loans|finance credit|loan lease and other)( and lease)? ?(losses)?$/,
  }),
  line('net_interest_income_after_provision', 'Net interest income after provision', {
    kinds: ['bank'],
    tags: 'InterestIncomeExpenseAfterProvisionForLoanLoss',
    words: /^net interest income after provisions? for .*losses$/,
  }),
  line('service_charges', 'Service charges on deposits', {
    kinds: ['bank'],
    parent: 'noninterest_income',
    adds: true,
    sign: 'amount',
    alike: /^FeesAndCommissionsDepositor\w*$/,
    words: /^service (charges|fees)( on deposit accounts| on deposits)?$/,
  }),
  line('trust_and_asset_management_fees', 'Trust and asset management fees', {
    kinds: ['bank'],
    parent: 'noninterest_income',
    adds: true,
    sign: 'amount',
    alike: /^(FeesAndCommissionsFiduciary\w*|AssetManagementFees\w*|InvestmentAdvisory\w*|PerformanceFees)$/,
    words:
      /^(trust|fiduciary|investment management|investment advisory|asset management)( and (investment management|fiduciary|securities processing|investment))*( activities| administration)?( fees| income| and performance fees)*$/,
    unlike: /retail investment/,
  }),
  line('commissions_and_fees', 'Commissions and fees', {
    kinds: ['bank'],
    parent: 'noninterest_income',
    adds: true,
    sign: 'amount',
    alike:
      /^(FeesAndCommissions(Other|CreditCards|Mutual\w*|TransferAgent|DebitCards)?|BrokerageCommissions\w*|NoninterestIncomeOther\w*Fee\w*|DistributionAndServic\w*Fees|CommissionsAndFees\w*|InsuranceCommissionsAndFees)$/,
    words:
      /^(commissions|fees|fees and commissions|commissions and fees|card fees|bankcard fees|insurance (commissions|income)|brokerage( commissions)?|transaction fees|checkcard fees|credit card( fees| income)?)$/,
    unlike: /asset management|administration|other income|^total|investment|deposit|service charges/,
  }),
  line('investment_banking_revenue', 'Investment banking revenue', {
    kinds: ['bank'],
    parent: 'noninterest_income',
    adds: true,
    sign: 'amount',
    alike: /^InvestmentBanking\w*$/,
    words: /^(investment banking|underwriting)( .*)?$/,
    unlike: /distribution|expense|brokerage|advisory and service|securities finance/,
  }),
  line('trading_income', 'Trading income', {
    kinds: ['bank'],
    parent: 'noninterest_income',
    adds: true,
    alike: /^(TradingGainsLosses|PrincipalTransactions\w*|TradingActivit\w*)$/,
    words:
      /^(trading( account)?|principal transactions|foreign exchange)( profits?| income| revenues?| and investments?| gains)*( losses)?$/,
    unlike: /commissions/,
  }),
  line('mortgage_banking_income', 'Mortgage banking income', {
    kinds: ['bank'],
    parent: 'noninterest_income',
    adds: true,
    alike:
      /^(MortgageBanking\w*|GainLossOnSalesOfLoansNet|GainLossOnSaleOfMortgageLoans|NoninterestIncomeLoanServic\w*|BankServicing\w*)$/,
    words: /^mortgage (banking|servicing|fees)( income| revenues?| and related.*)?$/,
  }),
  line('other_noninterest_income', 'Other noninterest income', {
    kinds: ['bank'],
    parent: 'noninterest_income',
    alike: /^(NoninterestIncomeOther\w*|OtherNoninterestIncome)$/,
    words: /^other( noninterest| operating)? income$/,
    unlike: /^total/,
  }),
  line('noninterest_income', 'Total noninterest income', {
    kinds: ['bank'],
    tags: 'NoninterestIncome',
    words: /^total (other|noninterest|non interest)( operating)? (income|revenues?)$/,
  }),
]

const costs = [
  line('cost_of_revenue', 'Cost of revenue', {
    kinds: ['industrial'],
    sign: 'cost',
    tags: 'CostOfRevenue CostOfGoodsAndServicesSold CostOfSales',
    orElse: ['CostOfGoodsSold CostOfServices'],
    words:
      /^(total )?costs? of (goods sold|sales|products sold|revenues?|products and services sold|goods and services sold|net revenues|services)( exclusive of .*| excluding .*| including .*)?$|^total cost of (sales|revenues?).*$/,
    unlike:
      /total costs? and|subscriber|^operating|automotive|operating expenses|other operating|purchased crude/,
  }),
  line('cost_of_goods', 'Cost of goods', {
    ...cost,
    kinds: ['industrial'],
    parent: 'cost_of_revenue',
    alike:
      /^(CostOfGoodsSold\w*|CostOf(Equipment|Product|Products)\w*|CostOfSupplies|FoodAndBeverageCosts\w*|CostOfMerchandise\w*)$/,
    words:
      /^(costs? of )?(products?|equipment|goods|merchandise|company restaurants?)( sold| sales| and supplies)*( excluding .*)?$/,
    unlike:
      /^depreciation|amortization of|impairment|subscriber|^subscription|licen[sc]|^total|occupancy|other operating|^sales$|services|operating expenses|selling|distribution/,
  }),
  line('cost_of_services', 'Cost of services', {
    ...cost,
    kinds: ['industrial'],
    parent: 'cost_of_revenue',
    alike:
      /^(CostOfServices\w*|TechnologyServicesCosts|ContractRevenueCost|OtherCostOfServices|CostOfService\w*|DirectCostsOfLeasedAndRentedPropertyOrEquipment|FranchisedStores\w*Cost\w*|CostOfRealEstate\w*Services)$/,
    words:
      /^(costs? of )(services?|maintenance|support|subscriptions?|rentals?|financing)( revenues?| and other)?( excluding .*)?$/,
    unlike:
      /^depreciation|^amortization|maintenance|subscriber|software|advertising|\band products|operating revenues/,
  }),
  line('gross_profit', 'Gross profit', {
    kinds: ['industrial'],
    tags: 'GrossProfit',
    words: /^(total )?gross (profit|margin)( loss)?$/,
    unlike: /^(gain|loss) on|revenue|excluding/,
  }),
  line('research_and_development', 'Research and development', {
    kinds: ['industrial'],
    sign: 'cost',
    tags: 'ResearchAndDevelopmentExpense ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost',
    orElse: ['ResearchAndDevelopmentExpenseSoftwareExcludingAcquiredInProcessCost'],
    words:
      /^(research( and)?( product)? development( and engineering)?|research development and engineering|product development|technology and (content|development))( expenses?| costs?| net)*$/,
    unlike: /sell|administrative|content|^cost/,
  }),
  line('selling_general_administrative', 'Selling, general and administrative', {
    kinds: ['industrial'],
    sign: 'cost',
    tags: 'SellingGeneralAndAdministrativeExpense',
    words:
      /^(selling|marketing)( marketing| distribution)?( informational)?( general)?( and)? (general )?(and )?administrative( expenses?| costs?)?( excluding.*)?$|^selling and administrative( expenses?)?$/,
    unlike:
      /^(?!.*(sell|sales|market|distribut)).*$|research|engineering|development|acquisition|insurance|warehous/,
  }),
  line('selling_expense', 'Selling and marketing', {
    ...cost,
    kinds: ['industrial', 'bank'],
    alike:
      /^(SellingAndMarketingExpense|SellingExpense|MarketingAndAdvertisingExpense|MarketingExpense|AdvertisingExpense)$/,
    words:
      /^(?!sales$)(sales and|selling|marketing|advertising)( and)?( selling| marketing| sales| advertising| promotion| distribution)?( expenses?| costs?)?$/,
    unlike: /business development|agent|and other|services/,
  }),
  line('general_administrative', 'General and administrative', {
    ...cost,
    kinds: ['industrial', 'insurer', 'reit'],
    alike: /^(GeneralAndAdministrativeExpense)$/,
    words:
      /^(corporate )?(general and administrative|administrative and general|corporate|administrative|general corporate)( and other)?( expenses?| costs?)?( net)?$/,
    unlike: /sell|sales|market|professional|development|engineering/,
  }),
  line('depreciation_and_amortization_expense', 'Depreciation and amortization', {
    ...cost,
    kinds: ['industrial', 'reit', 'utility'],
    alike:
      /^(Depreciation|DepreciationAndAmortization|DepreciationDepletionAndAmortization|DepreciationAmortizationAndAccretionNet|OtherDepreciationAndAmortization|UtilitiesOperatingExpenseDepreciationAndAmortization|DepreciationNonproduction|DepreciationProductionAndNonproduction|CostOfServicesDepreciationAndAmortization|CostOfGoodsSoldDepreciationAndAmortization|AccumulatedDepreciationDepletionAndAmortizationExpense\w*|CostDepreciationAmortizationAndDepletion|CostOfGoodsAndServicesSoldDepreciationAndAmortization|DepreciationExpense\w*)$/,
    words:
      /^(real estate )?depreciation( depletion)?( and)?( amortization| depletion)*( expenses?| and accretion)?$/,
    unlike:
      /applicable|other assets|non oil|\bother$|recurring|decommissioning|impairment|^amortization$|^(?!.*(amorti[sz]ation|depletion|accretion)).*$/,
  }),
  line('depreciation', 'Depreciation, stated without amortization', {
    ...cost,
    kinds: ['industrial', 'reit', 'utility'],
    alike:
      /^(Depreciation|DepreciationNonproduction|CostOf(Services|GoodsAndServicesSold)Depreciation|DepreciationAndAmortization|DepreciationDepletionAndAmortization)$/,
    words: /^(provision for )?depreciation( expense)?$/,
    unlike: /amorti[sz]ation|depletion|accretion|impairment|applicable|recurring|other assets/,
  }),
  line('amortization_of_intangibles', 'Amortization of intangible assets', {
    ...cost,
    kinds: ['industrial', 'bank'],
    alike:
      /^(AmortizationOf(Intangible|Acquired|Purchased|OtherIntangible|FiniteLived)\w*|AmortizationOfAcquiredIntangibleAssets)$/,
    words:
      /^amortization( expense)?( of)?( acquired| purchased| acquisition related| other| identifiable)*( intangibles| intangible assets)$/,
    unlike: /and other (?!intangible)/,
  }),
  line('restructuring_and_impairments', 'Restructuring, impairments and acquisition costs', {
    ...cost,
    alike: anyOf(
      /^(Restructuring\w*|SeveranceCosts\d?|BusinessExitCosts\d?)$/,
      /^(Goodwill(AndIntangibleAsset)?Impairment\w*|AssetImpairmentCharges|ImpairmentOf(IntangibleAssets|LongLived|RealEstate|OilAndGas|Goodwill|Ongoing)\w*|OtherAssetImpairmentCharges|TangibleAssetImpairmentCharges)$/,
      /^(BusinessCombination(Acquisition|Integration)RelatedCosts|MergerAndAcquisitionCosts|BusinessCombinationAcquisitionRelatedCosts|SpecialMerger\w*)$/,
    ),
    words: anyOf(
      /^(net )?(restructuring|reorganization|special charges|severance|facilit(y|ies) (exit|closing))( and (other|integration|related|special|asset impairments?|impairment|transition)( related)?)?( charges?| costs?| expenses?| activities| credits?| items| net)*$/,
      /^provisions? for impairments?$|^(goodwill|asset|intangible asset|goodwill and (other )?intangible assets?|long lived asset|property)?s? ?impairments?( charges?| losses| loss| expense| costs)*( of (goodwill|long lived assets|assets|intangible assets|real estate|goodwill and other intangible assets))?$/,
      /^(merger|acquisition|integration|transaction)( related)?( and (integration|acquisition|other|merger|restructuring))*( related)?( charges?| costs?| expenses?)$/,
    ),
    unlike:
      /litigation|settlement(?! and impairment)|divestiture|^special|reorganization|^other charges|gains?\b|other charges|disposal|of investments|marketable|other than temporary/,
    adds: true,
  }),
  line(
    'gains_and_losses',
    'Gains and losses on disposals, investments, derivatives, exchange rates and debt',
    {
      kinds: ['industrial', 'reit', 'utility'],
      alike: anyOf(
        /^((GainLoss|GainsLosses)On(Disposition|SaleOf|SalesOf|Sales)(Assets|Propert|Business|Other|OtherAssets|Intangible|PropertyPlant|RealEstate|OfAssets)\w*|GainLossOnDispositionOf\w*|GainsLossesOnSalesOf(Assets|InvestmentRealEstate)|GainLossOnSaleOf(Properties|Business|OtherAssets|PropertyPlantEquipment|Property|Project)\w*|DisposalGroupNotDiscontinuedOperationGainLossOnDisposal\w*)$/,
        /^(RealizedInvestmentGainsLosses|(Realized)?(Marketable|AvailableFor)\w*(Gain|Gains)\w*|GainLossOn(Investments\w*|SaleOf(Securities|DebtInvestments|OtherInvestments|Investments|EquityInvestments|EquityMethod|StockInSubsidiary|Interest)\w*)|PrincipalInvestmentGainsLosses|GainsLossesOnInvestments|InvestmentGains\w*|DebtAndEquitySecuritiesGainLoss|EquitySecuritiesFvNiGainLoss\w*|DebtSecuritiesAvailableForSaleRealizedGainLoss\w*|GainLossOnSecurities)$/,
        /^((Unrealized)?GainLossOnDerivative\w*|UnrealizedGainLossOnDerivatives\w*|DerivativeGainLoss\w*|GainLossOnPriceRisk\w*)$/,
        /^(ForeignCurrencyTransactionGainLoss(BeforeTax|Realized|Unrealized)?|ForeignExchangeGain\w*)$/,
        /^GainsLossesOnExtinguishmentOfDebt\w*$/,
      ),
      words: anyOf(
        /^(net )?(\(?gains?|losses?|gain loss|gains losses)( losses| loss| gain)?( net)?( on| from)( the)?( sales?| dispositions?| disposals?)?( and disposals?)?( of)? (assets|property|properties|business|businesses|real estate|sale|property plant and equipment|other assets)( net)?$/,
        /^(net )?(realized |total realized )?(investment )?(gains?|losses|gain loss|gains losses)( losses)?( net)?( on| from)( sales? of)? (investments?|securities|sale of investments|sales of investments|marketable securities|investment securities)( net)?$|^(net )?realized( capital| investment)? gains( losses)?( net)?$|^(net )?(securities|investment) gains( losses)?( net)?$/,
        /^(net )?(realized |unrealized )?(gains?|losses?|gain loss|gains losses)( losses| loss| gain)?( net)? (on|from) (derivatives?|derivative instruments|commodity derivatives?|risk management|hedging)( .*)?$/,
        /^(net )?(foreign )?(currency|exchange)( transaction)?( exchange)?( translation)?( gains?| losses| loss| gain loss)*( net)?$/,
        /^(gain|loss|losses|gains|gain loss|loss gain)s?( net)? (on|from)( early)? (extinguishment|retirement|repurchase|redemption) of debt( net)?$/,
      ),
      unlike: /and other\b|impairment|^other|subsidiary stock|\bexpenses?\b|write/,
      adds: true,
    },
  ),
  line('taxes_other_than_income', 'Taxes other than income', {
    ...cost,
    kinds: ['industrial', 'reit', 'utility'],
    alike:
      /^(Taxes(Excluding|Other|Other\w*)\w*|ExciseAndSalesTaxes|GeneralTaxes|UtilitiesOperatingExpenseTaxes|ProductionTaxExpense|RealEstateTaxExpense|ProductionAndAdValoremTaxes|TaxesMiscellaneous)$/,
    words:
      /^(general|real estate|property|excise|production|sales|payroll)?( and)?( franchise| severance| other| ad valorem| sales based)? ?taxes( other than (on )?income( taxes)?)?$/,
    unlike: /\bincome and\b|operating/,
  }),
  line('fuel_costs', 'Fuel', {
    ...cost,
    kinds: ['utility'],
    alike:
      /^(FuelCosts|UtilitiesOperatingExpenseFuelUsed|AircraftFuel\w*|FuelExpense|CostOfFuel\w*|UtilitiesCostOfElectricFuelAndPurchasedPower)$/,
    words:
      /^(aircraft )?(fuel|electric fuel|fuel used in electric generation|fuel and purchased power|electric fuel and purchased power)( and related taxes| used| costs?| expenses?| for .*)?$/,
    unlike: /purchased|resale/,
  }),
  line('purchased_power', 'Purchased power', {
    ...cost,
    kinds: ['utility'],
    alike:
      /^(CostOfPurchasedPower|UtilitiesOperatingExpensePurchasedPower\w*|CostOfDomesticRegulatedElectric)$/,
    words: /^(purchased (power|electricity|energy)|power purchased|energy purchases)( .*)?$/,
    unlike: /fuel|unrealized|^realized/,
  }),
  line('purchased_gas', 'Purchased gas', {
    ...cost,
    kinds: ['utility'],
    alike:
      /^(UtilitiesOperatingExpenseGas\w*|CostOfPurchasedOilAndGas|CostOf(Natural)?Gas\w*|CostOfDomesticRegulatedGas|CostOfPurchasedGas|GasPurchase\w*|RegulatedCostOfNaturalGas)$/,
    words:
      /^(cost of )?(natural )?gas( purchased| sold| purchased for resale| expense)?$|^(purchased gas|cost of (natural )?gas( sold)?)( costs?| for resale| and .*)?$/,
    unlike: /crude|oil/,
  }),
  line('operations_and_maintenance', 'Operations and maintenance', {
    ...cost,
    kinds: ['utility'],
    alike:
      /^(UtilitiesOperatingExpenseMaintenance\w*|UtilitiesOperatingExpense\w*(Operations|Maintenance)\w*|OperationsAndMaintenance\w*|OtherOperationsAndMaintenance\w*|CostOfServicesMaintenanceCosts|CostOfPropertyRepairsAndMaintenance|AircraftMaintenance\w*|MaintenanceMaterialsAndRepairs|MaintenanceCosts)$/,
    words:
      /^((other )?(operations?|operating) and maintenance|(maintenance|repairs)( and (repairs|maintenance)| materials and repairs)?)( expenses?| costs?)?$/,
    unlike: /^operations?$|and other/,
  }),
  line('property_operating_costs', 'Property operating costs', {
    ...cost,
    kinds: ['reit'],
    alike:
      /^(CostOfPropertyRepairs\w*|OwnedPropertyManagementCosts|DirectCostsOf(Leased|Hotels)\w*|RealEstateTaxesAndInsurance|PropertyOperat\w*Expense|CostOfRealEstateRevenue|CostsOfRealEstate\w*|DirectOperatingCosts)$/,
    words:
      /^((rental )?property (operating|maintenance|management)( and maintenance)?|rental|operating and maintenance|real estate operating|rental operations)( expenses?| costs?)?$/,
    unlike: /land sales|^rent$/,
  }),
  line('compensation', 'Compensation and benefits', {
    ...cost,
    kinds: ['industrial', 'bank'],
    alike:
      /^(LaborAndRelatedExpense|Salaries\w*|OfficersCompensation|ShareBasedCompensation|EmployeeBenefits\w*|CompensationAndBenefits\w*|AllocatedShareBasedCompensationExpense|WagesSalariesAndBenefits\w*)$/,
    words:
      /^(salaries|compensation|wages|employee|personnel|labor|payroll)( wages)?( and| related| commissions)*( employee| related)?( benefits| compensation| expenses?| costs?)*$/,
  }),
  line('occupancy', 'Occupancy and rent', {
    ...cost,
    kinds: ['bank'],
    alike:
      /^(OccupancyNet|OccupancyCosts|CommunicationsAndOccupancy|OperatingLeasesRentExpense\w*|AircraftRental|LandingFeesAndOtherRentals|LeaseAndRentalExpense|OperatingLeaseExpense)$/,
    words:
      /^(net )?(occupancy|rent|rents|aircraft rent(als)?|landing fees and other rents|premises)( and equipment)?( expenses?| costs?)?( net)?$/,
    unlike: /and equipment|furniture/,
  }),
  line('equipment_expense', 'Equipment', {
    ...cost,
    kinds: ['bank'],
    alike: /^(EquipmentExpense|FurnitureAndEquipment\w*|EquipmentRents)$/,
    words: /^(furniture and )?equipment( rents?)?( expenses?)$/,
  }),
  line('technology_and_communications', 'Technology and communications', {
    ...cost,
    kinds: ['bank'],
    alike:
      /^(CommunicationsAnd\w*|InformationTechnology\w*|Communication(s)?(Expense)?|TechnologyAnd\w*|DataProcessing\w*|TechnologyExpense|SoftwareExpense)$/,
    words:
      /^(technology|data processing|communications?|information (systems|technology|processing)|software)( and)?( data processing| communications?| equipment| software| technology| information processing)*( expenses?| costs?)?$/,
    unlike: /revenues?|income/,
  }),
  line('professional_fees', 'Professional fees', {
    ...cost,
    kinds: ['bank'],
    alike: /^(Professional(Fees|And\w*)|LegalFees|OutsideServices\w*|ProfessionalServices)$/,
    words:
      /^(professional|outside|legal)( and)?( contract| other| consulting| legal)?( fees| services)( .*)?$/,
  }),
  line('deposit_insurance', 'Deposit insurance', {
    ...cost,
    kinds: ['bank'],
    alike: /^FederalDepositInsurance\w*$/,
    words: /^(fdic|federal deposit|deposit)( insurance)?( assessments?| insurance| premiums?| and .*)*$/,
  }),
  line('claims', 'Policy benefits and claims', {
    ...cost,
    kinds: ['industrial', 'insurer'],
    alike:
      /^(PolicyholderBenefitsAndClaims\w*|IncurredClaims\w*|LiabilityForUnpaidClaims\w*|HealthCareOrganizationMedical\w*|LossesAndLossAdjustment\w*|PolicyholderBenefits\w*)$/,
    words:
      /^(policy(holder)?|(life and annuity )?contract|property liability|losses|claims|benefits|medical|health care|insurance|loss)( benefits?| claims| losses| costs| insurance claims)*( and)?( loss| claims| claim| benefits| losses| settlement| adjustment)*( adjustment)?( expenses?| incurred| costs?)*$/,
  }),
  line('interest_credited', 'Interest credited to policyholders', {
    ...cost,
    kinds: ['insurer'],
    alike: /^(InterestCreditedToPolicyholders\w*|InterestCredited\w*)$/,
    words: /^interest credited( .*)?$/,
  }),
  line('amortization_of_acquisition_costs', 'Amortization of policy acquisition costs', {
    ...cost,
    kinds: ['insurer'],
    alike:
      /^(DeferredPolicyAcquisitionCostAmortization\w*|AmortizationOfDeferredPolicy\w*|AmortizationOfValueOfBusiness\w*)$/,
    words: /^amortization of deferred (policy )?acquisition costs.*$/,
    unlike: /intangible/,
  }),
  line('other_noninterest_expense', 'Other noninterest expense', {
    kinds: ['bank'],
    sign: 'cost',
    parent: 'noninterest_expense',
    alike: /^OtherNoninterestExpense$/,
    words: /^other( noninterest| operating)?( expenses?)?$/,
  }),
  line('noninterest_expense', 'Total noninterest expense', {
    kinds: ['bank'],
    sign: 'cost',
    tags: 'NoninterestExpense',
    words: /^total (other|noninterest|non interest)( operating)? expenses?$/,
  }),
  line('other_operating_expense', 'Other operating expenses and income', {
    kinds: ['industrial', 'insurer', 'utility'],
    sign: 'cost',
    alike:
      /^(OtherCostAndExpenseOperating|OtherExpenses|OtherOperatingExpense\w*|OtherCostOfOperatingRevenue)$/,
    words: /^other( operating)?( costs| expenses?)( and expenses| net)*$/,
    unlike:
      /income|maintenance|underwriting|cost of|real estate|\b(interest|administrative|selling|charges)\b|^total/,
  }),
  line('operating_expenses', 'Total operating expenses', {
    kinds: ['industrial', 'reit', 'utility'],
    sign: 'cost',
    tags: 'OperatingExpenses',
    orElse: ['OperatingCostsAndExpenses UtilitiesOperatingExpense'],
    words: /^total operating (costs and )?expenses( net)?$/,
    unlike:
      /maintenance and other|administrative|^(total )?other|^operating$|maintenance|^(total )?costs and expenses/,
  }),
  line('costs_and_expenses', 'Total costs and expenses', {
    kinds: ['industrial', 'insurer', 'reit', 'utility'],
    sign: 'cost',
    tags: 'CostsAndExpenses',
    orElse: ['BenefitsLossesAndExpenses'],
    words:
      /^total (benefits( claims)?( losses)?( and)?|(operating )?costs( and)?( operating)?)? ?(expenses|other deductions|deductions)( net)?$|^total costs$/,
    unlike: /other income|income net|before/,
  }),
  line('operating_income', 'Operating income', {
    kinds: ['industrial', 'reit', 'utility'],
    tags: 'OperatingIncomeLoss',
    words:
      /^(total )?(operating (income|profit|loss|earnings|margin)|(income|profit|loss|earnings)( loss)? from operations)( loss)?$/,
    unlike: /continuing operations|before/,
  }),
]

const toNetIncome = [
  line('interest_expense', 'Interest expense', {
    sign: 'cost',
    tags: 'InterestExpense',
    orElse: [
      'InterestExpenseNonoperating InterestAndDebtExpense InterestExpenseDebt FinanceCosts',
      'FinancingInterestExpense',
    ],
    words:
      /^(total |less )?interest( and (other )?(debt|related|financing))?( expenses?| charges| costs)( net of (capitalized interest|interest capitalized|amounts capitalized).*| and amortization of debt .*| net of .*capitalized.*)?$/,
    unlike:
      /\bother\b(?! debt)|reversal|^(?!.*capitalized).*\bnet$|^net interest|financ(e|ing) charges|^interest and financial/,
  }),
  line('equity_funds_used_during_construction', 'Allowance for equity funds used during construction', {
    kinds: ['utility'],
    alike: /^(AllowanceFor(Equity)?Funds\w*|PublicUtilitiesAllowanceForFundsUsed\w*)$/,
    words: /^allowance for( other| equity)? ?(equity )?funds used during construction.*$/,
    unlike: /capitalized interest|borrowed/,
  }),
  line('interest_and_investment_income', 'Interest and investment income', {
    kinds: ['industrial', 'utility'],
    adds: true,
    alike:
      /^(InvestmentIncome(Interest|Net|InterestAndDividend|Nonoperating|Dividend)|InterestAndDividendIncomeOperating|InterestIncomeOperating|OtherInterestAndDividendIncome|InterestIncomeOther|InvestmentIncomeOther|InterestIncome|NetInvestmentIncome|InvestmentIncomeInterestAndDividend\w*)$/,
    words:
      /^(interest|investment|interest and investment|interest and dividend|dividend|dividends and interest|interest and dividends)( income)( net| earned)*$/,
    unlike: /\bother\b|expense|gains?\b/,
  }),
  line('interest_net', 'Net interest', {
    kinds: ['industrial'],
    adds: false,
    alike:
      /^(InterestIncomeExpenseNet|InterestIncomeExpenseNonoperatingNet|InterestRevenueExpenseNet|InterestExpenseNet|InterestExpenseAndOther\w*|InterestExpenseIncomeNet|NetInterestExpense)$/,
    words: /^(net interest( expense)?|interest( expense)?( income)? net|interest expense income( net)?)$/,
    unlike: /\bother\b|and other|income$(?<!interest income)/,
  }),
  line('equity_method_income', 'Income from affiliates', {
    kinds: ['industrial', 'reit', 'utility'],
    sections: anyProfit,
    alike:
      /^(IncomeLossFromEquityMethodInvestments\w*|EquityEarnings\w*|UnconsolidatedJointBusiness|EquityInEarnings\w*)$/,
    words:
      /^((net )?(equity|income|earnings|share)( loss| losses| income| in)*( income| earnings| net income| losses| loss)*( losses| loss)? ?(of|from|in)( equity method| unconsolidated| nonconsolidated| equity| joint| affiliated)*( affiliates| companies| investments| investees| joint ventures| ventures| subsidiaries| entities| partnerships)+( net.*)?|equity (earnings|income)( losses| loss)?( net.*)?)$/,
    adds: true,
    unlike: /and other\b|write ?down|gains and losses/,
  }),
  line('other_nonoperating', 'Other nonoperating income and expense', {
    kinds: ['industrial', 'reit', 'utility'],
    alike:
      /^(OtherNonoperating(Income|Expense|IncomeExpense)|OtherIncomeExpenseNet|NonoperatingIncomeExpenseOther|OtherIncomeNet|OtherIncomeDeductionsNet)$/,
    words:
      /^(other( non ?operating)?( income| expenses?| deductions)+( and expenses?| and deductions)?( net| loss)*|other net)$/,
    unlike: /^interest income$|^total|\b(interest|investment|gains|charges)\b/,
  }),
  line('nonoperating_total', 'Total nonoperating income and expense', {
    kinds: ['industrial', 'utility'],
    tags: 'NonoperatingIncomeExpense',
    words:
      /^total (other|non ?operating)( non ?operating)?( income| expenses?| deductions)( and)?( income| expenses?| deductions)*( net)?$/,
  }),
  line('pretax_income', 'Income before taxes', {
    sections: anyProfit,
    tags: 'IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest',
    orElse: [
      'IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments ProfitLossBeforeTax',
      'IncomeLossFromContinuingOperationsBeforeIncomeTaxesDomestic IncomeLossIncludingPortionAttributableToNoncontrollingInterestBeforeIncomeTax',
    ],
    words:
      /^(total )?(income|earnings|loss|profit)( loss)?( from continuing operations)? before( provision for| benefit from)?( federal)?( income)? (taxes|tax)( on income| expense| benefit| and discontinued operations)*$|^(pre ?tax (income|profit|earnings)|income before (provision for )?income taxes)( loss)?$/,
    unlike: /^net (income|earnings|loss)( loss)? from continuing operations$/,
  }),
  line('income_tax', 'Income taxes', {
    sign: 'cost',
    sections: anyProfit,
    tags: 'IncomeTaxExpenseBenefit IncomeTaxExpenseContinuingOperations',
    orElse: ['IncomeTaxExpenseBenefitContinuingOperations'],
    words:
      /^(total |less )?(provision (for|benefit from) |provision benefit for )?(federal )?(income )?tax(es)?( on income)?( expense| benefit| provision| on income)*$/,
    unlike: /and other tax|^(?!.*\b(tax|taxes)\b).*$/,
  }),
  line('income_continuing_operations', 'Income from continuing operations', {
    sections: aboveNetIncome,
    tags: 'IncomeLossFromContinuingOperationsIncludingPortionAttributableToNoncontrollingInterest ProfitLossFromContinuingOperations',
    orElse: ['IncomeLossFromContinuingOperations'],
    unlike: /^net (income|earnings)( loss)?$|attributable|corporation|before|^net loss( income)?$/,
    words: /^(net )?(income|earnings|loss)( loss)? from continuing operations( net of (income )?tax(es)?)?$/,
  }),
  line('income_continuing_operations_of_owners', "Income from continuing operations of the parent's owners", {
    kinds: ['industrial', 'bank', 'utility'],
    sections: ['attributed'],
    tags: 'IncomeLossFromContinuingOperations',
    words: /^((income|earnings|loss)( loss| income)? from )?continuing operations( net.*| attributable .*)?$/,
    unlike: /noncontrolling|minority|\bcommon\b/,
  }),
  line('discontinued_operations', 'Discontinued operations', {
    sections: aboveNetIncome,
    alike:
      /^(IncomeLossFromDiscontinuedOperationsNetOfTax(AttributableToReportingEntity)?|DiscontinuedOperation(IncomeLoss|GainLoss)\w*NetOfTax|ProfitLossFromDiscontinuedOperations|DiscontinuedOperationGainLossOnDisposal\w*|DiscontinuedOperationIncomeLossFromDiscontinuedOperationDuringPhaseOutPeriodNetOfTax|DiscontinuedOperationAmountOfOtherIncomeLoss\w*NetOfTax)$/,
    words:
      /^(net )?((income|earnings|loss|gain)( loss| income)?( from| on)( sale of| disposal of)?( operations of)? )?discontinued operations?( net.*| of .*)?$/,
    adds: true,
    unlike: /noncontrolling|attributable/,
  }),
  line('discontinued_operations_of_owners', "Discontinued operations of the parent's owners", {
    kinds: ['industrial', 'bank', 'reit', 'utility'],
    sections: ['attributed'],
    tags: 'IncomeLossFromDiscontinuedOperationsNetOfTaxAttributableToReportingEntity',
    orElse: ['IncomeLossFromDiscontinuedOperationsNetOfTax'],
    words:
      /^((income|earnings|loss|gain)( loss| income)? from )?discontinued operations( net.*| attributable .*)?$/,
    unlike: /noncontrolling|minority|\bcommon\b/,
  }),
  line('net_income', "Net income of the parent's owners", {
    sections: anyProfit,
    tags: 'NetIncomeLoss',
    orElse: [
      'ProfitLoss',

      'ProfitLossAttributableToOwnersOfParent',
    ],
    words:
      /^net (income|earnings|loss)( loss| earnings)?( attributable to (?!non|min|the non|common|redeem|pref|part).*)?$/,
    unlike: /\bcommon\b|noncontrolling|minority/,
  }),
  line('minority_interest_income', 'Income of noncontrolling interests', {
    sign: 'cost',
    sections: anyProfit,
    adds: true,
    alike:
      /^((Net)?IncomeLossAttributableToNoncontrolling\w*|MinorityInterestInNetIncome\w*|NetIncomeLossAttributableTo(Redeemable|Nonredeemable)\w*|ProfitLossAttributableToNoncontrollingInterests|\w*NetIncomeLoss\w*Noncontrolling\w*|NoncontrollingInterest\w*)$/,
    words:
      /^(less )?(net )?(income|loss|earnings|losses)?( loss| losses| income)?( attributable)?( to| allocated to| in)?( earnings of)?( the)? ?(noncontrolling|minority)( interests?| owners| shareholders)+( .*)?$/,
    unlike:
      /\band\b.*\b(dividends?|participating|preferred|preference)\b|participating|discontinued|continuing/,
  }),
  line('net_income_including_minority_interest', 'Net income with noncontrolling interests', {
    sections: anyProfit,
    tags: 'ProfitLoss',
    words:
      /^(consolidated net (income|earnings)|net (income|earnings|loss)( loss)? (including|before)( allocation to| attribution to)? (noncontrolling|minority) interests?)( loss)?$/,
  }),
  line('preferred_dividends', 'Preferred dividends', {
    sign: 'cost',
    sections: anyProfit,
    adds: true,
    alike:
      /^(PreferredStockDividends\w*|DividendsPreferredStock\w*|PreferredStockDividendsAndOtherAdjustments|PreferredStockDividendsIncomeStatementImpact)$/,
    words:
      /^(less )?(dividends on )?(preferred|preference)( stock| share| shares| securities)?( dividends?)?( requirements?)?( of .*| and .*)?$/,
    unlike: /noncontrolling|subsidiar|redemption charge/,
  }),
  line('net_income_common', 'Net income for common shareholders', {
    sections: anyProfit,
    tags: 'NetIncomeLossAvailableToCommonStockholdersBasic',
    orElse: ['NetIncomeLossAvailableToCommonStockholdersDiluted'],
    words:
      /^(consolidated )?(net )?(income|earnings|loss|losses|profit)( loss| income| earnings)? (available|applicable|attributable|allocable)( for| to)? (\w+ )*common( .*)?$/,
    unlike: /^(consolidated )?net (income|earnings|loss)( loss| income)?$/,
  }),
]

const perShareLines = [
  line('eps', 'Earnings per share, basic', {
    ...perShare,
    tags: 'EarningsPerShareBasic EarningsPerShareBasicAndDiluted BasicEarningsLossPerShare BasicAndDilutedEarningsLossPerShare',
    orElse: ['IncomeLossFromContinuingOperationsPerBasicShare'],
    unlike: /discontinued|continuing|extraordinary|before|dilut(ed|ion)(?!.*basic)/,
  }),
  line('eps_diluted', 'Earnings per share, diluted', {
    ...perShare,
    tags: 'EarningsPerShareDiluted EarningsPerShareBasicAndDiluted DilutedEarningsLossPerShare BasicAndDilutedEarningsLossPerShare',
    orElse: ['IncomeLossFromContinuingOperationsPerDilutedShare'],
    unlike: /discontinued|continuing|extraordinary|before|^basic(?!.*dilut)/,
  }),
  line('eps_continuing', 'Earnings per share from continuing operations, basic', {
    ...perShare,
    tags: 'IncomeLossFromContinuingOperationsPerBasicShare',
    orElse: ['IncomeLossFromContinuingOperationsPerBasicAndDilutedShare'],
    unlike: /^net (income|earnings)/,
  }),
  line('eps_continuing_diluted', 'Earnings per share from continuing operations, diluted', {
    ...perShare,
    tags: 'IncomeLossFromContinuingOperationsPerDilutedShare',
    orElse: ['IncomeLossFromContinuingOperationsPerBasicAndDilutedShare'],
    unlike: /^net (income|earnings)/,
  }),
  line('eps_discontinued', 'Earnings per share from discontinued operations, basic', {
    ...perShare,
    tags: 'IncomeLossFromDiscontinuedOperationsNetOfTaxPerBasicShare',
    orElse: [
      'IncomeLossFromDiscontinuedOperationsPerBasicShare DiscontinuedOperationIncomeLossFromDiscontinuedOperationNetOfTaxPerBasicShare',
      'IncomeLossFromDiscontinuedOperationsNetOfTaxPerBasicAndDilutedShare',
    ],
    unlike: /gain (on|from) (sale|disposal)|disposal|continuing operations(?<!discontinued operations)/,
  }),
  line('eps_discontinued_diluted', 'Earnings per share from discontinued operations, diluted', {
    ...perShare,
    tags: 'IncomeLossFromDiscontinuedOperationsNetOfTaxPerDilutedShare',
    orElse: [
      'IncomeLossFromDiscontinuedOperationsPerDilutedShare DiscontinuedOperationIncomeLossFromDiscontinuedOperationNetOfTaxPerDilutedShare',
      'IncomeLossFromDiscontinuedOperationsNetOfTaxPerBasicAndDilutedShare',
    ],
    unlike: /gain (on|from) (sale|disposal)|disposal|continuing operations(?<!discontinued operations)/,
  }),
  line('dividends_per_share', 'Dividends per share', {
    ...perShare,
    sign: 'amount',
    tags: 'CommonStockDividendsPerShareDeclared DividendsPaidOrdinarySharesPerShare',
    orElse: [
      'CommonStockDividendsPerShareCashPaid',
      'DistributionMadeToMemberOrLimitedPartnerDistributionsPaidPerUnit',
    ],
    words:
      /^(cash )?(dividends?|distributions?)( declared| paid)?( per)?( common)? ?(share|unit)?( of common stock)?( declared| paid)?$/,
  }),
  line('shares_basic', 'Weighted average shares, basic', {
    ...shares,
    tags: 'WeightedAverageNumberOfSharesOutstandingBasic WeightedAverageNumberOfShareOutstandingBasicAndDiluted WeightedAverageShares',
    orElse: ['WeightedAverageNumberOfSharesIssuedBasic WeightedAverageNumberBasicDilutedSharesOutstanding'],
    words:
      /^(weighted )?average( number of)?( common)? shares( of common stock)? ?(outstanding)? ?(basic)?$|^basic( shares)?$/,
  }),
  line('shares_diluted', 'Weighted average shares, diluted', {
    ...shares,
    tags: 'WeightedAverageNumberOfDilutedSharesOutstanding WeightedAverageNumberOfShareOutstandingBasicAndDiluted AdjustedWeightedAverageShares',
    words:
      /^(weighted )?average( number of)?( common)? shares( of common stock)?( and equivalents)? ?(outstanding)? ?(assuming dilution|diluted)$|^(diluted|assuming dilution)( shares)?$/,
  }),
]

export const incomeLines = [...revenues, ...banking, ...costs, ...toNetIncome, ...perShareLines]

import { anyOf, linesOf, type Section } from './definition.ts'

const line = linesOf('balance', { sign: 'amount', sections: [] })

const current: readonly Section[] = ['current_assets', 'assets']
const noncurrent: readonly Section[] = ['noncurrent_assets', 'assets']
const anyAsset: readonly Section[] = ['current_assets', 'noncurrent_assets', 'assets']
const due: readonly Section[] = ['current_liabilities', 'liabilities']
const later: readonly Section[] = ['noncurrent_liabilities', 'liabilities']
const anyLiability: readonly Section[] = ['current_liabilities', 'noncurrent_liabilities', 'liabilities']
const ownership: readonly Section[] = ['equity', 'noncurrent_liabilities', 'liabilities']

const assets = [
  line('cash', 'Cash and cash equivalents', {
    parent: 'current_assets',
    sections: anyAsset,
    tags: 'CashAndCashEquivalentsAtCarryingValue CashAndCashEquivalents',
    words: /^(total )?cash( and( cash)? equivalents| and due from banks)?$/,
    unlike: /restricted|short term investments|federal funds/,
    also: 'investments deposits',
  }),
  line('cash_and_short_term_investments', 'Cash and short-term investments', {
    kinds: ['industrial'],
    parent: 'current_assets',
    sections: anyAsset,
    tags: 'CashCashEquivalentsAndShortTermInvestments',
    words:
      /^(total )?cash( and)? cash equivalents and (short term investments|marketable securities|investments)$/,
    unlike: /^cash and cash equivalents$/,
  }),
  line('restricted_cash', 'Restricted cash and investments', {
    kinds: ['industrial', 'bank', 'reit', 'utility'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^RestrictedCash(AndCashEquivalents|AndInvestments)?(AtCarryingValue|Current|Noncurrent)?$/,
    words:
      /^restricted (cash|funds)( and (cash equivalents|investments|securities))?( current| noncurrent)?$/,
    adds: true,
    also: 'deposits',
  }),
  line('short_term_investments', 'Short-term investments', {
    parent: 'current_assets',
    sections: current,
    alike:
      /^(ShortTermInvestments|MarketableSecurities|MarketableSecuritiesCurrent|AvailableForSaleSecurities(DebtSecurities)?Current|HeldToMaturitySecuritiesCurrent|TradingSecuritiesCurrent|OtherShortTermInvestments|DebtSecuritiesCurrent|AvailableForSaleSecuritiesDebtSecuritiesCurrent)$/,
    words: /^(short term |current )?(investments|marketable securities)$/,
    adds: true,
  }),
  line('receivables', 'Receivables', {
    kinds: ['industrial', 'insurer', 'reit', 'utility'],
    parent: 'current_assets',
    sections: current,
    tags: 'AccountsReceivableNetCurrent CurrentTradeReceivables',
    orElse: [
      'ReceivablesNetCurrent AccountsNotesAndLoansReceivableNetCurrent',
      'TradeAndOtherCurrentReceivables',
      'AccountsReceivableNet AccountsAndNotesReceivableNet',
    ],
    words:
      /^(total )?(trade |customer )?(accounts |trade )?receivables?( net| less allowances?.*| net of allowances?.*)*$/,
    unlike:
      /\btax|assets$|^(less )?allowance|long term|inventor|prepaid|unbilled|related part|affiliat|^other|^miscellaneous/,
    also: 'other investments',
  }),
  line('nontrade_receivables', 'Other receivables: unbilled, of related parties, notes and the rest', {
    kinds: ['industrial', 'reit', 'utility'],
    parent: 'current_assets',
    sections: current,
    alike:
      /^(AccountsAndOtherReceivablesNetCurrent|AccountsReceivableRelatedPart\w*|OtherReceivables(?!From)\w*|NontradeReceivablesCurrent|CostsInExcessOfBillings\w*|Unbilled\w*|BilledContractReceivables|ContractWithCustomerAssetNet(Current)?|DueFrom(RelatedPart|Affiliate|OtherRelatedPart|Employees|Officers)\w*|(NotesAndLoans|Notes|NotesAndLoansReceivableNet|LoansAndLeases|Financing)Receivable(Net|Gross)?(Current)?)$/,
    words:
      /^((accrued )?unbilled (receivables?|revenues?)|(other|miscellaneous|affiliate) (accounts |notes |accounts and notes )*receivables?|receivables from (related parties|affiliates))( net)?$/,
    unlike:
      /\btax|assets$|^(less )?allowance|long term|inventor|prepaid|marketing and trading|contracts in progress less|assets and other/,
    adds: true,
    also: 'other investments',
  }),
  line('notes_receivable', 'Notes, financing and long-term receivables', {
    kinds: ['industrial', 'reit'],
    parent: 'assets',
    sections: anyAsset,
    alike:
      /^((LongTerm)?(NotesAnd)?(Notes|Loans)(AndLoans)?Receivable(Net|Gross)?(Current|Noncurrent)?|NotesAndLoansReceivable(Net|Gross)?(Current|Noncurrent)?|NotesReceivable\w*|LongTermAccountsNotesAndLoansReceivableNetNoncurrent|AccountsReceivableNetNoncurrent|LoansAndLeasesReceivableNetReportedAmount|MortgageLoansOnRealEstate\w*|FinancingReceivable\w*|CapitalLeasesNetInvestment\w*|NetInvestmentInLease\w*)$/,
    words:
      /^(long term )?((notes|financing|finance|loans) receivables?|receivables long term)( net)?( current| noncurrent)?$/,
    adds: true,
    unlike: /^(other|accounts) receivables?/,
    also: 'receivables',
  }),
  line('tax_receivables', 'Taxes receivable', {
    kinds: ['industrial', 'utility'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^(IncomeTaxesReceivable|PrepaidTaxes|IncomeTaxReceivable|PrepaidIncomeTaxes|TaxesReceivable)\w*$/,
    words:
      /^((recoverable|refundable|prepaid) (income )?taxes|(income )?taxes (receivable|recoverable|refundable))$/,
    adds: true,
    also: 'taxes prepaid',
    unlike: /deferred/,
  }),
  line('inventory', 'Inventories', {
    kinds: ['industrial', 'utility'],
    parent: 'current_assets',
    sections: anyAsset,
    tags: 'InventoryNet Inventories',
    alike:
      /^(Inventory(Gross|Finished\w*|WorkInProcess\w*|RawMaterials\w*|NetOfAllowances\w*|LIFOReserve|Noncurrent|PartsAndComponents\w*|Supplies\w*)|Other(Inventory|Inventories)\w*|EnergyRelatedInventory\w*|RetailRelatedInventory\w*|MaterialsAndSupplies|AgriculturalRelatedInventory\w*|(PublicUtilitiesInventory|Supplies)\w*|AirlineRelatedInventory\w*|FuelInventory|FuelStock)$/,
    words:
      /^(merchandise |total )?inventor(y|ies)( net| at .*)?$|^(materials and supplies|fuel( stock| inventor(y|ies))?|finished (goods|products)|raw materials( and supplies)?|work in (process|progress)|supplies)$/,
    adds: true,
    unlike: /inventory and other$|and other$|prepaid/,
  }),
  line('prepaid_expenses', 'Prepaid expenses', {
    kinds: ['industrial', 'utility'],
    parent: 'current_assets',
    sections: anyAsset,
    alike:
      /^(PrepaidExpense(Current|Noncurrent|CurrentAndNoncurrent)?|OtherPrepaidExpenseCurrent|PrepaidInsurance|PrepaidAdvertising|PrepaidRoyalties|Prepayments?)$/,
    words: /^(prepaid expenses|prepayments|prepaids)$/,
    adds: true,
    unlike: /\bother\b|deferred|suppl/,
  }),
  line('prepaid_and_other_current_assets', 'Prepaid expenses and other current assets, stated together', {
    kinds: ['industrial', 'reit', 'utility'],
    parent: 'current_assets',
    sections: anyAsset,
    alike:
      /^(Prepaid|Prepayments)(Expenses?)?And(Other|OtherAssets|OtherCurrent|OtherCurrentAssets|OtherAssetsCurrent)$/,
    words: /^(prepaid( expenses| assets)?|prepayments|prepaids) and other( current)?( assets)?$/,
    unlike: /^(?!.*prepa).*$/,
  }),
  line('derivative_assets', 'Derivative assets', {
    kinds: ['industrial', 'bank', 'utility'],
    parent: 'assets',
    sections: anyAsset,
    alike:
      /^(Derivative(Asset|Instruments)\w*|PriceRiskManagement\w*Assets?\w*|FairValueOfDerivativeAssets?|EnergyMarketingContractsAssets\w*|AssetsFromRiskManagement\w*)$/,
    words:
      /^(fair value of )?(derivative|risk management|price risk management|energy derivative) (assets|instruments|contracts|contract assets)( current| noncurrent)?$/,
    adds: true,
    unlike: /warrant/,
  }),
  line('regulatory_assets', 'Regulatory assets', {
    kinds: ['utility'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^(RegulatoryAssets?|Other(Current)?RegulatoryAssets?)(Current|Noncurrent)?$/,
    words: /^(other )?regulatory assets( current| noncurrent)?$/,
    adds: true,
    unlike: /deferred debits/,
  }),
  line('deferred_tax_assets', 'Deferred tax assets', {
    kinds: ['industrial', 'insurer', 'utility'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^Deferred(IncomeTax|Tax)(es)?(Assets)?(Net)?(Current|Noncurrent)?$/,
    words: /^(net |current |noncurrent )?deferred (income )?tax(es)?( assets?)?( net| current| noncurrent)*$/,
    adds: true,
    unlike: /^(?!.*(deferred|future)).*$|and other/,
  }),
  line('assets_held_for_sale', 'Assets held for sale and of discontinued operations', {
    kinds: ['industrial', 'bank', 'reit', 'utility'],
    parent: 'assets',
    sections: anyAsset,
    alike:
      /^(AssetsOfDisposalGroup\w*|AssetsHeldForSale\w*|DisposalGroupIncludingDiscontinuedOperationAssets\w*|RealEstateHeldforsale|RealEstateHeldForSale)$/,
    words:
      /^((noncurrent |current |net |long term )?assets (held for sale|of (discontinued operations|businesses held for sale)|associated with discontinued operations|related to discontinued operations)|properties held for sale)( current| noncurrent)?$/,
    adds: true,
    unlike: /receivable/,
    also: 'property',
  }),
  line('other_current_assets', 'Other current assets', {
    kinds: ['industrial', 'utility'],
    parent: 'current_assets',
    sections: ['current_assets'],
    alike: /^(OtherAssetsCurrent|OtherCurrentAssets|OtherPrepaidAndCurrentAssets|AssetsOtherCurrent)$/,
    words: /^other( current)?( assets)?( net| current)*$/,
    unlike: /prepa|deferred|tax/,
  }),
  line('current_assets', 'Total current assets', {
    kinds: ['industrial', 'utility'],
    parent: 'assets',
    sections: ['current_assets'],
    tags: 'AssetsCurrent CurrentAssets',
    words: /^total current assets$/,
    also: 'anything',
  }),
  line('long_term_investments', 'Long-term investments', {
    kinds: ['industrial', 'utility'],
    parent: 'assets',
    sections: ['noncurrent_assets'],
    alike:
      /^(LongTermInvestments|OtherLongTermInvestments|MarketableSecuritiesNoncurrent|AvailableForSaleSecurities(DebtSecurities)?Noncurrent|AvailableForSaleSecurities(EquitySecurities)?|HeldToMaturitySecuritiesNoncurrent|AuctionRateSecuritiesNoncurrent|Investments|OtherInvestments|MarketableSecurities|EquitySecuritiesFvNiAndWithoutReadilyDeterminableFairValue|CostMethodInvestments|DebtSecuritiesNoncurrent|EquityMethodInvestmentsAndOther\w*|RestrictedInvestments\w*|OtherInvestmentsAndSecuritiesAtCost)$/,
    words:
      /^(total )?((other |long term )?investments( and other| net| at cost| long term)?|long term (marketable securities|investments)|marketable securities|investment securities|other investments)$/,
    adds: true,
    unlike: /unconsolidated|affiliat|joint venture|property|and other assets|advances|annuity|principally/,
  }),
  line('equity_method_investments', 'Investments in affiliates', {
    kinds: ['industrial', 'reit', 'utility'],
    parent: 'assets',
    sections: noncurrent,
    alike:
      /^(EquityMethodInvestments?|InvestmentsInAffiliatesSubsidiariesAssociatesAndJointVentures|InvestmentsInAndAdvance\w*|InvestmentsInUnconsolidated\w*|RealEstateInvestmentsJointVentures|RealEstateInvestmentsUnconsolidatedRealEstateAndOtherJointVentures|InvestmentInUnconsolidated\w*|InvestmentsIn(Equity)?Affiliates)$/,
    words:
      /^(equity method investments|investments? in(?: and advances to)?(?: unconsolidated| nonconsolidated| equity)? (affiliates|affiliated companies|companies|joint ventures|subsidiaries|entities|investees|partnerships|associated companies|real estate partnerships)( and joint ventures| at equity)*)$/,
    adds: true,
    unlike: /^other investments$|^real estate|\bcost\b|other companies|and other$|^investments$/,
  }),
  line('decommissioning_trust', 'Nuclear decommissioning trusts', {
    kinds: ['utility'],
    parent: 'assets',
    sections: noncurrent,
    alike:
      /^(DecommissioningFundInvestments|AssetsHeldInTrust(Noncurrent)?|NuclearDecommissioning\w*Trust\w*)$/,
    words: /^nuclear decommissioning (trusts?|trust funds?|funds?)$/,
    unlike: /other investments/,
    also: 'investments',
  }),
  line('property_plant_equipment_gross', 'Property, plant and equipment before depreciation', {
    kinds: ['industrial', 'utility'],
    parent: 'property_plant_equipment',
    sections: noncurrent,
    tags: 'PropertyPlantAndEquipmentGross PropertyPlantAndEquipmentAndFinanceLeaseRightOfUseAssetBeforeAccumulatedDepreciationAndAmortization PublicUtilitiesPropertyPlantAndEquipmentPlantInService',
    words:
      /^(property plant and equipment (at (original )?cost|gross)|total property (plant )?and equipment( at cost)?|utility plant at original cost|total utility plant)$/,
    unlike:
      /other operating property|non ?utility|^in service$|^utility plant( in service)?$|held for sale|^(less )?accumulated depreciation/,
  }),
  line('accumulated_depreciation', 'Accumulated depreciation', {
    kinds: ['industrial', 'reit', 'utility'],
    parent: 'property_plant_equipment',
    sections: noncurrent,
    sign: 'cost',
    alike:
      /^(AccumulatedDepreciation\w*|\w*AccumulatedDepreciation(AndAmortization)?|RealEstateInvestmentPropertyAccumulatedDepreciation|PropertyPlantAndEquipment\w*AccumulatedDepreciation\w*)$/,
    words:
      /^(less )?(accumulated|reserves? for|allowances? for) (depreciation|depletion)( depletion)?( and amortization| and depletion)*$/,
    also: 'property',
  }),
  line('land', 'Land', {
    kinds: ['industrial', 'reit'],
    parent: 'property_plant_equipment',
    sections: noncurrent,
    alike: /^(Land|LandAndLandImprovements|InvestmentLand\w*|RealEstateInvestmentPropertyLand)$/,
    words: /^land( and (land )?improvements)?$/,
  }),
  line('buildings', 'Buildings', {
    kinds: ['industrial', 'reit'],
    parent: 'property_plant_equipment',
    sections: noncurrent,
    alike: /^(?!\w*Land)((InvestmentBuilding|Building)s?\w*(Gross|Improvements|Net)?)$/,
    words: /^buildings?( and improvements| and building improvements)?$/,
  }),
  line('machinery_equipment', 'Machinery and equipment', {
    kinds: ['industrial', 'reit'],
    parent: 'property_plant_equipment',
    sections: noncurrent,
    alike:
      /^((Machinery|Fixtures|Furniture|Equipment|FlightEquipment|Vehicles)\w*(Gross|Net)|RevenueEquipmentGross|FlightEquipment\w*)$/,
    words:
      /^((machinery|furniture|fixtures|flight equipment|ground equipment|equipment)( and| fixtures and)? ?(equipment|fixtures)?)( gross)?$/,
    adds: true,
    also: 'property',
  }),
  line('construction_in_progress', 'Construction in progress', {
    kinds: ['industrial', 'reit', 'utility'],
    parent: 'property_plant_equipment',
    sections: noncurrent,
    alike:
      /^(ConstructionInProgress\w*|ConstructionWorkInProgress|PublicUtilitiesPropertyPlantAndEquipmentConstructionWorkInProgress)$/,
    words: /^construction( work)? in (progress|process)$/,
  }),
  line('nuclear_fuel', 'Nuclear fuel', {
    kinds: ['utility'],
    parent: 'property_plant_equipment',
    sections: noncurrent,
    alike: /^NuclearFuel(Net\w*)?$/,
    words: /^nuclear fuel( at amortized cost.*| net.*)?$/,
  }),
  line('property_plant_equipment', 'Property, plant and equipment', {
    kinds: ['industrial', 'bank', 'insurer', 'utility'],
    parent: 'assets',
    sections: noncurrent,
    tags: 'PropertyPlantAndEquipmentNet PropertyPlantAndEquipment',
    orElse: [
      'PropertyPlantAndEquipmentAndFinanceLeaseRightOfUseAssetAfterAccumulatedDepreciationAndAmortization',
      'PublicUtilitiesPropertyPlantAndEquipmentNet OilAndGasPropertyFullCostMethodNet OilAndGasPropertySuccessfulEffortMethodNet',
    ],
    alike: /^(PropertyPlantAndEquipmentNet\w*|PremisesAndEquipment\w*)$/,
    words:
      /^(total |net )?(property( and equipment| plant and equipment| plants? and equipment)|premises and equipment|utility plant|properties)( and equipment)?( net| at cost less.*| less.*| net of.*)*$/,
    unlike:
      /other operating property|non ?utility|^in service$|^utility plant( in service)?$|held for sale|^(less )?accumulated depreciation/,
    also: 'deposits other',
  }),
  line('real_estate_gross', 'Real estate before depreciation', {
    kinds: ['reit'],
    parent: 'real_estate',
    sections: noncurrent,
    tags: 'RealEstateInvestmentPropertyAtCost',
    words: /^total (real estate|rental property|operating real estate)( at cost| gross)?$/,
    also: 'property investments',
  }),
  line('real_estate', 'Real estate', {
    kinds: ['reit', 'insurer'],
    parent: 'assets',
    sections: noncurrent,
    tags: 'RealEstateInvestmentPropertyNet',
    orElse: ['RealEstateInvestments'],
    words:
      /^(net (investment in )?|total |investments? in )?(real estate|rental property|investment properties)( investments| assets)?( net)?$/,
    also: 'property investments',
  }),
  line('development_in_process', 'Real estate under development', {
    kinds: ['reit'],
    parent: 'real_estate',
    sections: noncurrent,
    alike:
      /^(DevelopmentInProcess|RealEstateUnderDevelopment|LandAvailableForDevelopment|LandUnderDevelopment|DevelopmentRealEstate)$/,
    words:
      /^((real estate|properties|projects|land) (under|held for) development|development in (progress|process)|construction in progress including land)$/,
  }),
  line('deferred_rent_receivable', 'Deferred rent receivable', {
    kinds: ['reit'],
    parent: 'assets',
    sections: noncurrent,
    alike: /^(DeferredRentReceivables\w*|AccruedRentReceivable)$/,
    words: /^(deferred|accrued) rents?( receivable)?( net)?$/,
  }),
  line('right_of_use_assets', 'Right-of-use assets of operating leases', {
    kinds: ['industrial', 'bank', 'reit'],
    parent: 'assets',
    sections: noncurrent,
    tags: 'OperatingLeaseRightOfUseAsset RightofuseAssets',
    words: /^operating lease right of use assets( net)?$/,
  }),
  line('goodwill', 'Goodwill', {
    parent: 'assets',
    sections: noncurrent,
    tags: 'Goodwill',
    words: /^(goodwill|excess of cost over (fair value of )?net assets acquired.*)( net)?$/,
    unlike: /intangible(?!.*excess)/,
  }),
  line('goodwill_and_intangible_assets', 'Goodwill and intangible assets', {
    kinds: ['industrial'],
    parent: 'assets',
    sections: noncurrent,
    alike: /^(IntangibleAssetsNetIncludingGoodwill|Goodwill(And|AndOther)IntangibleAssets(Net)?)$/,
    words: /^(total )?goodwill and (other )?(intangibles|intangible assets)( net)?$/,
  }),
  line('intangible_assets', 'Intangible assets other than goodwill', {
    parent: 'assets',
    sections: anyAsset,
    alike:
      /^(IntangibleAssetsNetExcludingGoodwill|IntangibleAssetsOtherThanGoodwill|(Finite|Indefinite)Lived(IntangibleAssets|License|Trademarks|TradeNames|FranchiseRights)\w*|(Other)?IntangibleAssetsNet|OtherIntangibleAssets\w*|FranchiseCostsNet|FranchiseRights|CapitalizedComputerSoftwareNet|AcquiredIntangibleAssets\w*|Trademarks\w*|TradeNames\w*|OtherIndefiniteLived\w*|FCCLicenses|PurchasedIntangibleAssets\w*|FiniteLivedCustomerLists\w*)$/,
    words:
      /^(total |other |purchased |acquired |amortizable |identifiable |acquisition related |indefinite lived )*(intangibles|intangible assets)( net| other than goodwill)*( of accumulated.*)?$|^(trademarks|trade names|franchises|licenses|capitalized software|brands)( and .*)?( net)?$/,
    adds: true,
    unlike: /and other assets/,
  }),
  line('pension_assets', 'Pension and retirement assets', {
    kinds: ['industrial'],
    parent: 'assets',
    sections: noncurrent,
    alike:
      /^((DefinedBenefit|PrepaidPension|PensionAndOther)\w*(Asset|PrepaidPension|PlanBenefits|Costs)\w*|PrepaidPensionCosts|PrepaidBenefitCost)$/,
    words:
      /^(prepaid|noncurrent)? ?pension(s)?( and (other )?(post)?retirement)?( benefit| plan)?( asset| assets| cost| costs)?$/,
    also: 'prepaid',
  }),
  line('deferred_charges', 'Deferred charges', {
    kinds: ['reit', 'utility'],
    parent: 'assets',
    sections: noncurrent,
    alike:
      /^(Deferred(Finance|Costs|Charges|Leas|Financing)\w*|UnamortizedDebtIssuance\w*|UnamortizedLoss\w*Debt\w*|UnamortizedDebtExpense\w*|Capitalized(Contract|Financing)Cost\w*|DeferredOfferingCosts)$/,
    words:
      /^(deferred (charges|costs|financing costs|debt issuance costs|leasing costs)|unamortized (debt|loss).*)( net)?( of accumulated.*)?$/,
    adds: true,
    unlike: /tax|other assets|and other$|regulatory/,
    also: 'debt',
  }),
  line('other_assets', 'Other noncurrent assets', {
    parent: 'assets',
    sections: noncurrent,
    tags: 'OtherAssetsNoncurrent OtherAssets OtherNoncurrentAssets',
    words: /^other( noncurrent| non current| long term)?( assets)?( net| noncurrent)*$/,
    unlike:
      /invest|intangible|goodwill|\btax|receivable|deferred|pension|retire|benefit|accru|payable|insurance|reserve|deposits|financing|claims|debt|minority|interest/,
  }),
  line('assets', 'Total assets', {
    sections: anyAsset,
    tags: 'Assets',
    words: /^total assets$/,
    also: 'anything',
  }),
]

const financialAssets = [
  line('interest_bearing_deposits_in_banks', 'Interest-bearing deposits in banks', {
    kinds: ['bank'],
    parent: 'assets',
    sections: anyAsset,
    alike:
      /^(InterestBearingDeposits?(In)?Banks?|InterestBearingDepositsInBanks|DepositsWithBanks|InterestBearingDepositsWithBanks)$/,
    words: /^((other )?interest bearing (deposits|balances)( (in|with|due from) .*)?|deposits with banks)$/,
    adds: true,
    unlike: /other short term/,
  }),
  line('broker_receivables', 'Receivables from brokers and customers', {
    kinds: ['bank'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^(ReceivablesFrom(BrokersDealers\w*|Customers)|CashAndSecuritiesSegregated\w*)$/,
    words: /^receivables? from (brokers|customers).*$/,
    adds: true,
  }),
  line('federal_funds_sold', 'Federal funds sold and securities borrowed or bought to resell', {
    kinds: ['bank'],
    parent: 'assets',
    sections: anyAsset,
    alike:
      /^(FederalFundsSold\w*|SecuritiesPurchasedUnderAgreementsToResell|SecuritiesBorrowed\w*|CarryingValueOfFederalFundsSold\w*)$/,
    words: /^(federal funds sold.*|securities (borrowed.*|purchased under agreements to resell))$/,
    adds: true,
    unlike: /other short term/,
  }),
  line('trading_assets', 'Trading assets', {
    kinds: ['bank', 'insurer'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^Trading(Assets|Securities|AccountAssets)(Current|EquitySecurities|Debt)?$/,
    words: /^trading (account )?(assets|securities)$/,
    adds: true,
    also: 'investments',
  }),
  line('securities_available_for_sale', 'Securities available for sale', {
    kinds: ['bank'],
    parent: 'assets',
    sections: anyAsset,
    alike:
      /^(AvailableForSaleSecurities|AvailableForSaleSecuritiesCurrent|DebtSecuritiesAvailableForSaleExcludingAccruedInterest|AvailableForSaleSecuritiesIncludingSecuritiesPledgedAsCollateral)$/,
    words: /^(investment )?securities available for sale.*$|^available for sale( securities)?( at .*)?$/,
    unlike: /^total investments/,
    also: 'investments',
  }),
  line('fixed_maturities', 'Debt securities available for sale', {
    kinds: ['insurer'],
    parent: 'investments',
    sections: anyAsset,
    alike: /^(AvailableForSaleSecuritiesDebtSecurities|DebtSecuritiesAvailableForSale\w*|FixedMaturit\w*)$/,
    words: /^(fixed maturit(y|ies)|fixed income securities|bonds).*$/,
    adds: true,
    also: 'investments',
  }),
  line('equity_securities', 'Equity securities', {
    kinds: ['insurer'],
    parent: 'investments',
    sections: anyAsset,
    alike:
      /^(AvailableForSaleSecuritiesEquitySecurities|EquitySecurities\w*|AvailableForSaleEquitySecurities\w*)$/,
    words: /^(equity securities|common stocks?)( .*)?$/,
    adds: true,
    also: 'preferred investments',
  }),
  line('securities_held_to_maturity', 'Securities held to maturity', {
    kinds: ['bank'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^(HeldToMaturitySecurities|DebtSecuritiesHeldToMaturity\w*|HeldToMaturitySecuritiesNoncurrent)$/,
    words: /^(investment )?securities held to maturity.*$|^held to maturity( securities)?.*$/,
    also: 'investments',
  }),
  line('loans_held_for_sale', 'Loans held for sale', {
    kinds: ['bank'],
    parent: 'assets',
    sections: anyAsset,
    alike:
      /^(LoansReceivableHeldForSale\w*|LoansHeldForSale\w*|MortgageLoansHeldForSale|LoansAndLeasesReceivableHeldForSale\w*)$/,
    words: /^(mortgage )?loans (and leases )?held for sale( .*)?$/,
    adds: true,
  }),
  line('loans_gross', 'Loans before allowance', {
    kinds: ['bank'],
    parent: 'loans',
    sections: anyAsset,
    tags: 'LoansAndLeasesReceivableNetOfDeferredIncome FinancingReceivableExcludingAccruedInterestBeforeAllowanceForCreditLoss',
    orElse: ['LoansAndLeasesReceivableGrossCarryingAmount NotesReceivableGross'],
    words: /^total loans( and leases)?( gross| net of unearned (income|discount)| excluding .*)?$/,
  }),
  line('allowance_for_loan_losses', 'Allowance for loan losses', {
    kinds: ['bank'],
    parent: 'loans',
    sections: anyAsset,
    sign: 'cost',
    alike:
      /^(LoansAndLeasesReceivableAllowance|FinancingReceivableAllowanceForCreditLosses?\w*|AllowanceForLoan\w*|AllowanceForNotesAndLoansReceivable\w*)$/,
    words:
      /^(less )?(the )?(allowance|reserve)s? for (loan|credit|loan and lease|possible loan)( and lease)? losses$/,
  }),
  line('servicing_assets', 'Mortgage servicing rights', {
    kinds: ['bank'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^(ServicingAsset\w*|MortgageServicingRights\w*)$/,
    words: /^(mortgage )?(loan )?servicing (rights|assets)( .*)?$/,
  }),
  line('loans', 'Loans', {
    kinds: ['bank'],
    parent: 'assets',
    sections: anyAsset,
    tags: 'LoansAndLeasesReceivableNetReportedAmount FinancingReceivableExcludingAccruedInterestAfterAllowanceForCreditLoss',
    orElse: ['NotesReceivableNet'],
    words: /^(total |net )loans( and leases)?( net)?$|^loans( and leases)? net( of allowance.*)?$/,
    also: 'receivables',
  }),
  line('mortgage_loans', 'Mortgage loans', {
    kinds: ['insurer'],
    parent: 'investments',
    sections: anyAsset,
    alike: /^MortgageLoans\w*$/,
    words: /^(commercial )?mortgage loans( on real estate)?( .*)?$/,
    also: 'investments',
  }),
  line('policy_loans', 'Policy loans', {
    kinds: ['insurer'],
    parent: 'investments',
    sections: anyAsset,
    alike: /^(LoansInsurancePolicy|PolicyLoans)$/,
    words: /^(contract|policy) loans$/,
  }),
  line('other_invested_assets', 'Other invested assets', {
    kinds: ['insurer'],
    parent: 'investments',
    sections: anyAsset,
    alike: /^(OtherLongTermInvestments|OtherInvestments|LimitedPartnership\w*|OtherInvestedAssets)$/,
    words: /^other (invested assets|investments|long term investments)$/,
    adds: true,
    also: 'investments',
  }),
  line('investments', 'Total investments', {
    kinds: ['bank', 'insurer'],
    parent: 'assets',
    sections: anyAsset,
    tags: 'Investments LongTermInvestments',
    words: /^total (investments|securities|investment securities)( and cash)?$/,
    also: 'anything',
  }),
  line('accrued_investment_income', 'Accrued interest and investment income', {
    kinds: ['bank', 'insurer'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^(AccruedInvestmentIncomeReceivable|InterestReceivable\w*|AccruedInterestReceivable\w*)$/,
    words: /^accrued (investment income|interest( receivable)?|interest and dividends.*|income)$/,
    also: 'accrued receivables',
  }),
  line('premiums_receivable', 'Premiums and other receivables', {
    kinds: ['insurer'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^Premiums(And)?(Other)?Receivable\w*$/,
    words: /^premiums?( and other)? (receivables?|balances receivable)( net)?$/,
    unlike: /^receivables$/,
  }),
  line('reinsurance_recoverable', 'Reinsurance recoverable', {
    kinds: ['insurer'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^(ReinsuranceRecoverable\w*|ReinsuranceReceivables?|AmountsRecoverableFromReinsurers)$/,
    words: /^reinsurance (recoverables?|receivables?).*$/,
    adds: true,
  }),
  line('deferred_policy_acquisition_costs', 'Deferred policy acquisition costs', {
    kinds: ['insurer'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^(DeferredPolicyAcquisitionCosts\w*|ValueOfBusinessAcquired\w*)$/,
    words: /^deferred (policy )?acquisition costs.*$/,
  }),
  line('separate_account_assets', 'Separate account assets', {
    kinds: ['insurer'],
    parent: 'assets',
    sections: anyAsset,
    alike: /^SeparateAccounts?Assets$/,
    words: /^separate accounts?( assets)?$/,
    also: 'investments',
  }),
]

const liabilities = [
  line('payables', 'Accounts payable', {
    kinds: ['industrial', 'bank', 'utility'],
    parent: 'current_liabilities',
    sections: due,
    tags: 'AccountsPayableCurrent AccountsPayableTradeCurrent',
    orElse: [
      'AccountsPayable AccountsPayableCurrentAndNoncurrent AccountsPayableTrade',
      'TradeAndOtherCurrentPayables TradeAndOtherPayables',
      'AccountsPayableAndAccruedLiabilitiesAndNoncurrent',
    ],
    words: /^(trade )?accounts payable( trade| current)?$|^trade payables$/,
    unlike: /\band\b|accru|other liabilities|claims|drafts|expenses|related part|affiliat/,
    also: 'receivables',
  }),
  line('payables_and_accrued_liabilities', 'Accounts payable and accrued liabilities, stated together', {
    kinds: ['industrial', 'insurer', 'reit', 'utility'],
    parent: 'current_liabilities',
    sections: due,
    alike: /^(Other)?AccountsPayable(AndOther)?AndAccruedLiabilities(Current|CurrentAndNoncurrent)?$/,
    words: /^(trade )?(accounts )?payables? and (other )?(accrued (expenses|liabilities)|accruals)$/,
    unlike: /\bother (current )?liabilities|\btax(es)?\b|^(?!.*payable).*$|wages|^other/,
  }),
  line(
    'accrued_liabilities',
    'Accrued liabilities, with compensation, interest and other liabilities stated together with them',
    {
      kinds: ['industrial', 'bank', 'reit', 'utility'],
      parent: 'current_liabilities',
      sections: anyLiability,
      alike:
        /^(AccruedLiabilities(Current|CurrentAndNoncurrent)?|OtherAccruedLiabilities(Current)?|AccruedExpenses\w*|AccruedRoyalties|AccruedAndOtherLiabilities|AccruedLiabilitiesAndOtherLiabilities|EmployeeRelatedLiabilities(Current)?|Accrued(Salaries|Vacation|Bonuses|Payroll|EmployeeBenefits|Compensation)\w*|InterestPayable(Current)?|AccruedInterest\w*Payable\w*)$/,
      words:
        /^(accrued )?(salaries|wages|payroll|compensation|employee)( wages)?( and| related)* ?(related |employee )?(benefits|compensation|liabilities|expenses|obligations|costs|wages|bonuses)?( payable)?$|^(accrued interest|interest (accrued|payable)|accrued interest payable)$|^(other )?accrued (expenses|liabilities|expenses and liabilities|expenses and other( current)? liabilities|liabilities and other|and other( current)? liabilities)$/,
      adds: true,
      unlike: /accounts payable|dividends|tax|deferred compensation|provisions|^other (?!accrued|.*accru)/,
      also: 'pensions deposits',
    },
  ),
  line('taxes_payable', 'Taxes payable', {
    kinds: ['industrial', 'insurer', 'utility'],
    parent: 'current_liabilities',
    sections: anyLiability,
    alike:
      /^(AccruedIncomeTaxes\w*|Taxes?Payable\w*|IncomeTaxesPayable\w*|AccrualForTaxes\w*|AccruedTaxes\w*|IncomeTaxes(Current|Noncurrent)|SalesAndExciseTaxPayable\w*|LiabilityForUncertainTaxPositions\w*|TaxesPayableCurrentAndNoncurrent|UnrecognizedTaxBenefits)$/,
    words:
      /^(accrued )?(income |general |other |property |current |long term )*taxes( payable| accrued| currently payable| other than income)*( net)?$|^(unrecognized tax benefits|uncertain tax positions?)$/,
    adds: true,
    unlike: /^(?!.*tax).*accrued|deferred|and other (long|liab)|and other$|deferred/,
  }),
  line('dividends_payable', 'Dividends payable', {
    kinds: ['industrial', 'reit', 'utility'],
    parent: 'current_liabilities',
    sections: anyLiability,
    alike: /^(Dividends?Payable\w*|DistributionsPayable\w*)$/,
    words: /^(dividends?|distributions?)( and distributions?)?( payable| declared| accrued)$/,
    unlike: /noncontrolling/,
    also: 'preferred minority',
  }),
  line('deferred_revenue', 'Deferred revenue and deposits of customers', {
    kinds: ['industrial', 'reit', 'utility'],
    parent: 'liabilities',
    sections: anyLiability,
    alike:
      /^(DeferredRevenue(Current|Noncurrent|CurrentAndNoncurrent|AndCredits(Current|Noncurrent)?)?|Deferred(Income|Subscription|Service)\w*Revenue\w*|ContractWithCustomerLiability(Current|Noncurrent)?|CustomerAdvances\w*|BillingsInExcess\w*|UnearnedRevenue\w*|DeferredIncome(Current|Noncurrent)?|BillingInExcess\w*|CustomerDeposits\w*)$/,
    words:
      /^(long term |current )?(deferred|unearned) (revenues?|income|subscription revenues?|service revenues?)( and (customer )?(deposits|advances))?( net| of current portion| less current portion| current| noncurrent| long term)*$|^(customer (advances|deposits)|advance(d)? (billings|payments)|billings in excess of .*)$/,
    adds: true,
    unlike:
      /warranty|tax|\brent\b|gain|compensation|security deposits|amounts due|^deferred credit|collateral|service obligations/,
  }),
  line('short_term_borrowings', 'Short-term borrowings', {
    kinds: ['industrial', 'bank', 'insurer', 'utility'],
    parent: 'current_liabilities',
    sections: due,
    tags: 'ShortTermBorrowings',
    words: /^(total )?short term (borrowings|debt)$|^notes and loans payable$/,
    unlike:
      /current (portion|maturities|installments)|long term|accounts|accrued|federal funds|repurchase|overdraft|checks|\band (?!loans)/,
    also: 'debt',
  }),
  line('commercial_paper', 'Commercial paper', {
    kinds: ['industrial', 'bank'],
    parent: 'current_liabilities',
    sections: anyLiability,
    tags: 'CommercialPaper',
    words: /^commercial paper$/,
    unlike: /\band\b|other|^short term/,
  }),
  line('other_short_term_borrowings', 'Bank loans and notes payable', {
    kinds: ['industrial', 'bank', 'insurer', 'utility'],
    parent: 'current_liabilities',
    sections: due,
    tags: 'OtherShortTermBorrowings ShortTermBankLoansAndNotesPayable NotesPayableCurrent',
    orElse: [
      'LinesOfCreditCurrent NotesAndLoansPayableCurrent LoansPayableCurrent ConvertibleDebtCurrent',
      'NotesPayable NotesAndLoansPayable LineOfCredit LoansPayable NotesPayableToBank NotesPayableToBankCurrent',
    ],
    words:
      /^(notes|loans|bank loans|notes and loans)( payable)?( and (other )?(short term )?(borrowings|debt))?$/,
    unlike:
      /current (portion|maturities|installments)|long term|accounts|accrued|overdraft|checks|\band current/,
    also: 'debt',
  }),
  line('long_term_debt_current', 'Current part of long-term debt', {
    kinds: ['industrial', 'utility'],
    parent: 'current_liabilities',
    sections: ['current_liabilities'],
    tags: 'LongTermDebtCurrent',
    orElse: ['LongTermDebtAndCapitalLeaseObligationsCurrent OtherLongTermDebtCurrent', 'LongTermDebt'],
    words:
      /^(current (portion|maturities|installments|part) of|long term debt due within|currently maturing) ?(long term )?(debt|obligations|one year|notes payable|borrowings|debt and capital lease obligations)?( current| due within one year)?$|^long term debt (due within one year|current)$/,
    unlike: /short term|notes payable and|loans payable and|commercial paper|borrowings and/,
    also: 'debt',
  }),
  line('current_debt', 'Debt due within a year', {
    kinds: ['industrial'],
    parent: 'current_liabilities',
    sections: due,
    tags: 'DebtCurrent',
    words:
      /^(short term (debt|borrowings)|notes payable|loans payable) and current (portion|maturities|installments) of long term (debt|obligations)$/,
    unlike:
      /^current (portion|maturities|installments) of (?!.*(and (short|commercial|notes|loans|other)))|^long term debt (due|current)|capital lease/,
    also: 'debt',
  }),
  line('derivative_liabilities', 'Derivative liabilities', {
    kinds: ['industrial', 'bank', 'utility'],
    parent: 'liabilities',
    sections: anyLiability,
    alike:
      /^(Derivative(Liabilit|Instruments)\w*|PriceRiskManagement\w*Liabilit\w*|LiabilitiesFromRiskManagement\w*)$/,
    words:
      /^(fair value of )?(derivative|risk management|price risk management|energy derivative) (liabilities|instruments|contracts|contract liabilities)( current| noncurrent)?$/,
    adds: true,
  }),
  line('regulatory_liabilities', 'Regulatory liabilities', {
    kinds: ['utility'],
    parent: 'liabilities',
    sections: anyLiability,
    alike: /^(Other)?RegulatoryLiabilit(y|ies)\w*$/,
    words: /^(other )?regulatory liabilities( current| noncurrent| net)?$/,
    adds: true,
    unlike: /tax credits/,
  }),
  line('deferred_tax_liabilities', 'Deferred tax liabilities', {
    kinds: ['industrial', 'insurer', 'reit', 'utility'],
    parent: 'liabilities',
    sections: anyLiability,
    alike:
      /^((Accumulated)?Deferred(IncomeTax|Tax|IncomeTaxes)(es)?(Liabilit(y|ies))?(Net)?(Current|Noncurrent)?|DeferredIncomeTaxesAndTaxCreditsNoncurrent|DeferredTaxLiabilitiesNoncurrent)$/,
    words:
      /^(accumulated |net |current |noncurrent )?deferred (income )?tax(es)?( liabilit(y|ies))?( net| current| noncurrent)*$/,
    adds: true,
    unlike: /current and deferred|credits|^income taxes$|and other|accrued/,
  }),
  line('deferred_investment_tax_credits', 'Deferred investment tax credits', {
    kinds: ['utility'],
    parent: 'liabilities',
    sections: later,
    alike: /^(Accumulated)?DeferredInvestmentTaxCredits?$/,
    words: /^(unamortized |accumulated deferred |deferred )?investment tax credits?$/,
    also: 'taxes',
  }),
  line('liabilities_held_for_sale', 'Liabilities held for sale and of discontinued operations', {
    kinds: ['industrial', 'bank', 'utility'],
    parent: 'liabilities',
    sections: anyLiability,
    alike:
      /^(LiabilitiesOfDisposalGroup\w*|LiabilitiesOfAssetsHeldForSale|DisposalGroupIncludingDiscontinuedOperationLiabilities\w*)$/,
    words:
      /^(noncurrent |current |long term )?liabilities (held for sale|of (discontinued operations|businesses held for sale)|(associated|related) (with|to) (discontinued operations|assets held for sale))( current| noncurrent)?$/,
    adds: true,
    unlike: /joint venture|^(?!.*(held for sale|discontinued|disposal)).*$/,
  }),
  line('related_party_payables', 'Payables to related parties', {
    kinds: ['industrial'],
    parent: 'liabilities',
    sections: anyLiability,
    alike: /^(DueTo(RelatedPart|Affiliate|OtherRelatedPart|Officers)\w*|AccountsPayableRelatedPart\w*)$/,
    adds: true,
    words:
      /^((due|payables?) to|payables? to) (affiliates|related parties)$|^accounts payable (to )?(affiliates|related parties)$/,
    also: 'payables',
  }),
  line('other_current_liabilities', 'Other current liabilities', {
    kinds: ['industrial', 'utility'],
    parent: 'current_liabilities',
    sections: ['current_liabilities'],
    alike: /^(OtherLiabilitiesCurrent|OtherCurrentLiabilities|OtherLiabilities|LiabilitiesOtherCurrent)$/,
    words: /^other( current)?( liabilities)?( current)?$/,
    unlike: /accru|tax|deferred/,
  }),
  line('current_liabilities', 'Total current liabilities', {
    kinds: ['industrial', 'utility'],
    parent: 'liabilities',
    sections: ['current_liabilities'],
    tags: 'LiabilitiesCurrent CurrentLiabilities',
    words: /^total current liabilities$/,
    also: 'anything',
  }),
  line('long_term_debt_noncurrent', 'Long-term debt without its current part', {
    kinds: ['industrial', 'utility'],
    parent: 'liabilities',
    sections: ['noncurrent_liabilities'],
    tags: 'LongTermDebtNoncurrent',
    orElse: ['LongTermDebtAndCapitalLeaseObligations LongtermBorrowings', 'LongTermDebt'],
    words:
      /^(total )?long term (debt|obligations|borrowings)( including .*)?( less| net of| excluding| and capital lease obligations| due after| noncurrent| net)*( current)?( maturities| portion| one year| installments)*( current portion| current maturities)?$/,
    unlike: /^other|other long term obligations|current portion of|^current/,
    also: 'debt',
  }),
  line('long_term_debt', 'Long-term debt', {
    kinds: ['bank', 'insurer', 'reit'],
    parent: 'liabilities',
    sections: ['liabilities'],
    tags: 'LongTermDebt LongTermDebtAndCapitalLeaseObligations LongTermDebtNoncurrent',
    words: /^(long term debt|long term borrowings)$/,
    unlike: /^other/,
    also: 'debt',
  }),
  line('notes_and_bonds', 'Notes, mortgages and bonds', {
    parent: 'liabilities',
    sections: later,
    alike:
      /^((Senior|Unsecured|Secured|Convertible|Subordinated|JuniorSubordinated|Mortgage|OtherLong|OtherLongTerm)\w*(Debt|Notes)\w*|(LongTerm)?NotesPayable\w*|(LongTerm)?LineOfCredit|LongTermLoans\w*|LongTermNotesPayable|LongTermTransitionBond|UnsecuredDebt|NotesAndLoansPayable|ConvertibleNotesPayable\w*|OtherLoansPayable\w*|LoansPayable\w*|DebtInstrumentCarryingAmount)$/,
    words:
      /^(unsecured |senior |secured |convertible |mortgage |subordinated |junior subordinated |mortgages and |bonds and |exchangeable |line of |lines of |unsecured line of |revolving |bank )*(notes|debentures|notes payable|bonds|mortgages payable|mortgage notes payable|mortgage loans payable|credit|credit facility|term loan|term loans)( net| payable)*$/,
    adds: true,
    unlike: /^(total )?long term debt|\blease|^other$|affiliates$|contingent|^debt$/,
    also: 'debt preferred property',
  }),
  line('capital_leases', 'Lease obligations', {
    kinds: ['industrial', 'utility'],
    parent: 'liabilities',
    sections: anyLiability,
    alike:
      /^(CapitalLeaseObligations(Current|Noncurrent)?|FinanceLeaseLiability(Current|Noncurrent)?|OperatingLeaseLiability(Current|Noncurrent)?|ObligationsUnderCapitalLeases)$/,
    words:
      /^(long term )?(capital|operating|finance)( and financing)? leases? (obligations|liabilities)( net of current portion| noncurrent| less current.*)?$/,
    adds: true,
    unlike: /and other$|lease liabilities and other/,
    also: 'property',
  }),
  line('pension_liabilities', 'Pension and retirement obligations', {
    kinds: ['industrial', 'utility'],
    parent: 'liabilities',
    sections: anyLiability,
    alike:
      /^((DefinedBenefit|PensionAndOtherPostretirement|OtherPostretirement|Pension|PostemploymentBenefits|OtherPostretirementDefinedBenefit)\w*Liabilit(y|ies)\w*|LiabilityForPension\w*|RetirementBenefit(?!\w*And)\w*)$/,
    words:
      /^(accrued )?(employee |pension|pensions|post ?retirement|retirement|other post ?retirement)( and (other )?(post ?retirement|retirement|employee|postemployment))?( benefits?| plan| related)*( obligations?| liabilit(y|ies)| costs?| plans)?( noncurrent)?$/,
    adds: true,
    unlike: /and other (long|liab)|deferred compensation/,
  }),
  line(
    'provisions',
    'Provisions for retirement of assets, environment, litigation, insurance, warranties and restructuring',
    {
      kinds: ['industrial', 'utility'],
      parent: 'liabilities',
      sections: anyLiability,
      alike: anyOf(
        /^((Standard|Extended)?ProductWarrant\w*|MineReclamation\w*Liability\w*|OilAndGasReclamationLiability\w*|DecommissioningLiability\w*)$/,
        /^AssetRetirementObligations?\w*$/,
        /^(AccruedEnvironmental\w*|SelfInsuranceReserve\w*|LitigationReserve\w*|WorkersCompensationLiability\w*|EnvironmentalLiabilit\w*|EstimatedLitigationLiability\w*|AccruedInsurance\w*)$/,
        /^RestructuringReserve\w*$/,
      ),
      words: anyOf(
        /^asset retirement obligations?( .*)?$/,
        /^(environmental|self insurance|litigation|asbestos|insurance|casualty|casualty and other claims|workers compensation)( and other)? ?(reserves?|liabilit(y|ies)|obligations?|settlement|claims|related liabilities)( .*)?$/,
        /^(accrued )?restructuring( reserves?| charges| liabilit(y|ies)| costs)?( current)?$/,
      ),
      unlike: /difference|\bother (current |noncurrent |long term )?liabilities|deferred/,
      also: 'insurance accrued taxes',
      adds: true,
    },
  ),
  line('broker_payables', 'Payables to brokers and customers', {
    kinds: ['bank'],
    parent: 'liabilities',
    sections: anyLiability,
    alike: /^PayablesTo(BrokerDealers\w*|Customers)$/,
    words: /^payables? to (brokers|customers).*$/,
    adds: true,
  }),
  line('trading_liabilities', 'Trading liabilities', {
    kinds: ['bank'],
    parent: 'liabilities',
    sections: anyLiability,
    alike: /^TradingLiabilities$/,
    words: /^trading (account )?liabilities$/,
  }),
  line('customer_deposits', 'Customer deposits', {
    kinds: ['utility', 'reit'],
    parent: 'liabilities',
    sections: anyLiability,
    alike: /^(CustomerDeposits\w*|SecurityDeposit\w*|Deposits|DepositsReceived\w*)$/,
    words: /^(customer|customers|security|tenant)( security)? deposits( and .*)?$/,
  }),
  line('reinsurance_payable', 'Reinsurance payable', {
    kinds: ['insurer'],
    parent: 'liabilities',
    sections: anyLiability,
    alike: /^(ReinsurancePayable|CededPremiumsPayable|FundsHeldUnderReinsurance\w*)$/,
    words: /^(reinsurance|ceded)( balances| premiums?)? payable.*$/,
    adds: true,
  }),
  line('other_liabilities', 'Other noncurrent liabilities', {
    parent: 'liabilities',
    sections: later,
    tags: 'OtherLiabilitiesNoncurrent OtherLiabilities OtherNoncurrentLiabilities',
    words: /^other( noncurrent| non current| long term)?( liabilities)?( noncurrent| and deferred credits)?$/,
    unlike:
      /invest|intangible|goodwill|\btax|receivable|deferred|pension|retire|benefit|accru|payable|insurance|reserve|deposits|financing|claims|debt|minority|interest/,
  }),
  line('noncurrent_liabilities', 'Total noncurrent liabilities', {
    kinds: ['industrial', 'utility'],
    parent: 'liabilities',
    sections: ['noncurrent_liabilities'],
    tags: 'LiabilitiesNoncurrent NoncurrentLiabilities',
    words: /^total (noncurrent|non current|long term) liabilities$/,
    unlike: /^(?!.*(noncurrent|non current|long term) liabilities).*$/,
    also: 'anything',
  }),
  line('commitments_and_contingencies', 'Commitments and contingencies', {
    parent: 'liabilities_and_equity',
    sections: [...anyLiability, 'equity'],
    tags: 'CommitmentsAndContingencies',
    also: 'anything',
  }),
  line('liabilities', 'Total liabilities', {
    parent: 'liabilities_and_equity',
    sections: [...anyLiability, 'equity'],
    tags: 'Liabilities',
    words: /^total liabilities$/,
    unlike: /long term|non ?current/,
    also: 'anything',
  }),
  line('noninterest_bearing_deposits', 'Deposits without interest', {
    kinds: ['bank'],
    parent: 'deposits',
    sections: anyLiability,
    alike: /^NoninterestBearingDeposit\w*$|^DemandDeposit\w*$/,
    words: /^(non ?interest bearing( deposits| demand)?|demand)( .*)?$/,
    adds: true,
    also: 'deposits',
  }),
  line('interest_bearing_deposits', 'Deposits with interest', {
    kinds: ['bank'],
    parent: 'deposits',
    sections: anyLiability,
    alike:
      /^(InterestBearingDepositLiabilit\w*|Deposits(Savings|MoneyMarket|Negotiable)\w*|TimeDeposit\w*|InterestBearingForeignDeposit\w*|InterestBearingDomesticDeposit\w*|SavingsDeposits)$/,
    words: /^(total )?(interest bearing|savings|money market|time)( deposits| and .*)?( .*)?$/,
    adds: true,
    also: 'deposits',
  }),
  line('deposits', 'Total deposits', {
    kinds: ['bank'],
    parent: 'liabilities',
    sections: anyLiability,
    tags: 'Deposits',
    words: /^(total )?deposits$/,
  }),
  line('federal_funds_purchased', 'Federal funds purchased and securities sold to repurchase', {
    kinds: ['bank', 'insurer'],
    parent: 'liabilities',
    sections: anyLiability,
    alike: /^(FederalFundsPurchased\w*|Securities(SoldUnderAgreementsToRepurchase|Loaned)\w*)$/,
    words: /^(federal funds purchased.*|securities (sold under .*|loaned.*))$/,
    adds: true,
    unlike: /cash collateral|payable/,
  }),
  line('other_borrowings', 'Other borrowings', {
    kinds: ['bank'],
    parent: 'liabilities',
    sections: anyLiability,
    alike: /^(OtherBorrowings|OtherBorrowedFunds)$/,
    words: /^other borrow(ings|ed funds)( .*)?$/,
    also: 'debt',
  }),
  line('future_policy_benefits', 'Future policy benefits', {
    kinds: ['insurer'],
    parent: 'liabilities',
    sections: anyLiability,
    alike: /^(LiabilityForFuturePolicyBenefits\w*|FuturePolicyBenefits\w*)$/,
    words: /^(future|reserves? for future) policy benefits.*$/,
    adds: true,
    unlike: /^total policy/,
    also: 'insurance',
  }),
  line('claims_reserves', 'Reserves for claims and loss adjustment expenses', {
    kinds: ['insurer'],
    parent: 'liabilities',
    sections: anyLiability,
    alike:
      /^(LiabilityFor(Claims|UnpaidClaims)\w*|ReserveForLosses\w*|MedicalClaimsPayable|HealthCareCostsPayable)$/,
    words:
      /^((losses|loss|claims|unpaid claims|unpaid losses|reserves? for (losses|claims)|property liability insurance claims|medical (claims|costs) (payable|liability))( and (loss|claims|losses|claim)( adjustment)? expenses?)?.*)$/,
    adds: true,
    unlike: /discounts|rebates|future policy/,
    also: 'property',
  }),
  line('unearned_premiums', 'Unearned premiums', {
    kinds: ['insurer'],
    parent: 'liabilities',
    sections: anyLiability,
    alike: /^UnearnedPremiums$/,
    words: /^unearned premiums?( .*)?$/,
    also: 'insurance',
  }),
  line('policyholder_deposits', 'Policyholder deposits', {
    kinds: ['insurer'],
    parent: 'liabilities',
    sections: anyLiability,
    alike:
      /^(Policyholder(ContractDeposits|Funds|Accounts?)\w*|OtherPolicyholderFunds|PolicyholderAccountBalance\w*|ContractholderFunds)$/,
    words:
      /^((other )?policyholders? (account balances|funds|contract deposits|account deposits)|contractholders? (deposit )?funds|other contractholder funds.*)$/,
    adds: true,
    also: 'deposits',
  }),
  line('separate_account_liabilities', 'Separate account liabilities', {
    kinds: ['insurer'],
    parent: 'liabilities',
    sections: anyLiability,
    alike: /^SeparateAccounts?Liabilit(y|ies)$/,
    words: /^separate accounts?( liabilities)?$/,
  }),
]

const equity = [
  line('redeemable_equity', 'Redeemable equity between liabilities and equity', {
    kinds: ['industrial', 'reit', 'utility'],
    parent: 'liabilities_and_equity',
    sections: ownership,
    alike: /^(TemporaryEquity\w*|Redeemable(NoncontrollingInterest|PreferredStock)\w*)$/,
    words: /^redeemable (noncontrolling interests?|preferred stock|common stock|minority interests?)( .*)?$/,
    adds: true,
    also: 'minority preferred',
  }),
  line('preferred_stock', 'Preferred stock', {
    parent: 'equity',
    sections: ownership,
    alike:
      /^(PreferredStockValue(Outstanding)?|PreferredStockIncludingAdditionalPaidInCapital\w*|ConvertiblePreferredStock\w*)$/,
    words: /^(cumulative |convertible |serial )*(preferred|preference) stock( .*)?$/,
    adds: true,
    unlike: /subsidiar/,
    also: 'paidIn',
  }),
  line('common_stock', 'Common stock', {
    parent: 'equity',
    sections: ownership,
    alike:
      /^(CommonStockValue(Outstanding)?|CommonStock(Additional|Other)Series?Value|CommonStocksIncludingAdditionalPaidInCapital\w*|IssuedCapital|CommonUnit\w*Value)$/,
    words: /^(class [a-c] )?common (stock|shares?)( .*)?$|^(capital stock|ordinary shares)( .*)?$/,
    adds: true,
    unlike:
      /paid in|excess of par|capital surplus|redemption value|exchangeable|^common equity|issuable|preferred/,
  }),
  line('common_stock_and_paid_in_capital', 'Common stock and additional paid-in capital, stated together', {
    kinds: ['industrial'],
    parent: 'equity',
    sections: ownership,
    alike: /^CommonStocks?IncludingAdditionalPaidInCapital\w*$/,
    words:
      /^(class [a-c] )?(common|capital) stock\b.* and (additional )?(paid in capital|capital in excess of par)\b.*$/,
    unlike: /^(?!.*(paid in|excess of par)).*$/,
  }),
  line('additional_paid_in_capital', 'Additional paid-in capital', {
    parent: 'equity',
    sections: ownership,
    alike: /^(AdditionalPaidInCapital\w*|SharePremium|OtherAdditionalCapital|CapitalInExcessOf\w*)$/,
    words:
      /^(additional )?(paid in|contributed) capital.*$|^(additional capital|capital surplus|capital in excess of (par|stated) value|capital in excess of par value.*|other (paid in )?capital)$/,
  }),
  line('retained_earnings', 'Retained earnings', {
    parent: 'equity',
    sections: ownership,
    tags: 'RetainedEarningsAccumulatedDeficit RetainedEarnings',
    alike:
      /^(RetainedEarnings(Unappropriated|Appropriated)|DevelopmentStageEnterpriseDeficitAccumulatedDuringDevelopmentStage|AccumulatedDistributionsInExcessOfNetIncome)$/,
    sign: 'signed',
    words:
      /^(retained|reinvested|undistributed)( earnings| deficit)( .*)?$|^(earnings (reinvested|retained|employed).*|accumulated deficit|retained earnings accumulated deficit|(cumulative )?distributions in excess of (net income|earnings)|deficit|accumulated earnings)$/,
    unlike: /shareholders|stockholders|paid in/,
  }),
  line('accumulated_other_comprehensive_income', 'Accumulated other comprehensive income', {
    parent: 'equity',
    sections: ownership,
    tags: 'AccumulatedOtherComprehensiveIncomeLossNetOfTax',
    sign: 'signed',
    words:
      /^(total )?accumulated other( non owner)? (comprehensive|changes in equity)( income| loss| gain| earnings| items)*( net.*)?$/,
    unlike: /pension|stockholders|shareholders deficit/,
    also: 'taxes',
  }),
  line('accumulated_other_comprehensive_income_part', 'Parts of accumulated other comprehensive income', {
    kinds: ['industrial', 'bank', 'insurer'],
    parent: 'accumulated_other_comprehensive_income',
    sections: ownership,
    sign: 'signed',
    alike: /^AccumulatedOtherComprehensiveIncomeLoss(?!NetOfTax$)\w+$/,
    adds: true,
    unlike: /^(total )?accumulated other comprehensive/,
    also: 'pensions taxes investments derivatives other',
  }),
  line('treasury_stock', 'Treasury stock', {
    parent: 'equity',
    sections: ownership,
    sign: 'cost',
    alike:
      /^(TreasuryStock(Common|Preferred)?Value|TreasuryStockValue\w*|TreasuryShares|CommonStockHeldInTreasury)$/,
    words:
      /^(less )?((common (stock|shares) )?(held )?in treasury|treasury (stock|shares))( .*)?$|^common stock in treasury.*$/,
    adds: true,
    unlike: /distributable|\band\b.*(trust|employee)/,
    also: 'preferred',
  }),
  line('unearned_compensation', 'Shares held for and unearned compensation of employees', {
    kinds: ['industrial', 'bank'],
    parent: 'equity',
    sections: ownership,
    sign: 'cost',
    alike:
      /^(UnearnedESOPShares|DeferredCompensationEquity|UnearnedCompensation\w*|CommonStock(HeldInTrust|SharesHeldInEmployeeTrust|IssuedEmployeeStockTrust|IssuedEmployeeTrustDeferred)|CommonStockHeldBySubsidiary)$/,
    words: /^(unearned|deferred|unallocated)( stock)?( compensation| esop.*| restricted.*| employee.*)+$/,
    adds: true,
    unlike: /treasury/,
    also: 'pensions',
  }),
  line('partners_capital_part', "A class of partners' capital", {
    kinds: ['industrial'],
    parent: 'equity',
    sections: ownership,
    alike: /^(Limited|General)Partners(Capital\w*|Equity)$/,
    words:
      /^(limited|general) partners?( capital| equity| interest)?$|^(common|class [a-c]) (units|unitholders).*$/,
    unlike: /redeemable/,
    adds: true,
  }),
  line('equity', "Equity of the parent's owners", {
    parent: 'liabilities_and_equity',
    sections: ownership,
    tags: 'StockholdersEquity EquityAttributableToOwnersOfParent',
    orElse: [
      'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest',
      'PartnersCapital MembersEquity PartnersCapitalIncludingPortionAttributableToNoncontrollingInterest Equity',
    ],
    words:
      /^total (common )?(\w+ )?(stockholders|shareholders|shareowners|shareholder|stockholder|share owners|stockowners|common stock) ?s? equity( deficit)?$/,
    also: 'minority preferred investments',
  }),
  line('minority_interest', 'Noncontrolling interests', {
    parent: 'liabilities_and_equity',
    sections: [...ownership, 'current_liabilities'],
    alike: /^(MinorityInterest\w*|Noncontrolling(Interests?)\w*)$/,
    words: /^(noncontrolling|minority)( ownership)? interests?( .*)?$/,
    adds: true,
    unlike: /redeemable|preferred/,
    also: 'preferred property investments',
  }),
  line('equity_including_minority_interest', 'Equity with noncontrolling interests', {
    parent: 'liabilities_and_equity',
    sections: ownership,
    tags: 'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest Equity',
    orElse: ['PartnersCapitalIncludingPortionAttributableToNoncontrollingInterest TotalEquity'],
    words: /^total equity( deficit)?$/,
    unlike: /capitalization/,
    also: 'minority preferred investments',
  }),
  line('liabilities_and_equity', 'Total liabilities and equity', {
    sections: [...ownership, 'current_liabilities'],
    tags: 'LiabilitiesAndStockholdersEquity EquityAndLiabilities',
    words:
      /^total (liabilities|capitalization)( temporary equity| noncontrolling interests| minority interest| and| redeemable.*)* ?((\w+ )?(shareholders|stockholders|shareowners|partners)( s)? )?(equity|capital|deficit)( deficit)?$/,
    also: 'anything',
  }),
]

export const balanceLines = [...financialAssets, ...assets, ...liabilities, ...equity]

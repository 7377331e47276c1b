import { anyOf, linesOf, type Section } from './definition.ts'

const line = linesOf('cash_flow', { sign: 'signed', sections: ['operating'] })

const anySection: readonly Section[] = ['operating', 'investing', 'financing', 'cash']
const inOperating = { parent: 'operating_cash_flow', adds: true } as const
const change = { parent: 'operating_cash_flow', adds: true } as const
const paidToInvest = {
  parent: 'investing_cash_flow',
  sections: ['investing'],
  sign: 'outflow',
  adds: true,
} as const
const inInvesting = { parent: 'investing_cash_flow', sections: ['investing'], adds: true } as const
const paidToFinance = {
  parent: 'financing_cash_flow',
  sections: ['financing'],
  sign: 'outflow',
  adds: true,
} as const
const inFinancing = { parent: 'financing_cash_flow', sections: ['financing'], adds: true } as const

const operating = [
  line('net_income_including_minority_interest', 'Net income with which the statement begins', {
    parent: 'operating_cash_flow',
    tags: 'ProfitLoss',
    orElse: ['NetIncomeLoss', 'NetIncomeLossAvailableToCommonStockholdersBasic'],
    words: /^net (income|earnings|loss)( loss)?( including noncontrolling interests?)?$/,
    also: 'anything',
    unlike: /before income tax/,
  }),
  line('discontinued_operations', 'Discontinued operations, removed', {
    ...inOperating,
    kinds: ['industrial', 'utility', 'bank'],
    alike:
      /^(IncomeLossFromDiscontinuedOperationsNetOfTax\w*|DiscontinuedOperation(GainLoss|IncomeLoss)\w*|GainOnSaleOfDiscontinuedOperations)$/,
    words:
      /^(net )?((income|loss|gain|earnings)( loss| income)?( from| on)( sale of| disposal of)? )?discontinued operations?( net.*)?$/,
  }),
  line('depreciation_amortization', 'Depreciation and amortization', {
    parent: 'operating_cash_flow',
    tags: 'DepreciationAmortizationAndAccretionNet',
    orElse: [
      'DepreciationDepletionAndAmortization DepreciationAndAmortization AdjustmentsForDepreciationAndAmortisationExpense',
      'Depreciation',
    ],
    alike:
      /^(DepreciationAndAmortization\w+|DepreciationPremisesAndEquipment|DepreciationNonproduction|AdjustmentDepreciation\w*|DepreciationAndAmortization_\w+|DepreciationDepletion\w+|CostOfServicesDepreciation|DepreciationExpense\w*|OtherDepreciationAndAmortization)$/,
    words:
      /^depreciation( depletion)?( and| amortization| depletion| accretion)*( expense)?( of property.*| including discontinued.*)?$/,
    unlike:
      /impairment|discontinued operations?$|^amortization$|debt|decommissioning|asset charges|nuclear fuel|^property|continuing operations|other non ?cash|^(?!.*(amorti[sz]ation|depletion|accretion)).*$/,
    also: 'property intangibles',
  }),
  line('depreciation', 'Depreciation, stated without amortization', {
    parent: 'operating_cash_flow',
    alike:
      /^(Depreciation|DepreciationPremisesAndEquipment|DepreciationNonproduction|AdjustmentDepreciation\w*|OtherDepreciationAndAmortization|DepreciationAndAmortization|DepreciationDepletionAndAmortization|CostOfServicesDepreciation)$/,
    words: /^(provision for )?depreciation( expense)?( of .*| on .*)?$/,
    unlike: /amorti[sz]ation|depletion|accretion|impairment|^property|software/,
    also: 'property',
  }),
  line('amortization', 'Amortization besides depreciation, with that of debt costs', {
    ...inOperating,
    kinds: ['industrial', 'bank', 'reit', 'utility'],
    alike: anyOf(
      /^(AmortizationOf(Intangible|Nuclear|Acquired|Purchased|Other|Deferred(Charges|HedgeGains|Sales|Leas)|Regulatory|Lease|Above|Below)\w*|AdjustmentForAmortization|(Other)?AmortizationOfDeferredCharges|AmortizationOfNuclearFuel|CapitalizedComputerSoftwareAmortization\w*|AmortizationOfDeferredCharges)$/,
      /^(AmortizationOf(FinancingCosts|DebtDiscount|DeferredFinancing|DebtIssuance)\w*|PaidInKindInterest|AmortizationOfDebtDiscountPremium|NoncashInterestExpense|InterestExpenseAmortization\w*)$/,
    ),
    words: anyOf(
      /^amortization( expense)?( of)?( acquired| purchased| other)*( intangibles?( assets)?| nuclear fuel| regulatory assets.*| deferred (charges|costs).*)?( net)?$/,
      /^(non ?cash interest( expense)?|amortization of (deferred )?(debt|loan|financing)( issuance| discount| issue)?( and .*)?( costs| expenses| fees)?.*)$/,
    ),
    unlike:
      /hedges?|derivative|swap|board of directors|deferred revenue|loans|gain|accretion|and other (?!intangible)|settlements|fixed maturit|investment|securities/,
    also: 'intangibles businesses debt loans other',
    adds: true,
  }),
  line('deferred_income_tax', 'Deferred income taxes', {
    ...inOperating,
    alike: /^(Deferred(IncomeTax|IncomeTaxes|Tax|Federal)\w*|IncreaseDecreaseInDeferredIncomeTaxes\w*)$/,
    words:
      /^(change in |provision for |net )?deferred (income )?tax(es)?( expense| benefit| provision| and .*credits?.*| net| liabilit(y|ies)| assets?)*$/,
    unlike:
      /and other|uncertain|unrecognized|stock|^income tax benefit$|net impairment|^income taxes|non ?current income tax|acquisition|tax credits?|credits and/,
  }),
  line('stock_based_compensation', 'Stock compensation', {
    parent: 'operating_cash_flow',
    tags: 'ShareBasedCompensation',
    orElse: ['AllocatedShareBasedCompensationExpense'],
    alike:
      /^(StockOptionPlanExpense|EmployeeBenefitsAndShareBasedCompensation|RestrictedStockExpense|EmployeeStockOwnershipPlanESOPCompensationExpense|StockIssuedDuringPeriodValueShareBasedCompensation\w*|ShareBasedCompensation\w*|AmortizationOfESOP\w*)$/,
    words:
      /^(non ?cash )?(stock|share|equity)( based| {2}option)?( compensation| incentive| awards?)*( expense| plans?| costs?| charges?)*( net.*)?$/,
    unlike:
      /benefits?$(?<!stock.*)|retirement|esop|deferred|and other|long term compensation|employee benefit plan/,
    also: 'amortization',
  }),
  line('excess_tax_benefit_operating', 'Excess tax benefit of stock compensation', {
    kinds: ['industrial'],
    parent: 'operating_cash_flow',
    adds: true,
    alike: /^(ExcessTaxBenefit\w*|TaxBenefitFromStockOptions\w*)$/,
    words:
      /^(excess |income )?tax benefits?( from| of| related to| on)?( exercise of| the exercise of)? ?(stock|share|equity|employee|incentive).*$/,
  }),
  line('restructuring_and_impairments', 'Restructuring, impairments and write-downs', {
    ...inOperating,
    alike: anyOf(
      /^(Restructuring(Charges|Costs|Reserve|SettlementAnd\w*|AndOther\w*)?\w*|PaymentsForRestructuring|IncreaseDecreaseInRestructuringReserve)$/,
      /^((?!Depreciation|Restructuring|GainLoss)\w*Impairment(Charges|OfInvestments|Loss)?|ImpairmentOf\w*|OtherAssetImpairmentCharges|InventoryWriteDown|ExplorationAbandonmentAndImpairmentExpense|ResultsOfOperationsDryHoleCosts|OtherThanTemporaryImpairment\w*|GoodwillImpairmentLoss|GoodwillAndIntangibleAssetImpairment)$/,
    ),
    words: anyOf(
      /^(net )?(payments (for|of) )?(restructuring|severance|reorganization|special)( and (other|integration|related|special|asset impairments?|impairment))?( charges?| costs?| expenses?| items| payments| reserves?| activities| net)*$/,
      /^provisions? for impairments?$|^(goodwill|asset|intangible asset|investment|long lived asset|other than temporary|goodwill and (other )?intangible assets?)?s? ?(impairments?|write ?downs?|write ?offs?)( charges?| losses| loss| expense)*( (of|on) (goodwill|long lived assets|assets|intangible assets|investments?|real estate|securities|inventor(y|ies)).*)?$/,
    ),
    unlike:
      /dry holes?|exploratory|discontinued|loan losses|abandonment|litigation|settlement(?! and impairment)|^other charges|gains?\b|other charges|other costs|disposals?|provision for (loss|obsolete)|loss on net assets|rationalization|estimated losses|^loss on strategic|^special|reorganization/,
    also: 'property intangibles investments affiliates businesses inventories',
    adds: true,
  }),
  line('provision_for_losses', 'Provision for credit losses', {
    ...inOperating,
    kinds: ['industrial', 'bank'],
    alike:
      /^(ProvisionFor(Doubtful|Loan|LoanLease|LoanAndLease|Credit|OtherCredit)\w*|ProvisionForOtherLosses)$/,
    words:
      /^(provisions? for )?(losses on |)(doubtful accounts|bad debts?|loan losses|credit losses|uncollectible accounts|loan and lease losses|losses on accounts receivable)( expense)?$/,
    also: 'receivables loans debt',
    unlike: /inventory|insurance|other real estate|foreclosed|leases$|timing/,
  }),
  line(
    'gains_and_losses',
    'Gains and losses on disposals, investments, derivatives, exchange rates and debt, removed',
    {
      ...inOperating,
      alike: anyOf(
        /^((GainLoss|GainsLosses)On(Disposition|SaleOf|SalesOf)(Assets|Propert|Business|OtherAssets|Intangible|PropertyPlant|RealEstate|Interest|Project|InvestmentRealEstate)\w*|GainLossOnDispositionOf\w*|GainsLossesOnSalesOfAssets|DisposalGroupNotDiscontinuedOperation\w*|GainLossOnSaleOf(Property\w*|Properties|OtherAssets|Business|Project|Oil\w*))$/,
        /^((Realized)?Investment(Gains|s)\w*GainsLosses|RealizedInvestmentGainsLosses|GainLossOn(Investments\w*|SaleOf(Securities|Investments|OtherInvestments|EquityInvestments|EquityMethod|StockInSub|AvailableFor|Debt)\w*)|UnrealizedGainLossOnInvestments|MarketableSecurities\w*GainLoss\w*|AvailableForSaleSecurities\w*Gain\w*|GainLossOnSaleOfSecuritiesNet|GainLossOnInvestments|TradingGainsLosses|EquitySecuritiesFvNiGainLoss\w*|DebtAndEquitySecuritiesGainLoss)$/,
        /^((Unrealized)?GainLossOn(Derivative|SaleOfDerivatives|PriceRisk|Hedging)\w*|UnrealizedGainLossOnDerivatives\w*|DerivativeGainLoss\w*)$/,
        /^ForeignCurrencyTransactionGainLoss\w*$/,
        /^(GainsLossesOnExtinguishmentOfDebt\w*|AdjustmentGainsLossesOnExtinguishmentOfDebt|WriteOffOfDeferredDebtIssuanceCost|GainsLossesOnRestructuringOfDebt)$/,
        /^(GainLossOnSalesOfLoansNet|(GainLoss|GainsLosses)On(SaleOf|SalesOf)(Loans|Mortgage)\w*)$/,
      ),
      words: anyOf(
        /^(net )?(gains?|losses?|gain loss|loss gain|gains losses|losses gains)( losses| loss| gain)?( net)?( on| from)( the)?( sales?| dispositions?| disposals?| retirements?)?( and disposals?)?( of)? (assets|property|properties|business|businesses|real estate|sale|sales|property plant and equipment|other assets|fixed assets|disposals?)( and .*)?( net)?$/,
        /^(net )?(realized )?(investment |securities )?(gains?|losses?|gain loss|gains losses)( losses| loss| gain)?( net)?( on| from)?( the)?( sales?)?( of)? ?(investments?|securities|marketable securities|investment securities)?( net)?$/,
        /^(net )?(realized |unrealized )?(gains?|losses?|gain loss|gains losses|loss gain|losses gains|mark to market)( losses| loss| gain)?( net)? ?(on|from|activities)? (derivatives?|derivative instruments|commodity derivatives?|hedges|risk management|derivative .*|price risk management.*)$/,
        /^(net )?(unrealized )?(foreign )?(currency|exchange)( transaction| exchange)*( gains?| losses| loss| gain loss)+( net)?$/,
        /^(gain|loss|losses|gains|gain loss|loss gain)s?( net)? (on|from)( early)? (extinguishment|retirement|repurchase|redemption) of (debt|notes)( net)?$/,
        /^(net )?gains?( losses| loss)? (on|from) sales? of( residential)?( mortgage)? loans( .*)?$/,
      ),
      unlike:
        /impairment|and other$|^other|write|lease exit|^equity in|including|distribution|net of tax|expense|purchases|proceeds|discontinued operations?$/,
      also: 'property businesses intangibles investments affiliates debt derivatives loans minority receivables',
      adds: true,
    },
  ),
  line('equity_method_income', 'Income of affiliates, removed', {
    ...inOperating,
    kinds: ['industrial', 'reit', 'utility'],
    alike:
      /^(IncomeLossFromEquityMethodInvestments\w*|EquityMethodInvestmentRealizedGain\w*|UndistributedEarnings\w*|EquityInEarnings\w*)$/,
    words:
      /^((net )?(equity|undistributed|income|earnings|share|distributions|distributed)( in| of)?( losses| loss| undistributed| net)*( income| earnings| losses)*( losses| loss| received)*( of| from| in)( equity method| unconsolidated| nonconsolidated| equity| joint| affiliated)*( affiliates| companies| investments| investees| joint ventures| ventures| subsidiaries| entities| partnerships)+( net.*)?|(equity earnings|distributed earnings)( .*)?)$/,
    unlike: /^(distributions|dividends|cash distributions)|and other|write ?down|gain on/,
    also: 'affiliates investments dividends businesses taxes',
  }),
  line('equity_method_distributions', 'Distributions received from affiliates', {
    ...inOperating,
    kinds: ['reit', 'utility'],
    alike:
      /^(EquityMethodInvestmentDividendsOrDistributions|DistributionsFrom\w*|ProceedsFromEquityMethodInvestmentDividendsOrDistributions)$/,
    words:
      /^(cash )?(distributions|dividends)( of (earnings|income))?( received)? from( equity| unconsolidated| nonconsolidated| joint)*( affiliates| companies| ventures| investees| entities| partnerships)+( .*)?$/,
    also: 'investments dividends',
    unlike: /operating receivables/,
  }),
  line('pension', 'Pension cost and contributions', {
    ...inOperating,
    kinds: ['industrial', 'utility'],
    alike:
      /^(Pension(Contributions|Expense|AndOther)\w*|PensionAndOtherPostretirement\w*|IncreaseDecreaseIn(Pension|Postretirement|ObligationPension|PostemploymentObligations)\w*|DefinedBenefitPlan\w*|IncreaseDecreaseInPensionAndPostretirementObligations|PensionCost\w*|OtherPostretirementBenefitExpense)$/,
    words:
      /^((cash )?contributions? to |payments to )?(qualified |defined benefit )?(pensions?|post ?retirement|retirement|employee benefits?)( and)?( other)?( postretirement| retirement| post retirement| postemployment)*( benefits?| plans?)*( contributions?| costs?| expenses?| funding| obligations?| liabilit(y|ies)| funds?| trusts?)*( net)?$/,
    unlike: /share based|savings plan|^expenses$|severance|employee benefit|^benefits?/,
  }),
  line('other_noncash_items', 'Other items without cash', {
    ...inOperating,
    alike:
      /^(AdjustmentsNoncashItems\w*Other|Other(AdjustmentsForNoncash|Noncash)\w*|OtherOperatingActivitiesCashFlowStatement|OtherCashAndNoncashChanges\w*)$/,
    words:
      /^other( non ?cash| reconciling)?( items| adjustments| charges| expenses?| income| credits)*( net)?$/,
    unlike: /amortization|impairment|stock|write|reserves/,
    also: 'other noncash',
  }),
  line('change_in_receivables', 'Change in receivables', {
    ...change,
    alike:
      /^(IncreaseDecreaseIn(Accounts|AccountsAnd\w*|Receivables|OtherReceivables|AccountsAndOther|AccountsNotes\w*|Trade|Unbilled|IncomeTaxesReceivable|FinanceReceivables|LeasingReceivables|DeferredRentReceivables|NotesReceivable\w*|ContractWithCustomerAsset|DueFrom\w*)(Receivables?\w*)?|IncreaseDecreaseIn\w*Receivables?(Net|FromSecuritization|Current)?|IncreaseDecreaseInInsurancePremiumsReceivable|IncreaseDecreaseInCostsInExcess\w*)$/,
    words:
      /^(increase decrease in |decrease increase in |change in |changes in )?(trade |accounts |customer |notes |net |unbilled |other |accounts and notes |trade accounts |refundable income tax )*(receivables?)( and .*)?( net)?( unbilled.*)?$/,
    unlike:
      /non ?cash adjustments|payables?$|payables with|tax.*payable|tax|and other assets|net of receivables|^increase in assets|securitization|sales type|wholesale|advance payments|payables/,
    also: 'investments affiliates other',
  }),
  line('change_in_inventory', 'Change in inventories', {
    ...change,
    kinds: ['industrial', 'utility'],
    alike: /^IncreaseDecreaseIn(\w*Inventor(y|ies)\w*|MaterialsAndSupplies|Fuel\w*)$/,
    words:
      /^(increase decrease in |decrease increase in |change in |changes in )?(merchandise |fuel |natural gas |gas )?(inventor(y|ies)|materials and supplies|fuel stock)( .*)?$|^fuel$/,
    unlike:
      /doubtful|reserves|prepaid|valuation|allowance|program rights|and other|contracts in progress|rights/,
  }),
  line(
    'change_in_payables',
    'Change in accounts payable, and in accrued and other liabilities stated together with them',
    {
      ...change,
      kinds: ['industrial', 'insurer', 'reit', 'utility'],
      alike:
        /^IncreaseDecreaseIn(AccountsPayable\w*|OtherAccountsPayable\w*|AccountsPayableAndAccruedLiabilities|TradePayables?|SettlementPayable|DueTo\w*)$/,
      words:
        /^(increase decrease in |decrease increase in |change in |changes in )?(trade )?(accounts )?payables?( and .*)?$/,
      unlike:
        /\btax|intangibles|deferred|settlement|salaries|^decrease in liabilities|section 31|notes payable|claims|^(?!.*(payables?|due to)\b).*$/,
      also: 'other affiliates accrued',
    },
  ),
  line(
    'change_in_accrued_liabilities',
    'Change in accrued liabilities, and in other liabilities stated together with them',
    {
      ...change,
      kinds: ['industrial', 'reit'],
      alike:
        /^IncreaseDecreaseIn(\w*Accrued(Liabilities|Salaries|Compensation|Expenses|Payroll)\w*|EmployeeRelatedLiabilities\w*|Interest\w*Payable\w*|OtherAccruedLiabilities|AccruedInterest\w*Payable\w*|DeferredCompensation|WorkersCompensation\w*|SelfInsuranceReserve|AccruedEnvironmental\w*)$/,
      words:
        /^(increase decrease in |decrease increase in |change in |changes in )?(other )?(accrued .*|accruals?|interest payable|salaries and .*|employee related .*)$/,
      unlike:
        /tax|pension|retirement|advertising|restructuring|litigation|receivable|interest income|credit$|assets|warranty|conclusion|compensation$(?<!accrued compensation)(?<!employee compensation)|workers|revenue share|^change in other|^(increase decrease in |increase in |decrease in )?other current liabilities|long term/,
    },
  ),
  line('change_in_taxes', 'Change in taxes payable', {
    ...change,
    kinds: ['industrial', 'insurer', 'utility'],
    alike:
      /^(IncreaseDecreaseIn(Accrued|Other)?(Income)?Tax(es)?(Payable|PayableNet|Liabilities)?\w*|IncreaseDecreaseInAccruedTaxesPayable|IncreaseDecreaseInPropertyAndOtherTaxesPayable|IncreaseDecreaseInPrepaidTaxes)$/,
    words:
      /^(increase decrease in |decrease increase in |change in |changes in )?(accrued |prepaid |current |federal |net )*(income |other |general )*taxes( payable| receivable| refundable| accrued| and interest.*| currently .*)*( net)?$/,
    also: 'receivables prepaid other',
    unlike: /deferred|and other accruals|other tax related/,
  }),
  line('change_in_prepaid', 'Change in prepaid expenses, and in other assets stated together with them', {
    ...change,
    kinds: ['industrial'],
    alike: /^IncreaseDecreaseInPrepaid\w*$/,
    words:
      /^(increase decrease in |decrease increase in |change in |changes in )?(prepaid|prepayments|prepaids)( .*)?$/,
    unlike:
      /option|derivative|tax|reinsurance|royalt|^(increase |decrease )*(in )?other( current)? assets$|revenue share|deferred charges|supplies/,
  }),
  line('change_in_deferred_revenue', 'Change in deferred revenue', {
    ...change,
    kinds: ['industrial'],
    alike:
      /^(IncreaseDecreaseIn(DeferredRevenue\w*|CustomerAdvances\w*|BillingInExcess\w*|ContractWithCustomerLiability\w*|UnearnedRevenue\w*)|RecognitionOfDeferredRevenue|DeferredRevenue\w*)$/,
    words:
      /^(increase decrease in |decrease increase in |change in |changes in )?(deferred|unearned|advance|customer)( service| subscription| customer)? ?(revenues?|income|deposits|billings|payments|advances)( .*)?$/,
    unlike: /tax|payable|amortization|other/,
    also: 'amortization',
  }),
  line('change_in_derivatives', 'Change in derivatives and their collateral', {
    ...change,
    kinds: ['utility'],
    alike:
      /^IncreaseDecreaseIn(Derivative\w*|RiskManagement\w*|\w*MarginDeposits\w*|\w*CommodityContract\w*|CommodityExchanges\w*)$/,
    words:
      /^(change in )?((net )?collateral and margin|margin deposits|risk management (assets|activities)|derivative assets and liabilities)( .*)?$/,
    unlike: /regulatory/,
  }),
  line('change_in_insurance_reserves', 'Change in insurance reserves', {
    ...change,
    kinds: ['insurer'],
    alike:
      /^(IncreaseDecreaseIn(InsuranceLiabilities|InsuranceAnd|LiabilityFor(?!Uncertain)|UnearnedPremiums|Reserves?|FuturePolicy|Policyholder|LossAndLoss|UnpaidClaims)\w*)$/,
    words:
      /^(increase decrease in |decrease increase in |change in |changes in )?(unearned premiums|(insurance|policy|claims|loss|future)( and claims)?( policy)?( reserves| benefits| liabilities)+)( .*)?$/,
    unlike: /reinsurance|dividends/,
  }),
  line('change_in_reinsurance', 'Change in reinsurance recoverable', {
    ...change,
    kinds: ['insurer'],
    alike: /^IncreaseDecreaseIn(Reinsurance|PrepaidReinsurance|PremiumsReceivable)\w*$/,
    words: /^(change in )?reinsurance (recoverables?|receivables?)( .*)?$/,
    unlike: /payable|prepaid/,
  }),
  line('change_in_acquisition_costs', 'Change in deferred acquisition costs', {
    ...change,
    kinds: ['insurer'],
    alike:
      /^(IncreaseDecreaseInDeferredPolicyAcquisitionCosts|DeferredPolicyAcquisitionCost\w*|CapitalizationOfDeferredPolicyAcquisitionCosts)$/,
    words: /^(change in |capitalization of |amortization of )?deferred (policy )?acquisition costs( .*)?$/,
    also: 'businesses amortization',
    unlike: /intangibles|inducements/,
  }),
  line('change_in_trading_assets', 'Change in trading assets', {
    ...change,
    kinds: ['bank', 'insurer'],
    alike: /^IncreaseDecreaseInTrading(Securities|Liabilities|Assets)\w*$/,
    words:
      /^(net )?(increase decrease in |decrease increase in |change in )?trading( account)? (assets|securities|liabilities)( .*)?$/,
    also: 'investments',
    unlike: /equity method|derivative|liabilities/,
  }),
  line('change_in_loans_held_for_sale', 'Change in loans held for sale', {
    ...change,
    kinds: ['bank'],
    alike:
      /^(IncreaseDecreaseInLoansHeldForSale|PaymentsForOriginationOfMortgageLoansHeldForSale|ProceedsFromSaleOf(LoansHeldForSale|MortgageLoansHeldForSale)\w*|PaymentsForOriginationAndPurchasesOfLoansHeldForSale)$/,
    words:
      /^(net )?(increase decrease in |change in |originations of |proceeds from sales? of )?(mortgage )?loans held for sale( .*)?$/,
  }),
  line('change_in_regulatory_items', 'Change in regulatory assets and liabilities', {
    ...change,
    kinds: ['utility'],
    alike:
      /^IncreaseDecreaseIn(Regulatory\w*|\w*EnergyRecovery|DeferredFuelCosts|DeferredElectric\w*|UnrecoveredPurchased\w*)$/,
    words: /^(change in )?(regulatory|over under|over ?recovered|deferred fuel|recovered|unrecovered)( .*)?$/,
  }),
  line('change_in_other_working_capital', 'Change in other working capital', {
    ...change,
    alike:
      /^IncreaseDecreaseIn(Other(Operating|Current|Noncurrent|Assets|Liabilities|Deferred|NoncurrentAssets)\w*|OperatingLiabilities|OperatingAssets|PrepaidDeferredExpenseAndOtherAssets|OtherAssetsCurrent|DeferredCharges|AccruedExpensesAndOtherLiabilities|DepositOtherAssets|OtherOperatingCapitalNet|AccruedLiabilitiesAndOther\w*)$|^IncreaseDecreaseOther(Current|Noncurrent)?(Assets|Liabilities)$/,
    words:
      /^(increase decrease in |decrease increase in |change in |changes in )?(all )?other( current| non ?current| long term| operating| net)*( assets| liabilities)*( and)?( other| noncurrent)*( assets| liabilities)*( net)?$|^other( operating activities)?( net)?$/,
    unlike:
      /receivable|prepa|accru|tax|deferred|pension|goodwill|payable|intangible|interest|investment income|policy|claims|debits|^changes? in current assets/,
    also: 'other',
  }),
  line('change_in_working_capital', 'Total change in working capital', {
    kinds: ['industrial', 'utility'],
    parent: 'operating_cash_flow',
    tags: 'IncreaseDecreaseInOperatingCapital',
    words:
      /^((total )?changes? in (operating )?assets and liabilities.*|(net )?changes? in (operating )?working capital.*|net changes? in operating assets and liabilities.*)$/,
    unlike: /\bother\b|^subtotal$/,
    also: 'anything',
  }),
  line('operating_cash_flow', 'Net cash from operations', {
    parent: 'cash_change',
    tags: 'NetCashProvidedByUsedInOperatingActivities CashFlowsFromUsedInOperatingActivities',
    orElse: ['NetCashProvidedByUsedInOperatingActivitiesContinuingOperations CashFlowsFromUsedInOperations'],
    words:
      /^(total |net )?cash( flows?)?( provided| used| from| generated)*( by| in| for)?( used in| used for| used by| required for| applied to)?( by)?( from)? ?(operating activities|operations)$/,
    also: 'anything',
  }),
]

const investing = [
  line('capital_expenditure', 'Capital expenditure', {
    ...paidToInvest,
    adds: false,
    tags: 'PaymentsToAcquirePropertyPlantAndEquipment PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities',
    orElse: ['PaymentsToAcquireProductiveAssets'],
    alike: /^(PaymentsToAcquireMachineryAndEquipment|PaymentsForCapitalImprovements|CapitalExpenditures)$/,
    words:
      /^(total |net )?(capital expenditures|(additions? to|purchases? of|acquisitions? of|investments? in|expenditures for|capital expenditures for) (property|plant|premises|fixed assets|equipment|utility plant|capital assets)( plant| and| equipment| software)*|construction expenditures|capital additions|plant additions|utility construction expenditures|(property|gross property) additions)( net| excluding.*| including.*)?$/,
    also: 'property investments',
    unlike:
      /intangible|product development|other assets|long term investments|\band other$|acquisition of \w+ properties|dry hole|favorable lease|instruments|other productive|^investment in other|including instruments/,
  }),
  line('real_estate_bought', 'Real estate bought and developed', {
    ...paidToInvest,
    kinds: ['reit'],
    alike:
      /^PaymentsToAcquire(AndDevelop|Commercial|Residential)?RealEstate\w*$|^PaymentsToDevelopRealEstateAssets$|^PaymentsForDepositsOnRealEstate\w*$/,
    words:
      /^(acquisitions? of|purchases? of|additions to|development of|investments? in|(improvements|additions) to)( and .*)? real estate( .*)?$/,
    also: 'property investments businesses',
  }),
  line('disposals', 'Proceeds from property and businesses sold', {
    ...inInvesting,
    alike: anyOf(
      /^ProceedsFromSaleOf(PropertyPlant|Productive|OtherProductive|OtherProperty|Property|RealEstate|MachineryAndEquipment|OtherRealEstate|OilAndGas|ForeclosedAssets|BuildingS|Assets|OtherAssets|WhollyOwnedRealEstate|Buildings)\w*$|^ProceedsFromSale(s)?OfAssets\w*$/,
      /^(ProceedsFromDivestitureOfBusinesses\w*|CashDivestedFromDeconsolidation|ProceedsFromSaleOf(Business|Subsidiar)\w*)$/,
    ),
    words: anyOf(
      /^(net )?(proceeds|cash received|cash proceeds) (from|on)( the)?( sales?| dispositions?| disposals?)( and .*)? (of )?(property|properties|assets|real estate|equipment|premises|fixed assets|productive assets|plant|other assets|land|facilities|aircraft)( .*)?$|^(sales?|disposals?) of (property|assets|equipment|properties|fixed assets)( .*)?$/,
      /^(net )?(proceeds|cash received) (from|on)( the)?( sales?| dispositions?| divestitures?)( of)? ?(a )?(business(es)?|subsidiar(y|ies)|discontinued operations|divestitures?|operations)( .*)?$/,
    ),
    unlike:
      /investments?|\bproduct rights|financed|leaseback|financing|and other$|purchase price|deposits|interests in|^other|equity|affiliates|foreclosed|held for sale|other real estate owned|acquired property/,
    also: 'property businesses discontinued intangibles',
    adds: true,
  }),
  line('acquisitions', 'Companies acquired', {
    ...paidToInvest,
    kinds: ['industrial', 'bank', 'insurer', 'utility'],
    alike:
      /^(PaymentsToAcquire(Businesses|BusinessTwo|AdditionalInterest)\w*|OtherPaymentsToAcquireBusinesses|PaymentsForProceedsFromPreviousAcquisition|PaymentsForProceedsFromBusinesses\w*|CashAcquiredFromAcquisition|PaymentsForAcquisition\w*)$/,
    words:
      /^(payments? for |cash paid for |purchases? of |cash used for )?(business(es)? |company )?(acquisitions?( of)?|businesses acquired|business combinations?|acquired businesses|acquisition of businesses)( and (investments|other|related.*))*( business(es)?| companies| subsidiar(y|ies))*( net of cash.*| less cash.*)?$/,
    unlike:
      /proceeds|sales? of|unconsolidated|noncontrolling|minority|dispositions?|divestiture|intangible|contingent|adjustments|\binvestments?\b|disposition|deposits|affiliates|facilities|prior|oil|equity|^capital contributions?|^repayments?/,
    also: 'businesses',
  }),
  line('investments_bought', 'Investments bought, with those in affiliates', {
    ...paidToInvest,
    alike: anyOf(
      /^PaymentsToAcquire(Investments|ShortTerm|LongTerm|Marketable|AvailableForSale|HeldToMaturity|Trading|Other(Investments)|Restricted|MortgageBacked|Debt|Equity(Securities)|LifeInsurance|Derivative)\w*$|^PaymentsToInvestInDecommissioningFund$|^(Purchases?OfInvestment\w*|InvestmentsInNuclear\w*)$|^PaymentsToAcquireOtherInvestments$/,
      /^PaymentsToAcquire(EquityMethod|Interest|RealEstateAndRealEstateJoint)\w*$|^PaymentsForProceedsFromInterestIn\w*|^PaymentsForAdvanceToAffiliate$|^(ChangesInInvestments|InvestmentsIn)InUnconsolidatedAffiliates$/,
    ),
    words: anyOf(
      /^(cash used for )?(purchases?|acquisitions?|additions to) (of )?(short term |long term |marketable |available for sale |held to maturity |nuclear decommissioning trust |other |equity |debt |fixed maturit(y|ies) |auction rate )*(investments?|securities|marketable securities|investment securities|trust fund investments|available for sale)( .*)?$/,
      /^(investments?|additional investments?|contributions|advances)( and advances)?( in| to)( equity| unconsolidated| nonconsolidated| affiliated)*( affiliates| companies| joint ventures| ventures| investees| entities| partnerships| subsidiaries)+( .*)?$/,
    ),
    unlike:
      /other assets|real estate|insurance|investment in business|promissory|margin deposits|net purchases|government guaranteed|notes receivable|acquired companies|investment expenditures|loans|long term assets|loan receivable|and other$|^(net )?changes? in\b/,
    also: 'affiliates debt investments loans',
    adds: true,
  }),
  line('investments_sold', 'Investments sold, matured and repaid, with those in affiliates', {
    ...inInvesting,
    alike: anyOf(
      /^ProceedsFrom(Sale|Sales|Maturit)\w*(Investments?|Securities|Marketable|AvailableForSale|HeldToMaturity|Equity|Debt|AuctionRate)\w*$|^ProceedsFrom(DecommissioningFund|SaleAndMaturity\w*|SaleMaturity\w*|MaturitiesPrepayments\w*)$|^(Sales|Maturities)\w*(Investments|Securities)\w*$/,
      /^ProceedsFrom(SaleOfEquityMethod|DivestitureOf(Interest|RealEstatePartnership)|EquityMethodInvestmentDividend|DistributionsFrom|SaleOfInterest)\w*$|^(EquityMethodInvestmentDividendsOrDistributions\w*|DistributionsFromInvestments)$/,
    ),
    words: anyOf(
      /^(net )?(proceeds from( the)? )?(sales?|maturit(y|ies)|redemptions?|liquidations?|calls)( and| or| of| calls| maturit(y|ies)| sales?| redemptions?| prepayments| paydowns| repayments| from| ,)* ?(short term |long term |marketable |available for sale |held to maturity |nuclear decommissioning trust |other |equity |debt |fixed maturit(y|ies) |auction rate )*(investments?|securities|marketable securities|investment securities|trust fund investments|available for sale)( .*)?$/,
      /^(distributions|returns? of (capital|investment))( received)?( from)( equity| unconsolidated| nonconsolidated)*( affiliates| companies| joint ventures| investments| ventures| entities)+( .*)?$/,
    ),
    unlike:
      /^net (increase|change)|purchases|receivable|other assets|long term assets|capital leases|notes|lending program|withdrawal|to be announced|loans|real estate (?!joint|partner)|businesses|and other$|^(net )?changes? in\b/,
    also: 'affiliates debt investments',
    adds: true,
  }),
  line('investments_net', 'Investments bought less sold', {
    ...paidToInvest,
    kinds: ['insurer'],
    alike:
      /^PaymentsForProceedsFrom(Investments|ShortTermInvestments|AvailableFor\w*|OtherInvestments|MarketableSecurities\w*|HeldToMaturity\w*)$/,
    words:
      /^(net )?(change|increase decrease|decrease increase|sales purchases|purchases sales) (in|of) (short term investments|marketable securities|investments)( net)?$/,
  }),
  line('intangibles_bought', 'Intangible assets bought', {
    ...paidToInvest,
    kinds: ['industrial'],
    alike: /^PaymentsToAcquire(Intangible\w*|InProcessResearch\w*|ProductiveIntangible\w*)$/,
    words:
      /^(purchases?|acquisitions?) of (other )?(intangibles?|intangible assets|licenses|patents|technology|spectrum licenses)( .*)?$/,
  }),
  line('loans_made', 'Loans and leases made, net', {
    ...paidToInvest,
    kinds: ['bank', 'insurer', 'reit'],
    alike:
      /^(PaymentsForProceedsFrom(Loans|Notes|Mortgage|LoansAndLeases|LoansReceivable|Finance)\w*|PaymentsToAcquire(Loans|Notes|Mortgage(?!Backed)|Finance)\w*|PaymentsToFund\w*Loans\w*|PaymentsForLoans\w*|PaymentsForOrigination\w*)$/,
    words:
      /^(net )?(increase|decrease|change|originations?|additions?|purchases?|loans)( decrease| increase)?( in| of| to| made)?( finance| financing| notes| customer)? ?(loans|receivables?|loans and leases|notes receivable|finance receivables)( .*)?$/,
    unlike: /servicing|msrs|deposits|proceeds|notes payable|net of principal/,
    also: 'investments receivables',
  }),
  line('loans_collected', 'Loans and notes collected', {
    ...inInvesting,
    kinds: ['bank', 'insurer', 'reit'],
    alike:
      /^(ProceedsFrom(Collection|SaleAndCollection|SaleOfNotes|SaleOfLoans|LoanAndLease|PrincipalRepayments|SaleOfMortgageNotes|CollectionOf|RepaymentsOfNotes|RepaymentsOfRelated|SaleOfFinance|SecuritizationsOf|SaleOfAssetsFinanced|CollectionOfLoans)\w*)$/,
    words:
      /^(principal |cash )?(collections?|repayments?|payments received|proceeds)( of| on| from)( collections? of| repayments? of| sales? of)?( finance| notes| loans| mortgage)*( receivables?| loans| notes)+( .*)?$/,
    also: 'investments receivables property',
    unlike:
      /originations|real estate|net decrease|to (customers|unconsolidated)|retained interest|originated/,
  }),
  line('federal_funds_sold', 'Change in federal funds sold and deposits in banks', {
    ...inInvesting,
    kinds: ['bank'],
    alike:
      /^(PaymentsForProceedsFrom(Federal|Securities|ShortTermInvestmentsAndFederal)\w*|ProceedsFromPaymentsFor(In)?(InterestBearingDeposits|SecuritiesPurchased|FederalFunds)\w*|IncreaseDecreaseInFederalFundsSold\w*|PaymentsForProceedsFromInterestBearing\w*)$/,
    words:
      /^(net )?(increase decrease|decrease increase|change) in (federal funds sold|interest bearing deposits|securities purchased under).*$/,
    also: 'investments',
    unlike: /other short term|fhlb|stock/,
  }),
  line('change_in_restricted_cash', 'Change in restricted cash', {
    kinds: ['industrial', 'reit', 'utility'],
    sections: ['operating', 'investing', 'financing'],
    adds: true,
    alike: /^IncreaseDecreaseInRestrictedCash\w*$|^ProceedsFromPaymentsForRestricted\w*$/,
    words:
      /^(net )?(increase decrease|decrease increase|increase|decrease|change|changes) in restricted (cash|funds)( .*)?$|^restricted cash( .*)?$/,
    unlike: /securities|assets/,
  }),
  line('other_investing', 'Other investing', {
    ...inInvesting,
    alike:
      /^(PaymentsForProceedsFromOtherInvestingActivities|ProceedsFromPaymentsForOtherInvesting\w*|OtherInvesting\w*|PaymentsForProceedsFromOtherDeposits)$/,
    words:
      /^(all )?other( investing activities| investing| investments| items| assets)?( net)?( investing activities)?$/,
    also: 'other investments',
    unlike:
      /restricted|overdraft|stock|noncontrolling|deferred|costs?\b|\bfees|obligations|acquisitions?|dispositions?|intangible|joint venture|securities|\bequity\b|arrangements|expenditures/,
  }),
  line('investing_cash_flow', 'Net cash from investing', {
    parent: 'cash_change',
    sections: ['investing'],
    tags: 'NetCashProvidedByUsedInInvestingActivities CashFlowsFromUsedInInvestingActivities',
    orElse: ['NetCashProvidedByUsedInInvestingActivitiesContinuingOperations'],
    words:
      /^(total |net )?cash( flows?)?( provided| used| from| generated)*( by| in| for)?( used in| used for| used by| required for| applied to)?( by| from)? ?investing activities$/,
    also: 'anything',
  }),
]

const financing = [
  line('debt_issued', 'Debt issued', {
    ...inFinancing,
    alike:
      /^(ProceedsFrom(IssuanceOf(LongTermDebt\w*|SeniorLongTerm\w*|Debt|SecuredDebt|UnsecuredDebt|CommercialPaper|Other(LongTerm)?Debt\w*|SubordinatedLongTermDebt|MediumTermNotes|MandatoryRedeemable\w*|LongTermCapital\w*)|(Notes|Bank|Convertible|Long|Other|Related\w*)(Payable|Debt|ShortTermDebt|TermLoan|LongTermDebt|ConvertibleDebt|PartyDebt)\w*|LinesOfCredit|LongTermLinesOfCredit|ShortTermDebt\w*|ConvertibleNotesPayable|SecuredNotesPayable|SecuredLinesOfCredit|UnsecuredLinesOfCredit|ConstructionLoansPayable|OtherShortTermDebt|SubordinatedDebt|BankDebt|LongTermCapitalLeaseObligations|NotesPayable|FederalHomeLoanBank(Advances|Borrowings)\w*|ShortAndLongTermBorrowings|LongTermDebt|Borrowings\w*|SeniorDebt)|IssuanceOf(LongTerm)?Debt|ProceedsFromDebt\w*)$/,
    words:
      /^(net |gross )?(proceeds from |cash proceeds from )?(the )?(issuances?|borrowings?|additions?|proceeds|issue|long term debt|notes|senior notes|additional)( of| from| under| on| to)*( the)? ?(short term |long term |senior |convertible |unsecured |revolving |new |mortgage |bank |other |term |credit |lines? of |subordinated )*(debt|notes|borrowings|notes payable|debentures|bonds|credit facilit(y|ies)|loans?|credit|obligations|commercial paper|facility|mortgages?|issued)( .*)?$/,
    unlike:
      /\b(re)?payments?\b|repurchase|redemption|retirement|derivative|^(net )?(increase|change|decrease)|^net issuance|lease|net$|facility financing|receivables|and other$|tower financing|^net (borrowings?|repayments?|payments)\b/,
    also: 'loans property affiliates businesses',
  }),
  line('debt_repaid', 'Debt repaid', {
    ...paidToFinance,
    alike:
      /^(RepaymentsOf(?!Equity)\w*(Debt|Notes|Credit|CommercialPaper|LongTerm|Obligations|Securities|Borrowings|Payable|Advances|Loans)\w*|EarlyRepaymentOf\w*|ReductionOfDebt|RepaymentsOf(DebtAnd\w*|LongTermDebt\w*)|PaymentsForDebtExtinguishment\w*)$/,
    words:
      /^(cash )?(repayments?|payments?|retirements?|redemptions?|reductions?|repurchases?|principal payments?|maturit(y|ies)|scheduled payments|early (extinguishment|retirement|redemption))( of| on| for| to| under| and| retirements?| repurchases?| redemptions?| extinguishment| retire)*( the)? ?(short term |long term |senior |convertible |unsecured |revolving |mortgage |bank |other |term |credit |capital |lines? of |subordinated |scheduled |outstanding )*(debt|notes|borrowings|notes payable|debentures|bonds|credit facilit(y|ies)|loans?|credit|lease obligations|leases|obligations|commercial paper|facility|mortgages?)( .*)?$/,
    unlike:
      /\b(proceeds from|issuance of|gains?)\b|derivative|noncontrolling|^(net )?(increase|change|decrease|borrowings)|inducement|other liabilit|other long term liab|supply chain|\bnet$(?<!commercial paper program net)|and other$|securities lending|supply|^net (borrowings?|repayments?|payments)\b/,
    also: 'loans property affiliates businesses',
  }),
  line('debt_net', 'Net change in debt', {
    ...inFinancing,
    alike:
      /^(ProceedsFromRepaymentsOf(?!BankOverdrafts|Restricted)\w*|(NetDecreaseIncrease|NetIncreaseDecrease)In\w*(Borrowings|Debt|CommercialPaper)\w*|IncreaseDecreaseIn(ShortTerm|CommercialPaper|NotesPayable)\w*)$/,
    words:
      /^(net )?(increase|decrease|change|changes|proceeds|borrowings|repayments|payments)( decrease| increase| repayments| payments| borrowings)*( in| of| from| on| under)* ?(short term |long term |other |notes payable and )*(debt|borrowings|commercial paper|notes payable|bank loans|credit facilit(y|ies)|revolving .*)( net)?( .*)?$/,
    unlike:
      /receivable|loans to|restricted|^(principal )?(payments?|repayments?|retirements?|reductions?|redemptions?) (of|on|for)\b(?!.*\bnet\b)|^(proceeds|borrowings|issuances?) (from|under|of)\b(?!.*repay)|^repayment$|derivative|federal funds|distribution financing|activity|other liabilities|secured financings|^issuance of (?!.*net)|^proceeds from (?!.*(repay|payment))|^other borrowing transactions/,
    also: 'loans property affiliates businesses',
  }),
  line('debt_issuance_costs', 'Costs of issuing debt and stock', {
    ...paidToFinance,
    kinds: ['industrial', 'reit'],
    alike:
      /^(PaymentsOf(Financing|Debt|Stock|LoanCosts|FinancingAndStock)\w*Costs|PaymentOfFinancingAndStockIssuanceCosts|PaymentsOfDebtRestructuringCosts|PaymentsOfFinancingCosts|PaymentsOfDebtIssuanceCosts|PaymentsOfStockIssuanceCosts|PaymentsOfLoanCosts)$/,
    words:
      /^(payments? (of|for) )?(deferred |debt |loan )?(financing|debt|issuance|loan|debt issuance|stock issuance)( and .*)? (costs|fees)( .*)?$/,
    unlike: /premium|bank fees/,
    also: 'loans businesses',
  }),
  line('stock_issued', 'Stock issued', {
    ...inFinancing,
    alike:
      /^(ProceedsFrom(IssuanceOf(CommonStock|Preferred\w*|CommonLimitedPartners\w*|SharesUnder\w*|PrivatePlacement|InitialPublicOffering|TrustPreferred\w*|RedeemablePreferred\w*)|IssuanceOrSaleOfEquity|StockOptionsExercised|StockPlans|SaleOfTreasuryStock|OtherEquity|WarrantExercises|IssuanceInitialPublicOffering|IssuanceOfSharesUnder\w*|ContributedCapital|ExerciseOf\w*)|StockIssued\w*|ProceedsFromIssuanceOfCommonStock\w*)$/,
    words:
      /^(net |cash )?(proceeds from |proceeds of )?(the )?(issuances?|sales?|exercises?|issue|common stock|stock|shares|proceeds)( of| and sale| from| under| issued)*( the)? ?(employee |common |preferred |company |treasury |restricted )*(stock|shares|common stock|common shares|stock options|options|equity|capital stock|units|plans?|option and incentive)( .*)?$/,
    unlike:
      /\btax\b|and other$|^capital contribution|treasury stock activity|trust securities|other$|general partner|warrants and|excess|withholding/,
  }),
  line('share_repurchases', 'Stock bought back', {
    ...paidToFinance,
    adds: false,
    tags: 'PaymentsForRepurchaseOfCommonStock PaymentsToAcquireOrRedeemEntitysShares',
    alike: /^PaymentsForRepurchaseOf(Equity|OtherEquity)$/,
    words:
      /^(payments? (for|of) )?(repurchases?|purchases?|acquisitions?|redemptions?|retirements?)( and retirement)?( of)?( the)?( company| {2}s)* ?(common |treasury |company )*(stock|shares|treasury stock|units|common stock)( .*)?$|^(treasury (stock|shares)|common stock|stock|shares)( purchased| repurchased| acquired| repurchases| purchases)+( .*)?$/,
    unlike: /preferred|noncontrolling|withh?eld|tax|subsidiar|fractional/,
  }),
  line('preferred_stock_redeemed', 'Preferred stock redeemed', {
    ...paidToFinance,
    kinds: ['bank'],
    alike:
      /^(PaymentsForRepurchaseOf(Preferred|RedeemablePreferred|TrustPreferred)\w*|ProceedsFromRepurchaseOfRedeemablePreferredStock)$/,
    words:
      /^(redemptions?|repurchases?|retirements?)( and retirement)? of( \w+)* preferred (stock|shares)( .*)?$/,
    unlike: /dividend|exchange/,
  }),
  line('dividends_paid', 'Dividends paid', {
    ...paidToFinance,
    adds: false,
    tags: 'PaymentsOfDividends DividendsPaidClassifiedAsFinancingActivities',
    orElse: ['PaymentsOfDividendsCommonStock', 'PaymentsOfOrdinaryDividends'],
    words:
      /^(payments? (of|for) |cash )*(common |common stock )?dividends?( and dividend equivalents)?( paid| to| on| of)*( stockholders| shareholders| common| stock| shares| parent| shareowners| shareholder| to| paid| on)*$/,
    unlike: /noncontrolling|minority|preferred|and distributions|^distributions/,
  }),
  line('preferred_dividends_paid', 'Dividends paid on preferred stock', {
    ...paidToFinance,
    kinds: ['bank', 'reit', 'utility'],
    alike: /^PaymentsOfDividendsPreferred\w*$/,
    words:
      /^(payments? (of|for) |cash )*(preferred|preference)( stock)? dividends( paid)?$|^dividends( paid)? (on|to) (preferred|preference) (stock|shares|shareholders|stockholders)$/,
    unlike: /subsidiar/,
  }),
  line('distributions_paid', 'Distributions paid to partners and unitholders', {
    ...paidToFinance,
    kinds: ['reit'],
    alike: /^(PaymentsOf(Capital)?Distributions?\w*|DistributionsPaid\w*)$/,
    words:
      /^(cash )?distributions( paid)? to (partners|unitholders|holders of|common unitholders|limited partners)( .*)?$/,
    unlike: /noncontrolling|minority|^dividends|common stockholders|public storage shareholders|preferred/,
    also: 'dividends',
  }),
  line('minority_interest_paid', 'Paid to noncontrolling interests', {
    ...paidToFinance,
    kinds: ['industrial', 'reit', 'utility'],
    alike:
      /^(PaymentsOfDividendsMinorityInterest|PaymentsTo(Minority|Noncontrolling)\w*|PaymentsOfDistributionsToNoncontrolling\w*)$/,
    words:
      /^(payments?|cash distributions?|distributions?|dividends?|capital distributions)( paid)?( to| of)( the)? ?(noncontrolling|minority)( .*)?$/,
    also: 'dividends affiliates property businesses',
  }),
  line('excess_tax_benefit', 'Excess tax benefit of stock compensation', {
    ...inFinancing,
    kinds: ['industrial', 'bank', 'insurer'],
    alike: /^(ExcessTaxBenefit\w*|TaxBenefitFromStockOptions\w*)$/,
    words:
      /^(excess |income )?tax benefits?( from| of| related to| on)?( exercise of| the exercise of)? ?(stock|share|equity|employee|incentive).*$/,
  }),
  line('change_in_deposits', 'Change in deposits', {
    ...inFinancing,
    kinds: ['bank'],
    alike:
      /^(IncreaseDecreaseIn(Deposits|InterestBearing\w*|NoninterestBearing\w*|TimeDeposits|SavingsDeposits|DemandDeposits)\w*|IncreaseDecreaseInDeposits)$/,
    words:
      /^(net )?(increase decrease|decrease increase|change|increase|decrease) in( total| interest bearing| demand| time| savings)* deposits( .*)?$/,
  }),
  line('change_in_federal_funds_purchased', 'Change in federal funds purchased and repurchase agreements', {
    ...inFinancing,
    kinds: ['bank'],
    alike:
      /^(IncreaseDecreaseInFederalFundsPurchased\w*|ProceedsFromPaymentsForFederalFunds\w*|IncreaseDecreaseInSecuritiesSold\w*|IncreaseDecreaseInPayablesUnderRepurchaseAgreements)$/,
    words:
      /^(net )?(increase decrease|decrease increase|change|increase|decrease) in( federal funds purchased| securities sold).*$/,
    also: 'investments debt',
    unlike: /short term borrowings/,
  }),
  line('policyholder_deposits', 'Deposits and withdrawals of policyholders', {
    ...inFinancing,
    kinds: ['insurer'],
    alike:
      /^(AdditionsToContractHoldersFunds|WithdrawalFromContractHoldersFunds|ProceedsFromAnnuities\w*|PaymentsForAnnuities\w*|PolicyholderAccountDeposits|PolicyholderAccountWithdrawals)$/,
    words:
      /^(policyholder|contractholder|universal life|annuity)( .*)?(deposits|withdrawals|investment contract.*)$/,
    also: 'investments',
  }),
  line('other_financing', 'Other financing', {
    ...inFinancing,
    alike:
      /^(ProceedsFromPaymentsForOtherFinancingActivities|PaymentsForProceedsFromOtherFinancing\w*|OtherFinancing\w*)$/,
    words: /^(all )?other( financing activities| financing)?( net)?( financing activities)?$/,
    also: 'other',
    unlike:
      /restricted|overdraft|stock|noncontrolling|deferred|costs?\b|\bfees|obligations|acquisitions?|dispositions?|intangible|joint venture|securities|\bequity\b|arrangements|expenditures/,
  }),
  line('financing_cash_flow', 'Net cash from financing', {
    parent: 'cash_change',
    sections: ['financing'],
    tags: 'NetCashProvidedByUsedInFinancingActivities CashFlowsFromUsedInFinancingActivities',
    orElse: ['NetCashProvidedByUsedInFinancingActivitiesContinuingOperations'],
    words:
      /^(total |net )?cash( flows?)?( provided| used| from| generated)*( by| in| for)?( used in| used for| used by| required for| applied to)?( by| from)? ?financing activities$/,
    also: 'anything',
  }),
]

const cash = [
  line('exchange_rate_effect', 'Effect of exchange rates on cash', {
    parent: 'cash_change',
    sections: anySection,
    alike: /^EffectOfExchangeRateOn\w*$/,
    words:
      /^(net )?effects? of( foreign)?( currency)?( exchange| currency)( rates?)?( changes?| fluctuations)*( .*)?$/,
    unlike: /^discontinued/,
    also: 'anything',
  }),
  line('discontinued_cash_flow', 'Net cash of discontinued operations', {
    kinds: ['industrial'],
    parent: 'cash_change',
    sections: anySection,
    alike:
      /^(NetCashProvidedByUsedInDiscontinuedOperations|DisposalGroupIncludingDiscontinuedOperationCash\w*|CashAndCashEquivalentsPeriodIncreaseDecreaseDiscontinuedOperations)$/,
    words:
      /^(total |net )?cash( flows?)?( provided| used| from)*( by| in| for)*( used in| used for)?( by| from)? ?discontinued operations$/,
    also: 'anything',
    unlike: /^total cash paid/,
  }),
  line('cash_change', 'Change in cash', {
    sections: ['cash', 'financing'],
    tags: 'CashAndCashEquivalentsPeriodIncreaseDecrease CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalentsPeriodIncreaseDecreaseIncludingExchangeRateEffect IncreaseDecreaseInCashAndCashEquivalents',
    orElse: [
      'CashAndCashEquivalentsPeriodIncreaseDecreaseExcludingExchangeRateEffect CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalentsPeriodIncreaseDecreaseExcludingExchangeRateEffect CashPeriodIncreaseDecrease',
      'NetCashProvidedByUsedInContinuingOperations',
    ],
    words:
      /^(net )?(increase|decrease|change)s?( decrease| increase)? in( total)? cash( and| cash| equivalents| due from banks| temporary| restricted| short term| investments)*$/,
    also: 'anything',
    unlike: /\boverdraft/,
  }),
  line('cash_at_beginning', 'Cash at the beginning', {
    period: 'instant',
    sign: 'amount',
    sections: anySection,
  }),
  line('cash_at_end', 'Cash at the end', {
    period: 'instant',
    sign: 'amount',
    sections: anySection,
  }),
  line('interest_paid', 'Interest paid', {
    sections: ['cash', 'operating'],
    sign: 'amount',
    tags: 'InterestPaid InterestPaidNet',
    words: /^(cash paid( during the (period|year))?( for)? )?interest( paid)?( net of .*)?$/,
    unlike: /received$|received\b/,
    also: 'debt',
  }),
  line('income_taxes_paid', 'Income taxes paid', {
    sections: ['cash', 'operating'],
    sign: 'amount',
    tags: 'IncomeTaxesPaid IncomeTaxesPaidNet',
    words:
      /^(net )?(cash paid( refunded| received)?( during the (period|year))?( for)? )?(income )?taxes( paid| refunded)*( net.*)?$/,
  }),
]

export const cashFlowLines = [...operating, ...investing, ...financing, ...cash]

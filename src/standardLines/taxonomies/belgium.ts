import { emptySchema, readTable, type Taxonomy } from './taxonomy.ts'

/**
 * Rubrics of the annual accounts, as the National Bank's full, abbreviated and micro models number them. A model that
 * breaks a rubric down less states its total alone.
 */
const balance = readTable(
  `
  formation_expenses        20
  intangible_assets         21
  land_and_buildings        22
  machinery_equipment       23
  .                         24 25 26
  construction_in_progress  27
  property_plant_equipment  22/27
  .                         280/1 280 281 282/3 282 283 284/8 284 285/8
  financial_assets_noncurrent 28
  noncurrent_assets         21/28
  .                         290 291
  receivables_noncurrent    29
  .                         30/36 37
  inventory                 3
  receivables               40
  other_receivables         41
  .                         40/41
  .                         50 51/53
  short_term_investments    50/53
  cash                      54/58
  accruals_and_prepayments  490/1
  current_assets            29/58
  assets                    20/58
  common_stock              10
  additional_paid_in_capital 11
  .                         10/11
  revaluation_surplus       12
  .                         130 131 132 133
  reserves                  13
  retained_earnings         14
  investment_grants         15
  .                         19
  equity                    10/15
  .                         160/5
  .                         168
  .                         170/4 172 173 174/0 175 176 178/9
  noncurrent_liabilities    17
  long_term_debt_current    42
  bank_debt_current         430/8
  short_term_borrowings     43
  payables                  44
  customer_deposits         46
  taxes_payable             450/3
  accrued_compensation      454/9
  tax_and_social_liabilities 45
  other_payables            47/48
  current_liabilities       42/48
  accruals_and_deferred_income 492/3
  liabilities               16 + 17/49
  liabilities_and_equity    10/49

  22/27 = 22 + 23 + 24 + 25 + 26 + 27
  28 = 280/1 + 282/3 + 284/8
  21/28 = 21 + 22/27 + 28
  29 = 290 + 291
  3 = 30/36 + 37
  40/41 = 40 + 41
  50/53 = 50 + 51/53
  29/58 = 29 + 3 + 40/41 + 50/53 + 54/58 + 490/1
  20/58 = 20 + 21/28 + 29/58
  10/15 = 10/11 + 12 + 13 + 14 + 15 + 19
  10/11 = 10 + 11
  16 = 160/5 + 168
  17 = 170/4 + 175 + 176 + 178/9
  45 = 450/3 + 454/9
  42/48 = 42 + 43 + 44 + 46 + 45 + 47/48
  17/49 = 17 + 42/48 + 492/3
  10/49 = 10/15 + 16 + 17/49
  20/58 = 10/49
  `,
  { '': 'rubric' },
)

const income = readTable(
  `
  revenue                   70
  inventory_change          71
  own_work_capitalized      72
  other_operating_income    74
  .                         76A
  total_operating_revenue   70/76A
  purchases                 60
  external_expenses         61
  gross_profit              9900
  compensation              62
  depreciation_and_amortization_expense 630
  .                         631/4 635/8
  other_operating_expense   640/8
  .                         649 66A
  operating_expenses        60/66A
  operating_income          9901
  .                         75 76B
  finance_income            75/76B
  .                         650 651 652/9 65 66B
  finance_costs             65/66B
  pretax_income             9903
  .                         780 680
  income_tax                67/77
  net_income                9904
  .                         789 689 9905 9906

  70/76A = 70 + 71 + 72 + 74 + 76A
  60/66A = 60 + 61 + 62 + 630 + 631/4 + 635/8 + 640/8 + 649 + 66A
  9901 = 70/76A - 60/66A
  9901 = 9900 - 62 - 630 - 631/4 - 635/8 - 640/8 - 649 - 66A
  75/76B = 75 + 76B
  65/66B = 65 + 66B
  9903 = 9901 + 75/76B - 65/66B
  9904 = 9903 + 780 - 680 - 67/77
  `,
  { '': 'rubric' },
)

/** The rubrics of elements of the taxonomy of 2007 to 2022. */
const elements: Readonly<Record<string, string>> = {
  IntangibleFixedAssets: '21',
  LandBuildings: '22',
  PlantMachineryEquipment: '23',
  FurnitureVehicles: '24',
  TangibleFixedAssets: '22/27',
  ParticipatingInterestsAmountsReceivableAffiliatedEnterprises: '280/1',
  OtherFinancialAssets: '284/8',
  FinancialFixedAssets: '28',
  FixedAssets: '21/28',
  OtherAmountsReceivableMoreOneYear: '291',
  AmountsReceivableMoreOneYear: '29',
  TradeDebtorsWithinOneYear: '40',
  OtherAmountsReceivableWithinOneYear: '41',
  AmountsReceivableWithinOneYear: '40/41',
  CurrentInvestments: '50/53',
  CashBankHand: '54/58',
  DeferredChargesAccruedIncome: '490/1',
  CurrentsAssets: '29/58',
  Assets: '20/58',
  AccumulatedProfitsLosses: '14',
  Equity: '10/15',
  ProvisionsDeferredTaxes: '16',
  TradeDebtsPayableWithinOneYear: '44',
  Taxes: '450/3',
  RemunerationSocialSecurity: '454/9',
  TaxesRemunerationSocialSecurity: '45',
  AmountsPayableWithinOneYear: '42/48',
  AccruedChargesDeferredIncome: '492/3',
  AmountsPayable: '17/49',
  EquityLiabilities: '10/49',
  Turnover: '70',
  OtherOperatingIncome: '74',
  OperatingIncome: '70/76A',
  ServicesOtherGoods: '61',
  RemunerationSocialSecurityPensions: '62',
  DepreciationOtherAmountsWrittenDownFormationExpensesIntangibleTangibleFixedAssets: '630',
  MiscellaneousOperatingCharges: '640/8',
  OperatingCharges: '60/66A',
  GrossOperatingMargin: '9900',
  OperatingProfitLoss: '9901',
  FinancialIncome: '75/76B',
  FinancialCharges: '65/66B',
  GainLossPeriod: '9904',
}

/** The rubrics of the measures and dimensions since 2022, whose members are in the order of their dimensions' names. */
const members: Readonly<Record<string, string>> = {
  'bas:m2 ntr:m1 part:m1': '21',
  'bas:m2 ntr:m2 part:m1': '22/27',
  'bas:m2 ntr:m3 part:m1': '28',
  'bas:m2 part:m1': '21/28',
  'bas:m9 part:m1 rst:m2': '40/41',
  'bas:m9 part:m1 rst:m2 typ:m3': '40',
  'bas:m23 part:m1': '54/58',
  'bas:m24 part:m1': '490/1',
  'bas:m12 part:m1': '29/58',
  'bas:m25 part:m1': '20/58',
  'bas:m38 ntr:m4 part:m3': '10/11',
  'bas:m44 ntr:m4 part:m3 sts:m8': '14',
  'bas:m37 ntr:m4 part:m3': '10/15',
  'bas:m47 part:m3': '16',
  'bas:m50 part:m3 rst:m2 typ:m3': '44',
  'bas:m50 part:m3 rst:m2 spec:m7': '450/3',
  'bas:m50 part:m3 rst:m2 spec:m8': '454/9',
  'bas:m50 part:m3 rst:m2 spec:m6': '45',
  'bas:m50 part:m3 rst:m2': '42/48',
  'bas:m24 part:m3': '492/3',
  'bas:m50 part:m3': '17/49',
  'bas:m25 part:m3': '10/49',
  'bas:m53 ntr:m17 part:m4': '70',
  'bas:m118 ntr:m17 part:m4': '9900',
  'bas:m1 ntr:m7 part:m4': '62',
  'bas:m1 bkd:m1 ntr:m6 part:m4 spec:m9': '630',
  'bas:m1 ntr:m6 part:m4 typ:m2': '640/8',
  'bas:m44 ntr:m6 part:m4': '9901',
  'bas:m1 ntr:m3 part:m4': '65/66B',
  'bas:m59 part:m4 spec:m16': '9903',
  'bas:m59 part:m4': '9904',
}

/**
 * The rubric of a figure, `rubric:20/58`; null for figures of notes and of the prior year under the taxonomy of dimensions,
 * whose contexts all end with the year of the accounts.
 */
export function belgianRubric(
  concept: string,
  dimensions: readonly { readonly axis: string; readonly member: string }[],
): string | null {
  if (concept.startsWith('rubric:')) return dimensions.length === 0 ? concept : null
  if (concept.startsWith('pfs:')) {
    const code = elements[concept.slice('pfs:'.length)]
    return code === undefined || dimensions.length > 0 ? null : `rubric:${code}`
  }
  if (!/^met:am\d$/.test(concept)) return null
  const plain = (name: string) => name.slice(name.lastIndexOf(':') + 1)
  const named = dimensions.map(({ axis, member }) => `${plain(axis)}:${plain(member)}`).sort()
  if (!named.includes('prd:m1')) return null
  const code = members[named.filter(each => each !== 'prd:m1').join(' ')]
  return code === undefined ? null : `rubric:${code}`
}

export const belgium: Taxonomy = {
  defines: tag => /^(rubric|pfs|met):/.test(tag),
  // The tables of elements and of members are not complete.
  extentOf: tags => ([...tags].some(tag => /^(pfs|met):/.test(tag)) ? 'partial' : 'complete'),
  ownersHaveAll: () => false,
  statements: { income, balance, cash_flow: emptySchema },
}

import { conceptTable, flow, stock } from '../../reading/conceptTable.ts'

/**
 * Fields of an annual return by metric. NetSurplusDeficitForTheYear is empty in returns after 2015, whose
 * form calls it SurplusDeficit.
 */
export const concepts = {
  revenue: flow(['TotalGrossIncome']),
  expenses: flow(['TotalExpenditure']),
  net_income: flow(['NetSurplusDeficitForTheYear', 'SurplusDeficit']),
  assets: stock(['TotalAssets']),
  liabilities: stock(['TotalLiabilities']),
  equity: stock(['TotalEquity']),
  cash: stock(['CashAndBankBalances']),
} as const

export const { rules, usesOfTag } = conceptTable(concepts, {
  annualForm: /^annual return$/,
  quarterlyForm: /^$/,
})

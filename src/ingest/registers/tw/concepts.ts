import { conceptTable, flow, perShare, stock } from '../../reading/conceptTable.ts'

/**
 * Columns of the tables by metric. Tables of banks, brokers, financial holdings, insurers and mixed groups
 * name some of them differently. The owners' part of the profit is omitted if it is all of the profit.
 */
export const concepts = {
  revenue: flow(['營業收入']),
  gross_profit: flow(['營業毛利（毛損）淨額']),
  operating_income: flow(['營業利益（損失）', '營業利益']),
  net_income: flow(
    ['淨利（淨損）歸屬於母公司業主', '淨利（損）歸屬於母公司業主'],
    ['本期淨利（淨損）', '本期稅後淨利（淨損）'],
  ),
  eps: perShare(['基本每股盈餘（元）']),
  assets: stock(['資產總計', '資產總額']),
  current_assets: stock(['流動資產']),
  liabilities: stock(['負債總計', '負債總額']),
  current_liabilities: stock(['流動負債']),
  equity: stock(['權益總計', '權益總額']),
} as const

export const { rules, usesOfTag } = conceptTable(concepts, {
  annualForm: /^Q4$/,
  quarterlyForm: /^Q[123]$/,
})

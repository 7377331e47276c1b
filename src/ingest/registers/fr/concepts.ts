import { conceptTable, flow, stock } from '../../reading/conceptTable.ts'

/**
 * Lines of the deposited forms by metric. `C` is the complete form and `S` the simplified one, both for the
 * company alone. `K` is the consolidated form, whose metrics have separate names and never replace the
 * company's. The simplified form has no total turnover: it is the sum of sales of goods (210), production of
 * goods (214) and of services (218). Exports have separate lines (209, 215, 217) and are included in these.
 *
 * The liabilities side of the complete balance sheet (form 2051) has five parts: equity (total I, DL), other
 * own funds (II, DO), provisions for risks and charges (III, DR), debts (IV, EC), and translation differences
 * (ED). The simplified one (2033-A) has three: equity (I, 142), provisions (II, 154), debts (III, 176).
 * Liabilities are the debts, as in Denmark.
 */
export const concepts = {
  revenue: flow(['C:FJ', 'C:FL', 'S:210+214+218']),
  operating_income: flow(['C:GG', 'S:270']),
  net_income: flow(['C:HN', 'S:310']),
  assets: stock(['C:CO', 'S:110']),
  equity: stock(['C:DL', 'S:142']),
  liabilities: stock(['C:EC', 'S:176']),
  provisions: stock(['C:DR', 'S:154']),
  current_assets: stock(['C:CJ', 'S:096']),
  cash: stock(['C:CF', 'S:084']),
  consolidated_revenue: flow(['K:FJ', 'K:FL']),
  consolidated_operating_income: flow(['K:GG']),
  consolidated_net_income: flow(['K:R6']),
  consolidated_net_income_parent: flow(['K:R8']),
  consolidated_assets: stock(['K:CO']),
  consolidated_equity: stock(['K:DL']),
  consolidated_liabilities: stock(['K:EC']),
  consolidated_current_assets: stock(['K:CJ']),
  consolidated_cash: stock(['K:CF']),
} as const

export const { rules, usesOfTag } = conceptTable(concepts, {
  annualForm: /^annual accounts \([CKS]\)$/,
  quarterlyForm: /^$/,
  balanceEndsYear: true,
  // These totals omit other own funds and translation differences or, in the simplified form, provisions, for which
  // there is no metric.
  partialTags: /^C:(DL|EC)$|^S:176$/,
})

import { linesOf, type StandardLine } from './definition.ts'

const balance = linesOf('balance', { sign: 'amount', sections: [] })
const income = linesOf('income', { sign: 'signed', sections: [] })
const cashFlow = linesOf('cash_flow', { sign: 'signed', sections: [] })

/** A line, and the standard line that it follows where a statement shows its lines in order. */
type Following = readonly [after: string, line: StandardLine]

/** Lines that only the statements of other markets have. Their registers' schemas place them (`taxonomies/`). */
export const registerLines: readonly Following[] = [
  [
    'receivables',
    balance('receivables_allowance', 'Allowance for doubtful accounts', {
      parent: 'receivables',
      sign: 'cost',
    }),
  ],
  [
    'receivables_allowance',
    balance('unbilled_receivables', 'Unbilled receivables and contract assets', { parent: 'current_assets' }),
  ],
  [
    'unbilled_receivables',
    balance('related_party_receivables', 'Receivables from related parties', { parent: 'current_assets' }),
  ],
  ['tax_receivables', balance('other_receivables', 'Other receivables', { parent: 'current_assets' })],
  [
    'machinery_equipment',
    balance('leased_equipment', 'Equipment leased to others', { parent: 'property_plant_equipment' }),
  ],
  ['other_assets', balance('noncurrent_assets', 'Total noncurrent assets', { parent: 'assets' })],
  [
    'accrued_liabilities',
    balance('accrued_compensation', 'Accrued compensation and benefits', { parent: 'current_liabilities' }),
  ],
  [
    'dividends_payable',
    balance('deferred_revenue_current', 'Deferred revenue, current', { parent: 'current_liabilities' }),
  ],
  [
    'deferred_revenue_current',
    balance('deferred_revenue_noncurrent', 'Deferred revenue, noncurrent', { parent: 'liabilities' }),
  ],
  [
    'current_debt',
    balance('capital_leases_current', 'Lease obligations, current', { parent: 'current_liabilities' }),
  ],
  ['notes_and_bonds', balance('debt', 'Total debt', { parent: 'liabilities' })],
  [
    'pension_liabilities',
    balance('asset_retirement_obligations', 'Asset retirement obligations', { parent: 'liabilities' }),
  ],
  ['revenue_goods', income('other_revenue', 'Other revenue', { parent: 'revenue', sign: 'amount' })],
  ['other_operating_expense', income('other_operating_income', 'Other operating income')],
  ['interest_net', income('foreign_exchange', 'Foreign exchange gains and losses')],
  [
    'income_tax',
    income('current_income_tax', 'Income taxes, current', { parent: 'income_tax', sign: 'cost' }),
  ],
  [
    'current_income_tax',
    income('deferred_income_tax', 'Income taxes, deferred', { parent: 'income_tax', sign: 'cost' }),
  ],
  ['net_income_common', income('comprehensive_income', "Comprehensive income of the parent's owners")],
  ['comprehensive_income', income('other_comprehensive_income', 'Other comprehensive income')],
  ['excess_tax_benefit_operating', cashFlow('impairments', 'Impairments', { parent: 'operating_cash_flow' })],
  [
    'other_noncash_items',
    cashFlow('adjustments', 'Total adjustments to net income', { parent: 'operating_cash_flow' }),
  ],
  [
    'change_in_deferred_revenue',
    cashFlow('change_in_customer_deposits', 'Change in customer deposits', { parent: 'operating_cash_flow' }),
  ],
  [
    'capital_expenditure',
    cashFlow('leased_equipment_bought', 'Equipment bought to lease to others', {
      parent: 'investing_cash_flow',
      sign: 'outflow',
    }),
  ],
  ['acquisitions', cashFlow('divestitures', 'Companies sold', { parent: 'investing_cash_flow' })],
  [
    'divestitures',
    cashFlow('affiliates_bought', 'Investments in affiliates', {
      parent: 'investing_cash_flow',
      sign: 'outflow',
    }),
  ],
  [
    'affiliates_bought',
    cashFlow('affiliates_sold', 'Proceeds from affiliates', { parent: 'investing_cash_flow' }),
  ],
  [
    'intangibles_bought',
    cashFlow('intangibles_sold', 'Intangible assets sold', { parent: 'investing_cash_flow' }),
  ],
  [
    'cash_and_short_term_investments',
    balance('accrued_income', 'Accrued income', { parent: 'current_assets' }),
  ],
  ['other_receivables', balance('advances_paid', 'Advances paid', { parent: 'current_assets' })],
  [
    'unbilled_receivables',
    balance('contract_work_in_progress', 'Contract work in progress', { parent: 'current_assets' }),
  ],
  [
    'prepaid_and_other_current_assets',
    balance('accruals_and_prepayments', 'Deferred charges and accrued income', { parent: 'current_assets' }),
  ],
  [
    'accruals_and_prepayments',
    balance('other_financial_assets_current', 'Other current financial assets', { parent: 'current_assets' }),
  ],
  [
    'other_financial_assets_current',
    balance('financing_receivables_current', 'Receivables of financial services, current', {
      parent: 'current_assets',
    }),
  ],
  ['current_assets', balance('formation_expenses', 'Formation expenses', { parent: 'assets' })],
  [
    'formation_expenses',
    balance('financial_assets_noncurrent', 'Noncurrent financial assets', { parent: 'noncurrent_assets' }),
  ],
  [
    'financial_assets_noncurrent',
    balance('other_financial_assets_noncurrent', 'Other noncurrent financial assets', {
      parent: 'noncurrent_assets',
    }),
  ],
  [
    'other_financial_assets_noncurrent',
    balance('financing_receivables_noncurrent', 'Receivables of financial services, noncurrent', {
      parent: 'noncurrent_assets',
    }),
  ],
  [
    'financing_receivables_noncurrent',
    balance('receivables_noncurrent', 'Noncurrent receivables', { parent: 'noncurrent_assets' }),
  ],
  [
    'receivables_noncurrent',
    balance('long_term_deposits', 'Long-term deposits', { parent: 'noncurrent_assets' }),
  ],
  [
    'long_term_deposits',
    balance('guarantee_deposits', 'Guarantee deposits paid', { parent: 'noncurrent_assets' }),
  ],
  [
    'guarantee_deposits',
    balance('investments_and_other_assets', 'Investments and other assets', { parent: 'noncurrent_assets' }),
  ],
  ['land', balance('land_and_buildings', 'Land and buildings', { parent: 'property_plant_equipment' })],
  [
    'machinery_equipment',
    balance('fixtures_and_fittings', 'Fixtures, fittings and tools', { parent: 'property_plant_equipment' }),
  ],
  [
    'fixtures_and_fittings',
    balance('leasehold_improvements', 'Leasehold improvements', { parent: 'property_plant_equipment' }),
  ],
  ['right_of_use_assets', balance('investment_property', 'Investment property', { parent: 'assets' })],
  ['intangible_assets', balance('software', 'Software', { parent: 'intangible_assets' })],
  ['payables', balance('other_payables', 'Other payables', { parent: 'current_liabilities' })],
  [
    'other_payables',
    balance('tax_and_social_liabilities', 'Taxes, remuneration and social security payable', {
      parent: 'current_liabilities',
    }),
  ],
  [
    'tax_and_social_liabilities',
    balance('withholdings', 'Money withheld and received for others', { parent: 'current_liabilities' }),
  ],
  [
    'deferred_revenue_current',
    balance('contract_work_in_progress_liabilities', 'Contract work invoiced in advance', {
      parent: 'current_liabilities',
    }),
  ],
  [
    'contract_work_in_progress_liabilities',
    balance('accruals_and_deferred_income', 'Accrued charges and deferred income', { parent: 'liabilities' }),
  ],
  [
    'short_term_borrowings',
    balance('bank_debt_current', 'Debt to banks, current', { parent: 'current_liabilities' }),
  ],
  [
    'capital_leases_current',
    balance('other_financial_liabilities_current', 'Other current financial liabilities', {
      parent: 'current_liabilities',
    }),
  ],
  [
    'other_financial_liabilities_current',
    balance('provisions_current', 'Provisions, current', { parent: 'current_liabilities' }),
  ],
  [
    'long_term_debt_noncurrent',
    balance('bank_debt_noncurrent', 'Debt to banks, noncurrent', { parent: 'noncurrent_liabilities' }),
  ],
  ['bank_debt_noncurrent', balance('bank_debt', 'Debt to banks', { parent: 'liabilities' })],
  [
    'bank_debt',
    balance('long_term_borrowings', 'Long-term borrowings without bonds', {
      parent: 'noncurrent_liabilities',
    }),
  ],
  [
    'long_term_borrowings',
    balance('other_borrowings_sundry', 'Sundry loans and financial debts', { parent: 'liabilities' }),
  ],
  [
    'capital_leases',
    balance('other_payables_noncurrent', 'Other noncurrent payables', { parent: 'noncurrent_liabilities' }),
  ],
  [
    'other_payables_noncurrent',
    balance('other_financial_liabilities_noncurrent', 'Other noncurrent financial liabilities', {
      parent: 'noncurrent_liabilities',
    }),
  ],
  [
    'other_financial_liabilities_noncurrent',
    balance('provisions_noncurrent', 'Provisions, noncurrent', { parent: 'noncurrent_liabilities' }),
  ],
  ['additional_paid_in_capital', balance('capital_surplus', 'Capital surplus', { parent: 'equity' })],
  ['capital_surplus', balance('revaluation_surplus', 'Revaluation surplus', { parent: 'equity' })],
  ['revaluation_surplus', balance('reserves', 'Reserves', { parent: 'equity' })],
  [
    'retained_earnings',
    balance('net_income_of_year', 'Net income of the year', { parent: 'equity', sign: 'signed' }),
  ],
  ['net_income_of_year', balance('proposed_dividend', 'Proposed dividend', { parent: 'equity' })],
  ['proposed_dividend', balance('investment_grants', 'Investment grants', { parent: 'equity' })],
  [
    'investment_grants',
    balance('other_equity', 'Other components of equity', { parent: 'equity', sign: 'signed' }),
  ],
  ['other_equity', balance('hybrid_securities', 'Hybrid securities', { parent: 'equity' })],
  [
    'treasury_stock',
    balance('shareholders_capital', "Shareholders' capital (株主資本)", {
      parent: 'equity_including_minority_interest',
    }),
  ],
  [
    'shareholders_capital',
    balance('share_subscription_rights', 'Share subscription rights', {
      parent: 'equity_including_minority_interest',
    }),
  ],
  [
    'equity_including_minority_interest',
    balance('other_own_funds', 'Other own funds', { parent: 'liabilities_and_equity' }),
  ],
  [
    'revenue_services',
    income('revenue_financing', 'Revenue of financial services', { parent: 'revenue', sign: 'amount' }),
  ],
  ['revenue_financing', income('donations', 'Donations and bequests', { parent: 'revenue', sign: 'amount' })],
  ['donations', income('grants_received', 'Grants received', { parent: 'revenue', sign: 'amount' })],
  ['grants_received', income('membership_fees', 'Membership fees', { parent: 'revenue', sign: 'amount' })],
  [
    'membership_fees',
    income('inventory_change', 'Change in stocks of own production', { parent: 'total_operating_revenue' }),
  ],
  [
    'inventory_change',
    income('own_work_capitalized', 'Own work capitalized', { parent: 'total_operating_revenue' }),
  ],
  [
    'own_work_capitalized',
    income('operating_subsidies', 'Operating subsidies', { parent: 'total_operating_revenue' }),
  ],
  ['operating_subsidies', income('total_operating_revenue', 'Total operating revenue')],
  ['cost_of_services', income('cost_of_financing', 'Cost of financial services', { sign: 'cost' })],
  ['cost_of_financing', income('purchases', 'Goods and materials', { sign: 'cost' })],
  ['purchases', income('external_expenses', 'External expenses', { sign: 'cost' })],
  ['external_expenses', income('fundraising_costs', 'Fundraising costs', { sign: 'cost' })],
  ['fundraising_costs', income('grants_made', 'Grants and donations made', { sign: 'cost' })],
  ['operating_income', income('other_gains', 'Other gains')],
  ['other_gains', income('other_losses', 'Other losses', { sign: 'cost' })],
  ['other_losses', income('nonoperating_income', 'Nonoperating income')],
  ['nonoperating_income', income('nonoperating_expense', 'Nonoperating expenses', { sign: 'cost' })],
  ['nonoperating_expense', income('finance_income', 'Finance income')],
  ['finance_income', income('finance_costs', 'Finance costs', { sign: 'cost' })],
  ['finance_costs', income('other_finance_income', 'Other finance income')],
  ['other_finance_income', income('other_finance_costs', 'Other finance costs', { sign: 'cost' })],
  ['other_finance_costs', income('financial_result', 'Financial result')],
  ['nonoperating_total', income('ordinary_income', 'Ordinary income before extraordinary items')],
  ['ordinary_income', income('extraordinary_income', 'Extraordinary income, before taxes')],
  [
    'extraordinary_income',
    income('extraordinary_loss', 'Extraordinary losses, before taxes', { sign: 'cost' }),
  ],
  ['extraordinary_loss', income('extraordinary_result', 'Extraordinary result, before taxes')],
  [
    'extraordinary_result',
    income('employee_profit_sharing', "Employees' share of profits", { sign: 'cost' }),
  ],
  ['change_in_working_capital', cashFlow('cash_from_operations', 'Cash generated from operations')],
  ['cash_from_operations', cashFlow('interest_received', 'Interest received')],
  ['interest_received', cashFlow('dividends_received', 'Dividends received')],
  ['leased_equipment_bought', cashFlow('leased_equipment_sold', 'Leased equipment sold')],
  ['real_estate_bought', cashFlow('real_estate_sold', 'Real estate sold')],
  ['loans_collected', cashFlow('government_grants_received', 'Government grants received for investments')],
  [
    'government_grants_received',
    cashFlow('guarantee_deposits_paid', 'Guarantee deposits paid', { sign: 'outflow' }),
  ],
  ['guarantee_deposits_paid', cashFlow('guarantee_deposits_returned', 'Guarantee deposits returned')],
  ['guarantee_deposits_returned', cashFlow('held_for_sale_sold', 'Assets held for sale sold')],
  ['other_investing', cashFlow('investing_inflows', 'Total received from investing')],
  ['investing_inflows', cashFlow('investing_outflows', 'Total paid for investing', { sign: 'outflow' })],
  ['other_financing', cashFlow('financing_inflows', 'Total received from financing')],
  ['financing_inflows', cashFlow('financing_outflows', 'Total paid for financing', { sign: 'outflow' })],
  [
    'financing_cash_flow',
    cashFlow('cash_change_before_exchange', 'Change in cash before effects of exchange rates'),
  ],
  ['debt_net', cashFlow('leases_repaid', 'Lease liabilities repaid', { sign: 'outflow' })],
  ['share_repurchases', cashFlow('treasury_stock_sold', 'Treasury stock sold')],
  [
    'treasury_stock_sold',
    cashFlow('share_repurchases_net', 'Stock bought back less sold', { sign: 'outflow' }),
  ],
  [
    'dividends_paid',
    cashFlow('hybrid_interest_paid', 'Interest paid on hybrid securities', { sign: 'outflow' }),
  ],
]

/** The lines of a statement with those of other markets among them. */
export function withRegisterLines(lines: readonly StandardLine[]): readonly StandardLine[] {
  const order = [...lines]
  for (const [after, line] of registerLines) {
    const at = order.findIndex(each => each.statement === line.statement && each.name === after)
    if (at >= 0) order.splice(at + 1, 0, line)
  }
  return order
}

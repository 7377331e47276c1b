import { emptySchema, readTable, type Taxonomy } from './taxonomy.ts'

/**
 * Columns of the tables t187ap06 and t187ap07 of the Taiwan Stock Exchange, for general companies, banks, brokers,
 * financial holdings, insurers and mixed groups, as its OpenAPI document lists them.
 */
const income = readTable(
  `
  revenue                   營業收入 收益 收入 | 淨收益
  net_interest_income       利息淨收益
  noninterest_income        利息以外淨損益 利息以外淨收益
  provision_for_loan_losses 呆帳費用、承諾及保證責任準備提存
  .                         保險負債準備淨變動
  cost_of_revenue           營業成本
  .                         原始認列生物資產及農產品之利益（損失）
  .                         生物資產當期公允價值減出售成本之變動利益（損失）
  .                         營業毛利（毛損）
  .                         未實現銷貨（損）益
  .                         已實現銷貨（損）益
  gross_profit              營業毛利（毛損）淨額
  costs_and_expenses        支出及費用 支出
  operating_expenses        營業費用
  other_operating_income    其他收益及費損淨額
  operating_income          營業利益（損失） 營業利益
  nonoperating_total        營業外收入及支出 營業外損益
  pretax_income             稅前淨利（淨損） 繼續營業單位稅前淨利（淨損） 繼續營業單位稅前損益 繼續營業單位稅前純益（純損）
  income_tax                所得稅費用（利益） -所得稅（費用）利益
  income_continuing_operations 繼續營業單位本期淨利（淨損） 繼續營業單位本期稅後淨利（淨損） 繼續營業單位本期純益（純損）
  discontinued_operations   停業單位損益
  .                         合併前非屬共同控制股權損益
  net_income_including_minority_interest 本期淨利（淨損） 本期稅後淨利（淨損）
  other_comprehensive_income 其他綜合損益（淨額） 其他綜合損益（稅後） 本期其他綜合損益（稅後淨額） 其他綜合損益（稅後淨額） 其他綜合損益
  .                         合併前非屬共同控制股權綜合損益淨額
  comprehensive_income      本期綜合損益總額 本期綜合損益總額（稅後）
  net_income                淨利（淨損）歸屬於母公司業主 淨利（損）歸屬於母公司業主
  .                         淨利（淨損）歸屬於共同控制下前手權益 淨利（損）歸屬於共同控制下前手權益
  minority_interest_income  淨利（淨損）歸屬於非控制權益 淨利（損）歸屬於非控制權益
  .                         綜合損益總額歸屬於母公司業主 綜合損益總額歸屬於共同控制下前手權益 綜合損益總額歸屬於非控制權益
  eps                       基本每股盈餘（元）

  營業毛利（毛損） = 營業收入 - 營業成本 + 原始認列生物資產及農產品之利益（損失） + 生物資產當期公允價值減出售成本之變動利益（損失）
  營業毛利（毛損）淨額 = 營業毛利（毛損） + 未實現銷貨（損）益 + 已實現銷貨（損）益
  營業利益（損失） = 營業毛利（毛損）淨額 - 營業費用 + 其他收益及費損淨額
  稅前淨利（淨損） = 營業利益（損失） + 營業外收入及支出
  稅前淨利（淨損） = 營業利益 + 營業外損益
  營業利益 = 收益 - 支出及費用
  繼續營業單位稅前純益（純損） = 營業利益（損失） + 營業外收入及支出
  淨收益 = 利息淨收益 + 利息以外淨收益
  繼續營業單位本期淨利（淨損） = 稅前淨利（淨損） - 所得稅費用（利益）
  本期淨利（淨損） = 繼續營業單位本期淨利（淨損） + 停業單位損益 + 合併前非屬共同控制股權損益
  本期淨利（淨損） = 淨利（淨損）歸屬於母公司業主 + 淨利（淨損）歸屬於共同控制下前手權益 + 淨利（淨損）歸屬於非控制權益
  本期綜合損益總額 = 本期淨利（淨損） + 其他綜合損益（淨額） + 合併前非屬共同控制股權綜合損益淨額
  `,
  {},
)

const balance = readTable(
  `
  cash                      現金及約當現金
  interest_bearing_deposits_in_banks 存放央行及拆借銀行同業 存放央行及拆借金融同業
  .                         透過損益按公允價值衡量之金融資產 透過其他綜合損益按公允價值衡量之金融資產 按攤銷後成本衡量之債務工具投資
  derivative_assets         避險之金融資產 避險之衍生金融資產淨額 避險之衍生金融資產
  federal_funds_sold        附賣回票券及債券投資淨額 附賣回票券及債券投資
  receivables               應收款項－淨額 應收款項
  tax_receivables           本期所得稅資產 當期所得稅資產
  assets_held_for_sale      待出售資產－淨額 待出售資產
  .                         待分配予業主之資產－淨額 待分配予業主之資產（或處分群組）
  loans                     貼現及放款－淨額
  reinsurance_recoverable   再保險合約資產－淨額 再保險合約資產
  investments               投資
  equity_method_investments 採用權益法之投資－淨額
  .                         受限制資產－淨額 其他金融資產－淨額
  investment_property       投資性不動產－淨額 投資性不動產投資－淨額
  property_plant_equipment  不動產及設備－淨額 不動產及設備
  right_of_use_assets       使用權資產－淨額 使用權資產
  intangible_assets         無形資產－淨額 無形資產
  deferred_tax_assets       遞延所得稅資產
  other_assets              其他資產－淨額 其他資產
  separate_account_assets   分離帳戶保險商品資產
  current_assets            流動資產
  noncurrent_assets         非流動資產
  assets                    資產總計 資產總額
  .                         央行及銀行同業存款 央行及金融同業存款 央行及同業融資 透過損益按公允價值衡量之金融負債
  derivative_liabilities    避險之金融負債 避險之衍生金融負債－淨額 避險之衍生金融負債
  federal_funds_purchased   附買回票券及債券負債
  short_term_borrowings     短期債務
  commercial_paper          應付商業本票－淨額
  payables                  應付款項
  taxes_payable             本期所得稅負債 當期所得稅負債
  liabilities_held_for_sale 與待出售資產直接相關之負債
  deposits                  存款及匯款
  notes_and_bonds           應付金融債券 + 應付公司債 | 應付債券
  other_borrowings          其他借款
  .                         特別股負債 其他金融負債
  provisions                負債準備
  capital_leases            租賃負債
  future_policy_benefits    保險負債
  .                         具金融商品性質之保險契約準備 外匯價格變動準備
  deferred_tax_liabilities  遞延所得稅負債
  other_liabilities         其他負債
  separate_account_liabilities 分離帳戶保險商品負債
  current_liabilities       流動負債
  noncurrent_liabilities    非流動負債
  liabilities               負債總計 負債總額
  common_stock              股本
  .                         權益─具證券性質之虛擬通貨 權益－具證券性質之虛擬通貨
  additional_paid_in_capital 資本公積
  retained_earnings         保留盈餘 保留盈餘（或累積虧損）
  other_equity              其他權益
  treasury_stock            -庫藏股票
  equity                    歸屬於母公司業主之權益合計 歸屬於母公司業主權益合計 歸屬於母公司業主之權益
  .                         共同控制下前手權益 合併前非屬共同控制股權
  minority_interest         非控制權益
  equity_including_minority_interest 權益總計 權益總額
  liabilities_and_equity    負債及權益總計

  資產總計 = 流動資產 + 非流動資產
  資產總額 = 流動資產 + 非流動資產
  負債總計 = 流動負債 + 非流動負債
  負債總額 = 流動負債 + 非流動負債
  資產總計 = 負債總計 + 權益總計
  資產總額 = 負債總額 + 權益總額
  歸屬於母公司業主之權益合計 = 股本 + 權益─具證券性質之虛擬通貨 + 資本公積 + 保留盈餘 + 其他權益 + 庫藏股票
  權益總計 = 歸屬於母公司業主之權益合計 + 共同控制下前手權益 + 合併前非屬共同控制股權 + 非控制權益
  權益總額 = 歸屬於母公司業主之權益合計 + 共同控制下前手權益 + 合併前非屬共同控制股權 + 非控制權益
  `,
  {},
)

const columns = new Set([...income.meanings.keys(), ...balance.meanings.keys()])

export const taiwan: Taxonomy = {
  defines: tag => columns.has(tag),
  // The archive of income statements leaves most columns out.
  extentOf: tags => (tags.has('所得稅費用（利益）') || tags.has('股本') ? 'complete' : null),
  ownersHaveAll: () => false,
  statements: { income, balance, cash_flow: emptySchema },
}

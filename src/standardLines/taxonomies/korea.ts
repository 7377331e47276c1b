import { ifrsBalance, ifrsCashFlow, ifrsIncome } from './ifrs.ts'
import { joined, readTable, type Taxonomy } from './taxonomy.ts'

/**
 * Elements that OpenDART adds to IFRS (`dart`), and names of accounts that many reports use without a code. A name that
 * stands among current and among noncurrent items means one or the other by its section.
 */
const prefixes = { '': 'dart', ifrs: 'ifrs-full' }

const balance = readTable(
  `
  cash                      현금및현금성자산
  short_term_investments    ShortTermDepositsNotClassifiedAsCashEquivalents + 단기금융상품 + 금융기관예치금@current_assets + 단기투자자산
  receivables               ShortTermTradeReceivable 매출채권@current_assets | 매출채권및기타채권@current_assets
  other_receivables         ShortTermOtherReceivables ShortTermOtherReceivablesNet 미수금@current_assets 단기미수금 기타채권@current_assets 기타수취채권@current_assets
  accrued_income            ShortTermAccruedIncome ShortTermAccruedIncomeNet 미수수익@current_assets
  notes_receivable          ShortTermLoans ShortTermLoansNet 단기대여금
  advances_paid             ShortTermAdvancePayments 선급금@current_assets
  prepaid_expenses          ShortTermPrepaidExpenses 선급비용@current_assets
  tax_receivables           당기법인세자산@current_assets 선급법인세@current_assets 미수법인세@current_assets
  unbilled_receivables      ShortTermDueFromCustomersForContractWork 계약자산@current_assets 미청구공사@current_assets
  .                         CurrentFirmCommitmentAsset CurrentAvailableForSaleFinancialAssets CurrentFinancialAssetsHeldToMaturity CurrentFinancialAssetHeldForTrading CurrentFinancialAssetDesignationAsAtFairValueThroughProfitOrLoss
  derivative_assets         CurrentDerivativeAsset + NonCurrentDerivativeAssets
  inventory                 재고자산
  assets_held_for_sale      매각예정자산 매각예정비유동자산 매각예정으로분류된자산
  other_financial_assets_current 기타금융자산@current_assets 기타유동금융자산
  other_current_assets      OtherCurrentAssets 기타유동자산 기타의유동자산
  current_assets            유동자산
  long_term_deposits        LongTermDepositsNotClassifiedAsCashEquivalents 장기금융상품 장기금융기관예치금
  receivables_noncurrent    LongTermTradeReceivablesGross LongTermTradeAndOtherNonCurrentReceivablesGross 장기매출채권 장기성매출채권 장기매출채권및기타채권 매출채권및기타채권@noncurrent_assets 매출채권@noncurrent_assets
  .                         LongTermOtherReceivablesGross LongTermOtherReceivablesNet NonCurrentReceivablesGross 장기미수금 장기기타채권 기타장기수취채권 기타수취채권@noncurrent_assets
  .                         LongTermLoansGross LongTermLoansNet 장기대여금 LongTermDepositsProvidedGross LongTermDepositsProvidedNet 보증금@noncurrent_assets LongTermPrepaidExpenses 장기선급비용
  .                         NonCurrentAvailableForSaleFinancialAssets NonCurrentFinancialAssetsHeldToMaturity 매도가능금융자산@noncurrent_assets 장기투자증권 장기투자자산 파생금융자산@noncurrent_assets
  equity_method_investments 관계기업및공동기업투자 공동기업및관계기업투자 관계기업투자주식 관계기업및공동기업투자주식 관계기업투자 관계기업및공동기업에대한투자
  other_financial_assets_noncurrent 기타금융자산@noncurrent_assets 기타비유동금융자산
  goodwill                  GoodwillGross 영업권
  intangible_assets         무형자산&goodwill
  goodwill_and_intangible_assets 무형자산
  property_plant_equipment  유형자산
  right_of_use_assets       사용권자산 리스사용권자산
  leased_equipment          운용리스자산
  investment_property       투자부동산
  deferred_tax_assets       이연법인세자산
  pension_assets            InvestedAssetForPostemploymentBenefit 순확정급여자산 확정급여자산 비유동순확정급여자산
  other_assets              OtherNonCurrentAssets 기타비유동자산 기타의비유동자산
  noncurrent_assets         비유동자산
  assets                    자산총계
  payables                  ShortTermTradePayables 매입채무@current_liabilities 단기매입채무 | 매입채무및기타채무@current_liabilities
  other_payables            ShortTermOtherPayables 미지급금@current_liabilities 단기미지급금 기타지급채무@current_liabilities 기타채무@current_liabilities
  accrued_liabilities       ShortTermAccruedExpenses 미지급비용@current_liabilities
  customer_deposits         ShortTermAdvancesCustomers 선수금@current_liabilities
  withholdings              ShortTermWithholdings 예수금@current_liabilities
  taxes_payable             PaymentsOfIncomeTaxesPayable 당기법인세부채 미지급법인세
  short_term_borrowings     ShortTermBorrowings 단기차입금
  long_term_debt_current    CurrentPortionOfBonds + 유동성장기차입금 + 유동성사채 + 유동성장기사채 + 유동성장기부채 + 유동성사채및장기차입금
  current_debt              차입금@current_liabilities 사채및차입금@current_liabilities
  capital_leases_current    리스부채@current_liabilities 유동성리스부채 유동리스부채
  deferred_revenue_current  계약부채@current_liabilities ShortTermDueToCustomersForContractWork 초과청구공사
  derivative_liabilities    CurrentDerivativeLiabilities + NonCurrentDerivativeLiabilities
  .                         CurrentFinancialGuaranteeLiabilities CurrentFirmCommitmentLiabilities CurrentPortionOfLongtermOtherPayables
  provisions_current        충당부채@current_liabilities 유동성충당부채 유동충당부채
  other_financial_liabilities_current 기타금융부채@current_liabilities 기타유동금융부채
  liabilities_held_for_sale 매각예정부채 매각예정비유동부채
  other_current_liabilities OtherCurrentLiabilities 기타유동부채 기타의유동부채
  current_liabilities       유동부채
  notes_and_bonds           BondsIssued 사채@noncurrent_liabilities
  long_term_borrowings      LongTermBorrowingsGross 장기차입금
  long_term_debt_noncurrent 사채및장기차입금 차입금@noncurrent_liabilities 사채및차입금@noncurrent_liabilities
  other_payables_noncurrent LongTermOtherPayablesGross LongTermOtherPayablesNet 장기미지급금 장기성미지급금
  .                         LongTermTradeAndOtherNonCurrentPayables LongTermTradePayablesGross LongTermAccruedExpensesGross NoncurrentNontradePayables LongTermAdvancesCustomers 장기기타채무 기타장기지급채무
  capital_leases            NonCurrentFinanceLeaseLiabilities 리스부채@noncurrent_liabilities 장기리스부채 비유동리스부채
  deferred_revenue_noncurrent 장기계약부채
  pension_liabilities       PostemploymentBenefitObligations 순확정급여부채 확정급여부채
  .                         장기종업원급여채무 NonCurrentFinancialGuaranteeLiabilities NonCurrentFirmCommitmentLiabilities
  provisions_noncurrent     충당부채@noncurrent_liabilities 비유동충당부채 장기충당부채 비유동성충당부채
  deferred_tax_liabilities  이연법인세부채
  other_financial_liabilities_noncurrent 기타금융부채@noncurrent_liabilities 기타비유동금융부채
  other_liabilities         OtherNonCurrentLiabilities 기타비유동부채 기타의비유동부채
  noncurrent_liabilities    비유동부채
  liabilities               부채총계
  common_stock              자본금 | IssuedCapitalOfCommonStock
  additional_paid_in_capital 주식발행초과금
  capital_surplus           CapitalSurplus 자본잉여금 연결자본잉여금
  .                         기타불입자본 CapitalAdjustments
  other_equity              ElementsOfOtherStockholdersEquity 기타자본항목 기타자본구성요소
  accumulated_other_comprehensive_income OtherComprehensiveIncomeLossAccumulatedAmount 기타포괄손익누계액
  hybrid_securities         HybridBonds 신종자본증권
  treasury_stock            -자기주식
  retained_earnings         이익잉여금 결손금
  equity                    지배기업소유주지분 지배기업의소유주에게귀속되는자본 지배기업소유주지분합계
  minority_interest         비지배지분 비지배주주지분
  equity_including_minority_interest 자본총계
  liabilities_and_equity    부채와자본총계 자본과부채총계 부채및자본총계 자본및부채총계
  `,
  prefixes,
)

const income = readTable(
  `
  revenue                   매출액 영업수익 매출
  revenue_services          RevenueFromServices
  cost_of_revenue           매출원가
  gross_profit              매출총이익 매출총손익
  selling_general_administrative TotalSellingGeneralAdministrativeExpenses 판매비와관리비 판매비와일반관리비
  selling_expense           판매비
  general_administrative    관리비 일반관리비
  research_and_development  경상연구개발비 경상개발비 연구개발비
  compensation              종업원급여
  .                         MiscellaneousExpenses Commissions AdvertisingExpenses RentalExpenses NetworkContactSettleExpense ExclusiveLineUseExpense LeaseholdAdministrationExpense DepreciationExpense
  operating_expenses        OperatingExpenses 영업비용
  other_operating_income    OtherOperatingIncome 기타영업수익
  operating_income          OperatingIncomeLoss 영업이익 영업손익 영업손실
  finance_income            금융수익
  finance_costs             금융비용 금융원가
  financial_result          금융손익 순금융손익
  other_gains               OtherGains 기타수익 기타영업외수익 기타이익
  other_losses              OtherLosses 기타비용 기타영업외비용 기타손실
  other_nonoperating        기타손익 기타영업외손익
  nonoperating_income       NonOperatingIncome 영업외수익
  nonoperating_expense      NonOperatingExpense 영업외비용
  nonoperating_total        NonOperatingProfitLoss 영업외손익
  equity_method_income      ProfitsOfAssociatesAndJointVenturesAccountedForUsingEquityMethod 지분법손익 공동기업및관계기업투자손익 관계기업투자손익 지분법이익 관계기업및공동기업투자손익
  pretax_income             법인세비용차감전순이익 법인세차감전순이익 법인세비용차감전계속영업이익 법인세비용차감전순손익 법인세비용차감전이익
  income_tax                법인세비용 계속영업법인세비용
  income_continuing_operations 계속영업이익 계속영업순이익 계속영업손익
  discontinued_operations   중단영업이익 중단영업손익 중단영업순이익
  net_income_including_minority_interest 당기순이익 분기순이익 반기순이익 당기순손익 분기순손익 반기순손익 연결당기순이익 연결분기순이익 연결반기순이익
  net_income                지배기업소유주지분순이익 지배기업소유주지분당기순이익
  minority_interest_income  비지배지분순이익 비지배지분당기순이익
  other_comprehensive_income 기타포괄손익
  comprehensive_income      총포괄손익 총포괄이익
  eps                       기본주당이익 보통주기본주당이익 보통주기본주당순이익 기본주당순이익 기본/희석주당순이익 보통주기본/희석주당순이익 보통주기본및희석주당이익 기본및희석주당이익
  eps_diluted               희석주당이익 보통주희석주당이익 보통주희석주당순이익 희석주당순이익
  `,
  prefixes,
)

const cashFlow = readTable(
  `
  net_income_including_minority_interest ProfitLossForStatementOfCashFlows 당기순이익 분기순이익 반기순이익 연결당기순이익 연결분기순이익 연결반기순이익
  adjustments               조정 비현금항목조정 당기순이익조정을위한가감
  depreciation              감가상각비
  amortization              무형자산상각비
  pension                   AdjustmentsForProvisionForSeveranceIndemnities 퇴직급여@operating_cash_flow
  provision_for_losses      대손상각비@operating_cash_flow
  .                         AdjustmentsForOtherBadDebtExpenses 이자비용@operating_cash_flow 이자수익@operating_cash_flow 법인세비용@operating_cash_flow
  change_in_working_capital AdjustmentsForAssetsLiabilitiesOfOperatingActivities 순운전자본변동 영업활동으로인한자산·부채의변동 영업활동으로인한자산부채의변동 운전자본의변동 영업활동관련자산부채의변동
  change_in_inventory       재고자산@operating_cash_flow 재고자산의감소@operating_cash_flow
  change_in_receivables     매출채권@operating_cash_flow 매출채권의감소@operating_cash_flow
  change_in_payables        매입채무@operating_cash_flow 매입채무의증가@operating_cash_flow
  cash_from_operations      영업에서창출된현금흐름 영업으로부터창출된현금흐름
  interest_paid             이자의지급@operating_cash_flow 이자지급@operating_cash_flow 이자비용지급@operating_cash_flow
  interest_received         이자의수취@operating_cash_flow 이자수취@operating_cash_flow 이자수익수취@operating_cash_flow
  dividends_received        배당금수취@operating_cash_flow 배당금의수취@operating_cash_flow 배당수익수취@operating_cash_flow
  income_taxes_paid         법인세납부@operating_cash_flow 법인세의납부@operating_cash_flow 법인세납부액@operating_cash_flow
  operating_cash_flow       영업활동현금흐름 영업활동으로인한현금흐름 영업활동순현금흐름 영업활동으로인한순현금흐름
  investing_inflows         투자활동으로인한현금유입액
  investing_outflows        투자활동으로인한현금유출액
  capital_expenditure       유형자산의취득 유형자산취득
  disposals                 유형자산의처분 유형자산처분
  intangibles_bought        무형자산의취득
  intangibles_sold          무형자산의처분
  real_estate_bought        투자부동산의취득
  real_estate_sold          투자부동산의처분
  affiliates_bought         PurchaseOfInvestmentsInAssociates PurchaseOfInvestmentsInSubsidiariesJointVenturesAndAssociates 관계기업투자의취득 관계기업및공동기업투자의취득 공동기업및관계기업투자의취득 관계기업투자주식의취득
  affiliates_sold           관계기업투자의처분 관계기업및공동기업투자의처분 공동기업및관계기업투자의처분 관계기업투자주식의처분
  acquisitions              종속기업의취득 사업결합으로인한순현금유출
  divestitures              종속기업의처분 종속기업처분순현금유입
  investments_bought        PurchaseOfOtherNonCurrentFinancialAssets + PurchaseOfOtherFinancialAssets + 기타금융자산의취득 + 기타금융자산의증가 + 장기투자자산의취득 + 금융기관예치금의증가 + PurchaseOfShortTermFinancialInstruments + PurchaseOfLongTermFinancialInstruments + 단기금융상품의취득 + 단기금융상품의증가 + 장기금융상품의취득 + 장기금융상품의증가 + 매도가능금융자산의취득 + 만기보유금융자산의취득 + 당기손익-공정가치측정금융자산의취득 + 당기손익-공정가치금융자산의취득 + 기타포괄손익-공정가치금융자산의취득 + 기타포괄손익-공정가치측정금융자산의취득 + 상각후원가측정금융자산의취득
  investments_sold          ProceedsFromSalesOfOtherNonCurrentFinancialAssets + ProceedsFromSalesOfOtherCurrentFinancialAssets + 기타금융자산의처분 + 기타금융자산의감소 + 장기투자자산의처분 + 금융기관예치금의감소 + ProceedsFromSalesOfShortTermFinancialInstruments + ProceedsFromSalesOfLongTermFinancialInstruments + 단기금융상품의처분 + 단기금융상품의감소 + 장기금융상품의처분 + 장기금융상품의감소 + 매도가능금융자산의처분 + 만기보유금융자산의처분 + 당기손익-공정가치측정금융자산의처분 + 당기손익-공정가치금융자산의처분 + 기타포괄손익-공정가치금융자산의처분 + 기타포괄손익-공정가치측정금융자산의처분 + 상각후원가측정금융자산의처분
  loans_made                PurchaseOfShortTermLoansAndReceivables + PurchaseOfLongTermLoansAndReceivables + 단기대여금의증가 + 장기대여금의증가 + 단기대여금의대여 + 장기대여금의대여
  loans_collected           단기대여금의감소 + 장기대여금의감소 + 단기대여금의회수 + 장기대여금의회수
  guarantee_deposits_paid   보증금의증가@investing_cash_flow + 임차보증금의증가@investing_cash_flow
  guarantee_deposits_returned 보증금의감소@investing_cash_flow + 임차보증금의감소@investing_cash_flow
  held_for_sale_sold        매각예정자산의처분 매각예정비유동자산의처분
  government_grants_received 정부보조금의수령@investing_cash_flow 정부보조금의수취@investing_cash_flow
  investing_cash_flow       투자활동현금흐름 투자활동으로인한현금흐름 투자활동순현금흐름 투자활동으로인한순현금흐름
  financing_inflows         재무활동으로인한현금유입액
  financing_outflows        재무활동으로인한현금유출액
  debt_issued               ProceedsFromShortTermBorrowings + ProceedsFromLongTermBorrowings + ProceedsFromBonds + 단기차입금의차입 + 단기차입금의증가 + 장기차입금의차입 + 장기차입금의증가 + 사채의발행 + 사채의증가 + 단기사채의발행 + 차입금의증가 + 사채및차입금의증가
  debt_repaid               RepaymentsOfShortTermBorrowings + RepaymentsOfLongTermBorrowings + RepaymentsOfBonds + 단기차입금의상환 + 단기차입금의감소 + 장기차입금의상환 + 장기차입금의중도상환 + 유동성장기차입금의상환 + 유동성장기부채의상환 + 사채의상환 + 유동성사채의상환 + 유동성장기사채의상환 + 단기사채의상환 + 차입금의상환 + 사채및차입금의감소
  debt_net                  단기차입금의순증감 단기차입금의순증가
  leases_repaid             리스부채의상환 리스부채의감소 리스부채의원금상환 유동성리스부채의상환 금융리스부채의상환 금융리스부채의감소 유동성금융리스부채의상환
  stock_issued              유상증자
  share_repurchases         AcquisitionOfTreasuryShares 자기주식의취득 자기주식취득
  treasury_stock_sold       자기주식의처분
  dividends_paid            배당금의지급 배당금지급
  hybrid_interest_paid      신종자본증권의이자지급 신종자본증권이자지급
  financing_cash_flow       재무활동현금흐름 재무활동으로인한현금흐름 재무활동순현금흐름 재무활동으로인한순현금흐름
  exchange_rate_effect      현금및현금성자산의환율변동효과 외화표시현금및현금성자산의환율변동효과 외화환산으로인한현금및현금성자산의변동 현금및현금성자산의환율변동으로인한효과 외화환산으로인한현금변동 현금및현금성자산에대한환율변동효과
  cash_change               현금및현금성자산의증가 현금및현금성자산의순증가 현금의증가 현금및현금성자산의증감
  cash_at_beginning         CashAndCashEquivalentsAtBeginningOfPeriodCf 기초현금및현금성자산 기초의현금및현금성자산
  cash_at_end               CashAndCashEquivalentsAtEndOfPeriodCf 기말현금및현금성자산 기말의현금및현금성자산 분기말의현금및현금성자산 반기말의현금및현금성자산
  `,
  prefixes,
)

export const korea: Taxonomy = {
  defines: tag => /^dart[:_]|^name:/.test(tag),
  extentOf: () => 'partial',
  // Many income statements leave the owners' part to the statement of comprehensive income.
  ownersHaveAll: (statement, isAlone) => isAlone || statement === 'balance',
  contradicts: (label, line) =>
    /순증|순감|순변동/.test(label) && /_(bought|sold|issued|repaid|made|collected)$/.test(line),
  statements: {
    income: joined(ifrsIncome, income),
    balance: joined(ifrsBalance, balance),
    cash_flow: joined(ifrsCashFlow, cashFlow),
  },
}

import { emptySchema, joined, readTable, type Taxonomy } from './taxonomy.ts'

/**
 * Codes of the official forms: 2050 to 2053 of the complete accounts (C), 2033-A and 2033-B of the simplified ones (S). Of
 * the consolidated form (K) only the codes of the totals are certain to mean the same.
 */
const completeBalance = readTable(
  `
  .                         AA
  formation_expenses        AB
  .                         CX AF
  goodwill                  AH
  .                         AJ AL
  land                      AN
  buildings                 AP
  machinery_equipment       AR
  .                         AT
  construction_in_progress  AV
  .                         AX CS CU BB BD BF BH
  noncurrent_assets         BJ
  inventory                 BL + BN + BP + BR + BT
  .                         BV
  receivables               BX
  other_receivables         BZ
  .                         CB
  short_term_investments    CD
  cash                      CF
  prepaid_expenses          CH
  current_assets            CJ
  .                         CW CM CN
  assets                    CO
  common_stock              DA
  additional_paid_in_capital DB
  revaluation_surplus       DC
  reserves                  DD + DE + DF + DG
  retained_earnings         DH
  net_income_of_year        DI
  investment_grants         DJ
  .                         DK
  equity                    DL
  .                         DM DN
  other_own_funds           DO
  .                         DP DQ
  provisions                DR
  notes_and_bonds           DS + DT
  bank_debt                 DU
  other_borrowings_sundry   DV
  customer_deposits         DW
  payables                  DX
  tax_and_social_liabilities DY
  .                         DZ
  other_payables            EA
  deferred_revenue          EB
  liabilities               EC
  .                         ED
  liabilities_and_equity    EE
  .                         EF EG EH

  BJ = AB + CX + AF + AH + AJ + AL + AN + AP + AR + AT + AV + AX + CS + CU + BB + BD + BF + BH
  CJ = BL + BN + BP + BR + BT + BV + BX + BZ + CB + CD + CF + CH
  CO = AA + BJ + CJ + CW + CM + CN
  DL = DA + DB + DC + DD + DE + DF + DG + DH + DI + DJ + DK
  DO = DM + DN
  DR = DP + DQ
  EC = DS + DT + DU + DV + DW + DX + DY + DZ + EA + EB
  EE = DL + DO + DR + EC + ED
  CO = EE
  `,
  { '': 'C' },
)

const completeIncome = readTable(
  `
  revenue_goods             FA + FD | FC + FF
  revenue_services          FG | FI
  revenue                   FJ | FL
  inventory_change          FM
  own_work_capitalized      FN
  operating_subsidies       FO
  .                         FP
  other_operating_income    FQ
  total_operating_revenue   FR
  purchases                 FS + FT + FU + FV
  external_expenses         FW
  taxes_other_than_income   FX
  compensation              FY + FZ
  depreciation_and_amortization_expense GA
  .                         GB GC GD
  other_operating_expense   GE
  operating_expenses        GF
  operating_income          GG
  .                         GH GI GJ GK GL GM GN GO
  finance_income            GP
  .                         GQ
  interest_expense          GR
  .                         GS GT
  finance_costs             GU
  financial_result          GV
  ordinary_income           GW
  .                         HA HB HC
  extraordinary_income      HD
  .                         HE HF HG
  extraordinary_loss        HH
  extraordinary_result      HI
  employee_profit_sharing   HJ
  income_tax                HK
  .                         HL HM
  net_income                HN
  .                         HO HP HQ HY HZ

  FR = FJ + FM + FN + FO + FP + FQ
  FJ = FL
  GF = FS + FT + FU + FV + FW + FX + FY + FZ + GA + GB + GC + GD + GE
  GG = FR - GF
  GP = GJ + GK + GL + GM + GN + GO
  GU = GQ + GR + GS + GT
  GV = GP - GU
  GW = GG + GH - GI + GP - GU
  HD = HA + HB + HC
  HH = HE + HF + HG
  HI = HD - HH
  HL = FR + GH + GP + HD
  HM = GF + GI + GU + HH + HJ + HK
  HN = HL - HM
  `,
  { '': 'C' },
)

const simplifiedBalance = readTable(
  `
  goodwill                  010
  .                         014 028 040
  noncurrent_assets         044
  inventory                 050 + 060
  .                         064
  receivables               068
  other_receivables         072
  short_term_investments    080
  cash                      084
  .                         088
  prepaid_expenses          092
  current_assets            096
  assets                    110
  common_stock              120
  revaluation_surplus       124
  reserves                  126 + 130 + 132
  retained_earnings         134
  net_income_of_year        136
  .                         140
  equity                    142
  provisions                154
  debt                      156
  customer_deposits         164
  payables                  166
  .                         172
  deferred_revenue          174
  liabilities               176
  liabilities_and_equity    180

  096 = 050 + 060 + 064 + 068 + 072 + 080 + 084 + 088 + 092
  110 = 044 + 096
  142 = 120 + 124 + 126 + 130 + 132 + 134 + 136 + 140
  180 = 142 + 154 + 176
  110 = 180
  `,
  { '': 'S' },
)

const simplifiedIncome = readTable(
  `
  revenue                   210 + 214 + 218
  inventory_change          222
  own_work_capitalized      224
  operating_subsidies       226
  other_operating_income    230
  total_operating_revenue   232
  purchases                 234 + 236 + 238 + 240
  external_expenses         242
  taxes_other_than_income   244
  compensation              250 + 252
  depreciation_and_amortization_expense 254
  .                         256
  other_operating_expense   262
  operating_expenses        264
  operating_income          270
  finance_income            280
  extraordinary_income      290
  finance_costs             294
  extraordinary_loss        300
  income_tax                306
  net_income                310

  232 = 210 + 214 + 218 + 222 + 224 + 226 + 230
  264 = 234 + 236 + 238 + 240 + 242 + 244 + 250 + 252 + 254 + 256 + 262
  270 = 232 - 264
  310 = 232 - 264 + 280 + 290 - 294 - 300 - 306
  `,
  { '': 'S' },
)

const consolidatedBalance = readTable(
  `
  cash                      CF
  current_assets            CJ
  assets                    CO
  equity_including_minority_interest DL
  liabilities               EC
  `,
  { '': 'K' },
)

const consolidatedIncome = readTable(
  `
  revenue                   FJ | FL
  operating_income          GG
  net_income_including_minority_interest R6
  net_income                R8
  `,
  { '': 'K' },
)

export const france: Taxonomy = {
  defines: tag => /^[CKS]:[A-Z\d]{2,3}$/.test(tag),
  extentOf: () => 'complete',
  ownersHaveAll: () => false,
  statements: {
    income: joined(completeIncome, simplifiedIncome, consolidatedIncome),
    balance: joined(completeBalance, simplifiedBalance, consolidatedBalance),
    cash_flow: emptySchema,
  },
}

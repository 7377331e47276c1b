import { type Concept, conceptTable, flow, perShare, stock } from '../../reading/conceptTable.ts'

/** A balance sheet, an income statement (or statement of comprehensive income), or a cash flow statement. */
export type Sheet = 'position' | 'income' | 'cashFlow'

/** The prefix of tags of the company alone; tags of the group have none. */
export const soloMark = 'OFS:'
/** The prefix of tags that are account names, for accounts without a standard code. */
export const nameMark = 'name:'

interface Account {
  readonly sheet: Sheet
  readonly concept: (...tagGroups: (readonly string[])[]) => Concept
  /** Standard codes; `ifrs_` in older filings is read as `ifrs-full_`. */
  readonly codes: readonly string[]
  /** Names without spaces, numbering and notes. */
  readonly names: readonly string[]
}

/**
 * Names that filers give to earnings per common share: with or without the kind of share, the period, and the
 * word net.
 */
const earningsPerShare = (kinds: readonly string[]) =>
  ['', '보통주'].flatMap(share =>
    kinds.flatMap(kind =>
      ['', '당기', '반기', '분기'].flatMap(period =>
        ['이익', '순이익', '손익', '순손익'].map(word => `${share}${kind}주당${period}${word}`),
      ),
    ),
  )
const bothKinds = ['기본및희석', '기본/희석']

/**
 * Accounts by metric, better ones first. Names must match as a whole: earnings of a preferred share or of a
 * part of the business are other accounts.
 */
const accounts = {
  revenue: {
    sheet: 'income',
    concept: flow,
    codes: ['ifrs-full_Revenue'],
    names: ['매출액', '수익', '영업수익', '매출'],
  },
  gross_profit: {
    sheet: 'income',
    concept: flow,
    codes: ['ifrs-full_GrossProfit'],
    names: ['매출총이익', '매출총손익'],
  },
  operating_income: {
    sheet: 'income',
    concept: flow,
    codes: ['dart_OperatingIncomeLoss', 'ifrs-full_ProfitLossFromOperatingActivities'],
    names: ['영업이익', '영업손익'],
  },
  net_income: {
    sheet: 'income',
    concept: flow,
    codes: ['ifrs-full_ProfitLoss'],
    names: ['당기순이익', '반기순이익', '분기순이익', '당기순손익', '반기순손익', '분기순손익'].flatMap(
      name => [name, `연결${name}`],
    ),
  },
  eps: {
    sheet: 'income',
    concept: perShare,
    codes: ['ifrs-full_BasicEarningsLossPerShare'],
    names: earningsPerShare(['기본', ...bothKinds]),
  },
  eps_diluted: {
    sheet: 'income',
    concept: perShare,
    codes: ['ifrs-full_DilutedEarningsLossPerShare'],
    names: earningsPerShare(['희석', ...bothKinds]),
  },
  assets: { sheet: 'position', concept: stock, codes: ['ifrs-full_Assets'], names: ['자산총계'] },
  current_assets: {
    sheet: 'position',
    concept: stock,
    codes: ['ifrs-full_CurrentAssets'],
    names: ['유동자산'],
  },
  cash: {
    sheet: 'position',
    concept: stock,
    codes: ['ifrs-full_CashAndCashEquivalents'],
    names: ['현금및현금성자산'],
  },
  liabilities: { sheet: 'position', concept: stock, codes: ['ifrs-full_Liabilities'], names: ['부채총계'] },
  current_liabilities: {
    sheet: 'position',
    concept: stock,
    codes: ['ifrs-full_CurrentLiabilities'],
    names: ['유동부채'],
  },
  equity: { sheet: 'position', concept: stock, codes: ['ifrs-full_Equity'], names: ['자본총계'] },
  operating_cash_flow: {
    sheet: 'cashFlow',
    concept: flow,
    codes: ['ifrs-full_CashFlowsFromUsedInOperatingActivities'],
    names: [
      '영업활동현금흐름',
      '영업활동으로인한현금흐름',
      '영업활동순현금흐름',
      '영업활동으로인한순현금흐름',
    ],
  },
} as const satisfies Record<string, Account>

const tagsOf = ({ codes, names }: Account) => [...codes, ...names.map(name => `${nameMark}${name}`)]

/** The group's figures and, if a filing has none, those of the company alone. */
export const concepts: Readonly<Record<string, Concept>> = Object.fromEntries(
  Object.entries(accounts).map(([metric, account]: [string, Account]) => {
    const tags = tagsOf(account)
    return [
      metric,
      account.concept(
        tags,
        tags.map(tag => `${soloMark}${tag}`),
      ),
    ]
  }),
)

export const { rules, usesOfTag } = conceptTable(concepts, {
  annualForm: /^11011$/,
  quarterlyForm: /^1101[234]$/,
  basis: tag => (tag.startsWith(soloMark) ? 1 : 0),
})

const sheets = new Map(
  Object.values(accounts).flatMap((account: Account) => tagsOf(account).map(tag => [tag, account.sheet])),
)

/**
 * The sheet on which a tag is trusted: a cash flow statement, for example, begins with a profit of its own.
 */
export const sheetOf = (tag: string): Sheet | undefined => sheets.get(tag)

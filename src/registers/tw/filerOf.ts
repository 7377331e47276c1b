import type { Filer } from './deadline.ts'

/** The exchange's listings (L) and those over the counter (O), each by kind of industry: general, banks, brokers, financial
 * holdings, insurers, mixed groups. */
const tableName = /t187ap0[67]_([A-Z])_(ci|basi|bd|fh|ins|mim)(?![a-z])/

/** Columns that only financial institutions have. */
const financialColumns = [
  '利息淨收益',
  '支出及費用',
  '存放央行及拆借銀行同業',
  '存放央行及拆借金融同業',
  '保險負債',
]

/** Who files a row of a table, by the table's name, the company's, and the columns. Where they leave it open the later
 * deadline holds: a table without its own name may be of companies that are not listed, a row without a name may be of a
 * foreign company, which bears KY. */
export function filerOf(
  fileName: string,
  name: string | null,
  row: Readonly<Record<string, unknown>>,
): Filer {
  const [, market, industry] = tableName.exec(fileName) ?? []
  if (market !== 'L' && market !== 'O') return 'unlisted'
  const isFinancial = financialColumns.some(column => column in row)
  if (industry === 'fh' || (isFinancial && (industry === 'ci' || industry === 'mim'))) return 'holding'
  return industry === 'ci' && name !== null && !/[KＫ][YＹ]\s*$/i.test(name) ? 'general' : 'half-year later'
}

/** Depositary receipts (codes 91..): what of their reports is due here depends on their home country. */
export const isSecondaryListing = (code: string): boolean => /^91\d{2}([0-9A-Z]{2})?$/.test(code)

import type { EntityProfile } from '../../model/statement.ts'
import { textOf } from '../fields.ts'

export const isCorpCode = (text: string): boolean => /^\d{8}$/.test(text)
export const isStockCode = (text: string): boolean => /^[0-9A-Z]{6}$/.test(text)

/** The IDs of a company whose board is not known, the main board's first. */
export const assumedTickers = (stockCode: string): string[] => [`${stockCode}.KS`, `${stockCode}.KQ`]

export interface Company {
  readonly profile: EntityProfile
  /** The month in which its business years end; null where it makes no sense. */
  readonly closingMonth: number | null
  /** False: it is listed on neither board. */
  readonly onBoard: boolean
}

/** A company as the overview interface (`company.json`) describes it; null where the document is none. It names the board
 * (`corp_cls`: Y the main one, K the second) and the month in which business years end (`acc_mt`). */
export function readCompany(document: Record<string, unknown>): Company | null {
  const corpCode = textOf(document.corp_code)
  if (corpCode === null || !isCorpCode(corpCode) || !('corp_cls' in document)) return null
  const stockCode = textOf(document.stock_code)
  const board = document.corp_cls === 'Y' ? '.KS' : document.corp_cls === 'K' ? '.KQ' : null
  const name = textOf(document.corp_name)
  const english = textOf(document.corp_name_eng)
  const closingMonth = monthOf(document.acc_mt)
  const onBoard = board !== null && stockCode !== null && isStockCode(stockCode)
  return {
    profile: {
      market: 'KR',
      issuerId: corpCode,
      ...(name === null ? {} : { name, nameIsFallback: true }),
      ...(english === null ? {} : { otherNames: [english] }),
      ...(onBoard
        ? {
            tickers: [`${stockCode}${board}`],
            tickersRefuted: assumedTickers(stockCode).filter(ticker => !ticker.endsWith(board)),
          }
        : {}),
      ...(closingMonth === null ? {} : { fiscalYearEnd: lastDayOf(closingMonth) }),
      registers: onBoard,
    },
    closingMonth,
    onBoard,
  }
}

/** `acc_mt`, `12`; null where it is no month. */
export function monthOf(text: unknown): number | null {
  const month = /^\d{1,2}$/.test(textOf(text) ?? '') ? Number(text) : 0
  return month >= 1 && month <= 12 ? month : null
}

const lastDayOf = (month: number) =>
  `${String(month).padStart(2, '0')}${month === 2 ? '28' : new Date(Date.UTC(2001, month, 0)).getUTCDate()}`

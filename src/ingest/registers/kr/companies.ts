import type { EntityProfile, ParsedDocument } from '../../../facts/reportedFact.ts'
import { textOf } from '../../reading/fields.ts'
import { readXml } from '../../reading/xml.ts'
import { contentWithoutFigures, type DocumentContent, LeftOut } from '../registerInterface.ts'

export const isCorpCode = (text: string): boolean => /^\d{8}$/.test(text)
export const isStockCode = (text: string): boolean => /^[0-9A-Z]{6}$/.test(text)

/** The tickers of a company whose board is unknown, the main board's first. */
export const assumedTickers = (stockCode: string): string[] => [`${stockCode}.KS`, `${stockCode}.KQ`]

export interface Company {
  readonly profile: EntityProfile
  /** The month in which its fiscal years end; null if invalid. */
  readonly closingMonth: number | null
  /** False if the company is listed on neither board. */
  readonly onBoard: boolean
}

/**
 * Parses an overview of a company (`company.json`): it states the board (`corp_cls`: Y for the main one, K
 * for the second) and the month in which fiscal years end (`acc_mt`). Returns null if it is not an overview.
 */
export function parseOverview(document: Record<string, unknown>): Company | null {
  const corpCode = textOf(document.corp_code)
  if (corpCode === null || !isCorpCode(corpCode) || !('corp_cls' in document)) return null
  const stockCode = textOf(document.stock_code)
  const board = document.corp_cls === 'Y' ? '.KS' : document.corp_cls === 'K' ? '.KQ' : null
  const name = textOf(document.corp_name)
  const english = textOf(document.corp_name_eng)
  const industry = textOf(document.induty_code)
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
            exchange: board === '.KS' ? 'KOSPI' : 'KOSDAQ',
            tickers: [`${stockCode}${board}`],
            tickersRefuted: assumedTickers(stockCode).filter(ticker => !ticker.endsWith(board)),
          }
        : {}),
      ...(closingMonth === null ? {} : { fiscalYearEnd: lastDayOf(closingMonth) }),
      ...(industry === null ? {} : { sector: `KSIC ${industry}` }),
      registers: onBoard,
    },
    closingMonth,
    onBoard,
  }
}

/** Parses `acc_mt`, such as `12`; null if it is not a month. */
export function monthOf(text: unknown): number | null {
  const month = /^\d{1,2}$/.test(textOf(text) ?? '') ? Number(text) : 0
  return month >= 1 && month <= 12 ? month : null
}

const lastDayOf = (month: number) =>
  `${String(month).padStart(2, '0')}${month === 2 ? '28' : new Date(Date.UTC(2001, month, 0)).getUTCDate()}`

const fields = ['corp_code', 'corp_name', 'corp_eng_name', 'stock_code'] as const
type Field = (typeof fields)[number]
type Entry = Partial<Record<Field, string>>
const isField = (name: string): name is Field => (fields as readonly string[]).includes(name)

/** No name of a company is longer. */
const maxTextLength = 1_000

/**
 * Reads CORPCODE.xml, the list of all companies that ever filed; those with a stock code are served. It does
 * not name the board, so both suffixes are assumed. A DOCTYPE is refused, because its entities could expand
 * without limit.
 */
export function readCorpCode(text: string): DocumentContent {
  const list = new CompanyList()
  let entry: Entry | null = null
  let field: Field | null = null
  let root: string | null = null
  readXml(text, {
    open({ name }) {
      if (root === null) {
        root = name
        if (name !== 'result') return `the list of companies is in <result>, not <${name.slice(0, 40)}>`
      } else if (name === 'list') entry = {}
      else field = entry !== null && isField(name) ? name : null
      return null
    },
    text(piece) {
      if (entry === null || field === null) return
      const known = entry[field] ?? ''
      if (known.length <= maxTextLength) entry[field] = known + piece
    },
    close(name) {
      const isTooLong = entry !== null && field !== null && (entry[field]?.length ?? 0) > maxTextLength
      if (isTooLong) return `${field} is longer than any name`
      if (name === 'list' && entry !== null) {
        list.add(entry)
        entry = null
      }
      field = null
      return null
    },
  })
  return contentWithoutFigures(list.parsed, list.leftOut)
}

class CompanyList {
  readonly parsed: ParsedDocument[] = []
  readonly leftOut = new LeftOut()
  readonly #seen = new Set<string>()

  add(entry: Entry): void {
    const corpCode = textOf(entry.corp_code)
    const stockCode = textOf(entry.stock_code)
    if (corpCode === null || !isCorpCode(corpCode)) {
      this.leftOut.add('a company without a corporate code of eight digits')
    } else if (stockCode === null) this.leftOut.add('a company without a stock code')
    else if (!isStockCode(stockCode)) this.leftOut.add('a stock code that is not six characters')
    else if (this.#seen.has(corpCode)) this.leftOut.add('a company listed a second time')
    else {
      this.#seen.add(corpCode)
      const name = textOf(entry.corp_name)
      const english = textOf(entry.corp_eng_name)
      const profile = {
        market: 'KR',
        issuerId: corpCode,
        ...(name === null ? {} : { name }),
        ...(english === null ? {} : { otherNames: [english] }),
        tickers: assumedTickers(stockCode),
        tickersAssumed: true,
        registers: true,
      }
      this.parsed.push({ profile, reportedFacts: [], filings: [] })
    }
  }
}

import { isRecord, textOf } from '../../reading/fields.ts'
import { contentWithoutFigures, type DocumentContent, LeftOut } from '../registerInterface.ts'
import { isCode, isSecondaryListing } from './deadlines.ts'

const columns = {
  code: '公司代號',
  name: '公司名稱',
  shortName: '公司簡稱',
  englishName: '英文簡稱',
} as const

/** Whether a document is the exchange's list of companies, `t187ap03_L`. */
export const isCompanyList = (document: unknown): document is readonly Record<string, unknown>[] =>
  Array.isArray(document) &&
  document.length > 0 &&
  document.every(row => isRecord(row) && Object.values(columns).every(column => column in row))

/**
 * Reads the names of listed companies. The tables of figures only have the short Chinese name (台積電); this
 * list adds the full name and the English one (TSMC), which people search for.
 */
export function readCompanyList(rows: readonly Record<string, unknown>[]): DocumentContent {
  const leftOut = new LeftOut()
  const parsed = rows.flatMap(row => {
    const code = textOf(row[columns.code]) ?? ''
    if (!isCode(code)) {
      leftOut.add('a row of the list of companies without a company')
      return []
    }
    if (isSecondaryListing(code)) {
      leftOut.add('a secondary listing, whose deadlines its home country sets')
      return []
    }
    const shortName = textOf(row[columns.shortName])
    const others = [textOf(row[columns.name]), textOf(row[columns.englishName])]
    return {
      profile: {
        market: 'TW',
        issuerId: code,
        ...(shortName === null ? {} : { name: shortName }),
        otherNames: others.flatMap(other => (other === null || other === shortName ? [] : [other])),
        tickers: [`${code}.TW`],
        registers: true,
      },
      reportedFacts: [],
      filings: [],
    }
  })
  return contentWithoutFigures(parsed, leftOut)
}

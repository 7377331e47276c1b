import type { Contribution } from '../../model/statement.ts'
import { textOf } from '../fields.ts'
import { readXml } from '../reading/readXml.ts'
import type { DocumentContent } from '../register.ts'
import { assumedTickers, isCorpCode, isStockCode } from './company.ts'

const fields = ['corp_code', 'corp_name', 'corp_eng_name', 'stock_code'] as const
type Field = (typeof fields)[number]
const isField = (name: string): name is Field => (fields as readonly string[]).includes(name)

/** No name of a company is longer. */
const longestText = 1_000

/** Reads CORPCODE.xml, the list of all companies that ever filed: those with a stock code are served. It does not name the
 * board, so both suffixes are assumed. A DOCTYPE is refused: it could hold a bomb. */
export function parseCorpCode(text: string): DocumentContent {
  const contributions: Contribution[] = []
  const leftOut = {
    'a company without a stock code': 0,
    'a stock code that is not six characters': 0,
    'a company without a corporate code of eight digits': 0,
    'a company named a second time': 0,
  }
  const seen = new Set<string>()
  let entry: Partial<Record<Field, string>> | null = null
  let field: Field | null = null
  let root: string | null = null
  const take = (found: Partial<Record<Field, string>>) => {
    const corpCode = textOf(found.corp_code)
    const stockCode = textOf(found.stock_code)
    if (corpCode === null || !isCorpCode(corpCode)) {
      leftOut['a company without a corporate code of eight digits']++
    } else if (stockCode === null) leftOut['a company without a stock code']++
    else if (!isStockCode(stockCode)) leftOut['a stock code that is not six characters']++
    else if (seen.has(corpCode)) leftOut['a company named a second time']++
    else {
      seen.add(corpCode)
      const name = textOf(found.corp_name)
      const english = textOf(found.corp_eng_name)
      contributions.push({
        profile: {
          market: 'KR',
          issuerId: corpCode,
          ...(name === null ? {} : { name }),
          ...(english === null ? {} : { otherNames: [english] }),
          tickers: assumedTickers(stockCode),
          tickersAssumed: true,
          registers: true,
        },
        statements: [],
        filings: [],
      })
    }
  }
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
      if (known.length <= longestText) entry[field] = known + piece
    },
    close(name) {
      const isTooLong = entry !== null && field !== null && (entry[field]?.length ?? 0) > longestText
      if (isTooLong) return `${field} is longer than any name`
      if (name === 'list' && entry !== null) {
        take(entry)
        entry = null
      }
      field = null
      return null
    },
  })
  return { contributions, figuresRead: 0, malformed: 0, leftOut }
}

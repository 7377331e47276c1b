import { Failure } from '../../../errors.ts'
import type { EntityProfile } from '../../../facts/reportedFact.ts'
import { textOf } from '../../reading/fields.ts'
import { type CsvRows, csvRows } from '../../reading/text.ts'
import { contentWithoutFigures, type DocumentContent, LeftOut } from '../registerInterface.ts'

/**
 * The ten digits of an enterprise number, however it is written (`BE 0410.682.657`, `410682657`); null if the
 * check digits, which are the last two, do not match.
 */
export function enterpriseNumber(text: unknown): string | null {
  if (typeof text !== 'string') return null
  const digits = text.trim().replace(/^BE/i, '').replaceAll(/[\s.]/g, '')
  if (!/^\d{9,10}$/.test(digits)) return null
  const number = digits.padStart(10, '0')
  return Number(number.slice(8)) === 97 - (Number(number.slice(0, 8)) % 97) ? number : null
}

/** The profile of an enterprise that deposits accounts. */
export const profileOf = (
  enterprise: string,
  name: string | null,
  nameIsFallback = false,
): EntityProfile => ({
  market: 'BE',
  issuerId: enterprise,
  ...(name === null ? {} : { name, ...(nameIsFallback ? { nameIsFallback } : {}) }),
  tickers: [`${enterprise}.BE`],
  registers: true,
})

/**
 * Reads names from a table of enterprises. Most of them never deposit accounts, so a name alone registers no
 * entity. Other tables on enterprises are recognised and skipped: their accounts by year have no deposit
 * date.
 */
export function readNames(text: string): DocumentContent {
  const rows = csvRows(text)
  const has = (...columns: string[]) => columns.every(column => rows.header.includes(column))
  if (has('enterprisenumber', 'denomination')) return namesIn(rows)
  const reason = has('enterprise_number', 'year', '20/58')
    ? 'a row of accounts without a deposit date'
    : has('code', 'description')
      ? 'a row of a list of codes'
      : has('enterprisenumber') || has('enterprise_number')
        ? 'a row about an enterprise without its name'
        : null
  if (reason === null) {
    throw new Failure(
      'body_invalid',
      'line 1: the table has no column `enterprisenumber`. Names are read from `enterprisenumber` and `denomination`.',
    )
  }
  const leftOut = new LeftOut()
  leftOut.add(reason, rows.records.length)
  return contentWithoutFigures([], leftOut)
}

function namesIn(rows: CsvRows): DocumentContent {
  const profiles: EntityProfile[] = []
  const leftOut = new LeftOut()
  for (const row of rows.records) {
    const issuerId = enterpriseNumber(row.enterprisenumber)
    const name = textOf(row.denomination)
    if (issuerId === null) leftOut.add('an enterprise without a number')
    else if (name === null) leftOut.add('an enterprise without a name')
    else profiles.push({ market: 'BE', issuerId, name, nameIsFallback: true, registers: false })
  }
  const parsed = profiles.map(profile => ({ profile, reportedFacts: [], filings: [] }))
  return contentWithoutFigures(parsed, leftOut)
}

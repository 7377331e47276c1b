import { dayNumber } from '../../../dates.ts'

/** The forms with figures in XBRL, and their amendments (10-K/A and the like). */
export const figureForms = /^(10-K|10-Q|10-KT|10-QT|20-F|40-F|6-K)(\/A)?$/

/**
 * The forms that determine a filer's state (`filing_role` in the migration 0046_universe.sql): periodic reports, and
 * notices that register or remove a class of securities.
 */
const stateForms =
  /^(10-?[KQ](T|T405|405|SB|SB40)?(\/A)?|20-F(\/A)?|40-F(\/A)?|25|25-NSE|15F?-(12B|12G|15D)|8-A12B)$/

export const decidesState = (form: string): boolean => stateForms.test(form)

/**
 * "Results of Operations and Financial Condition" was item 12 of Form 8-K from the day on which the SEC introduced it
 * (Release 33-8176) until the items were renumbered (Release 33-8400).
 */
const item12 = { first: dayNumber('2003-03-28'), renumbered: dayNumber('2004-08-23') }

/**
 * Whether a filing announces results.
 *
 * @param items as a list of submissions shows them: `2.02,9.01`
 * @param filed days since 1970-01-01
 */
export function announcesResults(form: string, items: string, filed: number): boolean {
  if (!/^8-K(\/A)?$/.test(form)) return false
  const numbers = items.split(',').map(item => item.trim())
  if (numbers.includes('2.02')) return true
  return numbers.includes('12') && filed >= item12.first && filed < item12.renumbered
}

import { dayNumber, endOfMonth, isIsoDate, isoDate } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import type { RegisterEntry, RegisterStatements } from '../../../facts/registerStatements.ts'
import { compactDay, dayOf, textOf } from '../../reading/fields.ts'
import { lastDayWithoutFilings } from './businessDays.ts'
import { decidesState } from './forms.ts'
import { cikOf } from './tickers.ts'

const columns = /^CIK\|Company Name\|Form Type\|Date Filed\|File ?name$/i

export const isMasterIndex = (bytes: Uint8Array): boolean => {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 2_000))
  return start.split(/\r?\n/).some(line => columns.test(line))
}

/**
 * Parses `master.idx` of a quarter, or `master.YYYYMMDD.idx` of a day: one line per filing and filer. The index of a
 * quarter that has not ended is complete up to the day in its header.
 */
export function parseMasterIndex(bytes: Uint8Array): RegisterStatements {
  // The encoding of filers' names is undocumented, but in practice they are ASCII.
  const lines = new TextDecoder('latin1').decode(bytes).split(/\r?\n/)
  const head = lines.findIndex(line => columns.test(line))
  const last = lastDayOf(lines.slice(0, head))
  const isDaily = lines.slice(0, head).some(line => /^Description:\s+Daily Index/i.test(line))
  const entries: RegisterEntry[] = []
  for (const line of lines.slice(head + 1)) {
    const fields = line.split('|')
    if (fields.length !== 5) continue
    const [number, name, form, date, path] = fields
    if (!decidesState(form.trim())) continue
    const cik = cikOf(number)
    const filed = date.includes('-') ? dayOf(date) : compactDay(date)
    const accession = /(\d{10}-\d\d-\d{6})\.txt$/.exec(path.trim())?.[1]
    if (cik === null || !(filed > 0) || accession === undefined)
      throw new Failure(
        'body_invalid',
        `This line of the index does not describe a filing: ${line.slice(0, 120)}`,
      )
    const companyName = textOf(name)
    entries.push({
      market: 'US',
      issuerId: cik,
      accession,
      form: form.trim(),
      filed,
      isStructured: false,
      ...(companyName === null ? {} : { companyName }),
    })
  }
  const first = isDaily ? last : startOfQuarter(last)
  const index = { market: 'US', isFull: true, first, last: lastDayWithoutFilings(last) }
  return { entries, indexes: [index], formerNames: [] }
}

/** `Last Data Received:    March 31, 2021` */
function lastDayOf(head: readonly string[]): number {
  for (const line of head) {
    const [, month, date, year] =
      /^Last Data Received:\s+([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4})/.exec(line) ?? []
    if (month === undefined) continue
    const number = months.indexOf(month) + 1
    const day = `${year}-${String(number).padStart(2, '0')}-${date.padStart(2, '0')}`
    if (isIsoDate(day)) return dayNumber(day)
  }
  throw new Failure(
    'body_invalid',
    'The header of the index does not state the day up to which it is complete.',
  )
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function startOfQuarter(day: number): number {
  const [year, month] = isoDate(day).split('-').map(Number)
  return endOfMonth(year, month - 1 - ((month - 1) % 3)) + 1
}

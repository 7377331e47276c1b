import { Failure } from '../../../errors.ts'
import type { RegisterEntry, RegisterStatements } from '../../../facts/registerStatements.ts'
import { compactDay, textOf } from '../../reading/fields.ts'
import { decidesState } from './forms.ts'
import { isMonthDay } from './submissions.ts'
import { cikOf } from './tickers.ts'

/** The complete text of a filing begins with one of these lines. */
export const isFiledText = (bytes: Uint8Array): boolean =>
  /^\s*(<SEC-DOCUMENT>|-----BEGIN PRIVACY-ENHANCED MESSAGE-----|<SEC-HEADER>)/.test(
    new TextDecoder('latin1').decode(bytes.subarray(0, 200)),
  )

/**
 * Reads the header of a filing's complete text and, for an exchange's notice (Form 25-NSE), the class of securities
 * that it removes. From the body of other forms nothing is read.
 */
export function readFiledNotice(bytes: Uint8Array): RegisterStatements {
  const text = new TextDecoder('latin1').decode(bytes)
  const end = text.indexOf('</SEC-HEADER>')
  if (end === -1) throw new Failure('body_invalid', 'The text of the filing has no complete <SEC-HEADER>.')
  const head = text.slice(0, end)
  const accession = valueIn(head, 'ACCESSION NUMBER')
  const form = valueIn(head, 'CONFORMED SUBMISSION TYPE')
  const filed = compactDay(valueIn(head, 'FILED AS OF DATE'))
  if (!/^\d{10}-\d\d-\d{6}$/.test(accession) || form === '' || !(filed > 0))
    throw new Failure(
      'body_invalid',
      'The header of the filing must state its accession number, form and filing date.',
    )
  if (!decidesState(form)) return { entries: [], indexes: [], formerNames: [] }
  const described = /<descriptionClassSecurity>([^<]*)<\/descriptionClassSecurity>/i.exec(text.slice(end))
  const isEquity = described === null ? null : isEquityClass(described[1])
  const entries = registrants(head).flatMap((block): RegisterEntry[] => {
    const issuerId = cikOf(valueIn(block, 'CENTRAL INDEX KEY'))
    if (issuerId === null) return []
    const companyName = textOf(valueIn(block, 'COMPANY CONFORMED NAME'))
    const industry = /\[(\d{3,4})\]/.exec(valueIn(block, 'STANDARD INDUSTRIAL CLASSIFICATION'))?.[1]
    const fiscalYearEnd = valueIn(block, 'FISCAL YEAR END')
    return [
      {
        market: 'US',
        issuerId,
        accession,
        form,
        filed,
        isStructured: false,
        ...(isEquity === null ? {} : { isEquity }),
        ...(companyName === null ? {} : { companyName }),
        ...(industry === undefined ? {} : { sector: `SIC ${industry.padStart(4, '0')}` }),
        ...(isMonthDay(fiscalYearEnd) ? { fiscalYearEnd } : {}),
      },
    ]
  })
  if (entries.length === 0) throw new Failure('body_invalid', 'The header of the filing names no registrant.')
  return { entries, indexes: [], formerNames: [] }
}

const valueIn = (text: string, label: string): string =>
  new RegExp(`^[ \\t]*${label}:[ \\t]*(.*)$`, 'm').exec(text)?.[1].trim() ?? ''

/** The companies that a filing is about. The exchange that files a notice is in a separate block, `FILED BY`. */
function registrants(head: string): string[] {
  const blocks = head.split(/^(?=(?:SUBJECT COMPANY|FILER|FILED BY|ISSUER|REPORTING-OWNER):[ \t]*\r?$)/m)
  return blocks.filter(block => /^(SUBJECT COMPANY|FILER):/.test(block))
}

/**
 * Whether the described class consists of or includes shares; null if the description leaves it open. Units and
 * warrants name the shares that they entitle to, so the text after `each` or `exercisable` is ignored.
 */
export function isEquityClass(description: string): boolean | null {
  const classes = description
    .split(/;| and (?=warrants?\b|units?\b|rights?\b|common\b|ordinary\b|class\b)/i)
    .map(one => one.replace(/\b(each|consisting|exercisable|representing|entitling|to purchase)\b.*$/is, ''))
  if (classes.some(one => shares.test(one) && !otherClass.test(one))) return true
  return classes.every(one => otherClass.test(one)) ? false : null
}

const shares =
  /\bcommon (stock|shares?|units?)\b|\bordinary shares?\b|\bamerican depositary (shares?|receipts?)\b|\bcapital stock\b/i
const otherClass =
  /\b(preferred|preference|warrants?|rights?|notes?|bonds?|debentures?|certificates?)\b|(?<!common )\bunits?\b/i

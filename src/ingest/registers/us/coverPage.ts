import { dayOf } from '../../reading/fields.ts'
import type { XbrlContext, XbrlFact, XbrlInstance } from '../../xbrl/instance.ts'
import { isMonthDay } from './submissions.ts'

/** What the cover page of a filing states about itself and its company. Null: it does not state this. */
export interface CoverPage {
  /** The identifiers in the contexts: CIKs, with or without leading zeros. */
  readonly entities: ReadonlySet<string>
  readonly form: string | null
  readonly periodEnd: number | null
  /** `MMDD` */
  readonly fiscalYearEnd: string | null
  readonly companyName: string | null
  /** The symbols of all classes of securities, in the order of the page. */
  readonly symbols: readonly string[]
}

const coverNamespace = /^https?:\/\/xbrl\.(?:us|sec\.gov)\/dei\//

export function readCoverPage({ contexts, facts }: XbrlInstance): CoverPage {
  const ofCover = facts.filter(({ namespace, unit }) => unit === null && coverNamespace.test(namespace))
  const text = (name: string): string | null => {
    const stated = ofCover.find(
      fact => fact.name === name && contexts.get(fact.context)?.dimensions.size === 0 && textOf(fact) !== '',
    )
    return stated === undefined ? null : textOf(stated)
  }
  const periodEnd = dayOf(isoDayOf(text('DocumentPeriodEndDate') ?? ''))
  const yearEnd = monthDayOf(text('CurrentFiscalYearEndDate') ?? '')
  return {
    entities: new Set([...contexts.values()].map(({ entity }) => entity)),
    form: text('DocumentType'),
    periodEnd: Number.isNaN(periodEnd) ? null : periodEnd,
    fiscalYearEnd: isMonthDay(yearEnd) ? yearEnd : null,
    companyName: text('EntityRegistrantName'),
    symbols: symbolsOf(ofCover, contexts),
  }
}

const textOf = ({ value }: XbrlFact) => (value ?? '').replace(/[\s\u00a0]+/g, ' ').trim()

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** The day of `March 29, 2025`, `29 March 2025`, `03/29/2025` or `2025-03-29` as `YYYY-MM-DD`; otherwise ''. */
function isoDayOf(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text
  const year = /(?:^|\D)(\d{4})$/.exec(text)?.[1]
  const monthDay = year === undefined ? '' : monthDayOf(text.slice(0, -4).replace(/[\s,/.-]+$/, ''))
  return monthDay === '' ? '' : `${year}-${monthDay.slice(0, 2)}-${monthDay.slice(2)}`
}

/** `--09-27`, `September 27`, `27 September` or `09/27` as `MMDD`; otherwise ''. */
function monthDayOf(text: string): string {
  const digits = /^(?:--)?(\d{1,2})[-/.](\d{1,2})$/.exec(text)
  if (digits !== null) return digits[1].padStart(2, '0') + digits[2].padStart(2, '0')
  const [, before, name = '', after] = /^(\d{1,2})?\W*([A-Za-z]{3,9})\W*(\d{1,2})?$/.exec(text) ?? []
  const month = months.indexOf(name.slice(0, 3).toLowerCase()) + 1
  const day = before ?? after
  return month === 0 || day === undefined ? '' : String(month).padStart(2, '0') + day.padStart(2, '0')
}

/** What companies write where they have no symbol. Some are symbols of other companies, which name an exchange. */
const placeholders: ReadonlySet<string> = new Set(['NA', 'N/A', 'NONE', 'NIL', 'NULL', 'TBD', 'NOT'])
const symbolPattern = /^[A-Z0-9]{1,8}(?:[./ -][A-Z0-9]{1,4})?$/
/** The page of a report of several companies states the symbols of the others along this axis. */
const otherCompanyAxis = /\}LegalEntityAxis$/
const maxSymbols = 100

function symbolsOf(facts: readonly XbrlFact[], contexts: ReadonlyMap<string, XbrlContext>): string[] {
  const onExchange = new Set(
    facts.flatMap(fact =>
      fact.name === 'SecurityExchangeName' && textOf(fact) !== '' ? [fact.context] : [],
    ),
  )
  const symbols = new Set<string>()
  for (const fact of facts) {
    const dimensions = contexts.get(fact.context)?.dimensions
    if (fact.name !== 'TradingSymbol' || dimensions === undefined) continue
    if ([...dimensions.keys()].some(axis => otherCompanyAxis.test(axis))) continue
    for (const part of textOf(fact).toUpperCase().split(/[,;]/)) {
      const symbol = part.trim()
      const isPlaceholder = placeholders.has(symbol) && !onExchange.has(fact.context)
      if (symbolPattern.test(symbol) && !isPlaceholder) symbols.add(symbol)
    }
  }
  return [...symbols].slice(0, maxSymbols)
}

import { Failure } from '../../../errors.ts'
import type { Announcement, FormerName, RegisterEntry } from '../../../facts/registerStatements.ts'
import type { Filing } from '../../../facts/reportedFact.ts'
import { dayOf, isRecord, textOf, textOfScalar } from '../../reading/fields.ts'
import { clocksOf, type ListedTime, shownDigits } from './edgarClock.ts'
import { announcesResults, decidesState } from './forms.ts'
import { cikOf, tickerOf } from './tickers.ts'

export interface Submissions {
  readonly cik: string
  /** Null in an overflow file, which only lists filings. */
  readonly entity: {
    readonly name: string | null
    readonly tickers: string[]
    readonly fiscalYearEnd: string | null
    readonly sector: string | null
    readonly exchange: string | null
    /** False for people and others who own or trade shares and never file accounts. */
    readonly filesAccounts: boolean
  } | null
  /** Filings with structured accounts, with the acceptance times as the list shows them. */
  readonly filings: Filing[]
  /** All reports and notices that determine the filer's state. */
  readonly entries: readonly RegisterEntry[]
  /** All filings that announce results, with or without structured data. */
  readonly announcements: readonly Announcement[]
  readonly formerNames: readonly FormerName[]
}

const accountForms = /^(10-K|10-Q|20-F|40-F|10-KT|10-QT|S-1|F-1|S-4|F-4)/

/** Parses the submissions of one filer. An overflow file does not name its filer, so `fileName` does. */
export function parseSubmissions(document: unknown, fileName: string): Submissions {
  const overflow = overflowColumns(document)
  if (overflow !== null) {
    const cik = cikOf(/CIK(\d{10})/.exec(fileName)?.[1])
    if (cik === null) {
      throw new Failure(
        'body_invalid',
        'A list of older submissions must have its filer in the file name: CIK##########-submissions-###.json.',
      )
    }
    return {
      cik,
      entity: null,
      ...readFilings(overflow, cik),
      entries: readEntries(cik, overflow),
      formerNames: [],
    }
  }
  const cik = isRecord(document) ? cikOf(document.cik) : null
  const filings = isRecord(document) ? document.filings : null
  if (!isRecord(document) || cik === null || !isRecord(filings) || !isRecord(filings.recent)) {
    throw new Failure(
      'body_invalid',
      'A submissions file must have `cik` (a CIK) and `filings.recent` (an object).',
    )
  }
  const tickers = Array.isArray(document.tickers)
    ? document.tickers.map(tickerOf).filter(ticker => ticker !== null)
    : []
  const yearEnd = document.fiscalYearEnd
  const forms = filings.recent.form
  return {
    cik,
    entity: {
      name: textOf(document.name),
      tickers,
      fiscalYearEnd: typeof yearEnd === 'string' && isMonthDay(yearEnd) ? yearEnd : null,
      sector: sectorOf(document),
      exchange: exchangeOf(document),
      filesAccounts:
        tickers.length > 0 ||
        (Array.isArray(forms) && forms.some(form => typeof form === 'string' && accountForms.test(form))),
    },
    ...readFilings(filings.recent, cik),
    entries: readEntries(cik, filings.recent),
    formerNames: readFormerNames(cik, document.formerNames),
  }
}

function sectorOf({ sic, sicDescription }: Record<string, unknown>): string | null {
  const code = textOf(sic)
  if (code === null || !/^\d{3,4}$/.test(code)) return null
  return ['SIC', code.padStart(4, '0'), textOf(sicDescription) ?? ''].join(' ').trim()
}

/** Without duplicates, in the order of the tickers. A ticker without an exchange has null there. */
function exchangeOf({ exchanges }: Record<string, unknown>): string | null {
  const names = Array.isArray(exchanges) ? exchanges.map(textOf).filter(name => name !== null) : []
  return names.length === 0 ? null : [...new Set(names)].join(', ')
}

/** A year end of 29 February is registered as such for every year, so it is valid. */
export const isMonthDay = (text: string) => /^(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])$/.test(text)

/** An overflow file is an object of parallel columns, or an array of such objects or of rows. */
function overflowColumns(document: unknown): Record<string, unknown> | null {
  if (isRecord(document)) return Array.isArray(document.accessionNumber) ? document : null
  if (!Array.isArray(document)) return null
  const columns: Record<string, unknown[]> = {}
  for (const row of document) {
    if (!isRecord(row)) return null
    for (const [name, value] of Object.entries(row)) {
      columns[name] ??= []
      if (Array.isArray(value)) columns[name].push(...value)
      else columns[name].push(value)
    }
  }
  return columns
}

const at = (column: unknown, row: number): unknown => (Array.isArray(column) ? column[row] : undefined)

function readEntries(issuerId: string, columns: Record<string, unknown>): RegisterEntry[] {
  const { accessionNumber, filingDate, form, isXBRL } = columns
  const entries: RegisterEntry[] = []
  const rows = Array.isArray(accessionNumber) ? accessionNumber.length : 0
  for (let row = 0; row < rows; row++) {
    const accession = at(accessionNumber, row)
    const type = textOf(at(form, row))
    const filed = dayOf(at(filingDate, row))
    if (typeof accession !== 'string' || !/^[0-9-]{10,25}$/.test(accession)) continue
    if (type === null || !decidesState(type) || !(filed > 0)) continue
    const isStructured = Boolean(at(isXBRL, row))
    entries.push({ market: 'US', issuerId, accession, form: type, filed, isStructured })
  }
  return entries
}

/** The register lists a filer's earlier names with the days of their first and last filing. */
function readFormerNames(issuerId: string, stated: unknown): FormerName[] {
  if (!Array.isArray(stated)) return []
  return stated.flatMap((former): FormerName[] => {
    const { name: sent, from, to } = isRecord(former) ? former : {}
    const name = textOf(sent)
    const until = dayOf(textOfScalar(to).slice(0, 10))
    const since = dayOf(textOfScalar(from).slice(0, 10))
    if (name === null || !(until > 0)) return []
    return [{ market: 'US', issuerId, name, from: since > 0 ? since : null, until }]
  })
}

interface ListedFiling extends ListedTime {
  readonly hasAccounts: boolean
  readonly announces: boolean
}

/**
 * All rows of a list help to determine its clock, but only those with structured accounts become filings, and only those
 * that announce results become announcements.
 */
function readFilings(
  columns: Record<string, unknown>,
  lister: string,
): Pick<Submissions, 'filings' | 'announcements'> {
  const { accessionNumber, filingDate, acceptanceDateTime, form, isXBRL, items } = columns
  if (![accessionNumber, filingDate, acceptanceDateTime, form].every(Array.isArray)) {
    throw new Failure(
      'body_invalid',
      'A list of submissions must have the columns accessionNumber, filingDate, acceptanceDateTime and form.',
    )
  }
  const listed: ListedFiling[] = []
  const announcements: Announcement[] = []
  const announce = (filing: Filing) => announcements.push({ market: 'US', issuerId: lister, filing })
  const rows = Array.isArray(accessionNumber) ? accessionNumber.length : 0
  for (let row = 0; row < rows; row++) {
    const accession = at(accessionNumber, row)
    const type = textOf(at(form, row))
    const filed = dayOf(at(filingDate, row))
    const accepted = textOfScalar(at(acceptanceDateTime, row))
    const shown = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(accepted) ? shownDigits(accepted) : Number.NaN
    if (typeof accession !== 'string' || !/^[0-9-]{10,25}$/.test(accession) || type === null) continue
    if (!(filed > 0)) continue
    const announces = announcesResults(type, textOf(at(items, row)) ?? '', filed)
    const hasAccounts = !Array.isArray(isXBRL) || Boolean(isXBRL[row])
    if (!Number.isNaN(shown)) listed.push({ accession, form: type, filed, shown, hasAccounts, announces })
    else if (announces) announce({ accession, form: type, filed, acceptedAt: null })
  }
  const clocks = clocksOf(listed)
  const filings: Filing[] = []
  for (const [row, { accession, form, filed, shown, hasAccounts, announces }] of listed.entries()) {
    const readings = [{ lister, shown, clock: clocks[row] }]
    const filing: Filing = { accession, form, filed, acceptedAt: null, readings }
    if (hasAccounts) filings.push(filing)
    if (announces) announce(filing)
  }
  return { filings, announcements }
}

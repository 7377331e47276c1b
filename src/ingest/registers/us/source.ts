import { addDays, type IsoDate, isIsoDate } from '../../../dates.ts'
import {
  accepted,
  advance,
  checkJson,
  expectRequests,
  type Plan,
  type RegisterRequest,
  requiredSetting,
  type Source,
  type SyncTask,
  send,
  throwFormatChanged,
} from '../../network/source.ts'
import { isRecord } from '../../reading/fields.ts'
import { parseJson } from '../../reading/json.ts'
import { parseCompanyTickers } from './tickers.ts'

/** SEC EDGAR: first every filer with a ticker, then the filers in each day's index. */
export const usSource: Source = {
  market: 'US',
  name: 'SEC EDGAR (United States)',
  requiredSettings: ['SEC_CONTACT'],
  secretSettings: [],
  contactSetting: 'SEC_CONTACT',
  companies: 'possible',
  help: `
The first run requests submissions, with the lists of older ones back to 2009, and companyfacts of every filer with a ticker
(or of those in --companies). Each later run reads the daily indexes since then and requests the filers in them. With
--since DATE, the daily indexes are read from that day on.`,
  plan,
}

/** Reports with figures in XBRL, and their amendments. */
const accountForms = /^(10-K|10-Q|10-KT|10-QT|20-F|40-F|6-K)(\/A)?$/

function* plan(task: SyncTask): Plan {
  const tickers = yield send(tickersRequest(task))
  const from = task.since ?? task.cursor('daily')
  if (from === null) {
    const listed =
      tickers.kind === 'fresh' ? parseCompanyTickers(parseJson(tickers.bytes)).map(one => one.cik) : []
    yield* fetchAll(task, task.companies.length > 0 ? task.companies : listed)
    return
  }
  const filers = new Map<string, IsoDate>()
  let last: IsoDate | null = null
  for (const quarter of quartersBetween(from, task.today)) {
    const directory = yield send(quarterDirectoryRequest(task, quarter))
    if (directory.kind !== 'fresh') continue
    for (const day of indexDays(parseJson(directory.bytes))) {
      if (day < from || (day === from && task.since === null)) continue
      const index = yield send(dailyIndexRequest(task, quarter, day))
      if (index.kind !== 'fresh') continue
      for (const cik of filersIn(latin1(index.bytes), task.companies)) filers.set(cik, day)
      last = day
    }
  }
  yield expectRequests(2 * filers.size)
  for (const [cik, day] of filers) yield* fetchFiler(task, cik, day)
  // Otherwise an unfinished first sweep would count as finished, and the filers it has not reached would be
  // missed.
  const isSwept = task.cursor('sweep') === null || task.cursor('daily') !== null
  if (last !== null && isSwept) yield advance('daily', last, 'run')
}

/**
 * The first sweep may take several days and runs. The daily indexes then continue from the day on which it
 * began.
 */
function* fetchAll(task: SyncTask, ciks: readonly string[]): Plan {
  const began = task.cursor('sweep') ?? task.today
  if (task.cursor('sweep') === null) yield advance('sweep', began, 'run')
  yield expectRequests(2 * ciks.length)
  for (const cik of ciks) yield* fetchFiler(task, cik, began)
  // The index of the sweep's first day is read as well: filings of that day may have followed the first
  // requests.
  yield advance('daily', dayBefore(began), 'run')
}

function* fetchFiler(task: SyncTask, cik: string, day: IsoDate): Plan {
  const submissions = yield send({
    ...filerRequest(task, 'submissions', `submissions/CIK${cik}.json`, cik, day),
    readByPlan: true,
  })
  const older = submissions.kind === 'fresh' ? olderLists(parseJson(submissions.bytes), cik) : []
  if (older.length > 0) yield expectRequests(older.length)
  for (const list of older) yield send(olderSubmissionsRequest(task, list))
  yield send(filerRequest(task, 'companyfacts', `api/xbrl/companyfacts/CIK${cik}.json`, cik, day))
}

const tickersRequest = ({ settings, today }: SyncTask): RegisterRequest => ({
  url: `${requiredSetting(settings, 'SEC_URL')}/files/company_tickers.json`,
  key: 'company_tickers',
  revision: today,
  fileName: 'company_tickers.json',
  imports: true,
  requiredByPlan: true,
  check: checkJson(document => {
    const first = isRecord(document) ? Object.values(document)[0] : null
    return isRecord(first) && 'cik_str' in first && 'ticker' in first
      ? accepted
      : throwFormatChanged('{"0": {cik_str, ticker, title}}')
  }),
})

const filerRequest = (
  { settings }: SyncTask,
  kind: 'submissions' | 'companyfacts',
  path: string,
  cik: string,
  day: IsoDate,
): RegisterRequest => ({
  url: `${requiredSetting(settings, 'SEC_DATA_URL')}/${path}`,
  key: `${kind}/${cik}`,
  revision: day,
  fileName: `${kind}/CIK${cik}.json`,
  imports: true,
  check: checkJson(document => {
    if (!isRecord(document) || !isRecord(document[kind === 'submissions' ? 'filings' : 'facts']))
      return throwFormatChanged(kind === 'submissions' ? '`filings`' : '`facts`')
    if (kind === 'submissions') olderLists(document, cik)
    return accepted
  }),
})

interface OlderList {
  readonly name: string
  readonly filings: string
  readonly to: IsoDate
}

/** Earlier filings have no accounts in XBRL, so their acceptance times are not needed. */
const firstAccounts = '2009-01-01'

/** A filer's own file has its thousand latest filings and names the lists of older ones. */
function olderLists(document: unknown, cik: string): OlderList[] {
  const filings = isRecord(document) && isRecord(document.filings) ? document.filings : {}
  const files = filings.files ?? []
  if (!Array.isArray(files) || files.length > 1_000) return throwFormatChanged('`filings.files`, a list')
  const lists = files.map((file): OlderList => {
    const { name, filingCount, filingTo } = isRecord(file) ? file : {}
    const isName = typeof name === 'string' && /^CIK\d{10}-submissions-\d{3}\.json$/.test(name)
    if (!isName || name.slice(3, 13) !== cik || typeof filingTo !== 'string' || !isIsoDate(filingTo))
      return throwFormatChanged('`filings.files` with `name` and `filingTo`')
    return { name, filings: String(filingCount), to: filingTo }
  })
  return lists.filter(({ to }) => to >= firstAccounts)
}

/** The revision changes when filings were added to the list, which is then requested again. */
const olderSubmissionsRequest = (
  { settings }: SyncTask,
  { name, filings, to }: OlderList,
): RegisterRequest => ({
  url: `${requiredSetting(settings, 'SEC_DATA_URL')}/submissions/${name}`,
  key: `submissions/${name}`,
  revision: `${filings} until ${to}`,
  fileName: `submissions/${name}`,
  imports: true,
  check: checkJson(document =>
    (isRecord(document) && Array.isArray(document.accessionNumber)) || Array.isArray(document)
      ? accepted
      : throwFormatChanged('`accessionNumber`, a list'),
  ),
})

const quarterDirectoryRequest = ({ settings }: SyncTask, quarter: string): RegisterRequest => ({
  url: `${requiredSetting(settings, 'SEC_URL')}/Archives/edgar/daily-index/${quarter}/index.json`,
  key: `daily-index/${quarter}`,
  revision: null,
  fileName: `daily-index/${quarter.replace('/', '-')}.json`,
  imports: false,
  requiredByPlan: true,
  check: checkJson(document => {
    indexDays(document)
    return accepted
  }),
})

const dailyIndexRequest = ({ settings }: SyncTask, quarter: string, day: IsoDate): RegisterRequest => {
  const name = `master.${day.replaceAll('-', '')}.idx`
  return {
    url: `${requiredSetting(settings, 'SEC_URL')}/Archives/edgar/daily-index/${quarter}/${name}`,
    key: `daily-index/${day}`,
    revision: '',
    fileName: `daily-index/${name}`,
    // Even an index without new reports is imported, because it shows who did not file on the day.
    imports: true,
    requiredByPlan: true,
    check: bytes =>
      latin1(bytes).includes('CIK|Company Name|Form Type|Date Filed|File Name')
        ? accepted
        : throwFormatChanged('the header CIK|Company Name|Form Type|Date Filed|File Name'),
  }
}

/** The days of a quarter that have an index, oldest first. */
function indexDays(document: unknown): IsoDate[] {
  const directory = isRecord(document) ? document.directory : null
  const items = isRecord(directory) ? directory.item : null
  if (!Array.isArray(items)) return throwFormatChanged('`directory.item`')
  return items
    .flatMap(item => (isRecord(item) ? [/^master\.(\d{4})(\d\d)(\d\d)\.idx$/.exec(String(item.name))] : []))
    .flatMap(match => (match === null ? [] : [match.slice(1).join('-')]))
    .filter(isIsoDate)
    .sort()
}

/** Filers' names are in no reliable encoding; they are not read. */
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** The filers in a daily index that filed accounts. */
function filersIn(index: string, wanted: readonly string[]): Set<string> {
  const only = wanted.length > 0 ? new Set(wanted) : null
  const ciks = new Set<string>()
  for (const line of index.split('\n')) {
    const [cik, , form] = line.split('|')
    if (form === undefined || !/^\d{1,10}$/.test(cik) || !accountForms.test(form.trim())) continue
    const padded = cik.padStart(10, '0')
    if (only === null || only.has(padded)) ciks.add(padded)
  }
  return ciks
}

/** `2026/QTR4` for every quarter from one day to another. */
function quartersBetween(from: IsoDate, to: IsoDate): string[] {
  const numberOf = (day: IsoDate) =>
    Number(day.slice(0, 4)) * 4 + Math.floor((Number(day.slice(5, 7)) - 1) / 3)
  const quarters: string[] = []
  for (let quarter = Math.max(numberOf(from), 1993 * 4); quarter <= numberOf(to); quarter++)
    quarters.push(`${Math.floor(quarter / 4)}/QTR${(quarter % 4) + 1}`)
  return quarters
}

const dayBefore = (day: IsoDate) => addDays(day, -1)

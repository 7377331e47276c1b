import { addDays, type IsoDate, isIsoDate } from '../../../dates.ts'
import {
  accepted,
  advance,
  checkJson,
  checkZip,
  expectRequests,
  type Plan,
  type RegisterRequest,
  type ResponseCheck,
  requiredSetting,
  type Source,
  type Step,
  type StepResult,
  type SyncTask,
  send,
  throwFormatChanged,
} from '../../network/source.ts'
import { isRecord } from '../../reading/fields.ts'
import { parseJson } from '../../reading/json.ts'
import { figureForms } from './forms.ts'
import { parseCompanyTickers } from './tickers.ts'

/** Data sets that a run requests, so that a first run ends on the same day. */
const setsPerRun = 8

/**
 * SEC EDGAR: first every filer with a ticker, then the filers in each day's index and their reports in full; and the
 * quarterly data sets.
 */
export const usSource: Source = {
  market: 'US',
  name: 'SEC EDGAR (United States)',
  requiredSettings: ['SEC_CONTACT'],
  secretSettings: [],
  contactSetting: 'SEC_CONTACT',
  companies: 'possible',
  help: `
The first run requests submissions, with the lists of older ones back to 2009, and companyfacts of every filer with a ticker
(or of those in --companies). Each later run reads the daily indexes since then and requests the filers in them, and each
of the new reports in full (its -xbrl.zip). With --since DATE, the daily indexes are read from that day on.

Reports of earlier days come in full from the SEC's quarterly data sets: every run without --companies requests up to
${setsPerRun} further ones, from 2009 on, and later each one when it is out (about 100 MB).`,
  plan,
}

function* plan(task: SyncTask): Plan {
  const tickers = yield send(tickersRequest(task))
  const from = task.since ?? task.cursor('daily')
  if (from === null) {
    const listed =
      tickers.kind === 'fresh' ? parseCompanyTickers(parseJson(tickers.bytes)).map(one => one.cik) : []
    yield* fetchAll(task, task.companies.length > 0 ? task.companies : listed)
    return
  }
  const filers = new Map<string, Filer>()
  let last: IsoDate | null = null
  for (const quarter of quartersBetween(from, task.today)) {
    const directory = yield send(quarterDirectoryRequest(task, quarter))
    if (directory.kind !== 'fresh') continue
    for (const day of indexDays(parseJson(directory.bytes))) {
      if (day < from || (day === from && task.since === null)) continue
      const index = yield send(dailyIndexRequest(task, quarter, day))
      if (index.kind !== 'fresh') continue
      for (const [cik, accessions] of reportsIn(latin1(index.bytes), task.companies)) {
        const known = filers.get(cik)?.accessions ?? []
        filers.set(cik, { day, accessions: isRecent(task, day) ? [...known, ...accessions] : known })
      }
      last = day
    }
  }
  yield expectRequests([...filers.values()].reduce((sum, { accessions }) => sum + 2 + accessions.length, 0))
  const fetched = new Set<string>()
  for (const [cik, { day, accessions }] of filers) {
    const submissions = yield* fetchFiler(task, cik, day)
    const withoutXbrl = accessionsWithoutXbrl(submissions)
    for (const accession of accessions) {
      // A report of several registrants is in the index once for each of them.
      if (withoutXbrl.has(accession) || fetched.has(accession)) continue
      fetched.add(accession)
      yield send(packageRequest(task, cik, accession))
    }
  }
  // Otherwise an unfinished first sweep would count as finished, and the filers it has not reached would be
  // missed.
  const isSwept = task.cursor('sweep') === null || task.cursor('daily') !== null
  if (last !== null && isSwept) yield advance('daily', last, 'run')
  yield* fetchDataSets(task)
}

/** A filer in the daily indexes: the last day on which it is there, and its reports that are fetched in full. */
interface Filer {
  readonly day: IsoDate
  readonly accessions: readonly string[]
}

/** After a longer pause, reports are read from the data sets, which come within days of the end of a quarter. */
const packageDays = 120

const isRecent = ({ today }: SyncTask, day: IsoDate) => day > addDays(today, -packageDays)

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
  yield* fetchDataSets(task)
}

/** The quarter of the first data set. */
const firstSet = '2009-03-31'

/**
 * The data sets of all filers, in order of their quarters. The cursor is the last day of the latest one. A set that is
 * not out yet, or cannot be fetched, is requested again by the next run.
 */
function* fetchDataSets(task: SyncTask): Plan {
  if (task.companies.length > 0) return
  const from = task.since === null ? (task.cursor('data sets') ?? dayBefore(firstSet)) : dayBefore(task.since)
  const due = quartersBetween(from, task.today)
    .map(lastDayOf)
    .filter(end => end > from && end < task.today)
  const asked = due.slice(0, setsPerRun)
  yield expectRequests(asked.length)
  for (const end of asked) {
    const { kind } = yield send(dataSetRequest(task, end))
    if (kind === 'failed') return
    // The SEC publishes a set within weeks. An older one that it does not have will not come.
    if (kind === 'missing' && end > addDays(task.today, -maxSetDelayDays)) return
    yield advance('data sets', end, 'part')
  }
}

const maxSetDelayDays = 180

/** The last day of a quarter like `2026/QTR4`. */
function lastDayOf(quarter: string): IsoDate {
  const [year, number] = quarter.split('/QTR').map(Number)
  return `${year}-${['03-31', '06-30', '09-30', '12-31'][number - 1]}`
}

/** Returns the filer's list of submissions, or null if it could not be fetched. */
function* fetchFiler(task: SyncTask, cik: string, day: IsoDate): Generator<Step, unknown, StepResult> {
  const submissions = yield send({
    ...filerRequest(task, 'submissions', `submissions/CIK${cik}.json`, cik, day),
    readByPlan: true,
  })
  const list = submissions.kind === 'fresh' ? parseJson(submissions.bytes) : null
  const older = list === null ? [] : olderLists(list, cik)
  if (older.length > 0) yield expectRequests(older.length)
  for (const named of older) yield send(olderSubmissionsRequest(task, named))
  yield send(filerRequest(task, 'companyfacts', `api/xbrl/companyfacts/CIK${cik}.json`, cik, day))
  return list
}

/** The filings that a list of submissions marks as without XBRL: there is no package of them to request. */
function accessionsWithoutXbrl(submissions: unknown): ReadonlySet<string> {
  const filings = isRecord(submissions) && isRecord(submissions.filings) ? submissions.filings : {}
  const { accessionNumber, isXBRL } = isRecord(filings.recent) ? filings.recent : {}
  if (!Array.isArray(accessionNumber) || !Array.isArray(isXBRL)) return new Set()
  return new Set(accessionNumber.map(String).filter((_, at) => isXBRL[at] === 0))
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

const notZip = (): ResponseCheck => ({
  kind: 'retry',
  reason: 'The register sent a page in place of the zip.',
})

/** A report in full. It never changes, so one that was archived is not requested again. */
const packageRequest = ({ settings }: SyncTask, cik: string, accession: string): RegisterRequest => ({
  url: `${requiredSetting(settings, 'SEC_URL')}/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}/${accession}-xbrl.zip`,
  key: `package/${accession}`,
  revision: '',
  fileName: `packages/${accession}-xbrl.zip`,
  imports: true,
  check: checkZip(notZip),
})

const dataSetRequest = ({ settings, today }: SyncTask, end: IsoDate): RegisterRequest => {
  const name = `${end.slice(0, 4)}q${Number(end.slice(5, 7)) / 3}`
  return {
    url: `${requiredSetting(settings, 'SEC_URL')}/files/dera/data/financial-statement-data-sets/${name}.zip`,
    key: `data set/${name}`,
    // A set that is not out yet is requested again on the next day.
    revision: today,
    fileName: `data-sets/${name}.zip`,
    imports: true,
    isLarge: true,
    check: checkZip(notZip),
  }
}

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

/** The filers in a daily index that filed accounts, with the accession numbers of their reports. */
function reportsIn(index: string, wanted: readonly string[]): Map<string, string[]> {
  const only = wanted.length > 0 ? new Set(wanted) : null
  const reports = new Map<string, string[]>()
  for (const line of index.split('\n')) {
    const [cik, , form, , file = ''] = line.split('|')
    if (form === undefined || !/^\d{1,10}$/.test(cik) || !figureForms.test(form.trim())) continue
    const padded = cik.padStart(10, '0')
    if (only !== null && !only.has(padded)) continue
    const accession = /\/(\d{10}-\d\d-\d{6})\.txt\s*$/.exec(file)?.[1]
    const known = reports.get(padded) ?? []
    reports.set(padded, accession === undefined ? known : [...known, accession])
  }
  return reports
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

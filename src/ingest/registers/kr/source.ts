import { addDays, type IsoDate } from '../../../dates.ts'
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
  type SyncTask,
  send,
  throwFormatChanged,
} from '../../network/source.ts'
import { isRecord } from '../../reading/fields.ts'
import { parseJson } from '../../reading/json.ts'

/** OpenDART: the list of each day's periodic reports, and the accounts of each report of a listed company. */
export const krSource: Source = {
  market: 'KR',
  name: 'OpenDART (Korea)',
  requiredSettings: ['OPENDART_KEY'],
  secretSettings: ['OPENDART_KEY'],
  contactSetting: null,
  companies: 'possible',
  help: `Fetches the list of companies, each day's list of periodic reports, and for every report of a listed company the
overview and the accounts (consolidated accounts where there are any). The first run starts with 2015, the first year
for which OpenDART has accounts. A key has a daily limit of requests; when it is used up, the next day's run
continues.`,
  plan,
}

const firstDay = '2015-01-01'
const maxPagesPerDay = 100

function* plan(task: SyncTask): Plan {
  yield send(corpCodeRequest(task))
  for (let day = task.since ?? task.cursor('lists') ?? firstDay; day <= task.today; day = addDays(day, 1)) {
    const reports: Report[] = []
    for (let page = 1; page <= maxPagesPerDay; page++) {
      const list = yield send(dayListRequest(task, day, page))
      if (list.kind !== 'fresh') break
      const document = parseJson(list.bytes)
      reports.push(...reportsOf(document, task.companies))
      if (!isRecord(document) || page >= Number(document.total_page)) break
    }
    yield expectRequests(2 * reports.length)
    for (const report of reports) {
      yield send(overviewRequest(task, report.company))
      yield* fetchAccounts(task, report)
    }
    // The day ends in Korea nine hours before it ends in UTC; the next run requests today's list again.
    yield advance('lists', day, 'run')
  }
}

interface Report {
  readonly company: string
  readonly receipt: string
  /** The business years and report codes under which its accounts may be filed, the likeliest first. */
  readonly periods: readonly { readonly year: number; readonly code: string }[]
}

/** The right combination is the one whose accounts have this receipt or that of a later amendment. */
function* fetchAccounts(task: SyncTask, report: Report): Plan {
  for (const period of report.periods) {
    for (const scope of ['CFS', 'OFS']) {
      const answer = yield send(accountsRequest(task, report, period, scope))
      if (answer.kind === 'missing') continue
      if (answer.kind !== 'fresh' || receiptOf(parseJson(answer.bytes)) >= report.receipt) return
      break
    }
  }
}

const receiptOf = (document: unknown): string => {
  const first = isRecord(document) && Array.isArray(document.list) ? document.list[0] : null
  return isRecord(first) ? String(first.rcept_no) : ''
}

const corpCodeRequest = ({ settings, today }: SyncTask): RegisterRequest => ({
  url: `${requiredSetting(settings, 'OPENDART_URL')}/corpCode.xml`,
  secretQuery: { crtfc_key: requiredSetting(settings, 'OPENDART_KEY') },
  key: 'corpCode',
  revision: today.slice(0, 7),
  fileName: 'corpCode.zip',
  imports: true,
  // Errors arrive as XML instead of a zip, with status 200.
  check: checkZip(bytes => {
    const status = /<status>(\d+)<\/status>/.exec(Buffer.from(bytes.subarray(0, 2_000)).toString())?.[1]
    return status === undefined ? throwFormatChanged('a zip') : checkStatus(status)
  }),
})

const dayListRequest = ({ settings, today }: SyncTask, day: IsoDate, page: number): RegisterRequest => {
  const compact = day.replaceAll('-', '')
  return {
    url: `${requiredSetting(settings, 'OPENDART_URL')}/list.json?bgn_de=${compact}&end_de=${compact}&pblntf_ty=A&page_no=${page}&page_count=100`,
    secretQuery: { crtfc_key: requiredSetting(settings, 'OPENDART_KEY') },
    key: `list/${day}/${page}`,
    revision: day < today ? '' : null,
    fileName: `list/list_${compact}_${page}.json`,
    imports: false,
    requiredByPlan: true,
    check: checkJson(document => checkEnvelope(document, 'total_page', 'list')),
  }
}

/** Requests the board on which a company is listed and the month in which its years end. */
const overviewRequest = ({ settings, today }: SyncTask, company: string): RegisterRequest => ({
  url: `${requiredSetting(settings, 'OPENDART_URL')}/company.json?corp_code=${company}`,
  secretQuery: { crtfc_key: requiredSetting(settings, 'OPENDART_KEY') },
  key: `company/${company}`,
  revision: today.slice(0, 7),
  fileName: `company/company_${company}.json`,
  imports: true,
  subject: company,
  check: checkJson(document => checkEnvelope(document, 'corp_cls')),
})

const accountsRequest = (
  { settings }: SyncTask,
  { company, receipt }: Report,
  { year, code }: Report['periods'][number],
  scope: string,
): RegisterRequest => ({
  url: `${requiredSetting(settings, 'OPENDART_URL')}/fnlttSinglAcntAll.json?corp_code=${company}&bsns_year=${year}&reprt_code=${code}&fs_div=${scope}`,
  secretQuery: { crtfc_key: requiredSetting(settings, 'OPENDART_KEY') },
  key: `accounts/${company}/${year}/${code}/${scope}`,
  revision: receipt,
  fileName: `fnlttSinglAcntAll_${company}_${year}_${code}_${scope}.json`,
  imports: true,
  subject: company,
  check: checkJson(document => checkEnvelope(document, 'list')),
})

function checkEnvelope(document: unknown, ...fields: readonly string[]): ResponseCheck {
  if (!isRecord(document) || typeof document.status !== 'string') return throwFormatChanged('`status`')
  if (document.status !== '000') return checkStatus(document.status)
  const isWhole = fields.every(
    field => field in document && (field !== 'list' || Array.isArray(document.list)),
  )
  return isWhole ? accepted : throwFormatChanged(fields.map(field => `\`${field}\``).join(' and '))
}

/** OpenDART reports errors in the body, with status 200. */
function checkStatus(status: string): ResponseCheck {
  switch (status) {
    case '013':
    case '014':
      return { kind: 'missing' }
    case '010':
    case '011':
    case '012':
    case '901':
      return { kind: 'refused', reason: `OpenDART refuses the key (${status}).` }
    case '020':
    case '021':
      return {
        kind: 'exhausted',
        reason: `OpenDART: this key has no requests left for today (${status}).`,
      }
    case '800':
    case '900':
      return { kind: 'retry', reason: `OpenDART is not available (${status}).` }
    default:
      return throwFormatChanged(`a known status instead of ${status.slice(0, 20)}`)
  }
}

/** Periodic reports of listed companies (main board Y, second board K). */
function reportsOf(document: unknown, companies: readonly string[]): Report[] {
  const rows = isRecord(document) && Array.isArray(document.list) ? document.list.filter(isRecord) : []
  return rows.flatMap(row => {
    const company = String(row.corp_code)
    const receipt = String(row.rcept_no)
    const named = /(사업|반기|분기)보고서 *\((\d{4})\.(\d\d)\)/.exec(String(row.report_nm))
    if (named === null || !/^\d{8}$/.test(company) || !/^\d{14}$/.test(receipt)) return []
    if (companies.length > 0 ? !companies.includes(company) : !/^[YK]$/.test(String(row.corp_cls))) return []
    return [{ company, receipt, periods: periodsOf(named[1], Number(named[2]), named[3]) }]
  })
}

/**
 * The list names the month in which the period ends; the accounts are filed under a business year and the
 * number of the quarter. For years that do not end in December, the business year may be the previous
 * calendar year.
 */
function periodsOf(kind: string, year: number, month: string): Report['periods'] {
  const byMonth = month === '03' ? ['11013', '11014'] : ['11014', '11013']
  const codes = kind === '사업' ? ['11011'] : kind === '반기' ? ['11012'] : byMonth
  const isCalendar = { 사업: '12', 반기: '06', 분기: '03 09' }[kind]?.includes(month)
  if (isCalendar)
    return [...codes.map(code => ({ year, code })), ...codes.map(code => ({ year: year - 1, code }))]
  return codes.flatMap(code => [
    { year, code },
    { year: year - 1, code },
  ])
}

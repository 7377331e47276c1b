import { addDays, type IsoDate } from '../../../dates.ts'
import {
  advance,
  ask,
  expectRequests,
  formChanged,
  good,
  judgeJson,
  judgeZip,
  type Plan,
  type RegisterRequest,
  type Source,
  type SyncTask,
  settingOf,
  type Verdict,
} from '../../network/source.ts'
import { isRecord } from '../../reading/fields.ts'
import { parseJson } from '../../reading/json.ts'

/** OpenDART: the list of each day's periodic reports, and the accounts of each report of a listed company. */
export const krSource: Source = {
  market: 'KR',
  name: 'OpenDART (Korea)',
  required: ['OPENDART_KEY'],
  secret: ['OPENDART_KEY'],
  contact: null,
  companies: 'possible',
  help: `
The list of companies, each day's list of periodic reports, and the overview and the accounts (consolidated, else those of the company alone)
of every report of a listed company. The first run begins with 2015, which is as far as the accounts reach; a key has a
number of requests a day, and when they are used up the next day's run goes on.`,
  plan,
}

const firstDay = '2015-01-01'
const mostPagesADay = 100

function* plan(task: SyncTask): Plan {
  yield ask(companyCodes(task))
  for (let day = task.since ?? task.cursor('lists') ?? firstDay; day <= task.today; day = addDays(day, 1)) {
    const reports: Report[] = []
    for (let page = 1; page <= mostPagesADay; page++) {
      const list = yield ask(dayList(task, day, page))
      if (list.kind !== 'fresh') break
      const document = parseJson(list.bytes)
      reports.push(...reportsOf(document, task.companies))
      if (!isRecord(document) || page >= Number(document.total_page)) break
    }
    yield expectRequests(2 * reports.length)
    for (const report of reports) {
      yield ask(overview(task, report.company))
      yield* fetchAccounts(task, report)
    }
    // The day is over in Korea nine hours before it is over here; today's list is asked for again.
    yield advance('lists', day, 'run')
  }
}

interface Report {
  readonly company: string
  readonly receipt: string
  /** Under which business year and report code it may stand, the likeliest first. */
  readonly places: readonly { readonly year: number; readonly code: string }[]
}

/** The place is the one whose accounts have this receipt, or a later one that amends it. */
function* fetchAccounts(task: SyncTask, report: Report): Plan {
  for (const place of report.places) {
    for (const scope of ['CFS', 'OFS']) {
      const answer = yield ask(accounts(task, report, place, scope))
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

const companyCodes = ({ settings, today }: SyncTask): RegisterRequest => ({
  url: `${settingOf(settings, 'OPENDART_URL')}/corpCode.xml`,
  secretQuery: { crtfc_key: settingOf(settings, 'OPENDART_KEY') },
  key: 'corpCode',
  revision: today.slice(0, 7),
  fileName: 'corpCode.zip',
  imports: true,
  // What is no zip is an error in XML, under status 200.
  judge: judgeZip(bytes => {
    const status = /<status>(\d+)<\/status>/.exec(Buffer.from(bytes.subarray(0, 2_000)).toString())?.[1]
    return status === undefined ? formChanged('a zip') : verdictOf(status)
  }),
})

const dayList = ({ settings, today }: SyncTask, day: IsoDate, page: number): RegisterRequest => {
  const compact = day.replaceAll('-', '')
  return {
    url: `${settingOf(settings, 'OPENDART_URL')}/list.json?bgn_de=${compact}&end_de=${compact}&pblntf_ty=A&page_no=${page}&page_count=100`,
    secretQuery: { crtfc_key: settingOf(settings, 'OPENDART_KEY') },
    key: `list/${day}/${page}`,
    revision: day < today ? '' : null,
    fileName: `list/list_${compact}_${page}.json`,
    imports: false,
    needed: true,
    judge: judgeJson(document => judgeEnvelope(document, 'total_page', 'list')),
  }
}

/** The board on which a company is listed, and the month in which its years end. */
const overview = ({ settings, today }: SyncTask, company: string): RegisterRequest => ({
  url: `${settingOf(settings, 'OPENDART_URL')}/company.json?corp_code=${company}`,
  secretQuery: { crtfc_key: settingOf(settings, 'OPENDART_KEY') },
  key: `company/${company}`,
  revision: today.slice(0, 7),
  fileName: `company/company_${company}.json`,
  imports: true,
  subject: company,
  judge: judgeJson(document => judgeEnvelope(document, 'corp_cls')),
})

const accounts = (
  { settings }: SyncTask,
  { company, receipt }: Report,
  { year, code }: Report['places'][number],
  scope: string,
): RegisterRequest => ({
  url: `${settingOf(settings, 'OPENDART_URL')}/fnlttSinglAcntAll.json?corp_code=${company}&bsns_year=${year}&reprt_code=${code}&fs_div=${scope}`,
  secretQuery: { crtfc_key: settingOf(settings, 'OPENDART_KEY') },
  key: `accounts/${company}/${year}/${code}/${scope}`,
  revision: receipt,
  fileName: `fnlttSinglAcntAll_${company}_${year}_${code}_${scope}.json`,
  imports: true,
  subject: company,
  judge: judgeJson(document => judgeEnvelope(document, 'list')),
})

function judgeEnvelope(document: unknown, ...fields: readonly string[]): Verdict {
  if (!isRecord(document) || typeof document.status !== 'string') return formChanged('`status`')
  if (document.status !== '000') return verdictOf(document.status)
  const isWhole = fields.every(
    field => field in document && (field !== 'list' || Array.isArray(document.list)),
  )
  return isWhole ? good : formChanged(fields.map(field => `\`${field}\``).join(' and '))
}

/** OpenDART tells errors in the body, under status 200. */
function verdictOf(status: string): Verdict {
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
        reason: `OpenDART: the requests of this key for today are used up (${status}).`,
      }
    case '800':
    case '900':
      return { kind: 'again', reason: `OpenDART is not available (${status}).` }
    default:
      return formChanged(`a known status instead of ${status.slice(0, 20)}`)
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
    return [{ company, receipt, places: placesOf(named[1], Number(named[2]), named[3]) }]
  })
}

/** The list names the month in which the period ends; the accounts stand under a business year, which for years that do not
 * end in December may be the one before, and under the number of the quarter. */
function placesOf(kind: string, year: number, month: string): Report['places'] {
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

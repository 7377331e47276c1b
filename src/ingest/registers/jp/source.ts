import { addDays, dayNumber, type IsoDate } from '../../../dates.ts'
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

/** EDINET: the list of documents of each day, and the figures of each report with accounts. */
export const jpSource: Source = {
  market: 'JP',
  name: 'EDINET (Japan)',
  requiredSettings: ['EDINET_KEY'],
  secretSettings: ['EDINET_KEY'],
  contactSetting: null,
  companies: 'possible',
  help: `
Each day's list of documents, and the figures (CSV, else XBRL) of the annual, quarterly and half-year reports in it. The
first run starts ten years ago, which is as far back as EDINET goes. With --since DATE, it starts on that day.`,
  plan,
}

/**
 * EDINET serves the lists of ten years. The first run starts some days later, because the oldest lists may
 * expire while it runs.
 */
const reachDays = 3_640

const reportTypes = new Set(['120', '130', '140', '150', '160', '170'])

function* plan(task: SyncTask): Plan {
  yield send(codeListRequest(task))
  const reach = addDays(task.today, -reachDays)
  const from = task.since ?? task.cursor('lists') ?? reach
  for (
    let day = addDays(from, Math.max(0, dayNumber(reach) - dayNumber(from)));
    day <= task.today;
    day = addDays(day, 1)
  ) {
    const list = yield send(dayListRequest(task, day))
    if (list.kind !== 'fresh') continue
    const reports = reportsOf(parseJson(list.bytes), task.companies)
    yield expectRequests(reports.length)
    for (const report of reports) yield send(documentRequest(task, report))
    // A list grows until the day ends in Japan, nine hours before it ends in UTC.
    yield advance('lists', day, 'run')
  }
}

interface Report {
  readonly docId: string
  /** 5: figures as CSV; 1: the documents with their XBRL. */
  readonly type: '5' | '1'
}

const codeListRequest = ({ settings, today }: SyncTask): RegisterRequest => ({
  url: `${requiredSetting(settings, 'EDINET_CODES_URL')}/Edinetcode.zip`,
  key: 'Edinetcode',
  revision: today.slice(0, 7),
  fileName: 'Edinetcode.zip',
  imports: true,
  check: checkZip(() => throwFormatChanged('a zip')),
})

const dayListRequest = ({ settings, today }: SyncTask, day: IsoDate): RegisterRequest => ({
  url: `${requiredSetting(settings, 'EDINET_URL')}/documents.json?date=${day}&type=2`,
  secretQuery: { 'Subscription-Key': requiredSetting(settings, 'EDINET_KEY') },
  key: `list/${day}`,
  revision: day < today ? '' : null,
  fileName: `documents_${day}.json`,
  imports: true,
  requiredByPlan: true,
  check: checkJson(document => {
    const refusal = checkStatus(document)
    if (refusal !== null) return refusal
    return isRecord(document) && Array.isArray(document.results) ? accepted : throwFormatChanged('`results`')
  }),
})

const documentRequest = ({ settings }: SyncTask, { docId, type }: Report): RegisterRequest => ({
  url: `${requiredSetting(settings, 'EDINET_URL')}/documents/${docId}?type=${type}`,
  secretQuery: { 'Subscription-Key': requiredSetting(settings, 'EDINET_KEY') },
  key: `document/${docId}`,
  revision: '',
  fileName: `${docId}.zip`,
  imports: true,
  // Errors arrive as JSON instead of a zip, with status 200.
  check: checkZip(checkJson(document => checkStatus(document) ?? throwFormatChanged('a zip'))),
})

/** EDINET reports errors in the body, with status 200. Returns null if there is no error. */
function checkStatus(document: unknown): ResponseCheck | null {
  if (!isRecord(document)) return null
  const metadata = isRecord(document.metadata) ? document.metadata : document
  const status = Number(metadata.status ?? metadata.StatusCode ?? metadata.statusCode ?? 200)
  if (status === 200) return null
  if (status === 401 || status === 403)
    return { kind: 'refused', reason: `EDINET refuses the key (${status}).` }
  if (status === 404) return { kind: 'missing' }
  return { kind: 'retry', reason: `EDINET responds with an error (${status}).` }
}

function reportsOf(document: unknown, companies: readonly string[]): Report[] {
  const rows = isRecord(document) && Array.isArray(document.results) ? document.results.filter(isRecord) : []
  return rows.flatMap((row): Report[] => {
    const docId = String(row.docID)
    if (!/^S\w{7}$/.test(docId) || !reportTypes.has(String(row.docTypeCode)) || row.withdrawalStatus !== '0')
      return []
    if (companies.length > 0 && !companies.includes(String(row.edinetCode))) return []
    if (row.csvFlag === '1') return [{ docId, type: '5' }]
    return row.xbrlFlag === '1' ? [{ docId, type: '1' }] : []
  })
}

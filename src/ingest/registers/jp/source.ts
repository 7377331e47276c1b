import { addDays, dayNumber, type IsoDate } from '../../../dates.ts'
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

/** EDINET: the list of each day, and of each report with accounts its figures. */
export const jpSource: Source = {
  market: 'JP',
  name: 'EDINET (Japan)',
  required: ['EDINET_KEY'],
  secret: ['EDINET_KEY'],
  contact: null,
  companies: 'possible',
  help: `
Each day's list of documents, and the figures (CSV, else XBRL) of the annual, quarterly and half-year reports in it. The
first run begins ten years ago, which is as far as EDINET reaches; --since DATE begins there.`,
  plan,
}

/** EDINET gives the lists of ten years; the oldest days may go while a run lasts. */
const reachDays = 3_640

const reportTypes = new Set(['120', '130', '140', '150', '160', '170'])

function* plan(task: SyncTask): Plan {
  yield ask(codeList(task))
  const reach = addDays(task.today, -reachDays)
  const from = task.since ?? task.cursor('lists') ?? reach
  for (
    let day = addDays(from, Math.max(0, dayNumber(reach) - dayNumber(from)));
    day <= task.today;
    day = addDays(day, 1)
  ) {
    const list = yield ask(dayList(task, day))
    if (list.kind !== 'fresh') continue
    const reports = reportsOf(parseJson(list.bytes), task.companies)
    yield expectRequests(reports.length)
    for (const report of reports) yield ask(documentFile(task, report))
    // A list grows until its day is over in Japan, which is nine hours before it is over here.
    yield advance('lists', day, 'run')
  }
}

interface Report {
  readonly docId: string
  /** 5: figures as CSV; 1: the documents with their XBRL. */
  readonly type: '5' | '1'
}

const codeList = ({ settings, today }: SyncTask): RegisterRequest => ({
  url: `${settingOf(settings, 'EDINET_CODES_URL')}/Edinetcode.zip`,
  key: 'Edinetcode',
  revision: today.slice(0, 7),
  fileName: 'Edinetcode.zip',
  imports: true,
  judge: judgeZip(() => formChanged('a zip')),
})

const dayList = ({ settings, today }: SyncTask, day: IsoDate): RegisterRequest => ({
  url: `${settingOf(settings, 'EDINET_URL')}/documents.json?date=${day}&type=2`,
  secretQuery: { 'Subscription-Key': settingOf(settings, 'EDINET_KEY') },
  key: `list/${day}`,
  revision: day < today ? '' : null,
  fileName: `documents_${day}.json`,
  imports: true,
  needed: true,
  judge: judgeJson(document => {
    const refusal = statusVerdict(document)
    if (refusal !== null) return refusal
    return isRecord(document) && Array.isArray(document.results) ? good : formChanged('`results`')
  }),
})

const documentFile = ({ settings }: SyncTask, { docId, type }: Report): RegisterRequest => ({
  url: `${settingOf(settings, 'EDINET_URL')}/documents/${docId}?type=${type}`,
  secretQuery: { 'Subscription-Key': settingOf(settings, 'EDINET_KEY') },
  key: `document/${docId}`,
  revision: '',
  fileName: `${docId}.zip`,
  imports: true,
  // What is no zip is an error in JSON, under status 200.
  judge: judgeZip(judgeJson(document => statusVerdict(document) ?? formChanged('a zip'))),
})

/** EDINET tells errors in the body, under status 200. null: there is none. */
function statusVerdict(document: unknown): Verdict | null {
  if (!isRecord(document)) return null
  const metadata = isRecord(document.metadata) ? document.metadata : document
  const status = Number(metadata.status ?? metadata.StatusCode ?? metadata.statusCode ?? 200)
  if (status === 200) return null
  if (status === 401 || status === 403)
    return { kind: 'refused', reason: `EDINET refuses the key (${status}).` }
  if (status === 404) return { kind: 'missing' }
  return { kind: 'again', reason: `EDINET answers with an error (${status}).` }
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

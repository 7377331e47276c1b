import { addDays, type IsoDate, isIsoDate } from '../../../dates.ts'
import {
  advance,
  ask,
  expectRequests,
  formChanged,
  good,
  judgeJson,
  judgeXml,
  type Plan,
  type RegisterRequest,
  type Source,
  type SyncTask,
  settingOf,
} from '../../network/source.ts'
import { isRecord } from '../../reading/fields.ts'
import { parseJson } from '../../reading/json.ts'

/** Erhvervsstyrelsen: the index of published accounts in the order of publication, and the XBRL document of each. */
export const dkSource: Source = {
  market: 'DK',
  name: 'Erhvervsstyrelsen (Denmark)',
  required: [],
  secret: [],
  contact: null,
  companies: 'possible',
  help: `
The index of published annual reports, oldest first, and the XBRL document of each. Some are listed later than they were
published: each run looks again at the fortnight before the place where the last one stopped.`,
  plan,
}

const hitsPerPage = 500
/** As many as ten times the reports of thirty years. */
const mostPages = 200_000
const lookBackDays = 14

function* plan(task: SyncTask): Plan {
  const stopped = task.cursor('hits')
  const from = task.since ?? (stopped === null ? null : addDays(stopped, -lookBackDays))
  let after: readonly unknown[] | null = null
  for (let page = 0; page < mostPages; page++) {
    const answer = yield ask(searchPage(task, from, after))
    if (answer.kind !== 'fresh') return
    const hits = hitsIn(parseJson(answer.bytes))
    const last = hits.at(-1)
    if (last === undefined) return
    yield expectRequests(hits.length)
    for (const hit of hits) for (const request of documentsOf(task, hit)) yield ask(request)
    yield advance('hits', last.filed, 'run')
    if (hits.length < hitsPerPage) return
    after = last.sort
  }
}

interface Hit {
  readonly company: string
  /** The Danish day of publication: 22:00Z is the next one. */
  readonly filed: IsoDate
  readonly sort: readonly unknown[]
  readonly documents: readonly Record<string, unknown>[]
}

function searchPage(
  { settings, companies, today }: SyncTask,
  from: IsoDate | null,
  after: readonly unknown[] | null,
): RegisterRequest {
  const filter: object[] = [{ term: { offentliggoerelsestype: 'regnskab' } }]
  if (from !== null) filter.push({ range: { offentliggoerelsesTidspunkt: { gte: from } } })
  if (companies.length > 0) filter.push({ terms: { cvrNummer: companies.map(Number) } })
  const place =
    after === null ? `from_${from ?? 'beginning'}` : `after_${after.join('_').replace(/[^\w.-]+/g, '-')}`
  return {
    url: `${settingOf(settings, 'VIRK_URL')}/offentliggoerelser/_search`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({
      size: hitsPerPage,
      query: { bool: { filter } },
      sort: [{ offentliggoerelsesTidspunkt: 'asc' }, { _id: 'asc' }],
      ...(after === null ? {} : { search_after: after }),
    }),
    key: `search/${place}`,
    revision: null,
    fileName: `hits/${today}_${place}.json`,
    imports: true,
    needed: true,
    judge: judgeJson(document => {
      hitsIn(document)
      return good
    }),
  }
}

function hitsIn(document: unknown): Hit[] {
  const outer = isRecord(document) ? document.hits : null
  const hits = isRecord(outer) ? outer.hits : null
  if (!Array.isArray(hits)) return formChanged('`hits.hits`, a list')
  return hits.map(hit => {
    const source = isRecord(hit) ? hit._source : null
    if (!isRecord(hit) || !isRecord(source) || !Array.isArray(hit.sort))
      return formChanged('`_source` and `sort`')
    const { cvrNummer, offentliggoerelsesTidspunkt, dokumenter } = source
    const filed = danishDay(String(offentliggoerelsesTidspunkt))
    const company = String(cvrNummer).padStart(8, '0')
    if (filed === null || !/^\d{8}$/.test(company))
      return formChanged('`cvrNummer` and `offentliggoerelsesTidspunkt`')
    const documents = Array.isArray(dokumenter) ? dokumenter.filter(isRecord) : []
    return { company, filed, sort: hit.sort, documents }
  })
}

const danish = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Copenhagen', dateStyle: 'short' })

function danishDay(time: string): IsoDate | null {
  const at = Date.parse(time)
  const day = Number.isNaN(at) ? '' : danish.format(at)
  return isIsoDate(day) ? day : null
}

/** XBRL only: pictures of reports have no figures that could be read. */
function documentsOf({ settings }: SyncTask, hit: Hit): RegisterRequest[] {
  return hit.documents.flatMap(document => {
    const address = String(document.dokumentUrl)
    if (document.dokumentMimeType !== 'application/xml' || !URL.canParse(address)) return []
    const { pathname } = new URL(address)
    // The name under which the register stores it is what report and index have in common.
    const name = /\/([\w-][\w.~=-]{0,200}\.xml)$/i.exec(pathname)?.[1]
    if (name === undefined) return []
    return [
      {
        // The index names the host as well; only the path is taken from it.
        url: `${settingOf(settings, 'VIRK_DOCUMENTS_URL')}${pathname}`,
        key: `document/${pathname}`,
        revision: '',
        fileName: `${hit.company}/${name}`,
        imports: true,
        packed: true,
        judge: judgeXml,
      },
    ]
  })
}

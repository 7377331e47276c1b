import { addDays, type IsoDate, isIsoDate } from '../../../dates.ts'
import {
  accepted,
  advance,
  checkJson,
  checkXml,
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
import { danishDate } from './publications.ts'

/**
 * Erhvervsstyrelsen: the index of published accounts in the order of publication, and the XBRL document of
 * each.
 */
export const dkSource: Source = {
  market: 'DK',
  name: 'Erhvervsstyrelsen (Denmark)',
  requiredSettings: [],
  secretSettings: [],
  contactSetting: null,
  companies: 'possible',
  help: `
The index of published annual reports, oldest first, and the XBRL document of each. Some reports are listed only
after their publication date, so each run starts 14 days before the point where the last one stopped.`,
  plan,
}

const hitsPerPage = 500
/** Ten times as many pages as thirty years of reports fill. */
const maxPages = 200_000
const lookBackDays = 14

function* plan(task: SyncTask): Plan {
  const stopped = task.cursor('hits')
  const from = task.since ?? (stopped === null ? null : addDays(stopped, -lookBackDays))
  let after: readonly unknown[] | null = null
  for (let page = 0; page < maxPages; page++) {
    const answer = yield send(searchRequest(task, from, after))
    if (answer.kind !== 'fresh') return
    const hits = hitsIn(parseJson(answer.bytes))
    const last = hits.at(-1)
    if (last === undefined) return
    yield expectRequests(hits.length)
    for (const hit of hits) for (const request of documentRequests(task, hit)) yield send(request)
    yield advance('hits', last.filed, 'run')
    if (hits.length < hitsPerPage) return
    after = last.sort
  }
}

interface Hit {
  readonly company: string
  /** The publication date in Denmark. */
  readonly filed: IsoDate
  readonly sort: readonly unknown[]
  readonly documents: readonly Record<string, unknown>[]
}

function searchRequest(
  { settings, companies, today }: SyncTask,
  from: IsoDate | null,
  after: readonly unknown[] | null,
): RegisterRequest {
  const filter: object[] = [{ term: { offentliggoerelsestype: 'regnskab' } }]
  if (from !== null) filter.push({ range: { offentliggoerelsesTidspunkt: { gte: from } } })
  if (companies.length > 0) filter.push({ terms: { cvrNummer: companies.map(Number) } })
  const position =
    after === null ? `from_${from ?? 'beginning'}` : `after_${after.join('_').replace(/[^\w.-]+/g, '-')}`
  return {
    url: `${requiredSetting(settings, 'VIRK_URL')}/offentliggoerelser/_search`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({
      size: hitsPerPage,
      query: { bool: { filter } },
      sort: [{ offentliggoerelsesTidspunkt: 'asc' }, { _id: 'asc' }],
      ...(after === null ? {} : { search_after: after }),
    }),
    key: `search/${position}`,
    revision: null,
    fileName: `hits/${today}_${position}.json`,
    imports: true,
    requiredByPlan: true,
    check: checkJson(document => {
      hitsIn(document)
      return accepted
    }),
  }
}

function hitsIn(document: unknown): Hit[] {
  const outer = isRecord(document) ? document.hits : null
  const hits = isRecord(outer) ? outer.hits : null
  if (!Array.isArray(hits)) return throwFormatChanged('`hits.hits`, a list')
  return hits.map(hit => {
    const source = isRecord(hit) ? hit._source : null
    if (!isRecord(hit) || !isRecord(source) || !Array.isArray(hit.sort))
      return throwFormatChanged('`_source` and `sort`')
    const { cvrNummer, offentliggoerelsesTidspunkt, dokumenter } = source
    const filed = dayOfPublication(String(offentliggoerelsesTidspunkt))
    const company = String(cvrNummer).padStart(8, '0')
    if (filed === null || !/^\d{8}$/.test(company))
      return throwFormatChanged('`cvrNummer` and `offentliggoerelsesTidspunkt`')
    const documents = Array.isArray(dokumenter) ? dokumenter.filter(isRecord) : []
    return { company, filed, sort: hit.sort, documents }
  })
}

function dayOfPublication(time: string): IsoDate | null {
  const at = Date.parse(time)
  const day = Number.isNaN(at) ? '' : danishDate(at)
  return isIsoDate(day) ? day : null
}

/** XBRL only: the other files are images of reports, whose figures cannot be read. */
function documentRequests({ settings }: SyncTask, hit: Hit): RegisterRequest[] {
  return hit.documents.flatMap((document): RegisterRequest[] => {
    const address = String(document.dokumentUrl)
    if (document.dokumentMimeType !== 'application/xml' || !URL.canParse(address)) return []
    const { pathname } = new URL(address)
    // Report and index share only this name, under which the register stores the document.
    const name = /\/([\w-][\w.~=-]{0,200}\.xml)$/i.exec(pathname)?.[1]
    if (name === undefined) return []
    return [
      {
        // The host comes from the settings; only the path is taken from the index's address.
        url: `${requiredSetting(settings, 'VIRK_DOCUMENTS_URL')}${pathname}`,
        key: `document/${pathname}`,
        revision: '',
        fileName: `${hit.company}/${name}`,
        imports: true,
        gzipWithoutHeader: true,
        check: checkXml,
      },
    ]
  })
}

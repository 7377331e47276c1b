import {
  advance,
  ask,
  formChanged,
  good,
  judgeJson,
  type Plan,
  type RegisterRequest,
  type Source,
  type SyncTask,
  settingOf,
} from '../../network/source.ts'
import { isRecord } from '../../reading/fields.ts'
import { parseJson } from '../../reading/json.ts'
import { returnNumber } from './readDocument.ts'

/** The Charities Register: all annual returns, page by page. */
export const nzSource: Source = {
  market: 'NZ',
  name: 'the Charities Register (New Zealand)',
  required: [],
  secret: [],
  contact: null,
  companies: 'none',
  help: `
All annual returns in pages of 1,000, in the order of their numbers: the register edits what it said and tells no day, so
each day's first run reads it whole; a page that says what it said before is not kept twice. --since DATE: returns for
years that ended since.`,
  plan,
}

const rowsPerPage = 1_000
/** A register of ten times as many returns as there are. */
const mostPages = 5_000

function* plan(task: SyncTask): Plan {
  const place = task.since === null ? task.cursor('returns') : null
  if (place === `${task.today} done`) return
  // A sweep that was broken off goes on where it was, on whatever day.
  let after = /^after (\d{1,12})$/.exec(place ?? '')?.[1] ?? '0'
  for (let page = 0; page < mostPages; page++) {
    const answer = yield ask(pageAfter(task, after))
    if (answer.kind !== 'fresh') return
    const rows = rowsOf(parseJson(answer.bytes)) ?? []
    const last = rows.length < rowsPerPage ? null : lastNumber(rows)
    if (last === null || Number(last) <= Number(after)) break
    after = last
    if (task.since === null) yield advance('returns', `after ${after}`, 'run')
  }
  if (task.since === null) yield advance('returns', `${task.today} done`, 'run')
}

function pageAfter({ settings, since, today }: SyncTask, after: string): RegisterRequest {
  const filters = [
    `AnnualReturnId gt ${after}`,
    ...(since === null ? [] : [`YearEnded ge datetime'${since}T00:00:00'`]),
  ]
  const query = `$format=json&$orderby=AnnualReturnId&$top=${rowsPerPage}&$filter=${encodeURIComponent(filters.join(' and '))}`
  const scope = since === null ? '' : `_since_${since}`
  return {
    url: `${settingOf(settings, 'CHARITIES_URL')}/GrpOrgAllReturns?${query}`,
    headers: { Accept: 'application/json' },
    key: `returns${scope}/${after}`,
    revision: today,
    fileName: `GrpOrgAllReturns${scope}_${after.padStart(9, '0')}.json`,
    imports: true,
    needed: true,
    judge: judgeJson(document => {
      const rows = rowsOf(document)
      const isReturns = rows?.every(row => 'CharityRegistrationNumber' in row && returnNumber(row) !== null)
      return isReturns
        ? good
        : formChanged('`d` or `d.results` with CharityRegistrationNumber and AnnualReturnId')
    }),
  }
}

function rowsOf(document: unknown): Record<string, unknown>[] | null {
  const list = isRecord(document) ? document.d : undefined
  const rows = isRecord(list) ? list.results : list
  return Array.isArray(rows) && rows.every(isRecord) ? rows : null
}

function lastNumber(rows: readonly Record<string, unknown>[]): string | null {
  return rows.map(returnNumber).reduce((last, one) => (Number(one) > Number(last) ? one : last), null)
}

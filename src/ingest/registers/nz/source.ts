import {
  accepted,
  advance,
  checkJson,
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
import { odataRows, returnNumber } from './returns.ts'

/** The Charities Register: all annual returns, page by page. */
export const nzSource: Source = {
  market: 'NZ',
  name: 'the Charities Register (New Zealand)',
  requiredSettings: [],
  secretSettings: [],
  contactSetting: null,
  companies: 'none',
  help: `
All annual returns in pages of 1,000, in the order of their numbers. The register edits returns without dating the edit, so
the first run of each day reads all pages; a page that has not changed is not stored twice. --since DATE: only returns for
years that ended on or after that day.`,
  plan,
}

const rowsPerPage = 1_000
/** Ten times as many pages as the register's returns fill. */
const maxPages = 5_000

function* plan(task: SyncTask): Plan {
  const position = task.since === null ? task.cursor('returns') : null
  if (position === `${task.today} done`) return
  // An interrupted sweep continues where it stopped, whatever the day.
  let after = /^after (\d{1,12})$/.exec(position ?? '')?.[1] ?? '0'
  for (let page = 0; page < maxPages; page++) {
    const answer = yield send(pageRequest(task, after))
    if (answer.kind !== 'fresh') return
    const rows = rowsOf(parseJson(answer.bytes)) ?? []
    const last = rows.length < rowsPerPage ? null : lastNumber(rows)
    if (last === null || Number(last) <= Number(after)) break
    after = last
    if (task.since === null) yield advance('returns', `after ${after}`, 'run')
  }
  if (task.since === null) yield advance('returns', `${task.today} done`, 'run')
}

function pageRequest({ settings, since, today }: SyncTask, after: string): RegisterRequest {
  const filters = [
    `AnnualReturnId gt ${after}`,
    ...(since === null ? [] : [`YearEnded ge datetime'${since}T00:00:00'`]),
  ]
  const query = `$format=json&$orderby=AnnualReturnId&$top=${rowsPerPage}&$filter=${encodeURIComponent(filters.join(' and '))}`
  const scope = since === null ? '' : `_since_${since}`
  return {
    url: `${requiredSetting(settings, 'CHARITIES_URL')}/GrpOrgAllReturns?${query}`,
    headers: { Accept: 'application/json' },
    key: `returns${scope}/${after}`,
    revision: today,
    fileName: `GrpOrgAllReturns${scope}_${after.padStart(9, '0')}.json`,
    imports: true,
    requiredByPlan: true,
    check: checkJson(document => {
      const rows = rowsOf(document)
      const isReturns = rows?.every(row => 'CharityRegistrationNumber' in row && returnNumber(row) !== null)
      return isReturns
        ? accepted
        : throwFormatChanged('`d` or `d.results` with CharityRegistrationNumber and AnnualReturnId')
    }),
  }
}

function rowsOf(document: unknown): readonly Record<string, unknown>[] | null {
  const rows = odataRows(document)
  return rows?.every(isRecord) ? rows : null
}

function lastNumber(rows: readonly Record<string, unknown>[]): string | null {
  return rows.map(returnNumber).reduce((last, one) => (Number(one) > Number(last) ? one : last), null)
}

import {
  accepted,
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

/**
 * TWSE OpenAPI: the list of companies, and income statements and balance sheets of the latest quarter by kind
 * of industry.
 */
export const twSource: Source = {
  market: 'TW',
  name: 'TWSE OpenAPI (Taiwan)',
  requiredSettings: [],
  secretSettings: [],
  contactSetting: null,
  companies: 'none',
  help: `
The list of companies and twelve tables, each requested once a day. The register serves only the latest quarter, so run
this every day: the archive is the only history. --since has no effect.`,
  plan,
}

const industries = ['ci', 'basi', 'bd', 'fh', 'ins', 'mim'] as const

function* plan(task: SyncTask): Plan {
  yield expectRequests(1 + 2 * industries.length)
  yield send(tableRequest(task, 't187ap03_L', ['公司代號', '公司名稱', '公司簡稱', '英文簡稱']))
  for (const table of ['t187ap06', 't187ap07']) {
    for (const industry of industries)
      yield send(tableRequest(task, `${table}_L_${industry}`, ['公司代號', '年度', '季別']))
  }
}

const tableRequest = (
  { settings, today }: SyncTask,
  table: string,
  columns: readonly string[],
): RegisterRequest => ({
  url: `${requiredSetting(settings, 'TWSE_URL')}/opendata/${table}`,
  headers: { Accept: 'application/json' },
  key: table,
  revision: today,
  fileName: `${table}.json`,
  imports: true,
  check: checkJson(document => {
    // A table may be empty between two quarters.
    const isTable =
      Array.isArray(document) &&
      document.every(row => isRecord(row) && columns.every(column => column in row))
    return isTable ? accepted : throwFormatChanged(`a list of rows with ${columns.join(', ')}`)
  }),
})

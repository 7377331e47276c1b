import {
  ask,
  expectRequests,
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

/** TWSE OpenAPI: income statements and balance sheets of the latest quarter, by kind of industry. */
export const twSource: Source = {
  market: 'TW',
  name: 'TWSE OpenAPI (Taiwan)',
  required: [],
  secret: [],
  contact: null,
  companies: 'none',
  help: `
Twelve tables, each asked for once a day. The register serves the latest quarter only: history is what is archived, so run
it every day. --since changes nothing.`,
  plan,
}

const industries = ['ci', 'basi', 'bd', 'fh', 'ins', 'mim'] as const

function* plan(task: SyncTask): Plan {
  yield expectRequests(2 * industries.length)
  for (const table of ['t187ap06', 't187ap07']) {
    for (const industry of industries) yield ask(tableOf(task, `${table}_L_${industry}`))
  }
}

const tableOf = ({ settings, today }: SyncTask, table: string): RegisterRequest => ({
  url: `${settingOf(settings, 'TWSE_URL')}/opendata/${table}`,
  headers: { Accept: 'application/json' },
  key: table,
  revision: today,
  fileName: `${table}.json`,
  imports: true,
  judge: judgeJson(document => {
    // Between two quarters a table may be empty.
    const isTable =
      Array.isArray(document) &&
      document.every(row => isRecord(row) && ['公司代號', '年度', '季別'].every(column => column in row))
    return isTable ? good : formChanged('a list of rows with 公司代號, 年度 and 季別')
  }),
})

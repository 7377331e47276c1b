import { type IsoDate, isIsoDate } from '../../../dates.ts'
import {
  ask,
  companyDone,
  expectRequests,
  formChanged,
  good,
  judgeJson,
  nextCompanies,
  type Plan,
  type RegisterRequest,
  type Source,
  type SyncTask,
  settingOf,
} from '../../network/source.ts'
import { isRecord } from '../../reading/fields.ts'
import { parseJson } from '../../reading/json.ts'

/** The Central Balance Sheet Office: of each enterprise the references of its deposits, and the figures of each. */
export const beSource: Source = {
  market: 'BE',
  name: 'the Central Balance Sheet Office (Belgium)',
  required: ['NBB_KEY'],
  secret: ['NBB_KEY'],
  contact: null,
  companies: 'needed',
  help: `
Of each enterprise (those in --companies, else those known already) the references of its deposits and the figures of each
deposit, once a day. The register has figures of deposits since 4 April 2022. --since DATE: deposited since.`,
  plan,
}

/** Earlier deposits have no figures that this service of the register could give. */
const firstFigures = '2022-04-04'

function* plan(task: SyncTask): Plan {
  for (;;) {
    const next = yield nextCompanies
    if (next.kind !== 'companies' || next.numbers.length === 0) return
    yield expectRequests(next.numbers.length)
    for (const number of next.numbers) yield* fetchCompany(task, number)
  }
}

function* fetchCompany(task: SyncTask, number: string): Plan {
  const list = yield ask(references(task, number))
  const deposits = list.kind === 'fresh' ? depositsIn(parseJson(list.bytes)) : []
  for (const deposit of deposits) {
    if (deposit.filed >= (task.since ?? firstFigures)) yield ask(figures(task, number, deposit))
  }
  if (task.since === null) yield companyDone(number, task.today)
}

const headersFor = ({ settings, newId }: SyncTask, accept: string) => ({
  'NBB-CBSO-Subscription-Key': settingOf(settings, 'NBB_KEY'),
  'X-Request-Id': newId(),
  Accept: accept,
})

const references = (task: SyncTask, number: string): RegisterRequest => ({
  url: `${settingOf(task.settings, 'NBB_URL')}/authentic/legalEntity/${number}/references`,
  headers: headersFor(task, 'application/json'),
  key: `references/${number}`,
  revision: null,
  // The answer does not say whose it is; the name of the file does.
  fileName: `${number}/references_${number}.json`,
  subject: number,
  imports: true,
  judge: judgeJson(document => {
    depositsIn(document)
    return good
  }),
})

interface Deposit {
  readonly reference: string
  readonly filed: IsoDate
}

function depositsIn(document: unknown): Deposit[] {
  if (!Array.isArray(document)) return formChanged('a list of references')
  return document.map(row => {
    const reference = isRecord(row) ? String(row.ReferenceNumber) : ''
    const filed = isRecord(row) ? String(row.DepositDate).slice(0, 10) : ''
    if (!/^[\d-]{5,30}$/.test(reference) || !isIsoDate(filed))
      return formChanged('`ReferenceNumber` and `DepositDate`')
    return { reference, filed }
  })
}

const figures = (task: SyncTask, number: string, { reference, filed }: Deposit): RegisterRequest => ({
  url: `${settingOf(task.settings, 'NBB_URL')}/authentic/deposit/${reference}/accountingData`,
  headers: headersFor(task, 'application/x.jsonxbrl'),
  key: `deposit/${reference}`,
  revision: '',
  // The figures name neither enterprise nor day; the file name does.
  fileName: `${number}/${number}_${filed}_${reference}.json`,
  subject: number,
  imports: true,
  judge: judgeJson(document =>
    isRecord(document) && Array.isArray(document.Rubrics) ? good : formChanged('`Rubrics`, a list'),
  ),
})

import { type IsoDate, isIsoDate } from '../../../dates.ts'
import {
  accepted,
  checkJson,
  companyDone,
  expectRequests,
  nextCompanies,
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

/** The Central Balance Sheet Office: for each enterprise the references of its deposits, and the figures of each deposit. */
export const beSource: Source = {
  market: 'BE',
  name: 'the Central Balance Sheet Office (Belgium)',
  requiredSettings: ['NBB_KEY'],
  secretSettings: ['NBB_KEY'],
  contactSetting: null,
  companies: 'needed',
  help: `
For each enterprise (those in --companies, else those on record) the references of its deposits and the figures of each
deposit, once a day. The register serves figures of deposits since 4 April 2022. --since DATE: only deposits on or after
that day.`,
  plan,
}

/** This service of the register has no figures of earlier deposits. */
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
  const list = yield send(referencesRequest(task, number))
  const deposits = list.kind === 'fresh' ? depositsIn(parseJson(list.bytes)) : []
  for (const deposit of deposits) {
    if (deposit.filed >= (task.since ?? firstFigures)) yield send(figuresRequest(task, number, deposit))
  }
  if (task.since === null) yield companyDone(number, task.today)
}

const headersFor = ({ settings, newId }: SyncTask, accept: string) => ({
  'NBB-CBSO-Subscription-Key': requiredSetting(settings, 'NBB_KEY'),
  'X-Request-Id': newId(),
  Accept: accept,
})

const referencesRequest = (task: SyncTask, number: string): RegisterRequest => ({
  url: `${requiredSetting(task.settings, 'NBB_URL')}/authentic/legalEntity/${number}/references`,
  headers: headersFor(task, 'application/json'),
  key: `references/${number}`,
  revision: null,
  // The response does not name its enterprise: `readBelgianReport` takes it from the file name.
  fileName: `${number}/references_${number}.json`,
  subject: number,
  imports: true,
  check: checkJson(document => {
    depositsIn(document)
    return accepted
  }),
})

interface Deposit {
  readonly reference: string
  readonly filed: IsoDate
}

function depositsIn(document: unknown): Deposit[] {
  if (!Array.isArray(document)) return throwFormatChanged('a list of references')
  return document.map(row => {
    const reference = isRecord(row) ? String(row.ReferenceNumber) : ''
    const filed = isRecord(row) ? String(row.DepositDate).slice(0, 10) : ''
    if (!/^[\d-]{5,30}$/.test(reference) || !isIsoDate(filed))
      return throwFormatChanged('`ReferenceNumber` and `DepositDate`')
    return { reference, filed }
  })
}

const figuresRequest = (task: SyncTask, number: string, { reference, filed }: Deposit): RegisterRequest => ({
  url: `${requiredSetting(task.settings, 'NBB_URL')}/authentic/deposit/${reference}/accountingData`,
  headers: headersFor(task, 'application/x.jsonxbrl'),
  key: `deposit/${reference}`,
  revision: '',
  // The figures name neither enterprise nor date; the file name does.
  fileName: `${number}/${number}_${filed}_${reference}.json`,
  subject: number,
  imports: true,
  check: checkJson(document =>
    isRecord(document) && Array.isArray(document.Rubrics)
      ? accepted
      : throwFormatChanged('`Rubrics`, a list'),
  ),
})

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
  type Step,
  type StepResult,
  type SyncTask,
  send,
  throwFormatChanged,
} from '../../network/source.ts'
import { isRecord } from '../../reading/fields.ts'
import { parseJson } from '../../reading/json.ts'

/**
 * INPI, Registre national des entreprises: for each company the list of its deposits, and the accounts as
 * INPI transcribed them.
 */
export const frSource: Source = {
  market: 'FR',
  name: 'INPI, Registre national des entreprises (France)',
  requiredSettings: ['INPI_USER', 'INPI_PASSWORD'],
  secretSettings: ['INPI_USER', 'INPI_PASSWORD'],
  contactSetting: null,
  companies: 'needed',
  help: `
For each company (those in --companies, else those on record) the list of deposits and each set of public accounts in it,
once a day. --since DATE: only accounts deposited on or after that day.`,
  plan,
}

/** The token of a login, which expires. */
interface Session {
  token: string
}

function* plan(task: SyncTask): Plan {
  let session: Session | null = null
  for (;;) {
    const next = yield nextCompanies
    if (next.kind !== 'companies' || next.numbers.length === 0) return
    session ??= { token: yield* login(task) }
    yield expectRequests(next.numbers.length)
    for (const siren of next.numbers) yield* fetchCompany(task, session, siren)
  }
}

function* fetchCompany(task: SyncTask, session: Session, siren: string): Plan {
  const list = yield* sendWithLogin(task, session, token => depositListRequest(task, siren, token))
  const deposits = list.kind === 'fresh' ? depositsIn(parseJson(list.bytes)) : []
  for (const deposit of deposits) {
    if (deposit.isPublic && (task.since === null || deposit.filed >= task.since))
      yield* sendWithLogin(task, session, token => accountsRequest(task, siren, deposit, token))
  }
  if (task.since === null) yield companyDone(siren, task.today)
}

function* login(task: SyncTask): Generator<Step, string, StepResult> {
  const answer = yield send(loginRequest(task))
  return answer.kind === 'fresh' ? (tokenIn(parseJson(answer.bytes)) ?? '') : ''
}

/** A login that expires during a run is renewed, at most once per request. */
function* sendWithLogin(
  task: SyncTask,
  session: Session,
  request: (token: string) => RegisterRequest,
): Generator<Step, StepResult, StepResult> {
  const answer = yield send({ ...request(session.token), mayExpire: true })
  if (answer.kind !== 'expired') return answer
  session.token = yield* login(task)
  return yield send(request(session.token))
}

const loginRequest = ({ settings }: SyncTask): RegisterRequest => ({
  url: `${requiredSetting(settings, 'INPI_URL')}/sso/login`,
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
  body: JSON.stringify({
    username: requiredSetting(settings, 'INPI_USER'),
    password: requiredSetting(settings, 'INPI_PASSWORD'),
  }),
  key: 'login',
  revision: null,
  fileName: null,
  imports: false,
  requiredByPlan: true,
  check: checkJson(document => (tokenIn(document) === null ? throwFormatChanged('`token`') : accepted)),
})

const tokenIn = (document: unknown): string | null =>
  isRecord(document) && typeof document.token === 'string' && document.token !== '' ? document.token : null

const depositListRequest = ({ settings }: SyncTask, siren: string, token: string): RegisterRequest => ({
  url: `${requiredSetting(settings, 'INPI_URL')}/companies/${siren}/attachments`,
  headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
  key: `attachments/${siren}`,
  revision: null,
  fileName: `attachments/${siren}.json`,
  imports: false,
  check: checkJson(document => {
    depositsIn(document)
    return accepted
  }),
})

interface Deposit {
  readonly id: string
  readonly filed: IsoDate
  readonly updated: string
  readonly isPublic: boolean
}

function depositsIn(document: unknown): Deposit[] {
  const list = isRecord(document) ? document.bilansSaisis : null
  // For a company that never deposited anything the response is an empty object; without accounts, it may
  // lack only their list.
  if (isRecord(document) && list === undefined) {
    const isKnown = 'actes' in document || 'bilans' in document || Object.keys(document).length === 0
    return isKnown ? [] : throwFormatChanged('`bilansSaisis`')
  }
  if (!Array.isArray(list) || !list.every(isRecord)) return throwFormatChanged('`bilansSaisis`, a list')
  return list.map(row => {
    const id = String(row.id)
    const filed = String(row.dateDepot).slice(0, 10)
    if (!/^[\w-]{1,64}$/.test(id) || !isIsoDate(filed)) return throwFormatChanged('`id` and `dateDepot`')
    return {
      id,
      filed,
      updated: String(row.updatedAt ?? ''),
      isPublic: row.confidentiality === undefined || row.confidentiality === 'Public',
    }
  })
}

const accountsRequest = (
  { settings }: SyncTask,
  siren: string,
  deposit: Deposit,
  token: string,
): RegisterRequest => ({
  url: `${requiredSetting(settings, 'INPI_URL')}/bilans-saisis/${deposit.id}`,
  headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
  key: `bilan/${deposit.id}`,
  revision: deposit.updated,
  fileName: `bilans-saisis/${siren}_${deposit.filed}_${deposit.id}.json`,
  imports: true,
  check: checkJson(document => {
    const saisi = isRecord(document) ? document.bilanSaisi : null
    return isRecord(saisi) && isRecord(saisi.bilan) ? accepted : throwFormatChanged('`bilanSaisi.bilan`')
  }),
})

import { type IsoDate, isIsoDate } from '../../../dates.ts'
import {
  type Answer,
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
  type Step,
  type SyncTask,
  settingOf,
} from '../../network/source.ts'
import { isRecord } from '../../reading/fields.ts'
import { parseJson } from '../../reading/json.ts'

/** INPI, Registre national des entreprises: of each company the list of its deposits, and the accounts as they were keyed
 * in. */
export const frSource: Source = {
  market: 'FR',
  name: 'INPI, Registre national des entreprises (France)',
  required: ['INPI_USER', 'INPI_PASSWORD'],
  secret: ['INPI_USER', 'INPI_PASSWORD'],
  contact: null,
  companies: 'needed',
  help: `
Of each company (those in --companies, else those known already) the list of deposits and each set of public accounts in
it, once a day. --since DATE: accounts deposited since.`,
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
  const list = yield* askWithLogin(task, session, token => depositList(task, siren, token))
  const deposits = list.kind === 'fresh' ? depositsIn(parseJson(list.bytes)) : []
  for (const deposit of deposits) {
    if (deposit.isPublic && (task.since === null || deposit.filed >= task.since))
      yield* askWithLogin(task, session, token => accounts(task, siren, deposit, token))
  }
  if (task.since === null) yield companyDone(siren, task.today)
}

function* login(task: SyncTask): Generator<Step, string, Answer> {
  const answer = yield ask(loginRequest(task))
  return answer.kind === 'fresh' ? (tokenIn(parseJson(answer.bytes)) ?? '') : ''
}

/** A login that has expired in the middle is renewed once for each request. */
function* askWithLogin(
  task: SyncTask,
  session: Session,
  request: (token: string) => RegisterRequest,
): Generator<Step, Answer, Answer> {
  const answer = yield ask({ ...request(session.token), mayExpire: true })
  if (answer.kind !== 'expired') return answer
  session.token = yield* login(task)
  return yield ask(request(session.token))
}

const loginRequest = ({ settings }: SyncTask): RegisterRequest => ({
  url: `${settingOf(settings, 'INPI_URL')}/sso/login`,
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
  body: JSON.stringify({
    username: settingOf(settings, 'INPI_USER'),
    password: settingOf(settings, 'INPI_PASSWORD'),
  }),
  key: 'login',
  revision: null,
  fileName: null,
  imports: false,
  needed: true,
  judge: judgeJson(document => (tokenIn(document) === null ? formChanged('`token`') : good)),
})

const tokenIn = (document: unknown): string | null =>
  isRecord(document) && typeof document.token === 'string' && document.token !== '' ? document.token : null

const depositList = ({ settings }: SyncTask, siren: string, token: string): RegisterRequest => ({
  url: `${settingOf(settings, 'INPI_URL')}/companies/${siren}/attachments`,
  headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
  key: `attachments/${siren}`,
  revision: null,
  fileName: `attachments/${siren}.json`,
  imports: false,
  judge: judgeJson(document => {
    depositsIn(document)
    return good
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
  // A company that never deposited anything is an empty object; one without accounts may lack their list alone.
  if (isRecord(document) && list === undefined) {
    const isKnown = 'actes' in document || 'bilans' in document || Object.keys(document).length === 0
    return isKnown ? [] : formChanged('`bilansSaisis`')
  }
  if (!Array.isArray(list) || !list.every(isRecord)) return formChanged('`bilansSaisis`, a list')
  return list.map(row => {
    const id = String(row.id)
    const filed = String(row.dateDepot).slice(0, 10)
    if (!/^[\w-]{1,64}$/.test(id) || !isIsoDate(filed)) return formChanged('`id` and `dateDepot`')
    return {
      id,
      filed,
      updated: String(row.updatedAt ?? ''),
      isPublic: row.confidentiality === undefined || row.confidentiality === 'Public',
    }
  })
}

const accounts = (
  { settings }: SyncTask,
  siren: string,
  deposit: Deposit,
  token: string,
): RegisterRequest => ({
  url: `${settingOf(settings, 'INPI_URL')}/bilans-saisis/${deposit.id}`,
  headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
  key: `bilan/${deposit.id}`,
  revision: deposit.updated,
  fileName: `bilans-saisis/${siren}_${deposit.filed}_${deposit.id}.json`,
  imports: true,
  judge: judgeJson(document => {
    const saisi = isRecord(document) ? document.bilanSaisi : null
    return isRecord(saisi) && isRecord(saisi.bilan) ? good : formChanged('`bilanSaisi.bilan`')
  }),
})

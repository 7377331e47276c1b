import { Elysia } from 'elysia'
import type { SignedIn } from '../../access/signedIn.ts'
import { Failure } from '../../errors.ts'
import { redirectAnswer } from '../../http/answers.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { SubmittedForm } from '../../http/submittedForm.ts'
import type { AccountDeps } from '../account/accountDeps.ts'
import { pageAnswer } from '../account/pages/frame.ts'
import { formVersion } from './evaluationForm.ts'
import { documentName } from './mails.ts'
import { findOrder, listOrders } from './orderQueries.ts'
import { evaluationPage, maxTypedLength, type TypedFields } from './page.ts'
import { hasSigned, type Offer, type OrderSettings, offerTo, signEvaluation } from './signEvaluation.ts'

const keysPath = '/account/api-keys'
const maxShownOrders = 20
const maxAgentLength = 300

export interface OrderDeps extends AccountDeps {
  readonly settings: AccountDeps['settings'] & OrderSettings
}

/** /account/evaluation and the documents that were signed there. */
export function orderRoutes(http: HttpPlugin, deps: OrderDeps) {
  const { sql, settings } = deps

  async function show(
    { session }: SignedIn,
    status: number,
    { offer, ...typed }: { offer?: Offer; typed?: TypedFields; fault?: string } = {},
  ): Promise<Answer> {
    const { accountId, email } = session
    const orders = await listOrders(sql, { accountId }, maxShownOrders)
    const shown = offer ?? (await offerTo(sql, settings, email))
    return pageAnswer(status, evaluationPage({ session, offer: shown, orders, ...typed }))
  }

  async function sign(context: RequestContext, signedIn: SignedIn, form: SubmittedForm): Promise<Answer> {
    const { accountId, email } = signedIn.session
    const offer = await offerTo(sql, settings, email)
    // A form that is sent again, because its answer was lost, leads to the key that it made. After the offer: one that is used may be
    // used by this very account a moment ago.
    if (await hasSigned(sql, accountId)) return redirectAnswer(keysPath)
    if (offer.outcome !== 'offered')
      return show(signedIn, offer.outcome === 'free-mail' ? 403 : 409, { offer })
    const typed = { name: form.text('name'), title: form.text('title'), company: form.text('company') }
    if (form.text('version') !== formVersion || form.text('sha256') !== offer.document.sha256)
      return show(signedIn, 409, { offer, typed, fault: readAgain })
    const fault = faultIn(typed, form)
    if (fault !== null) return show(signedIn, 400, { offer, typed, fault })
    const isSigned = await signEvaluation(sql, settings, signedIn, offer, {
      ...{ signerName: typed.name, signerTitle: typed.title, company: typed.company },
      agent: (context.request.headers.get('user-agent') ?? '')
        .replaceAll(/\p{C}/gu, '')
        .slice(0, maxAgentLength),
    })
    // The same form twice at once: the first one made the key.
    if (isSigned || (await hasSigned(sql, accountId))) return redirectAnswer(keysPath)
    return show(signedIn, 409)
  }

  return new Elysia({ name: 'orders' })
    .use(http)
    .get('/account/evaluation', async ({ signedIn }) => show(signedIn, 200), { sessionPage: true })
    .post('/account/evaluation', async ({ context, signedIn, form }) => sign(context, signedIn, form), {
      sessionForm: true,
      parse: 'none',
    })
    .get(
      '/account/orders/:order/document',
      async ({ context, signedIn }) => documentAnswer(context, signedIn.session.accountId),
      { sessionPage: true },
    )

  async function documentAnswer(context: RequestContext, accountId: number): Promise<Answer> {
    const id = /^\/account\/orders\/([1-9]\d{0,8})\/document$/.exec(context.path)?.[1]
    const order = id === undefined ? null : await findOrder(sql, Number(id), { accountId })
    // The same for an order of another account and one that never was.
    if (order === null)
      throw new Failure(
        'entity_unknown',
        'This account has signed no such order. /account/evaluation shows its orders.',
      )
    const { body, ...answer } = pageAnswer(200, '', {
      'Content-Disposition': `attachment; filename="${documentName(order.orderId)}"`,
      'Repr-Digest': `sha-256=:${Buffer.from(order.documentSha256, 'hex').toString('base64')}:`,
    })
    return { ...answer, body: Uint8Array.from(order.document) }
  }
}

const readAgain =
  'The order form is no longer the one that you were shown: its text or the operator has changed. Read it again below, then sign.'

function faultIn({ name, title, company }: TypedFields, form: SubmittedForm): string | null {
  for (const [field, value] of Object.entries({ name, title, company })) {
    if (value === '') return `The field ${field} is empty. Name, title and company are part of the signature.`
    if ([...value].length > maxTypedLength) return `The field ${field} may have ${maxTypedLength} characters.`
  }
  return form.text('consent') === 'yes' ? null : 'Tick the consent: without it nothing is signed.'
}

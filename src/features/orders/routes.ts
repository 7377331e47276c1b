import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { Form } from '../account/forms.ts'
import { pageAnswer, redirectAnswer } from '../account/pages/frame.ts'
import { type AccountDeps, type SignedIn, Visitors } from '../account/visitor.ts'
import { formVersion } from './evaluationForm.ts'
import { documentName } from './mails.ts'
import { findOrder, listOrders } from './orderQueries.ts'
import { evaluationPage, maxTypedLength, type TypedFields } from './page.ts'
import { hasSigned, type Offer, type OrderSettings, offerTo, signEvaluation } from './signEvaluation.ts'

const hidden = { access: 'open', detail: { hide: true } } as const
const hiddenForm = { ...hidden, parse: 'none' } as const
const keysPath = '/account/api-keys'
const maxShownOrders = 20
const maxAgentLength = 300

export interface OrderDeps extends AccountDeps {
  readonly settings: AccountDeps['settings'] & OrderSettings
}

/** /account/evaluation and the documents that were signed there. */
export function orderRoutes(http: HttpPlugin, deps: OrderDeps) {
  const { sql, settings } = deps
  const visitors = new Visitors(deps)

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

  async function sign(context: RequestContext, visitor: SignedIn, form: Form): Promise<Answer> {
    const { accountId, email } = visitor.session
    const offer = await offerTo(sql, settings, email)
    // A form that is sent again, because its answer was lost, leads to the key that it made. After the offer: one that is used may be
    // used by this very account a moment ago.
    if (await hasSigned(sql, accountId)) return redirectAnswer(keysPath)
    if (offer.outcome !== 'offered')
      return show(visitor, offer.outcome === 'free-mail' ? 403 : 409, { offer })
    const typed = { name: form.text('name'), title: form.text('title'), company: form.text('company') }
    if (form.text('version') !== formVersion || form.text('sha256') !== offer.document.sha256)
      return show(visitor, 409, { offer, typed, fault: readAgain })
    const fault = faultIn(typed, form)
    if (fault !== null) return show(visitor, 400, { offer, typed, fault })
    const isSigned = await signEvaluation(sql, settings, visitor, offer, {
      ...{ signerName: typed.name, signerTitle: typed.title, company: typed.company },
      agent: (context.request.headers.get('user-agent') ?? '')
        .replaceAll(/\p{C}/gu, '')
        .slice(0, maxAgentLength),
    })
    // The same form twice at once: the first one made the key.
    if (isSigned || (await hasSigned(sql, accountId))) return redirectAnswer(keysPath)
    return show(visitor, 409)
  }

  return new Elysia({ name: 'orders' })
    .use(http)
    .get(
      '/account/evaluation',
      async ({ context }) => visitors.signedInPage(context, visitor => show(visitor, 200)),
      { ...hidden },
    )
    .post(
      '/account/evaluation',
      async ({ context }) => visitors.signedInForm(context, (visitor, form) => sign(context, visitor, form)),
      { ...hiddenForm },
    )
    .get(
      '/account/orders/:order/document',
      async ({ context }) =>
        visitors.signedInPage(context, ({ session }) => documentAnswer(context, session.accountId)),
      { ...hidden },
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

function faultIn({ name, title, company }: TypedFields, form: Form): string | null {
  for (const [field, value] of Object.entries({ name, title, company })) {
    if (value === '') return `The field ${field} is empty. Name, title and company are part of the signature.`
    if ([...value].length > maxTypedLength) return `The field ${field} may have ${maxTypedLength} characters.`
  }
  return form.text('consent') === 'yes' ? null : 'Tick the consent: without it nothing is signed.'
}

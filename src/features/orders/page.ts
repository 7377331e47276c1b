import type { Session } from '../../access/visitorQueries.ts'
import { html, Markup } from '../../html.ts'
import { accountPage, notice } from '../account/pages/frame.ts'
import { consentSentence, formVersion, type OrderDocument } from './evaluationForm.ts'
import { documentPath } from './mails.ts'
import type { ListedOrder } from './orderQueries.ts'
import type { Offer } from './signEvaluation.ts'

/** What a person typed, shown again where something is wrong. */
export interface TypedFields {
  readonly name: string
  readonly title: string
  readonly company: string
}

const nothingTyped: TypedFields = { name: '', title: '', company: '' }

export interface EvaluationState {
  readonly session: Session
  readonly offer: Offer
  readonly orders: readonly ListedOrder[]
  readonly typed?: TypedFields
  readonly fault?: string
}

/** /account/evaluation: the order form and the signature, or what the account has signed, or why it cannot. */
export const evaluationPage = ({ session, offer, orders, typed, fault }: EvaluationState): string =>
  accountPage({
    title: 'Evaluation',
    email: session.email,
    section: 'Evaluation',
    main: html`${fault !== undefined && notice(fault, 'bad')}
${orders.length > 0 ? html`${orders.map(signedOrder)}` : offerOrRefusal(session, offer, typed ?? nothingTyped)}`,
  })

const freeKeyWay = html`<p><a class="button" href="/account/api-keys">Make a free key</a></p>`

function offerOrRefusal(session: Session, offer: Offer, typed: TypedFields): Markup {
  switch (offer.outcome) {
    case 'offered':
      return signingForm(session, offer.document, typed)
    case 'not-set-up':
      return html`${notice('Evaluations are not offered on this server yet: its operator has not set OPERATOR_NAME and OPERATOR_LAW, which stand in the order form.')}
${freeKeyWay}`
    case 'free-mail':
      return html`${notice(`${offer.domain} gives addresses to anyone, so an address there does not show for which company you evaluate. Sign in with the address of your company for an evaluation. With this address you get a free key.`)}
${freeKeyWay}`
    case 'used':
      return html`${notice(`${offer.domain} has used its evaluation. There is one for each company, for ever; all addresses of a domain are one company. A free key is yours in any case, and the operator sells licences.`)}
${freeKeyWay}`
  }
}

/** The document goes into the page byte for byte: these bytes are what is signed. */
const signingForm = (session: Session, document: OrderDocument, typed: TypedFields): Markup => html`
<p>30 days with the full history of 1,000 companies, free of charge, once for each company. Read the order form and sign below; the key comes at once. A free key goes on working next to it.</p>
<section class="card document" aria-label="Evaluation Order Form">
${new Markup(new TextDecoder().decode(document.bytes))}</section>
<h2 id="sign">Sign</h2>
<form method="post" action="/account/evaluation" class="stack roomy">
<input type="hidden" name="version" value="${formVersion}">
<input type="hidden" name="sha256" value="${document.sha256}">
<p>E-mail address: <strong>${session.email}</strong>, proved at sign-in on ${session.signedIn}</p>
<label for="name">Your name</label>
<input id="name" name="name" required maxlength="${maxTypedLength}" autocomplete="name" value="${typed.name}">
<label for="title">Your title</label>
<input id="title" name="title" required maxlength="${maxTypedLength}" autocomplete="organization-title" value="${typed.title}">
<label for="company">Company</label>
<input id="company" name="company" required maxlength="${maxTypedLength}" autocomplete="organization" value="${typed.company}">
<label class="consent"><input type="checkbox" name="consent" value="yes" required> <span>${consentSentence}</span></label>
<button>Sign</button>
</form>
<p class="quiet">SHA-256 of the order form above: <code class="digest">${document.sha256}</code></p>`

export const maxTypedLength = 200

function signedOrder(order: ListedOrder): Markup {
  const { orderId } = order
  return html`<section class="card" aria-labelledby="order-${orderId}">
<h2 id="order-${orderId}">Order ${orderId}: Evaluation</h2>
<p>Signed. The key is on the page <a href="/account/api-keys">API keys</a>, with its limits and what it has used.</p>
<p><a class="button" href="${documentPath(orderId)}" download>Download the signed document</a></p>
<dl class="facts">
<dt>Signed by</dt><dd>${order.signerName}, ${order.signerTitle}</dd>
<dt>Company</dt><dd>${order.company}</dd>
<dt>Signed at</dt><dd>${shownTime(order.signedAt)}, from ${order.address}</dd>
<dt>Address</dt><dd>${order.email}, proved by the sign-in at ${shownTime(order.provedAt)}</dd>
<dt>Last day</dt><dd>${order.lastDay} (UTC, inclusive)</dd>
<dt>Key</dt><dd><code>${order.keyPrefix}...</code></dd>
<dt>Form</dt><dd>Evaluation Order Form, version ${order.version}</dd>
<dt>You agreed</dt><dd>${order.consent}</dd>
<dt>SHA-256 of the document</dt><dd><code class="digest">${order.documentSha256}</code></dd>
<dt>SHA-256 of this record</dt><dd><code class="digest">${order.digest}</code></dd>
</dl>
</section>`
}

const shownTime = (instant: string) => `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`

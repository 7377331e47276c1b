import type { Session } from '../../access/visitorQueries.ts'
import { html, Markup } from '../../html.ts'
import { accountPage, notice } from '../account/pages/frame.ts'
import { consentSentence, formVersion, type OrderDocument } from './evaluationForm.ts'
import { documentPath } from './mails.ts'
import type { ListedOrder } from './orderQueries.ts'
import type { Offer } from './signEvaluation.ts'

/** What a person typed, shown again with an error. */
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

/**
 * /account/evaluation: the order form and signature, or what the account has signed, or why it is not
 * eligible.
 */
export const evaluationPage = ({ session, offer, orders, typed, fault }: EvaluationState): string =>
  accountPage({
    title: 'Evaluation',
    email: session.email,
    section: 'Evaluation',
    main: html`${fault !== undefined && notice(fault, 'bad')}
${orders.length > 0 ? html`${orders.map(signedOrder)}` : offerOrRefusal(session, offer, typed ?? nothingTyped)}`,
  })

const freeKeyWay = html`<p><a class="button" href="/account/api-keys">Create a free key</a></p>`

function offerOrRefusal(session: Session, offer: Offer, typed: TypedFields): Markup {
  switch (offer.outcome) {
    case 'offered':
      return signingForm(session, offer.document, typed)
    case 'not-set-up':
      return html`${notice('This server does not offer evaluations yet. Its operator has to set OPERATOR, which the order form names.')}
${freeKeyWay}`
    case 'free-mail':
      return html`${notice(`Anyone can get an address at ${offer.domain}, so it does not show which company you work for. For an evaluation, sign in with your company address. With this address you can have a free key.`)}
${freeKeyWay}`
    case 'used':
      return html`${notice(`${offer.domain} has already used its evaluation. Each company domain gets one evaluation. You can still have a free key, and the operator sells licences.`)}
${freeKeyWay}`
  }
}

/** The page contains the document byte for byte: these bytes are what is signed. */
const signingForm = (session: Session, document: OrderDocument, typed: TypedFields): Markup => html`
<p>Your company gets the full history of 1,000 companies for 30 days, once and free of charge. Read the order form and sign below, and you get the key immediately. Your free key keeps working.</p>
<section class="card document" aria-label="Evaluation Order Form">
${new Markup(new TextDecoder().decode(document.bytes))}</section>
<h2 id="sign">Sign</h2>
<form method="post" action="/account/evaluation" class="stack roomy">
<input type="hidden" name="version" value="${formVersion}">
<input type="hidden" name="sha256" value="${document.sha256}">
<p>E-mail address: <strong>${session.email}</strong>, confirmed when you signed in on ${session.signedIn}</p>
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
<p>You have signed. <a href="/account/api-keys">API keys</a> shows the key with its limits and usage.</p>
<p><a class="button" href="${documentPath(orderId)}" download>Download the signed document</a></p>
<dl class="facts">
<dt>Signed by</dt><dd>${order.signerName}, ${order.signerTitle}</dd>
<dt>Company</dt><dd>${order.company}</dd>
<dt>Signed at</dt><dd>${shownTime(order.signedAt)}, from ${order.address}</dd>
<dt>Address</dt><dd>${order.email}, confirmed by the sign-in at ${shownTime(order.provedAt)}</dd>
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

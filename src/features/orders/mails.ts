import type { DurableMail } from '../account/outboxQueries.ts'
import type { OrderDocument } from './evaluationForm.ts'
import type { ListedOrder } from './orderQueries.ts'

/** How long a server without configured mail keeps it. Attempts to send end after two days (`outbox.ts`). */
const copyUsefulMinutes = 30 * 24 * 60

export const documentName = (orderId: number) => `evaluation-order-${orderId}.html`
export const documentPath = (orderId: number) => `/account/orders/${orderId}/document`

/** Mails a copy of a signed order, with the document as signed. */
export const orderMail = (order: ListedOrder, document: OrderDocument, baseUrl: string): DurableMail => ({
  to: order.email,
  subject: `Your signed Evaluation Order Form (order ${order.orderId})`,
  text: `You have signed the Evaluation Order Form, version ${order.version}.

  Order      ${order.orderId}
  Signed by  ${order.signerName}, ${order.signerTitle}
  Company    ${order.company}
  Signed at  ${order.signedAt}
  From       ${order.address}
  Key        ${order.keyPrefix}...
  Works until the end of ${order.lastDay} (UTC)

You agreed: ${order.consent}

The document is attached, byte for byte as you signed it. You can also download it:
${baseUrl}${documentPath(order.orderId)}

SHA-256 of the document:
${order.documentSha256}
SHA-256 of the record of this signature:
${order.digest}

Keep this e-mail: with these two numbers, anyone can check that neither was changed later.
You saw the key once at ${baseUrl}/account/api-keys. You can replace it there.
`,
  attachment: { name: documentName(order.orderId), content: document.bytes },
  usefulMinutes: copyUsefulMinutes,
})

export interface EndingGrant {
  readonly email: string
  readonly keyPrefix: string
  readonly lastDay: string
}

export const reminderMail = (
  { email, keyPrefix, lastDay }: EndingGrant,
  baseUrl: string,
  usefulMinutes: number,
): DurableMail => ({
  to: email,
  subject: `Your evaluation ends on ${lastDay}`,
  text: `Your evaluation key ${keyPrefix}... works until the end of ${lastDay} (UTC). After that, its requests are refused.

A free key keeps working, with the figures of the Free Licence:
${baseUrl}/account/api-keys

If you request a licence before that day, you can keep the same key:
${baseUrl}/account/licences
`,
  usefulMinutes,
})

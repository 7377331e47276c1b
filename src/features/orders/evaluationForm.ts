import { evaluationDays } from '../../access/keys.ts'
import { html } from '../../html.ts'
import { licenceLimits } from '../../rights/licences.ts'
import { sha256 } from './chain.ts'

/**
 * The Evaluation Order Form. A test pins the SHA-256 of each version's text: changing a word requires a new
 * version, so that a version always denotes one text. The text is a draft for which the operator is
 * responsible.
 */

export const formName = 'evaluation'
export const formVersion = '2026-11'

/** The parties to an order. */
export interface OrderParties {
  readonly operator: string
  readonly law: string
  readonly email: string
  /** The registrable domain. */
  readonly domain: string
}

export interface OrderDocument {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly sha256: string
}

/** The sentence beside the consent checkbox. It is part of the form's version. */
export const consentSentence =
  'I have read the whole Evaluation Order Form above and agree to it for the company named here. I may sign for this company. I agree to conclude this contract electronically: my typed name and the button Sign are my signature.'

const grouped = (value: number) => value.toLocaleString('en-US')

/**
 * The bytes that the page shows, the person signs and the database stores. They are ASCII, so that a copy
 * reads the same in every browser and editor, whatever encoding it assumes.
 */
export function orderDocument({ operator, law, email, domain }: OrderParties): OrderDocument {
  const { perMinute, perDay, entityCap, bulk } = licenceLimits('evaluation', false)
  if (perDay === null || entityCap === null || bulk)
    throw new Error('The order form states a daily limit, a number of companies, and no bulk files.')
  const { text } = html`<article class="order-form" lang="en">
<h2>Evaluation Order Form</h2>
<p>Version ${formVersion}</p>
<h3>1. Parties</h3>
<p>This order is between <strong>${operator}</strong> (the Provider) and the company that is named with the signature (the Customer), for which the holder of the e-mail address <strong>${email}</strong> signs. The holder has proved the address with a code that was sent to it.</p>
<h3>2. What the Customer gets</h3>
<p>One API key for the Provider's point-in-time company data, free of charge, with the full history and every as-of date of up to <strong>${grouped(entityCap)} companies</strong>. A company counts when its data is first opened, through the API, the pages or a download. The key may send ${grouped(perMinute)} requests a minute and ${grouped(perDay)} a day. Bulk files are not included.</p>
<h3>3. Term</h3>
<p>The evaluation begins with the signature and runs for <strong>${evaluationDays} days</strong>: it ends with the last minute (UTC) of the ${evaluationDays}th day after the day (UTC) of the signature. It ends by itself, is not renewed and leads to no payment. Each company has one evaluation, once; all addresses of the domain ${domain} are one company.</p>
<h3>4. Permitted use</h3>
<p>The Customer uses the data only inside the company and only to evaluate it. The Customer does not use it in production, for clients or for funds; does not pass on, publish, sell or resell it, in whole or in part or in a form from which it can be recovered; and does not evade the limits of this order. The key is confidential: only staff and contractors of the Customer who need it for the evaluation use it.</p>
<h3>5. Terms of the sources</h3>
<p>The data comes from official registers. Their terms and notices of source, which the Provider sends with the data, apply as well.</p>
<h3>6. After the end</h3>
<p>The key stops working. The Customer deletes the data within 30 days, or takes a licence for it. The Customer may keep its own conclusions, and copies that the law requires.</p>
<h3>7. No warranty</h3>
<p>The data is provided as it is, for evaluation. It may have faults and gaps and may be unavailable. It is not investment advice. As far as the law permits, the Provider gives no warranty and is not liable for damage that arises from the use of the data. Nothing here limits liability that the law does not allow to be limited.</p>
<h3>8. Ending early</h3>
<p>The Customer may stop at any time. The Provider may end the evaluation at once if this order is breached.</p>
<h3>9. Electronic signature and records</h3>
<p>The parties conclude this order electronically. The typed name, the ticked consent and the button Sign are the signature. With the order are stored: these bytes and their SHA-256, the consent, the typed fields, the sign-in that proved the address, the times, and the network address and browser of the signature. The Customer gets a copy by e-mail and can download it from the account.</p>
<h3>10. Law</h3>
<p>This order is governed by ${law}.</p>
</article>
`
  const ascii = text.replace(/\P{ASCII}/gu, character => `&#x${character.codePointAt(0)?.toString(16)};`)
  return { bytes: new TextEncoder().encode(ascii), sha256: sha256(ascii) }
}

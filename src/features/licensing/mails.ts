import type { IsoDate } from '../../dates.ts'
import type { DurableMail } from '../account/outboxQueries.ts'
import { licenceTitle } from './terms.ts'

/** A grant as it was made. */
export interface MadeGrant {
  readonly grant: number
  /** The prefix of its key. */
  readonly key: string
  readonly licence: string
  readonly quant: boolean
  readonly per_minute: number
  readonly per_day: number | null
  readonly entity_cap: number | null
  readonly bulk: boolean
  readonly starts: IsoDate
  readonly expires: IsoDate | null
  /** True if the holder has yet to create the key's secret. */
  readonly waiting: boolean
}

/** How long a server without configured mail keeps it. Attempts to send end after two days (`outbox.ts`). */
const usefulMinutes = 30 * 24 * 60

/** Announces a granted licence. The mail contains no key, because the holder creates it. */
export const grantedMail = (to: string, made: MadeGrant, baseUrl: string): DurableMail => ({
  to,
  subject: `You have been granted a licence: ${licenceTitle(made.licence, made.quant)}`,
  text: `You have been granted the ${licenceTitle(made.licence, made.quant)} licence.

  From   ${made.starts}
  Until  ${made.expires === null ? 'no end' : `the end of ${made.expires} (UTC)`}
  Key    ${made.key}...

${made.waiting ? 'Create its key here. Only you see it, and only once:' : 'Your key stays the same, so your programs need no change.'}
${baseUrl}/account/api-keys
`,
  usefulMinutes,
})

/** Announces a refused request with its reason. */
export const refusedMail = (to: string, title: string, reason: string, baseUrl: string): DurableMail => ({
  to,
  subject: `Your request for a licence was refused: ${title}`,
  text: `We have refused your request (${title}):

  ${reason}

See your requests: ${baseUrl}/account/licences
`,
  usefulMinutes,
})

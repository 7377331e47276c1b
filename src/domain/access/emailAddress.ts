import { Failure } from '../../errors.ts'

export interface EmailAddress {
  readonly address: string
  /** Lower case. */
  readonly domain: string
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const shape = new RegExp(`^[^\\s@<>()",:;\\\\[\\]]{1,64}@((?:${label}\\.)+${label})$`, 'i')

export function parseEmail(text: string): EmailAddress {
  const address = text.trim()
  const domain = shape.exec(address)?.[1]
  if (domain === undefined || address.length > 254) {
    throw new Failure(
      'parameter_invalid',
      `'${address}' is no e-mail address; one like ana@fund.example is needed.`,
      {
        param: 'email',
      },
    )
  }
  return { address, domain: domain.toLowerCase() }
}

import { Failure } from '../errors.ts'

export interface EmailAddress {
  readonly address: string
  /** Lower case. */
  readonly domain: string
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const shape = new RegExp(`^[^\\s@<>()",:;\\\\[\\]]{1,64}@((?:${label}\\.)+${label})$`, 'i')

/** Fails on what is no e-mail address. */
export function parseEmail(text: string): EmailAddress {
  const address = text.trim()
  const domain = shape.exec(address)?.[1]
  if (domain === undefined || address.length > 254) {
    throw new Failure(
      'parameter_invalid',
      `'${address}' is not an e-mail address. Write one like ana@fund.example.`,
      {
        param: 'email',
      },
    )
  }
  return { address, domain: domain.toLowerCase() }
}

/** What mail servers accept without an extension. Names outside ASCII look alike, so one mailbox could pose as another. */
const plainLocalPart = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/

export interface Mailbox {
  /** Lower case. */
  readonly address: string
  readonly domain: string
  /** Of the registered domain: mail.fund.co.uk is fund.co.uk. */
  readonly registrableDomain: string
}

/** The mailbox that a person signs in with. */
export async function parseMailbox(text: string): Promise<Mailbox> {
  const { address, domain } = parseEmail(text)
  const lower = address.toLowerCase()
  if (!plainLocalPart.test(lower.slice(0, lower.lastIndexOf('@'))))
    throw new Failure(
      'parameter_invalid',
      'This e-mail address has characters that are not accepted here. Use one of plain letters, digits and signs.',
      { param: 'email' },
    )
  return { address: lower, domain, registrableDomain: await registrableDomain(domain) }
}

/** The part of a domain that is registered as a whole, with the suffixes of private registries (github.io) as suffixes. A domain
 * without a known suffix stays as it is. The list of suffixes takes 20 ms and 8 MB, so it is loaded at its first use. */
export async function registrableDomain(domain: string): Promise<string> {
  const { getDomain } = await import('tldts')
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain
}

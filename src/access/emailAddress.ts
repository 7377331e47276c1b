import { Failure } from '../errors.ts'

export interface EmailAddress {
  readonly address: string
  /** Lower case. */
  readonly domain: string
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const shape = new RegExp(`^[^\\s@<>()",:;\\\\[\\]]{1,64}@((?:${label}\\.)+${label})$`, 'i')

/** Fails on text that is not an e-mail address. */
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

/** The characters that every mail server accepts without an extension. Non-ASCII characters can look alike,
 * so one mailbox could impersonate another. */
const plainLocalPart = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/

export interface Mailbox {
  /** Lower case. */
  readonly address: string
  readonly domain: string
  /** The registered domain: fund.co.uk for mail.fund.co.uk. */
  readonly registrableDomain: string
}

/** Parses the mailbox that a person signs in with. */
export async function parseMailbox(text: string): Promise<Mailbox> {
  const { address, domain } = parseEmail(text)
  const lower = address.toLowerCase()
  if (!plainLocalPart.test(lower.slice(0, lower.lastIndexOf('@'))))
    throw new Failure(
      'parameter_invalid',
      'This e-mail address contains characters that are not accepted here. Use an address with only ASCII letters, digits and punctuation.',
      { param: 'email' },
    )
  return { address: lower, domain, registrableDomain: await registrableDomain(domain) }
}

/** The registrable part of a domain. Private registries such as github.io count as suffixes, and a domain
 * without a known suffix is returned unchanged. The suffix list takes 20 ms and 8 MB, so it is loaded on
 * first use. */
export async function registrableDomain(domain: string): Promise<string> {
  const { getDomain } = await import('tldts')
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain
}

import type { Mailbox } from '../../access/emailAddress.ts'
import { isFreeMail } from '../../access/freeMail.ts'
import { Failure } from '../../errors.ts'
import type { Limits, Verdict } from '../../limits/decision.ts'
import type { RateLimiter } from '../../limits/rateLimiter.ts'

/** Who may have how many codes sent. The counters are in the database, so they hold across servers. */
const perNetwork: Limits = { perMinute: 6, perDay: 60 }
const perDomain: Limits = { perMinute: 20, perDay: 300 }
/** Of providers whose addresses belong to people who have nothing to do with each other. */
const perFreeMailDomain: Limits = { perMinute: 200, perDay: 5_000 }
const perAddress: Limits = { perMinute: 3, perDay: 12 }

/** How many codes may be tried. Against one mailbox 30 a day of a million: from however many networks, a century finds one in a
 * hundred. */
const guessesPerNetwork: Limits = { perMinute: 20, perDay: 200 }
const guessesPerAddress: Limits = { perMinute: 10, perDay: 30 }

/** Counts a code that is to be sent, or fails. The network is first: one that is used up must not use up those of a mailbox that is
 * not its own. Nothing here depends on whether the mailbox has an account. */
export async function countSend(limiter: RateLimiter, network: string, mailbox: Mailbox): Promise<void> {
  const { address, domain, registrableDomain } = mailbox
  const ofDomain = (await isFreeMail(domain)) ? perFreeMailDomain : perDomain
  await take(limiter, `code-network:${network}`, perNetwork, 'from your network')
  await take(limiter, `code-domain:${registrableDomain}`, ofDomain, `to ${registrableDomain}`)
  await take(limiter, `code-address:${addressDigest(inboxOf(address))}`, perAddress, 'to this address')
}

/** Counts an attempt to use a code, or fails. */
export async function countGuess(limiter: RateLimiter, network: string): Promise<void> {
  await take(limiter, `guess-network:${network}`, guessesPerNetwork, 'tried from your network')
}

/** Counts it against the mailbox, too: a guesser may have many networks. */
export async function countGuessOf(limiter: RateLimiter, address: string): Promise<void> {
  await take(limiter, `guess-address:${addressDigest(address)}`, guessesPerAddress, 'tried for this address')
}

/** Where mail to an address arrives: providers ignore what follows a plus sign, and Gmail ignores dots. Counted by the address alone, a
 * person would get as many mails as others can think of such names. */
function inboxOf(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at)
  const [name] = address.slice(0, at).split(/(?<=.)\+/, 1)
  return (domain === '@gmail.com' || domain === '@googlemail.com' ? name.replaceAll('.', '') : name) + domain
}

/** The table of counters names no person. */
const addressDigest = (address: string) => Bun.SHA256.hash(address, 'base64url')

async function take(limiter: RateLimiter, subject: string, limits: Limits, what: string): Promise<void> {
  const { refused } = await limiter.take(subject, limits)
  if (refused !== null) throw tooMany(what, refused)
}

function tooMany(what: string, { by, retryAfterSeconds }: NonNullable<Verdict['refused']>): Failure {
  const verb = what.startsWith('tried') ? '' : 'were sent '
  return new Failure(
    by === 'day' ? 'rate_limited_day' : 'rate_limited_minute',
    `Too many codes ${verb}${what}. Try again ${wait(retryAfterSeconds)}. A code that you have stays valid.`,
    { param: 'email', retryAfterSeconds },
  )
}

const wait = (seconds: number) =>
  seconds <= 90 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 3_600)} hour(s)`

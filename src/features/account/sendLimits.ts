import type { Mailbox } from '../../access/emailAddress.ts'
import { isFreeMail } from '../../access/freeMail.ts'
import { Failure } from '../../errors.ts'
import { type Budget, giveBack, type Refused, takeTogether } from '../../limits/togetherQueries.ts'
import type { Limits } from '../../limits/verdict.ts'
import type { Sql } from '../../postgres/client.ts'

/** Who may have how many codes sent. The counters are in the database, so they hold across servers. */
const perNetwork: Limits = { perMinute: 6, perDay: 60 }
const perDomain = { perMinute: 20, perDay: 300 }
/** Of providers whose addresses belong to people who have nothing to do with each other. */
const perFreeMailDomain = { perMinute: 200, perDay: 5_000 }
const perAddress: Limits = { perMinute: 3, perDay: 12 }
/** Half of what a domain gets in a day is open to every network until the network's own limits; the other half is a
 * reserve, of which each neighbourhood of networks gets only this much. So few networks cannot use up a domain. */
const perNeighbourhood: Limits = { perMinute: 2, perDay: 2 }
/** To a domain of which somebody is signed in from the network that asks. */
const perKnownNetwork: Limits = { perMinute: 6, perDay: 30 }
const perKnownBrowser: Limits = { perMinute: 3, perDay: 6 }

/** How many codes may be tried. Against one mailbox 30 a day of a million: from however many networks, a century
 * finds one in a hundred. A known browser adds its own to that, and an account has five of them at most. */
const guessesPerNetwork: Limits = { perMinute: 20, perDay: 200 }
const guessesPerAddress: Limits = { perMinute: 10, perDay: 30 }
const guessesPerKnownBrowser: Limits = { perMinute: 10, perDay: 20 }

interface SignInBudget extends Budget {
  /** For the message of a refusal. */
  readonly what: string
  /** Whether others draw on it, too: then it gets back the hit of a mail that was not sent. The sender's own keep
   * it, since the attempt was made. */
  readonly isShared: boolean
}

/** Budgets that all have to grant a request. */
type Lane = readonly SignInBudget[]

export interface Sender {
  readonly network: string
  /** Of the browser, where it signed in with this mailbox before. */
  readonly knownBrowser: number | null
  /** Whether somebody of the mailbox's domain is signed in from this network. */
  readonly isKnownNetwork: boolean
}

/** A code that was counted. */
export interface CountedSend {
  readonly shared: readonly string[]
  readonly at: number
}

/** Counts a code that is to be sent, or fails. A request counts on one lane: the first one whose budgets all
 * grant it. On the others, and where it is refused, it counts nothing. Strangers cannot use up the lane of a
 * known browser, nor that of a known network unless they have accounts of its domain. To strangers nothing here
 * depends on whether the mailbox has an account.
 *
 * @param clockSeconds replaces the clock of the database, for tests */
export async function countSend(
  sql: Sql,
  sender: Sender,
  mailbox: Mailbox,
  clockSeconds: number | null = null,
): Promise<CountedSend> {
  const lanes = await sendLanes(sender, mailbox)
  const { lane, at } = await takeFirst(sql, lanes, sender.knownBrowser !== null, clockSeconds)
  return { shared: lane.filter(budget => budget.isShared).map(({ subject }) => subject), at }
}

/** Gives a code that could not be sent back to the mailbox and the domain. Mails of the outbox count nowhere:
 * they go to people who are signed in. */
export const giveSendBack = (sql: Sql, { shared, at }: CountedSend): Promise<void> =>
  giveBack(sql, shared, at)

async function sendLanes(
  { network, knownBrowser, isKnownNetwork }: Sender,
  { address, domain, registrableDomain }: Mailbox,
): Promise<Lane[]> {
  const ofDomain = (await isFreeMail(domain)) ? perFreeMailDomain : perDomain
  const openHalf = { ...ofDomain, perDay: ofDomain.perDay / 2 }
  // In the minute the reserve comes on top, so that a burst on the open half leaves room for it.
  const withReserve = { ...ofDomain, perMinute: ofDomain.perMinute * 2 }
  const toDomain = `to ${registrableDomain}`
  const mailbox = shared(`code-address:${digestOf(inboxOf(address))}`, perAddress, 'to this address')
  const ofNetwork = own(`code-network:${network}`, perNetwork, 'from your network')
  const forDomain = (limits: Limits) => shared(`code-domain:${registrableDomain}`, limits, toDomain)
  const place = `${neighbourhoodOf(network)}:${registrableDomain}`
  const ofKnownNetwork = `code-known-network:${network}:${registrableDomain}`
  return [
    ...(knownBrowser === null
      ? []
      : [[own(`code-browser:${knownBrowser}`, perKnownBrowser, 'from this browser')]]),
    ...(isKnownNetwork
      ? [
          [
            ofNetwork,
            mailbox,
            own(ofKnownNetwork, perKnownNetwork, toDomain),
            shared(`code-known:${registrableDomain}`, ofDomain, toDomain),
          ],
        ]
      : []),
    [ofNetwork, mailbox, forDomain(openHalf)],
    [ofNetwork, mailbox, own(`code-reserve:${place}`, perNeighbourhood, toDomain), forDomain(withReserve)],
  ]
}

interface Guess {
  readonly network: string
  /** The mailbox that the code was sent to; null: there is no code to try. */
  readonly email: string | null
  /** Of the browser, where it signed in with this mailbox before. */
  readonly knownBrowser: number | null
}

/** Counts an attempt to use a code, or fails: on the known browser alone, else on the network and, since a
 * guesser may have many networks, on the mailbox, too. */
export async function countGuess(sql: Sql, { network, email, knownBrowser }: Guess): Promise<void> {
  const ofNetwork = own(`guess-network:${network}`, guessesPerNetwork, 'tried from your network')
  const strangers =
    email === null
      ? [ofNetwork]
      : [ofNetwork, shared(`guess-address:${digestOf(email)}`, guessesPerAddress, 'tried for this address')]
  const lanes: Lane[] = [strangers]
  if (knownBrowser !== null)
    lanes.unshift([own(`guess-browser:${knownBrowser}`, guessesPerKnownBrowser, 'tried in this browser')])
  await takeFirst(sql, lanes, knownBrowser !== null || email === null)
}

const own = (subject: string, limits: Limits, what: string): SignInBudget => ({
  ...{ subject, limits, what },
  isShared: false,
})
const shared = (subject: string, limits: Limits, what: string): SignInBudget => ({
  ...{ subject, limits, what },
  isShared: true,
})

/** Where mail to an address arrives: providers ignore what follows a plus sign, and Gmail ignores dots. Counted
 * by the address alone, a person would get as many mails as others can think of such names. */
function inboxOf(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at)
  const [name] = address.slice(0, at).split(/(?<=.)\+/, 1)
  return (domain === '@gmail.com' || domain === '@googlemail.com' ? name.replaceAll('.', '') : name) + domain
}

/** The /24 of an IPv4 address, and the /48 of an IPv6 network: one customer has as many addresses below it as
 * they like. */
export function neighbourhoodOf(network: string): string {
  if (network.includes(':')) return `${network.split(':').slice(0, 3).join(':')}::/48`
  return network.replace(/\.\d+$/, '.0/24')
}

/** The table of counters names no person. */
const digestOf = (address: string) => Bun.SHA256.hash(address, 'base64url')

/** Counts on the first lane that grants, or fails with the wait of the lane that grants next.
 *
 * @param isKnown a hint at known browsers would say nothing new */
async function takeFirst(
  sql: Sql,
  lanes: readonly Lane[],
  isKnown: boolean,
  clockSeconds: number | null = null,
): Promise<{ readonly lane: Lane; readonly at: number }> {
  const refusals: Refusal[] = []
  for (const lane of lanes) {
    const taken = await takeTogether(sql, lane, clockSeconds)
    if (taken.granted) return { lane, at: taken.at }
    const waits = taken.refusals.map(({ budget: { what }, refused }) => ({ what, ...refused }))
    refusals.push(waits.reduce((a, b) => (b.retryAfterSeconds > a.retryAfterSeconds ? b : a)))
  }
  throw tooMany(
    refusals.reduce((a, b) => (b.retryAfterSeconds < a.retryAfterSeconds ? b : a)),
    isKnown,
  )
}

type Refusal = Refused & { readonly what: string }

function tooMany({ what, by, retryAfterSeconds }: Refusal, isKnown: boolean): Failure {
  const verb = what.startsWith('tried') ? '' : 'were sent '
  const hint = isKnown ? '' : ' A browser that has signed in with this address before has a limit of its own.'
  return new Failure(
    by === 'day' ? 'rate_limited_day' : 'rate_limited_minute',
    `Too many codes ${verb}${what}. Try again ${wait(retryAfterSeconds)}. A code that you have stays valid.${hint}`,
    { param: 'email', retryAfterSeconds },
  )
}

const wait = (seconds: number) =>
  seconds <= 90 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 3_600)} hour(s)`

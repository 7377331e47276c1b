import type { Mailbox } from '../../access/emailAddress.ts'
import { isFreeMail } from '../../access/freeMail.ts'
import { Failure } from '../../errors.ts'
import { type Budget, giveBack, type Refused, takeTogether } from '../../limits/togetherQueries.ts'
import type { Limits } from '../../limits/verdict.ts'
import type { Sql } from '../../postgres/client.ts'

/** Limits on sending sign-in codes. The counters are in the database, so they hold across servers. */
const perNetwork: Limits = { perMinute: 6, perDay: 60 }
const perDomain = { perMinute: 20, perDay: 300 }
/** For mail providers whose users have nothing to do with each other. */
const perFreeMailDomain = { perMinute: 200, perDay: 5_000 }
const perAddress: Limits = { perMinute: 3, perDay: 12 }
/**
 * Half of a domain's daily budget is open to every network within that network's own limits. The other half
 * is a reserve, from which each neighbourhood of networks gets only this much, so a few networks cannot
 * exhaust a domain's budget.
 */
const perNeighbourhood: Limits = { perMinute: 2, perDay: 2 }
/** For mail to a domain if someone with an address there is signed in from the requesting network. */
const perKnownNetwork: Limits = { perMinute: 6, perDay: 30 }
const perKnownBrowser: Limits = { perMinute: 3, perDay: 6 }

/**
 * Limits on trying codes. A mailbox allows 30 guesses a day, each right with a probability of one in a
 * million, however many networks take part. Remembered browsers have budgets of their own on top, and an
 * account has at most five of them.
 */
const guessesPerNetwork: Limits = { perMinute: 20, perDay: 200 }
const guessesPerAddress: Limits = { perMinute: 10, perDay: 30 }
const guessesPerKnownBrowser: Limits = { perMinute: 10, perDay: 20 }

interface SignInBudget extends Budget {
  /** What was limited, for the error message. */
  readonly what: string
  /**
   * Whether others share this budget. A shared budget gets its hit back if the mail was not sent; the
   * sender's own budgets do not, because the attempt was made.
   */
  readonly isShared: boolean
}

/** Budgets that must all admit a request. */
type Lane = readonly SignInBudget[]

export interface Sender {
  readonly network: string
  /** The browser's number, if it has signed in with this mailbox before. */
  readonly knownBrowser: number | null
  /** Whether someone of the mailbox's domain is signed in from this network. */
  readonly isKnownNetwork: boolean
}

/** A code that counts against budgets. */
export interface CountedSend {
  readonly shared: readonly string[]
  readonly at: number
}

/**
 * Counts a code to be sent, or fails. A request counts on one lane, the first whose budgets all admit it, and
 * on none if it is refused. Strangers cannot exhaust the lane of a remembered browser, nor that of a known
 * network unless they have accounts of its domain. Nothing that a stranger sees depends on whether the
 * mailbox has an account.
 *
 * @param clockSeconds replaces the clock of the database, for tests
 */
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

/**
 * Returns an unsent code to the budgets of the mailbox and the domain. Outbox mail counts nowhere, because it
 * goes to people who are signed in.
 */
export const giveSendBack = (sql: Sql, { shared, at }: CountedSend): Promise<void> =>
  giveBack(sql, shared, at)

async function sendLanes(
  { network, knownBrowser, isKnownNetwork }: Sender,
  { address, domain, registrableDomain }: Mailbox,
): Promise<Lane[]> {
  const ofDomain = (await isFreeMail(domain)) ? perFreeMailDomain : perDomain
  const openHalf = { ...ofDomain, perDay: ofDomain.perDay / 2 }
  // The reserve is added to the limit per minute, so that a burst on the open half leaves room for it.
  const withReserve = { ...ofDomain, perMinute: ofDomain.perMinute * 2 }
  const toDomain = `to ${registrableDomain}`
  const mailbox = shared(`code-address:${digestOf(inboxOf(address))}`, perAddress, 'to this address')
  const ofNetwork = own(`code-network:${network}`, perNetwork, 'from your network')
  const forDomain = (limits: Limits) => shared(`code-domain:${registrableDomain}`, limits, toDomain)
  const neighbourAndDomain = `${neighbourhoodOf(network)}:${registrableDomain}`
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
    [
      ofNetwork,
      mailbox,
      own(`code-reserve:${neighbourAndDomain}`, perNeighbourhood, toDomain),
      forDomain(withReserve),
    ],
  ]
}

interface Guess {
  readonly network: string
  /** The mailbox to which the code was sent, or null if there is no code to try. */
  readonly email: string | null
  /** The browser's number, if it has signed in with this mailbox before. */
  readonly knownBrowser: number | null
}

/**
 * Counts an attempt to use a code, or fails. A remembered browser counts alone. Otherwise the network counts
 * and, because a guesser may have many networks, the mailbox too.
 */
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
  subject,
  limits,
  what,
  isShared: false,
})
const shared = (subject: string, limits: Limits, what: string): SignInBudget => ({
  subject,
  limits,
  what,
  isShared: true,
})

/**
 * The inbox that an address delivers to: providers ignore what follows a plus sign, and Gmail ignores dots.
 * If we counted addresses as typed, anyone could flood an inbox by varying them.
 */
function inboxOf(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at)
  const [name] = address.slice(0, at).split(/(?<=.)\+/, 1)
  return (domain === '@gmail.com' || domain === '@googlemail.com' ? name.replaceAll('.', '') : name) + domain
}

/**
 * The /24 of an IPv4 address or the /48 of an IPv6 network. One customer may have any number of addresses
 * below it.
 */
export function neighbourhoodOf(network: string): string {
  if (network.includes(':')) return `${network.split(':').slice(0, 3).join(':')}::/48`
  return network.replace(/\.\d+$/, '.0/24')
}

/** Digests, so that the table of counters identifies no person. */
const digestOf = (address: string) => Bun.SHA256.hash(address, 'base64url')

/**
 * Counts on the first lane that admits the request, or fails with the shortest wait of all lanes.
 *
 * @param isKnown a hint about remembered browsers would tell these callers nothing new
 */
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
    `Too many codes ${verb}${what}. Try again ${wait(retryAfterSeconds)}. Codes that you have already received stay valid.${hint}`,
    { param: 'email', retryAfterSeconds },
  )
}

const wait = (seconds: number) =>
  seconds <= 90 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 3_600)} hour(s)`
